"""The results of a run for readers: the first screen, subject by subject, and the test environment."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment

from acceptance.report.figures import (
    shown_metric,
    shown_rule,
    shown_speed_change,
    shown_speed_change_interval,
    shown_value,
    shown_value_interval,
    shown_verdict_interval,
    shown_verdict_value,
)
from acceptance.report.judged_intervals import with_judged_intervals
from acceptance.report.labels import is_without_limit, label_of
from acceptance.report.not_meant import not_meant
from acceptance.report.overview import overview, totals_in_words, verdict_sentence
from acceptance.report.page import templates
from acceptance.report.profiles_in_words import profiles_in_words
from acceptance.report.record_modules import chapters
from acceptance.report.records.imports import import_sections
from acceptance.report.settings_in_words import setting_rows
from acceptance.report.skipped import by_reason
from acceptance.report.speed import speed_tables
from acceptance.report.tiles import tiles
from acceptance.report.workloads import workload_rows
from acceptance.results.document import Results, Verdict
from acceptance.results.verdicts import OF_ONE_VOLUME
from acceptance.text.quantities import format_size
from acceptance.wording import what_follows

__all__ = ["render_summary", "totals_in_words", "verdict_sentence"]


def render_summary(results: Results, *, digest: str | None = None) -> str:
    """Return the summary as an HTML fragment; every value from the cluster is escaped.

    `digest`: the SHA-256 of the file with the results, if that file is final.
    """
    results = with_judged_intervals(results)
    first_screen, speed, of_records = overview(results), speed_tables(results), chapters(results)
    workloads, imports = workload_rows(results), import_sections(results)
    there = {*speed, *of_records}
    if results.tested_with and results.tested_with.workloads:
        there.add("workloads")
    if results.imports:
        there.add("imported")
    template = _templates().get_template("summary.html.jinja")
    return template.render(
        results=results,
        it=first_screen,
        digest=digest,
        tiles=tiles(results),
        in_words=profiles_in_words(results),
        subjects=[subject for subject in first_screen.subjects if subject.verdicts or subject.subject in there],
        speed=speed,
        parts={name: chapter.parts for name, chapter in of_records.items()},
        headings={name: chapter.heading for name, chapter in of_records.items() if chapter.heading},
        workloads=workloads,
        imports=imports,
        settings=setting_rows(results.settings),
        not_meant=not_meant(results),
        warned=[measurement for measurement in results.measurements if measurement.warnings],
        loaded={
            *(measurement.profile for measurement in results.measurements),
            *(record.profile for record in results.scaling),
            *(record.load.profile for record in results.sustained),
            *(record.profile for record in results.under_load),
            *(neighbour.profile for neighbour in results.neighbours),
            *(record.profile for record in results.many_snapshots),
            *(price.profile for price in results.prices),
        },
    )


@cache
def _templates() -> Environment:
    """Return the templates, read once: the report is written again after each test."""
    environment = templates()
    environment.tests |= {"held": _has_only_held, "without_limit": is_without_limit}
    environment.globals["of_one_volume"] = list(OF_ONE_VOLUME)
    environment.filters |= {
        "size": format_size,
        "value": shown_verdict_value,
        "interval": shown_verdict_interval,
        "edges": shown_value_interval,
        "mean": shown_value,
        "metric_value": shown_metric,
        "change": shown_speed_change,
        "change_interval": shown_speed_change_interval,
        "rule": shown_rule,
        "what_follows": _what_follows,
        "label": label_of,
        "skipped_in_words": _skipped_in_words,
        "by_reason": by_reason,
    }
    return environment


def _what_follows(verdict: Verdict) -> str:
    """Return the consequence of a verdict: `sync-write-iops, write.iops: a quieter machine would decide it.`

    This is the complete reason if it has no such end.
    """
    follows = what_follows(verdict)
    about = ", ".join(filter(None, (verdict.profile, verdict.metric)))
    return f"{about}: {follows}" if follows and about and verdict.measured is not None else verdict.reason


def _skipped_in_words(verdict: Verdict) -> str:
    """Return `A PVC is bound. Skipped: needs a cluster.`; for values without a limit the reason alone."""
    reason = f"{verdict.reason.rstrip('.')}."
    return reason if is_without_limit(verdict) else f"{verdict.limit.rstrip('.')}. Skipped: {reason}"


def _has_only_held(verdict: Verdict) -> bool:
    """Return whether the verdict passes without a figure or a finding: there is nothing to add to the pass."""
    outcome = verdict.outcome
    return verdict.status == "pass" and outcome is not None and outcome.code == "plain.held" and not outcome.facts
