"""Target files that come with the suite, found by name: `--storage-target longhorn`."""

from __future__ import annotations

from pathlib import Path

SUFFIX = ".yaml"


def shipped_targets() -> dict[str, Path]:
    """Return the shipped target files, by name."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob(f"*{SUFFIX}"))}


def target_path(target: str | Path) -> Path:
    """Return the target file for its path or for the name of a storage.

    A bare word is a name; `./longhorn` is a file. Raises ValueError, with the available names, if it is neither.
    """
    paths = shipped_targets()
    if str(target) in paths:
        return paths[str(target)]
    path = Path(target).expanduser()
    if path.is_file():
        return path
    if str(target) == path.name and not path.suffix:
        raise ValueError(f"expected one of {', '.join(paths)}, or the path of a target file, found {str(target)!r}")
    raise ValueError(f"file {path} does not exist; give the path of a target file, or one of {', '.join(paths)}")
