"""Target files that come with the suite, found by name: `--storage-target longhorn`."""

from __future__ import annotations

from pathlib import Path

SUFFIX = ".yaml"


def shipped_targets() -> dict[str, Path]:
    """The files that there are, by name."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob(f"*{SUFFIX}"))}


def target_path(asked: str | Path) -> Path:
    """The file that was asked for, by its path or by the name of a storage.

    A bare word is a name; `./longhorn` is a file. Raises ValueError, with the names that there are, for neither.
    """
    named = shipped_targets()
    if str(asked) in named:
        return named[str(asked)]
    path = Path(asked).expanduser()
    if path.is_file():
        return path
    if str(asked) == path.name and not path.suffix:
        raise ValueError(f"wanted one of {', '.join(named)}, or the path of a target file, found {str(asked)!r}")
    raise ValueError(f"file {path} does not exist; give the path of a target file, or one of {', '.join(named)}")
