"""The chapter on the risks that remain after a pass: the records of the run decide which tests are missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from acceptance.results.document import Results
from acceptance.results.verdicts import OF_ONE_VOLUME

_NODE_FAILURES = frozenset({"node-failed", "failover", "failover-out-of-service"})


@dataclass(frozen=True, kw_only=True)
class NotMeant:
    """The chapter: its heading, and each risk that remains, with a remark on this run."""

    heading: str
    risks: list[tuple[str, str]]


def not_meant(results: Results) -> NotMeant:
    """Return the chapter for a run, whether it passed or not."""
    is_pass = results.overall == "pass"
    proves_not = "This pass does not prove" if is_pass else "A pass would not prove"
    says = "This pass says" if is_pass else "A pass would say"
    risks = [(f"{proves_not} {risk}.", remark) for risk, remark in _risks(results)]
    return NotMeant(
        heading=f"What {'this' if is_pass else 'a'} pass {'does' if is_pass else 'would'} not prove",
        risks=[*risks, (f"{says} nothing about limits without a verdict, security, backup, support or cost.", "")],
    )


def _risks(results: Results) -> Iterator[tuple[str, str]]:
    crashes = _crashes(results)
    yield "that data is never lost", _crashes_in_words(len(crashes))
    yield (
        "that a disk survives a power cut",
        "The node failures of this run show it only if they cut the power."
        if crashes & _NODE_FAILURES
        else "This run made no node fail.",
    )
    yield (
        "that the storage is fast enough for your application",
        "The verdicts of this run apply only to its limits and profiles."
        if _has_judged_load(results)
        else "This run judged no limit on the speed of a volume.",
    )
    sustained = "" if results.sustained else "no sustained load, and "
    yield "that the storage stays as fast", f"This run measured {sustained}no full disk, worn SSD or larger cluster."


def _crashes(results: Results) -> set[str]:
    """Return the kinds of crashes that the run tested; a drain is none."""
    kinds: set[str] = {record.failure for record in results.durability if record.failure != "drained"}
    kinds |= {"storage-pods"} if results.storage_pods else set()
    return kinds | ({"postgresql"} if results.postgresql else set())


def _crashes_in_words(count: int) -> str:
    if not count:
        return "This run tested no crashes."
    tested_kinds = "one kind of crash" if count == 1 else f"{count} kinds of crashes"
    return f"This run tested {tested_kinds}; other failures may still lose data."


def _has_judged_load(results: Results) -> bool:
    return any(
        verdict.status != "skipped" and verdict.metric is not None and verdict.subject in OF_ONE_VOLUME
        for verdict in results.verdicts
    )
