"""Reads JUnit files of other tools: untrusted, of any size; it keeps only the parts that the suite needs.

A document type is refused, and with it every entity: nothing is fetched, and nothing grows while it is read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.parsers import expat

from acceptance.text.errors import WrongUsage

LARGEST_B = 256 * 1024**2
"""The maximum size in bytes; a complete e2e file with the output of each test is smaller."""
MOST_CASES = 50_000
"""The maximum number of tests; the e2e of Kubernetes 1.34 has about 7,000."""
MOST_TEXT = 4000
"""The maximum number of characters that are kept of a test's failure text."""
_DEEPEST = 32
_CHUNK = 1024**2
_FAILURE_TAGS = ("failure", "error")
_ARCHIVE_HEAD_B = 262
"""Bytes that cover tar's magic (POSIX.1, ustar: offset 257), and more than those of gzip and zip."""
_KEPT_PROPERTIES = ("SuiteSucceeded", "SpecialSuiteFailureReason")
Outcome = Literal["passed", "failed", "skipped"]


@dataclass(kw_only=True)
class Case:
    """One test of the file. `text`: its failure text."""

    name: str
    group: str
    outcome: Outcome = "passed"
    text: str = ""


@dataclass(kw_only=True)
class JUnit:
    """A file. `suites`: names of its test suites; `stated_failures`: failures and errors that their heads count.

    `stated_failures` is None if no head states a count, which is no contradiction. `counted_tests` are the failed tests
    that these heads count, `counted_marks` their elements failure and error: tools count either. A test that fails and
    whose teardown errors has two.
    """

    suites: list[str] = field(default_factory=list)
    timestamp: str = ""
    stated_failures: int | None = None
    counted_tests: int = 0
    counted_marks: int = 0
    properties: dict[str, str] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)


def read_junit(path: Path) -> JUnit:
    """Return the tests in the file. Raises WrongUsage if it is no JUnit file; the message says what to do."""
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
        raise _wrong(path, f"none ({error} at {place})", "get the complete file from the tool again") from None
    if not reader.junit.suites:
        raise _wrong(path, "XML without a <testsuite>", "name the file that --report-dir or --junit-report wrote")
    if not reader.junit.cases:
        raise _wrong(path, "one without a single test", "run the tests again; the tool ended before the first")
    return reader.finish()


def _archive(head: bytes) -> str | None:
    """Return the kind of archive that begins with `head`, as sonobuoy and CI systems provide; None if it is none."""
    if head.startswith(b"\x1f\x8b"):
        return "a gzip archive"
    if head.startswith(b"PK\x03\x04"):
        return "a zip archive"
    return "a tar archive" if head[257:262] == b"ustar" else None


def _wrong(path: Path, problem: str, todo: str) -> WrongUsage:
    return WrongUsage(f"{path}: expected a JUnit file, found {problem}; {todo}")


@dataclass(kw_only=True)
class _Counts:
    """Failures and errors: as stated in heads, and as shown by the tests below these heads."""

    stated_failures: int | None = None
    tests: int = 0
    marks: int = 0

    def state(self, attributes: dict[str, str]) -> bool:
        """Add what a head states. Return whether it states any count."""
        texts = (attributes.get(name, "") for name in ("failures", "errors"))
        numbers = [int(text) for text in texts if text.isdecimal() and len(text) < 10]
        if numbers:
            self.stated_failures = (self.stated_failures or 0) + sum(numbers)
        return bool(numbers)


class _Reader:
    """A streaming parser: it handles elements as they arrive and never holds a large file in memory."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: list[str] = []
        self._case: Case | None = None
        self._has_message = False
        self._root = _Counts()
        self._heads = _Counts()
        self._counts: list[_Counts] = []
        self.junit = JUnit()
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
            "a document type or an entity, which no such tool writes and the suite does not read",
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
            self.junit.properties[attributes["name"]] = attributes.get("value", "")[:MOST_TEXT]
        elif tag == "testcase":
            self._begin_case(attributes)
        elif self._case is not None and tag in _FAILURE_TAGS:
            for counts in self._counts:
                counts.tests += self._case.outcome != "failed"
                counts.marks += 1
            self._case.outcome = "failed"
            self._case.text = self._case.text or attributes.get("message", "")[:MOST_TEXT]
            self._has_message = bool(attributes.get("message"))  # ginkgo repeats the message in the text below
        elif self._case is not None and tag == "skipped" and self._case.outcome == "passed":
            self._case.outcome = "skipped"

    def _begin_suite(self, attributes: dict[str, str]) -> None:
        self.junit.suites.append(attributes.get("name", ""))
        self.junit.timestamp = self.junit.timestamp or attributes.get("timestamp", "")[:40]
        if self._open.count("testsuite") == 1:  # an outer suite's head also counts its inner suites
            states = self._heads.state(attributes)
            self._counts = [self._root, *([self._heads] if states else [])]

    def _begin_case(self, attributes: dict[str, str]) -> None:
        if len(self.junit.cases) == MOST_CASES:
            raise _wrong(self._path, f"more than {MOST_CASES} tests", "cut it to the storage tests")
        self._case = Case(name=attributes.get("name", "")[:1000], group=attributes.get("classname", "")[:200])
        self.junit.cases.append(self._case)

    def finish(self) -> JUnit:
        """Return the parsed file. Suites without counts are checked against the file's own head, if it has counts."""
        counts = self._root if self._heads.stated_failures is None else self._heads
        self.junit.stated_failures = counts.stated_failures
        self.junit.counted_tests, self.junit.counted_marks = counts.tests, counts.marks
        return self.junit

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "testcase":
            self._case = None

    def _text(self, text: str) -> None:
        """Keep the text of the first failure: later ones result from cleanup. A long text arrives in pieces."""
        if self._case is not None and self._open[-1] in _FAILURE_TAGS and not self._has_message:
            self._case.text = (self._case.text + text)[:MOST_TEXT]
