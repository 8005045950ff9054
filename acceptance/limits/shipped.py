"""What comes with this version of the suite, known by its digests: limits, and the loads that they are on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import acceptance


def shipped_folder() -> Path:
    """Where `thresholds.yaml`, `profiles/`, `tests/` and `deploy/` are that come with this version of the suite.

    Beside the engine in the repository; in the folder `storage_acceptance` beside it where the wheel is installed.
    """
    beside = Path(acceptance.__file__).parents[1]
    return beside if (beside / "thresholds.yaml").is_file() else beside / "storage_acceptance"


def digest_of(text: str) -> str:
    """The SHA-256 of a file's text, in hexadecimal: what tells it from others of the same name."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_shipped(*, limits: str, profiles: Mapping[str, str], workloads: Mapping[str, str] | None = None) -> bool:
    """Whether the limits are the shipped ones, and every profile with the name of a shipped one is that.

    `profiles`: texts by the names of their files, such as `etcd-fsync.fio`. More of them are no change. `workloads`:
    those of limits and profiles of workloads, by their paths in `workloads/`, such as `etcd/limits.yaml`.
    """
    shipped = shipped_digests()
    return (
        digest_of(limits) == shipped["thresholds.yaml"]
        and all(digest_of(text) == shipped.get(f"profiles/{name}", digest_of(text)) for name, text in profiles.items())
        and all(digest_of(text) == shipped.get(f"workloads/{path}") for path, text in (workloads or {}).items())
    )


def shipped_digests() -> dict[str, str]:
    """Digests by path, as `sha256sum` prints them."""
    listed = files("acceptance.limits").joinpath("shipped.sha256").read_text(encoding="ascii")
    return {path: digest for digest, path in (line.split() for line in listed.splitlines())}


def shipped_profiles() -> frozenset[str]:
    """The names of the profiles that come with the suite, without those of workloads."""
    return frozenset(Path(path).stem for path in shipped_digests() if path.startswith("profiles/"))
