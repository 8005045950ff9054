"""The report for people: what a run found, as plain HTML that needs no script."""

from acceptance.report.summary import render_summary

__all__ = ["render_summary"]
