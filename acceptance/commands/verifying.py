"""`report --verify`: checks that a run's folder is unchanged, and that its verdicts follow from its figures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.judging.exit_status import INCONCLUSIVE
from acceptance.judging.rejudging import contradictions
from acceptance.results.checksums import NAME as CHECKSUMS
from acceptance.results.checksums import OMISSIONS, Check, check
from acceptance.results.file import NAME as RESULTS
from acceptance.results.file import read_results
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import on_one_line, sanitize

UNCHANGED_STATUS, CHANGED_STATUS, INCOMPLETE_STATUS = 0, 1, INCONCLUSIVE
"""Exit statuses: all is as listed, or declared as left out; something differs; files are missing, nothing differs."""
_MAX_LISTED_FILES = 10
"""The most missing files that are listed by name."""


def verify(folder: Path) -> int:
    """Print how the folder differs from its checksums, and return the exit status.

    Raise WrongUsage if there are no checksums, and if all files are as listed but this suite cannot read the results:
    then it is not known if the files were changed, and not reported.
    """
    diff = check(folder)
    wrong = _wrong(folder, diff)
    kinds = (("changed", diff.changed_files), ("missing", diff.missing), ("added after the run", diff.added_files))
    for kind, names in kinds:
        most = _MAX_LISTED_FILES if kind == "missing" else len(names)
        _print(f"not as listed: {name}: {kind}" for name in names[:most])
        if len(names) > most:
            print(f"not as listed: {len(names) - most} more files: {kind}")
    _print(f"wrong: {problem}" for problem in wrong)
    _print(f"not covered: {name}" for name in diff.unlisted_files if name not in (CHECKSUMS, OMISSIONS))
    differing = len(diff.changed_files) + len(diff.added_files) + len(wrong)
    if differing:
        return _print_changes(folder, differing + len(diff.missing))
    if diff.missing:
        return _print_incomplete(folder, diff)
    return _print_no_changes(folder, diff)


def _wrong(folder: Path, diff: Check) -> list[str]:
    """Return the contradictions in the results; if something else differs, also why the results cannot be read."""
    try:
        with refused_where_unusable(folder):
            return [f"{RESULTS}: {problem}" for problem in contradictions(read_results(folder))]
    except WrongUsage as error:
        if RESULTS in diff.missing:
            return []
        if not diff.problems:
            raise WrongUsage(
                f"{folder}: {diff.listed_count - len(diff.omitted_files)} files match {CHECKSUMS}; "
                f"this suite cannot check the verdicts: {error}"
            ) from error
        return [str(error)]


def _print_changes(folder: Path, count: int) -> int:
    many = "1 difference" if count == 1 else f"{count} differences"
    print(f"{folder}: CHANGED: {many} from what the run wrote")
    return CHANGED_STATUS


def _print_incomplete(folder: Path, diff: Check) -> int:
    absent, there = len(diff.missing), diff.listed_count - len(diff.missing) - len(diff.omitted_files)
    print(
        f"{folder}: INCOMPLETE: missing: {absent} of {diff.listed_count} listed files; the other {there} "
        f"are as listed; get the complete folder; a copy that omits files on purpose lists them in {OMISSIONS}"
    )
    return INCOMPLETE_STATUS


def _print_no_changes(folder: Path, diff: Check) -> int:
    there = f"{diff.listed_count} files match"
    if diff.omitted_files:
        there = f"{diff.listed_count - len(diff.omitted_files)} of {diff.listed_count} files match"
        print(f"omitted, as {OMISSIONS} declares: {_files(len(diff.omitted_files))}; their content cannot be checked")
    print(f"{folder}: unchanged: {there} {CHECKSUMS}; the verdicts follow from the figures")
    print(f"SHA-256 of {CHECKSUMS}: {diff.digest}")
    print(
        f"Anyone who can change the files can rewrite {CHECKSUMS}: compare this digest with one that was signed, or "
        "sent separately."
    )
    return UNCHANGED_STATUS


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(sanitize(on_one_line(line)))


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
