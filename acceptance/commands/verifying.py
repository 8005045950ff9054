"""`report --verify`: whether a run's folder is as the run left it, and whether its verdicts follow from its figures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from acceptance.commands.unusable_files import refused_where_unusable
from acceptance.judging.exit_status import INCONCLUSIVE
from acceptance.judging.rejudging import contradictions
from acceptance.results.checksums import NAME as CHECKSUMS
from acceptance.results.checksums import OMITTED, Check, check
from acceptance.results.file import NAME as RESULTS
from acceptance.results.file import read_results
from acceptance.text.errors import WrongUsage
from acceptance.text.sanitizing import on_one_line, sanitize

UNCHANGED, CHANGED, INCOMPLETE = 0, 1, INCONCLUSIVE
"""Exit statuses: all is as listed, or declared to be left out; something differs; files are missing, nothing differs"""
_NAMED = 10
"""of more missing files, only the first are named"""


def verify(folder: Path) -> int:
    """Print how the folder differs from its checksums, and return the exit status.

    Raises WrongUsage where there are no checksums, and where all is as it was listed, but the results are none that
    this suite reads: that the files were changed is then not known, and not said.
    """
    found = check(folder)
    wrong = _wrong(folder, found)
    kinds = (("changed", found.changed), ("missing", found.missing), ("added after the run", found.added))
    for what, names in kinds:
        most = _NAMED if what == "missing" else len(names)
        _print(f"not as listed: {name}: {what}" for name in names[:most])
        if len(names) > most:
            print(f"not as listed: {len(names) - most} more files: {what}")
    _print(f"wrong: {problem}" for problem in wrong)
    _print(f"not covered: {name}" for name in found.unlisted if name not in (CHECKSUMS, OMITTED))
    differing = len(found.changed) + len(found.added) + len(wrong)
    if differing:
        return _say_changed(folder, differing + len(found.missing))
    if found.missing:
        return _say_incomplete(folder, found)
    return _say_unchanged(folder, found)


def _wrong(folder: Path, found: Check) -> list[str]:
    """What of the results does not agree with itself, and why they cannot be read where something else differs."""
    try:
        with refused_where_unusable(folder):
            return [f"{RESULTS}: {problem}" for problem in contradictions(read_results(folder))]
    except WrongUsage as error:
        if RESULTS in found.missing:
            return []
        if not found.problems:
            raise WrongUsage(
                f"{folder}: {found.listed - len(found.omitted)} files are as {CHECKSUMS} lists them; the verdicts "
                f"cannot be checked with this suite: {error}"
            ) from error
        return [str(error)]


def _say_changed(folder: Path, count: int) -> int:
    many = "1 thing is not as the run left it" if count == 1 else f"{count} things are not as the run left them"
    print(f"{folder}: CHANGED: {many}")
    return CHANGED


def _say_incomplete(folder: Path, found: Check) -> int:
    absent, there = len(found.missing), found.listed - len(found.missing) - len(found.omitted)
    print(
        f"{folder}: INCOMPLETE: missing: {absent} of {found.listed} listed files; the other {there} are as listed; "
        f"get the whole folder; a copy that leaves files out on purpose names them in {OMITTED}"
    )
    return INCOMPLETE


def _say_unchanged(folder: Path, found: Check) -> int:
    there = f"{found.listed} files are"
    if found.omitted:
        there = f"{found.listed - len(found.omitted)} of {found.listed} files are"
        print(f"left out, as {OMITTED} declares: {_files(len(found.omitted))}; their content cannot be checked")
    print(f"{folder}: unchanged: {there} as {CHECKSUMS} lists them; the verdicts follow from the figures")
    print(f"SHA-256 of {CHECKSUMS}: {found.digest}")
    print(
        f"Anyone who can change the files can rewrite {CHECKSUMS}: compare this digest with the one that was signed, "
        "or sent apart from them."
    )
    return UNCHANGED


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(sanitize(on_one_line(line)))


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
