"""`SHA256SUMS`: what a run measured, listed so that any later change of it shows, and so that it can be signed.

In the format of coreutils: `sha256sum -c SHA256SUMS` checks it without this suite. Listed is what is evidence: the
results, all that load generators printed, the files of other tools, the report, which is what most people read, and
JUnit's file and the metrics, which machines read.

A copy of a run's folder may leave listed files out, if a file `OMITTED` beside the list declares which: one file or
folder (`fio/`) a line, and comments after `#`. The results cannot be left out.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from acceptance.results.file import NAME as RESULTS
from acceptance.text.errors import WrongUsage

NAME = "SHA256SUMS"
OMITTED = "OMITTED"
RAW = "fio"
IMPORTED = "imported"
"""files of other tools, where some were given to the run"""
REPORT = "report.html"
JUNIT = "junit.xml"
METRICS = "metrics.prom"
# `hex  name` or `hex *name`; a name with a backslash or an end of line, which no run has, would begin with a backslash.
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>[^/\\\n]+|(?:fio|imported)/[^/\\\n]+)")
# Renderings by an older suite, which listed none of them, the checksums, their signatures, what is omitted.
_UNLISTED = re.compile(r"[^/]+\.html|junit\.xml|metrics\.prom|SHA256SUMS(\.[-.\w]+)?|OMITTED")


@dataclass(frozen=True, kw_only=True)
class Check:
    """What became of a run's files since its checksums were written. `digest` is that of the list of checksums itself.

    `unlisted` are files that they do not cover by intention; `omitted` are listed files that are not there, as
    `OMITTED` declares. The other three are changes.
    """

    listed: int
    digest: str
    changed: Sequence[str]
    missing: Sequence[str]
    added: Sequence[str]
    unlisted: Sequence[str]
    omitted: Sequence[str]

    @property
    def problems(self) -> list[str]:
        """All changes, in words, missing files among them."""
        kinds = (("changed", self.changed), ("missing", self.missing), ("added after the run", self.added))
        return [f"{name}: {what}" for what, names in kinds for name in names]


def checksums(folder: Path, *, renderings: Iterable[str] = ()) -> str:
    """The checksums of the files in a run's folder, as they are now. Raises OSError where one cannot be read.

    `renderings`: the names of those that will not be written again.
    """
    found = [*(folder / RAW).iterdir(), *((folder / IMPORTED).glob("*"))]
    raw = sorted(each for each in found if each.is_file())
    listed = (folder / RESULTS, *raw, *(folder / rendering for rendering in renderings))
    return "".join(f"{digest_of(path)}  {path.relative_to(folder)}\n" for path in listed)


def check(folder: Path) -> Check:
    """Compare a run's folder with its checksums.

    Raises WrongUsage where there are none, or what is no list of them, or where `OMITTED` is no list of files that may
    be left out. That they were changed together with the
    files cannot be seen here: only a signature of it, or its digest from elsewhere, tells.
    """
    path = folder / NAME
    try:
        content = path.read_bytes()
        listed = dict(_entries(content.decode("utf-8"), path))
    except FileNotFoundError:
        raise WrongUsage(
            f"{path}: wanted the checksums that a run writes at its end, found none: the run was killed before that, "
            "or is of an older suite, or this is no run folder; nothing can be verified"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: wanted readable checksums, found: {error}; get it again") from error
    found = {str(file.relative_to(folder)): file for file in _files(folder)}
    others = [name for name in sorted(found) if name not in listed]
    absent = [name for name in listed if name not in found] + [RESULTS] * (RESULTS not in {*listed, *found})
    declared = _declared(folder / OMITTED, listed)
    return Check(
        listed=len(listed),
        digest=hashlib.sha256(content).hexdigest(),
        changed=[name for name in listed if name in found and not _is(found[name], listed[name])],
        missing=[name for name in absent if name not in declared],
        added=[name for name in others if not _UNLISTED.fullmatch(name)],
        unlisted=[name for name in others if _UNLISTED.fullmatch(name)],
        omitted=[name for name in absent if name in declared],
    )


def _declared(path: Path, listed: Iterable[str]) -> set[str]:
    """The listed files that `OMITTED` names; none without that file.

    Raises WrongUsage for a line that names the results, or no listed file.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return set()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: wanted readable names of files, found: {error}; get it again") from error
    declared: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not (name := line.partition("#")[0].strip()):
            continue
        meant = {one for one in listed if one == name or (name.endswith("/") and one.startswith(name))} - {RESULTS}
        if not meant:
            raise WrongUsage(
                f"{path}:{number}: wanted a file that {NAME} lists, or its folder ({RAW}/), and not {RESULTS}, found "
                f"{name[:80]!r}; correct the line"
            )
        declared |= meant
    return declared


def _entries(text: str, path: Path) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        entry = _LINE.fullmatch(line)
        if entry is None:
            raise WrongUsage(
                f"{path}:{number}: wanted a SHA-256, two spaces and the name of a file of the run, found "
                f"{line[:80]!r}; get the checksums again"
            )
        yield entry["name"], entry["digest"]
    if not lines:
        raise WrongUsage(f"{path}: wanted checksums, found an empty file; get it again")


def _files(folder: Path) -> Iterator[Path]:
    """All that is no folder, at any depth; links as what they are, not as what they point to."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path


def _is(path: Path, digest: str) -> bool:
    """Whether it is a file of this content; a link is none, for it may show something else tomorrow."""
    return path.is_file() and not path.is_symlink() and digest_of(path) == digest


def digest_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal. Raises OSError where it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
