"""A load is known by its digest, which other comments in a shipped profile do not change."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from acceptance.results.load_digests import NAME, first_digests, load_digest, options_digest

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("profiles/*"), *ROOT.glob("workloads/*/*.fio"), *ROOT.glob("workloads/*/*.sysbench"))
)
ROWS = [line.split() for line in (ROOT / "acceptance/results" / NAME).read_text(encoding="ascii").splitlines()]


@pytest.mark.parametrize("path", SHIPPED)
def test_a_shipped_profile_has_the_digest_of_its_first_text(path: str) -> None:
    """A new profile, or a load that changed, needs a row of its own; rows are never changed."""
    text = (ROOT / path).read_text(encoding="utf-8")
    row = f"{options_digest(text)} {sha256(text.encode()).hexdigest()} {path}"
    assert options_digest(text) in first_digests(), f"add this row to acceptance/results/{NAME}: {row}"
    assert [path for options, first, path in ROWS if first == load_digest(text)] == [path]


def test_comments_of_a_shipped_profile_change_nothing_and_options_do() -> None:
    text = (ROOT / "profiles/etcd-fsync.fio").read_text(encoding="utf-8")
    digest = load_digest(text)
    # That of the text in the first histories.
    assert digest == "8f43e1e282700278f4a2ce295dab04cf543a4649f3d99da4cb987f6a94473ca6"
    assert (
        load_digest("; Another comment\n\n" + text.partition("[global]")[1] + text.partition("[global]")[2]) == digest
    )
    assert load_digest(text.replace("bs=2300", "bs=2301")) not in (digest, *first_digests().values())


def test_other_profiles_have_the_digest_of_their_text() -> None:
    for text in ("[job]\nbs=4k\n", "# Another comment.\n[job]\nbs=4k\n"):
        assert load_digest(text) == sha256(text.encode()).hexdigest()


def test_each_row_is_about_another_load() -> None:
    assert len(first_digests()) == len(ROWS) == len({first for _, first, _ in ROWS})
