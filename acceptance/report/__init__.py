"""The report for people, plain HTML that needs no script; metrics for Prometheus; tables for terminals and GitHub."""
