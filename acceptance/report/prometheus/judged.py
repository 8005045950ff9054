"""The verdicts as metrics: on the run and on each limit, and the facts about the run itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from acceptance.report.gauges import Gauge, Samples
from acceptance.results.access_modes import access_mode_in
from acceptance.results.completeness import is_whole, missing
from acceptance.results.document import Overall, Results, Status, Verdict
from acceptance.results.verdicts import ORDER, overall, worst

OVERALL = Gauge(
    name="overall",
    help="1 for the verdict on the whole run, over all classes; 0 for the other statuses",
    labels=("status",),
)
CLASS_OVERALL = Gauge(
    name="class_overall", help="1 for the verdict on this class alone; 0 for the other statuses", labels=("status",)
)
VERDICTS = Gauge(name="verdicts", help="number of verdicts on this class with that status", labels=("status",))
VERDICT = Gauge(
    name="verdict",
    help="1 for the status of the verdict on this limit; 0 for the other statuses",
    labels=("profile", "metric", "rule", "status"),
)
VERDICT_VALUE = Gauge(
    name="verdict_value",
    help="figure of the verdict on this limit, in its unit, with its interval if it has one",
    labels=("subject", "profile", "metric", "rule", "unit", "bound"),
)
VERDICT_BOUND = Gauge(
    name="verdict_bound",
    help="bound that the figure must meet, in its unit: at least or at most",
    labels=("subject", "profile", "metric", "rule", "unit", "operator"),
)
SUBJECT_VERDICTS = Gauge(
    name="subject_verdicts", help="number of verdicts of this subject with that status", labels=("subject", "status")
)
ASKED_LIMITS = Gauge(
    name="asked_limits", help="number of limits and comparison rules in the tier, for all classes of the run"
)
APPLYING = Gauge(name="applying_limits", help="number of asked_limits that apply to the classes under test")
JUDGED_LIMITS = Gauge(name="judged_limits", help="number of applying_limits with a verdict other than skipped")
ERRORS = Gauge(name="errors", help="number of errors outside the storage, such as the environment or a leak")
WARNINGS = Gauge(name="warnings", help="number of warnings about the run as a whole")
STARTED_AT = Gauge(name="started_timestamp_seconds", help="start of the run, as Unix time")
FINISHED_AT = Gauge(name="finished_timestamp_seconds", help="end of the run, as Unix time; absent while it runs")
DURATION = Gauge(name="duration_seconds", help="duration of the run; absent while it runs")
COMPLETE = Gauge(name="complete", help="1 if the run ended and reached all selected tests, else 0")
EXIT_STATUS = Gauge(name="exit_status", help="exit status of the run; absent while it runs")
RUN_INFO = Gauge(
    name="run_info",
    help="always 1; the labels name the run and its versions",
    labels=("run", "suite_version", "kubernetes_version", "provisioner", "volume_mode", "access_mode", "limits"),
)


def add_verdicts(samples: Samples, results: Results, candidate: str) -> None:
    """Set the samples of the verdicts on the candidate."""
    own = [verdict for verdict in results.verdicts if verdict.storage_class == candidate]
    samples.set_one_of(OVERALL, "status", results.overall, get_args(Overall))
    in_part = missing(results, storage_class=candidate).in_part
    samples.set_one_of(CLASS_OVERALL, "status", overall(own, in_part=in_part), get_args(Overall))
    for status in get_args(Status):
        samples.set(VERDICTS, sum(verdict.status == status for verdict in own), status=status)
    for subject in dict.fromkeys(verdict.subject or "" for verdict in own):
        for status in get_args(Status):
            count = sum((verdict.subject or "", verdict.status) == (subject, status) for verdict in own)
            samples.set(SUBJECT_VERDICTS, count, subject=subject, status=status)
    for question, verdicts in _by_question(own).items():
        labels = dict(zip(("profile", "metric", "rule"), question, strict=True))
        samples.set_one_of(VERDICT, "status", worst(verdicts) or "skipped", tuple(ORDER), **labels)
        first = min(verdicts, key=lambda verdict: ORDER[verdict.status])
        about = {"subject": first.subject or "", "unit": first.unit or ""}
        samples.set_bounds(VERDICT_VALUE, first.measured, low=first.low, high=first.high, **labels, **about)
        if (operator := first.requirement.operator) is not None:
            samples.set(VERDICT_BOUND, first.requirement.bound, operator=operator, **labels, **about)


def add_run(samples: Samples, results: Results, candidate: str) -> None:
    """Set the samples of the run, which are the same for each of its candidates."""
    run, cluster = results.run, results.cluster
    classes = {storage_class.name: storage_class for storage_class in cluster.storage_classes} if cluster else {}
    samples.set(
        RUN_INFO,
        1,
        run=run.id,
        suite_version=run.suite_version,
        kubernetes_version=cluster.kubernetes_version if cluster else "",
        provisioner=classes[candidate].provisioner if candidate in classes else "",
        volume_mode=str(results.settings.get("volume_mode", "")),
        access_mode=access_mode_in(results.settings),
        limits=_limits(results),
    )
    left_out = missing(results)
    samples.set(ASKED_LIMITS, results.tier_limits)
    samples.set(APPLYING, left_out.applying)
    samples.set(JUDGED_LIMITS, left_out.judged_count)
    samples.set(ERRORS, len(results.errors))
    samples.set(WARNINGS, len(results.warnings))
    samples.set(COMPLETE, is_whole(results))
    samples.set(STARTED_AT, run.started.timestamp())
    samples.set(EXIT_STATUS, run.exit_status)
    if run.finished is not None:
        samples.set(FINISHED_AT, run.finished.timestamp())
        samples.set(DURATION, (run.finished - run.started).total_seconds())


def _limits(results: Results) -> str:
    """Return `shipped-0.1.0`, or the digest of another file; the empty text if it is not known."""
    conditions = results.tested_with
    if conditions is None or not conditions.limits_digest:
        return ""
    return f"shipped-{results.run.suite_version}" if conditions.limits_shipped else f"sha256:{conditions.limits_digest}"


def _by_question(verdicts: Sequence[Verdict]) -> dict[tuple[str, ...], list[Verdict]]:
    """Group the verdicts by the parts of their id after the class: profile, metric, rule.

    Several verdicts on the same question are one entry.
    """
    by_question: dict[tuple[str, ...], list[Verdict]] = {}
    for verdict in verdicts:
        parts = verdict.id.split("/", 3)[1:]
        by_question.setdefault((*parts, *[""] * (3 - len(parts))), []).append(verdict)
    return by_question
