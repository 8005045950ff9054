"""`list`: the cases that would be tested, in words: the tests' own rules, by file, with the number of cases of each."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Generator, Sequence

import pytest

from storage_acceptance.pytest_session import run_tests


def list_tests(words: Sequence[str]) -> int:
    """Print what `run` with these words would test; return 0 if there is something."""
    listing = Listing()
    status = run_tests(["--collect-only", "-q", *words], plugins=[listing])
    if status == pytest.ExitCode.OK:
        print(listing.text())
    elif status == pytest.ExitCode.NO_TESTS_COLLECTED:
        print("no test is selected: change -k, -m or the named tests", file=sys.stderr)
    return status


class Listing:
    """A plugin that keeps the collected tests; pytest itself then lists no names."""

    def __init__(self) -> None:
        self._subjects: dict[str, str] = {}
        self._cases: Counter[tuple[str, str, str]] = Counter()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, config: pytest.Config, items: list[pytest.Item]
    ) -> Generator[None, object, object]:
        """Keep each test's file, rule and what it needs, after all others have selected and ordered the tests."""
        result = yield
        if not session.testsfailed:  # pytest itself reports what it could not collect
            config.pluginmanager.unregister(name="terminalreporter")
        for item in items:
            file = item.nodeid.partition("::")[0]
            self._subjects.setdefault(file, _first_line(getattr(item, "module", None)))
            rule = _first_line(getattr(item, "function", None)) or item.name
            self._cases[file, rule, _skip_reason(item)] += 1
        return result

    def text(self) -> str:
        """Return the subject of each file, and the rules in it."""
        lines: list[str] = []
        for file, subject in self._subjects.items():
            lines += ["", f"{file}: {subject}"]
            for (of, rule, why), count in self._cases.items():
                if of == file:
                    cases = f" [{count} cases]" if count > 1 else ""
                    lines.append(f"  - {rule}{cases}{f' (skipped: {why})' if why else ''}")
        return "\n".join(lines[1:])


def _first_line(of: object) -> str:
    return (inspect.getdoc(of) or "").partition("\n")[0] if of is not None else ""


def _skip_reason(item: pytest.Item) -> str:
    """Return why the test would be skipped, if that is known before anything runs."""
    mark = item.get_closest_marker("skip")
    return "" if mark is None else str(mark.kwargs.get("reason", ""))
