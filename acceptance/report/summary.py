"""The part of the report that is read first: verdict, verdicts, scale runs, measurements, steps, what was tested on."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from jinja2 import Environment, PackageLoader, StrictUndefined

from acceptance.quantities import format_quantity, format_size
from acceptance.report.capabilities import capability_rows
from acceptance.report.comparison import comparisons
from acceptance.report.crashes import crash_rows, failover_tables
from acceptance.report.many_volumes import sections
from acceptance.report.ramps import ramp_sections
from acceptance.report.rebuilds import rebuild_sections
from acceptance.report.verdicts import ORDER
from acceptance.results import Estimate, Results, Step, Verdict


def render_summary(results: Results) -> str:
    """The summary as an HTML fragment; every value from the cluster is escaped."""
    environment = Environment(
        loader=PackageLoader("acceptance.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "size": format_size,
        "value": _value,
        "interval": _interval,
        "shown": _shown,
        "mean": _mean,
        "change": _change,
    }
    verdicts = sorted(results.verdicts, key=lambda verdict: ORDER[verdict.status])
    return environment.get_template("summary.html.jinja").render(
        results=results,
        comparisons=comparisons(results),
        scaling=sections(results),
        ramps=ramp_sections(results),
        rebuilds=rebuild_sections(results),
        capabilities=capability_rows(results),
        crashes=crash_rows(results),
        failovers=failover_tables(results),
        verdicts=verdicts,
        warned=[each for each in results.measurements if each.warnings],
        sentence=verdict_sentence(results),
        steps=_step_rows(results.steps),
    )


def verdict_sentence(results: Results) -> str:
    """The verdict in one sentence, with what stands in its way."""
    classes = ", ".join(dict.fromkeys(verdict.storage_class for verdict in results.verdicts))
    tier = results.settings.get("tier")
    counted = {status: sum(each.status == status for each in results.verdicts) for status in ORDER}
    if results.overall == "pass":
        judged = sum(each.metric is not None and each.status == "pass" for each in results.verdicts)
        if judged < results.asked:
            return (
                f"{classes} passes all {counted['pass']} verdicts that were reached, but tier {tier} was judged in "
                f"part only: {judged} of its {results.asked} limits and rules."
            )
        return f"{classes} passes tier {tier}: all {counted['pass']} verdicts pass."
    if results.overall == "fail":
        return f"{classes} fails tier {tier}: {counted['fail']} of {len(results.verdicts)} verdicts fail."
    why = [f"{counted['inconclusive']} inconclusive"] if counted["inconclusive"] else []
    why += [f"{len(results.errors)} error{'s' * (len(results.errors) > 1)}"] if results.errors else []
    why += ["the run is not complete"] if not results.run.complete else []
    subject = f" on {classes}" if classes else ""
    return f"No verdict{subject} for tier {tier}: {', '.join(why) or 'nothing was judged'}."


def _value(verdict: Verdict) -> str:
    if verdict.measured is None or verdict.unit is None:
        return ""
    return format_quantity(verdict.measured, unit=verdict.unit)


def _interval(verdict: Verdict) -> str:
    if verdict.low is None or verdict.high is None or verdict.unit is None or verdict.confidence is None:
        return ""
    low, high = (format_quantity(value, unit=verdict.unit) for value in (verdict.low, verdict.high))
    return f"{low} to {high} ({verdict.confidence * 100:.4g} %)"


def _shown(estimate: Estimate) -> str:
    mean = format_quantity(estimate.mean, unit=estimate.unit)
    if estimate.low is None or estimate.high is None:
        return mean
    low, high = (format_quantity(value, unit=estimate.unit) for value in (estimate.low, estimate.high))
    return f"{mean} ({low} to {high})"


def _mean(estimate: Estimate | None) -> str:
    return "" if estimate is None else format_quantity(estimate.mean, unit=estimate.unit)


def _change(change: float | None) -> str:
    """`+122 %`, `-91.9 %`: what the candidate shows more or less than the baseline."""
    return "" if change is None else f"{100 * change:+,.{0 if abs(change) >= 1 else 1}f} %"


def _step_rows(steps: Sequence[Step]) -> list[dict[str, object]]:
    """One row a class and step: how often, the median and the longest time."""
    rows: dict[tuple[str, str], list[float]] = {}
    for step in steps:
        rows.setdefault((step.storage_class, step.step), []).append(step.seconds)
    return [
        {"storage_class": name, "step": step, "count": len(times), "median": median(times), "longest": max(times)}
        for (name, step), times in rows.items()
    ]
