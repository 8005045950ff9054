"""The profiles of a folder, found and checked together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from acceptance.loads.fio.job_file import read_job_file
from acceptance.loads.profiles import Profile
from acceptance.loads.sysbench.profiles import read_options_file
from acceptance.results.metrics import Metric
from acceptance.text.errors import WrongUsage

_READERS = {".fio": read_job_file, ".sysbench": read_options_file}


def profile_files(folder: Path) -> list[Path]:
    """Return the files of the folder that are meant as profiles, sorted by name."""
    return sorted(path for path in folder.glob("*") if path.suffix in _READERS)


def read_folder(folder: Path) -> tuple[dict[str, Profile], list[str]]:
    """Return every profile of the folder by name, and the problems of the other files, file by file."""
    if not folder.is_dir():
        return {}, [
            f"profiles folder {folder} does not exist; name a folder of .fio or .sysbench files with --storage-profiles"
        ]
    profiles: dict[str, Profile] = {}
    problems: list[str] = []
    for path in profile_files(folder):
        try:
            if path.stem in profiles:
                raise WrongUsage(f"profile {path}: {profiles[path.stem].path} has the same name; rename one of them")
            profiles[path.stem] = _READERS[path.suffix](path)
        except WrongUsage as error:
            problems.append(str(error))
    if not profiles and not problems:
        problems.append(f"profiles folder {folder} holds no .fio or .sysbench file")
    return profiles, problems


def find_profiles(folder: Path) -> dict[str, Profile]:
    """Return every profile of the folder, by name.

    Raises WrongUsage with all problems, file by file.
    """
    profiles, problems = read_folder(folder)
    if problems:
        raise WrongUsage("\n".join(problems))
    return profiles


def missing_in(profiles: Mapping[str, Profile]) -> Callable[[str, Metric], str | None]:
    """Return a function from a profile's name and a metric to why it is never reported; None for unknown profiles."""
    return lambda name, metric: profiles[name].missing(metric) if name in profiles else None
