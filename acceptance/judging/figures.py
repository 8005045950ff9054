"""A figure of a record + limit -> verdict. Pure."""

from __future__ import annotations

from acceptance.judging.outcome import decide, outcome
from acceptance.limits.limit import Limit
from acceptance.results.document import Verdict
from acceptance.results.figures import FiguresRecord
from acceptance.results.requirement import LIES, Outcome


def judge_figure(record: FiguresRecord, limit: Limit) -> Verdict:
    """Return the verdict on the figure that the limit names.

    The whole interval of the figure decides; an exact figure is its own interval. An unknown figure is inconclusive.
    """
    figure = record.figure(limit.path)
    if figure is None or figure.value is None:
        why = figure.unknown if figure is not None else "the trial did not measure it"
        return outcome(
            limit,
            storage_class=record.storage_class,
            status="inconclusive",
            value=None,
            finding=Outcome(code="figures.unknown", facts={"why": why}),
        )
    low, high = (figure.value if end is None else end for end in (figure.low, figure.high))
    at_least = limit.operator == "at_least"
    status = decide(low, high, at_least=limit.bound) if at_least else decide(low, high, at_most=limit.bound)
    return outcome(
        limit,
        storage_class=record.storage_class,
        status=status,
        value=figure.value,
        interval=None if figure.low is None or figure.high is None else (figure.low, figure.high),
        confidence=figure.confidence,
        finding=Outcome(code=f"figures.figure_{LIES[status]}", facts={"done": record.done}),
    )
