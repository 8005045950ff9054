"""Reads JUnit files of other tools: from strangers, of any size, and never more than what is needed of them.

A document type is refused, and with it every entity: nothing is fetched, and nothing grows while it is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.parsers import expat

from acceptance.text.errors import WrongUsage

LARGEST_B = 256 * 1024**2
"""what a whole e2e writes with the output of each test in it, and more"""
MOST_CASES = 50_000
"""the e2e of Kubernetes 1.34 has about 7,000"""
MOST_TEXT = 4000
"""characters that are kept of what a test says of its failure"""
_DEEPEST = 32
_CHUNK = 1024**2
_FAILED = ("failure", "error")
_ARCHIVE_HEAD_B = 262
"""where tar has its name (POSIX.1, ustar: offset 257), and more than gzip and zip need"""
_KEPT_PROPERTIES = ("SuiteSucceeded", "SpecialSuiteFailureReason")
Outcome = Literal["passed", "failed", "skipped"]


@dataclass(kw_only=True)
class Case:
    """One test, as the file has it. `text`: what it says of its failure."""

    name: str
    group: str
    outcome: Outcome = "passed"
    text: str = ""


@dataclass(kw_only=True)
class JUnit:
    """A file. `suites`: names of its test suites; `stated`: failures and errors that their heads count.

    `stated` is None if no head states a count, which is no contradiction. `counted_tests` are the failed tests that
    these heads count, `counted_marks` their elements failure and error: tools count either. A test that fails and whose
    teardown errors has two.
    """

    suites: list[str] = field(default_factory=list)
    timestamp: str = ""
    stated: int | None = None
    counted_tests: int = 0
    counted_marks: int = 0
    properties: dict[str, str] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)


def read_junit(path: Path) -> JUnit:
    """The tests in the file. Raises WrongUsage, with what was wanted, found and to do, if it is no such file."""
    reader = _Reader(path)
    try:
        if path.is_file() and path.stat().st_size > LARGEST_B:
            raise _wrong(path, f"{path.stat().st_size} bytes, more than {LARGEST_B}", "cut it to the storage tests")
        with path.open("rb") as file:
            if archive := _archive(file.read(_ARCHIVE_HEAD_B)):
                raise _wrong(path, archive, "unpack it (tar -xf, unzip) and name the junit_01.xml that is in it")
            file.seek(0)
            while chunk := file.read(_CHUNK):
                reader.parser.Parse(chunk, False)
        reader.parser.Parse(b"", True)
    except OSError as error:
        raise _wrong(path, error.strerror or str(error), "name a file that can be read") from error
    except (expat.ExpatError, ValueError, LookupError) as error:
        place = f"line {reader.parser.CurrentLineNumber}"
        raise _wrong(path, f"none ({error} at {place})", "get the whole file from the tool again") from None
    if not reader.found.suites:
        raise _wrong(path, "XML without a <testsuite>", "name the file that --report-dir or --junit-report wrote")
    if not reader.found.cases:
        raise _wrong(path, "one without a single test", "run the tests again; the tool ended before the first")
    return reader.finish()


def _archive(head: bytes) -> str | None:
    """What kind of archive begins so, as sonobuoy and CI systems hand them out; None if it is no archive."""
    if head.startswith(b"\x1f\x8b"):
        return "a gzip archive"
    if head.startswith(b"PK\x03\x04"):
        return "a zip archive"
    return "a tar archive" if head[257:262] == b"ustar" else None


def _wrong(path: Path, found: str, todo: str) -> WrongUsage:
    return WrongUsage(f"{path}: wanted a JUnit file, found {found}; {todo}")


@dataclass(kw_only=True)
class _Counts:
    """Failures and errors as heads state them, and as the tests below these heads show them."""

    stated: int | None = None
    tests: int = 0
    marks: int = 0

    def state(self, attributes: dict[str, str]) -> bool:
        """Add what a head states. Return whether it states any count."""
        texts = (attributes.get(name, "") for name in ("failures", "errors"))
        numbers = [int(text) for text in texts if text.isdecimal() and len(text) < 10]
        if numbers:
            self.stated = (self.stated or 0) + sum(numbers)
        return bool(numbers)


class _Reader:
    """Follows the elements of a file as they come, so that a large one is not held."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[str] = []
        self._case: Case | None = None
        self._told = False
        self._root = _Counts()
        self._heads = _Counts()
        self._counts: list[_Counts] = []
        self.found = JUnit()
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.EntityDeclHandler = self._refuse
        parser.StartElementHandler = self._begin
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text

    def _refuse(self, *_: object) -> None:
        raise _wrong(
            self._path,
            "a document type or an entity in it, which no such tool writes and which is not read",
            "get the file from the tool itself",
        )

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag not in ("testsuites", "testsuite"):
            raise _wrong(self._path, f"XML of <{tag[:40]}>", "name the file that --report-dir or --junit-report wrote")
        if not self._open and tag == "testsuites":
            self._root.state(attributes)
        self._open.append(tag)
        if len(self._open) > _DEEPEST:
            raise _wrong(self._path, f"elements nested deeper than {_DEEPEST}", "get the file from the tool itself")
        if tag == "testsuite":
            self._begin_suite(attributes)
        elif tag == "property" and attributes.get("name") in _KEPT_PROPERTIES:
            self.found.properties[attributes["name"]] = attributes.get("value", "")[:MOST_TEXT]
        elif tag == "testcase":
            self._begin_case(attributes)
        elif self._case is not None and tag in _FAILED:
            for counts in self._counts:
                counts.tests += self._case.outcome != "failed"
                counts.marks += 1
            self._case.outcome = "failed"
            self._case.text = self._case.text or attributes.get("message", "")[:MOST_TEXT]
            self._told = bool(attributes.get("message"))  # ginkgo says the same once more below
        elif self._case is not None and tag == "skipped" and self._case.outcome == "passed":
            self._case.outcome = "skipped"

    def _begin_suite(self, attributes: dict[str, str]) -> None:
        self.found.suites.append(attributes.get("name", ""))
        self.found.timestamp = self.found.timestamp or attributes.get("timestamp", "")[:40]
        if self._open.count("testsuite") == 1:  # an outer one counts what is in it, too
            states = self._heads.state(attributes)
            self._counts = [self._root, *([self._heads] if states else [])]

    def _begin_case(self, attributes: dict[str, str]) -> None:
        if len(self.found.cases) == MOST_CASES:
            raise _wrong(self._path, f"more than {MOST_CASES} tests", "cut it to the storage tests")
        self._case = Case(name=attributes.get("name", "")[:1000], group=attributes.get("classname", "")[:200])
        self.found.cases.append(self._case)

    def finish(self) -> JUnit:
        """What was found. Suites that state no counts are checked by the head of the whole file, if it states some."""
        counts = self._root if self._heads.stated is None else self._heads
        self.found.stated = counts.stated
        self.found.counted_tests, self.found.counted_marks = counts.tests, counts.marks
        return self.found

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "testcase":
            self._case = None

    def _text(self, text: str) -> None:
        """The first failure counts: later ones come of cleaning up. A long text comes in pieces."""
        if self._case is not None and self._open[-1] in _FAILED and not self._told:
            self._case.text = (self._case.text + text)[:MOST_TEXT]
