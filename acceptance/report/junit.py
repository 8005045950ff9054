"""`junit.xml`: each test of a run with its current verdicts, and the properties of the run as a whole.

In the form that pytest writes and that GitLab, Jenkins and GitHub read: https://llg.cubic.org/docs/junit/.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, tostring

from acceptance.judging.exit_status import INCONCLUSIVE, MEANING, NO_VERDICT, PARTIAL, PASS
from acceptance.report.overview import verdict_sentence
from acceptance.results.completeness import is_whole, totals
from acceptance.results.document import Results, Verdict

WITHOUT_ERROR = (PASS, NO_VERDICT, INCONCLUSIVE, PARTIAL)
"""Exit statuses of runs that reached their end."""
NAMES = ("id", "storage_class", "profile", "metric", "limit", "measured", "low", "high", "unit", "status", "reason")
"""Fields of a verdict that become properties, by name."""
_HEADING = '<?xml version="1.0" encoding="utf-8"?>'


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The end of a phase of a test, if it did not pass. `text`: all that is known of it, besides the message."""

    kind: Literal["failure", "error", "skipped"]
    message: str
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class EndedTest:
    """A test that ended.

    `id`: its name, such as `tests/test_a.py::test_b[c]`; `seconds`: of all its phases; `properties`: what it reported
    about itself, by name.
    """

    id: str
    file: str
    line: int | None = None
    seconds: float
    endings: tuple[Ending, ...] = ()
    properties: tuple[tuple[str, str], ...] = field(default=())


def properties_of(verdict: Verdict) -> list[tuple[str, object]]:
    """Return the properties of a verdict, as far as they are known."""
    values = [(name, getattr(verdict, name)) for name in NAMES]
    return [(name, value) for name, value in values if value is not None]


def junit_text(results: Results, cases: Sequence[EndedTest], *, exit_status: int | None) -> str:
    """Return the document. `exit_status`: None while the run continues.

    A run that did not reach its end has an error: readers take a suite without error or failure as a success, even an
    empty one.
    """
    root = Element("testsuites")
    suite = SubElement(root, "testsuite", name="storage-acceptance", timestamp=results.run.started.isoformat())
    _add_properties(suite, _properties(results).items())
    verdicts: dict[str | None, list[Verdict]] = {}
    for verdict in results.verdicts:
        verdicts.setdefault(verdict.test, []).append(verdict)
    for case in cases:
        _add_case(suite, case, verdicts.get(case.id, []))
    broken_off = exit_status is not None and exit_status not in WITHOUT_ERROR
    if broken_off and suite.find("testcase/failure") is None and suite.find("testcase/error") is None:
        errors = results.errors or [MEANING.get(exit_status or 0, "")]
        element = SubElement(suite, "testcase", classname="storage_acceptance", name="run", time="0")
        SubElement(element, "error", message=errors[0]).text = "\n".join(errors)
    paths = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for name, path in (paths | {"skipped": "testcase/skipped"}).items():
        suite.set(name, str(len(suite.findall(path))))
    suite.set("time", f"{sum(case.seconds for case in cases):.3f}")
    return _HEADING + tostring(root, encoding="unicode")


def _properties(results: Results) -> dict[str, object]:
    """Return the properties of the run as a whole."""
    return {
        "run": results.run.id,
        "storage_class": ", ".join(dict.fromkeys(verdict.storage_class for verdict in results.verdicts)),
        "tier": results.settings.get("tier"),
        "limits_digest": results.tested_with.limits_digest if results.tested_with else "",
        **_preset(results),
        "overall": results.overall,
        "verdict": verdict_sentence(results),
        **asdict(totals(results)),
        "tier_limits": results.tier_limits,
        "tier_limits_applying": results.tier_limits_applying,
        "tier_limits_judged": results.tier_limits_judged,
        "complete": is_whole(results),
    }


def _preset(results: Results) -> dict[str, object]:
    """Return the preset and its digest; nothing without one."""
    preset = results.tested_with.preset if results.tested_with else None
    return {} if preset is None else {"preset": preset.name, "preset_digest": preset.digest}


def _add_properties(element: Element, properties: Collection[tuple[str, object]]) -> None:
    if properties:
        container = SubElement(element, "properties")
        for name, value in properties:
            SubElement(container, "property", name=name, value=str(value))


def _add_case(suite: Element, case: EndedTest, verdicts: Sequence[Verdict]) -> None:
    path, *inner = case.id.partition("[")[0].split("::")
    name = case.id.removeprefix("::".join([path, *inner[:-1], ""]))
    classname = ".".join([path.removesuffix(".py").replace("/", "."), *inner[:-1]])
    element = SubElement(suite, "testcase", classname=classname, name=name, file=case.file, time=f"{case.seconds:.3f}")
    if case.line is not None:
        element.set("line", str(case.line))
    of_verdicts = [pair for verdict in verdicts for pair in properties_of(verdict)]
    own = [pair for pair in case.properties if not verdicts or pair[0] not in NAMES]
    _add_properties(element, [*of_verdicts, *own])
    for ending in (*case.endings, *_later_endings(case, verdicts)):
        SubElement(element, ending.kind, message=ending.message).text = ending.text


def _later_endings(case: EndedTest, verdicts: Sequence[Verdict]) -> Iterator[Ending]:
    """Yield the verdicts of a test that passed which became inconclusive at the end of the run."""
    if not case.endings:
        for verdict in verdicts:
            if verdict.status in ("fail", "inconclusive"):
                yield Ending(kind="failure", message=f"{verdict.status}: {verdict.reason}")
