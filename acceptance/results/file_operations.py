"""Operations on files that a file system may lack, and what became of each on a class."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from acceptance.results.model import Frozen

FILE_OPERATIONS = {
    "hard-link": "a file has two names, and keeps its data under the second",
    "symbolic-link": "a symbolic link leads to its file",
    "replace-file": "a file is renamed over another",
    "replace-open-file": "a program that has a file open still reads it after another was renamed over it",
    "delete-open-file": "a deleted file that is still open is written and read",
    "rename-directory": "a directory with a file is renamed",
    "refuse-full-directory": "a directory with files is neither deleted nor replaced by another",
    "exclusive-create": "O_EXCL refuses to create a file that exists",
    "append": "two descriptors with O_APPEND write one after the other",
    "truncate": "a file is cut, and extended with zeros",
    "sparse-file": "a hole reads as zeros and takes no space",
    "preallocate": "fallocate reserves space, which reads as zeros",
    "punch-hole": "fallocate punches a hole into a file",
    "extended-attribute": "a file keeps an extended attribute (user.*)",
    "unnamed-file": "an unnamed temporary file (O_TMPFILE) is given a name",
    "shared-mapping": "writes to a shared mapping (mmap, msync) and to its file appear in both",
    "flock": "a second lock of a file (flock) is refused until the first is released",
    "record-lock": "another process is refused a POSIX lock (fcntl) until it is released",
    "file-modes": "files keep modes such as 0600",
    "refuse-other-user": "a user without permission cannot read a file",
    "times": "a file keeps a modification time with nanoseconds",
    "case-sensitive-names": "names that differ only in case are different files",
    "long-name": "a name has 255 bytes",
    "long-path": "a path has over 3,000 bytes",
    "utf8-name": "a name in UTF-8 is listed as it was written",
    "named-pipe": "a named pipe is created, written and read",
    "socket": "a Unix socket is created and accepts a connection",
    "directory-fsync": "a directory is fsynced",
    "delete-while-listing": "300 files are each listed once while they are deleted",
    "free-space": "statfs reports size and free space without contradiction",
    "direct-io": "a file is written and read past the page cache (O_DIRECT)",
    "copy-file-range": "copy_file_range copies data to another file",
}
"""A description of each operation, by name."""
OperationOutcome = Literal["works", "lacks", "fails"]


class OperationRecord(Frozen):
    """One operation on files of a class."""

    operation: str = Field(description="name of the operation")
    outcome: OperationOutcome = Field(
        description="works: a later pod saw its result, too; lacks: the file system refuses it, or accepts it without "
        "effect; fails: an I/O error, a wrong result, or one that a later pod did not see"
    )
    problem: str | None = Field(default=None, description="why it does not work, in words")
