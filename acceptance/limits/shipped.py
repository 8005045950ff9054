"""The files of this version of the suite, recognized by their digests: limits, and the loads that they are on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path

import acceptance


def shipped_folder() -> Path:
    """Return the folder with this suite's `thresholds.yaml`, `profiles/`, `tests/` and `deploy/`.

    In the repository it contains the engine; in an installed wheel it is the folder `storage_acceptance` next to it.
    """
    beside = Path(acceptance.__file__).parents[1]
    return beside if (beside / "thresholds.yaml").is_file() else beside / "storage_acceptance"


def digest_of(text: str) -> str:
    """Return the SHA-256 of a file's text, in hexadecimal, which distinguishes it from others of the same name."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_shipped(*, limits: str, profiles: Mapping[str, str], workloads: Mapping[str, str] | None = None) -> bool:
    """Return whether the limits are the shipped ones, and every profile with a shipped name is unchanged.

    `profiles`: texts by the names of their files, such as `etcd-fsync.fio`. Further profiles are no change.
    `workloads`: texts of limits and profiles of workloads, by their paths in `workloads/`, such as `etcd/limits.yaml`.
    """
    digests = shipped_digests()
    return (
        digest_of(limits) == digests["thresholds.yaml"]
        and all(digest_of(text) == digests.get(f"profiles/{name}", digest_of(text)) for name, text in profiles.items())
        and all(digest_of(text) == digests.get(f"workloads/{path}") for path, text in (workloads or {}).items())
    )


def shipped_digests() -> dict[str, str]:
    """Return the digests by path, as `sha256sum` prints them."""
    sums = files("acceptance.limits").joinpath("shipped.sha256").read_text(encoding="ascii")
    return {path: digest for digest, path in (line.split() for line in sums.splitlines())}


def shipped_profiles() -> frozenset[str]:
    """Return the names of the profiles that come with the suite, without those of workloads."""
    return frozenset(Path(path).stem for path in shipped_digests() if path.startswith("profiles/"))
