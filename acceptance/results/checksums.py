"""`SHA256SUMS`: the checksums of a run's files, which reveal any later change and can be signed.

The format is that of coreutils: `sha256sum -c SHA256SUMS` checks it without this suite. It lists the evidence: the
results, the output of the load generators, the files of other tools, the report, which most people read, and JUnit's
file and the metrics, which machines read.

A copy of a run's folder may leave listed files out, if a file `OMITTED` next to the list declares which: one file or
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
OMISSIONS = "OMITTED"
RAW = "fio"
IMPORTS = "imported"
"""The folder of other tools' files, if the run was given any."""
REPORT = "report.html"
JUNIT = "junit.xml"
METRICS = "metrics.prom"
# `hex  name` or `hex *name`; a name with a backslash or an end of line, which no run has, would begin with a backslash.
_LINE = re.compile(r"(?P<digest>[0-9a-f]{64}) [ *](?P<name>[^/\\\n]+|(?:fio|imported)/[^/\\\n]+)")
# Files outside the list: renderings by older suites, which listed none, the checksums, their signatures, OMITTED.
_UNLISTED_NAMES = re.compile(r"[^/]+\.html|junit\.xml|metrics\.prom|SHA256SUMS(\.[-.\w]+)?|OMITTED")


@dataclass(frozen=True, kw_only=True)
class Check:
    """The changes to a run's files since its checksums were written. `digest` is that of the list of checksums itself.

    `unlisted_files` are files that the checksums intentionally do not cover; `omitted_files` are listed files that do
    not exist, as `OMITTED` declares. The other three are changes.
    """

    listed_count: int
    digest: str
    changed_files: Sequence[str]
    missing: Sequence[str]
    added_files: Sequence[str]
    unlisted_files: Sequence[str]
    omitted_files: Sequence[str]

    @property
    def problems(self) -> list[str]:
        """All changes in words, including missing files."""
        kinds = (("changed", self.changed_files), ("missing", self.missing), ("added after the run", self.added_files))
        return [f"{name}: {kind}" for kind, names in kinds for name in names]


def checksums(folder: Path, *, renderings: Iterable[str] = ()) -> str:
    """Return the current checksums of the files in a run's folder. Raises OSError if a file cannot be read.

    `renderings`: the names of the rendered files that will not be written again.
    """
    paths = [*(folder / RAW).iterdir(), *((folder / IMPORTS).glob("*"))]
    raw = sorted(path for path in paths if path.is_file())
    listed_paths = (folder / RESULTS, *raw, *(folder / rendering for rendering in renderings))
    return "".join(f"{digest_of(path)}  {path.relative_to(folder)}\n" for path in listed_paths)


def check(folder: Path) -> Check:
    """Compare a run's folder with its checksums.

    Raises WrongUsage if there are no checksums, if their file is not a list of them, or if `OMITTED` is not a list of
    files that may be left out. This function cannot detect that the checksums were changed together with the files:
    only a signature of the list, or its digest from elsewhere, reveals that.
    """
    path = folder / NAME
    try:
        content = path.read_bytes()
        digests = dict(_entries(content.decode("utf-8"), path))
    except FileNotFoundError:
        raise WrongUsage(
            f"{path}: expected the checksums that a run writes at its end, found none: the run was killed before that, "
            "or is of an older suite, or this is no run folder; nothing can be verified"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: expected readable checksums, found: {error}; get it again") from error
    files = {str(file.relative_to(folder)): file for file in _files(folder)}
    extra_names = [name for name in sorted(files) if name not in digests]
    absent = [name for name in digests if name not in files] + [RESULTS] * (RESULTS not in {*digests, *files})
    omissions = _read_omissions(folder / OMISSIONS, digests)
    return Check(
        listed_count=len(digests),
        digest=hashlib.sha256(content).hexdigest(),
        changed_files=[name for name in digests if name in files and not _is(files[name], digests[name])],
        missing=[name for name in absent if name not in omissions],
        added_files=[name for name in extra_names if not _UNLISTED_NAMES.fullmatch(name)],
        unlisted_files=[name for name in extra_names if _UNLISTED_NAMES.fullmatch(name)],
        omitted_files=[name for name in absent if name in omissions],
    )


def _read_omissions(path: Path, names: Iterable[str]) -> set[str]:
    """Return the listed files that `OMITTED` names; none if there is no such file.

    Raises WrongUsage if a line names the results, or no listed file.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return set()
    except (OSError, UnicodeDecodeError) as error:
        raise WrongUsage(f"{path}: expected readable names of files, found: {error}; get it again") from error
    omissions: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not (name := line.partition("#")[0].strip()):
            continue
        matches = {file for file in names if file == name or (name.endswith("/") and file.startswith(name))} - {RESULTS}
        if not matches:
            raise WrongUsage(
                f"{path}:{number}: expected a file that {NAME} lists, or its folder ({RAW}/), and not {RESULTS}, found "
                f"{name[:80]!r}; correct the line"
            )
        omissions |= matches
    return omissions


def _entries(text: str, path: Path) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    for number, line in enumerate(lines, start=1):
        entry = _LINE.fullmatch(line)
        if entry is None:
            raise WrongUsage(
                f"{path}:{number}: expected a SHA-256, two spaces and the name of a file of the run, found "
                f"{line[:80]!r}; get the checksums again"
            )
        yield entry["name"], entry["digest"]
    if not lines:
        raise WrongUsage(f"{path}: expected checksums, found an empty file; get it again")


def _files(folder: Path) -> Iterator[Path]:
    """Yield everything except folders, at any depth. A symbolic link counts as a link, not as its target."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path


def _is(path: Path, digest: str) -> bool:
    """Return whether the path is a file with this digest. A link is not, because its target may change later."""
    return path.is_file() and not path.is_symlink() and digest_of(path) == digest


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal. Raises OSError if the file cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
