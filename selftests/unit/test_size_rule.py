"""The rule of size: what a profile really loads, against 25 s of the bandwidth that it reached."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from acceptance.loads.size_rule import SmallFile, own_size, small_file
from acceptance.text.quantities import parse_size
from selftests.bounds import HANGS_S

MIB = 1024**2
GIB = 1024**3
PROFILES = Path(__file__).parents[2] / "profiles"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("[a]\nsize=22m", 22 * MIB),
        ("[a]\nsize=22m # of etcd", 22 * MIB),
        ("[a]\nsize=250Mi", 250 * MIB),
        ("[a]\nsize=250MiB", 250 * 1000**2),
        ("[a]\nsize=64MB", 64 * MIB),
        ("[global]\nsize=${SIZE}\n[a]\nsize=1m", MIB),
        ("[a]\nsize=1m\nsize=${SIZE}", None),
        ("[a]\nsize=0", None),
        ("[a]\nsize=1,5m", None),
        ("[a]\nsize = 2G\nbs=4k", 2 * GIB),
        ("[a]\nsize=4096", 4096),
        ("[a]\nsize=1m\n[b]\nsize=3MB", 3 * MIB),
        ("[a]\nsize=${SIZE}", None),
        ("[a]\nsize=25%", None),
        ("[a]\nsize=1m\n[b]\nsize=${SIZE}", None),
        ("[a]\n# size=1m\nio_size=1m\nfilesize=1m", None),
        ("--file-total-size=1G", None),
        ("", None),
    ],
)
def test_the_size_that_a_profile_sets_itself(text: str, size: int | None) -> None:
    assert own_size(text) == size


def test_of_the_suites_own_profiles_only_etcds_has_a_size_of_its_own() -> None:
    found = {path.stem: own_size(path.read_text(encoding="utf-8")) for path in PROFILES.iterdir()}
    assert {name: size for name, size in found.items() if size is not None} == {
        "etcd-fsync": 22 * MIB,
        "etcd-fsync-busy": 32 * MIB,
    }


@pytest.mark.parametrize(("text", "small"), [("[a]\nsize=${SIZE}", False), ("[a]\nsize=22m", True)])
def test_what_counts_is_what_the_profile_loads(text: str, small: bool) -> None:
    assert (small_file(text, test_size=GIB, bandwidth=MIB) is not None) is small


def test_a_file_of_exactly_25_s_is_large_enough() -> None:
    assert small_file("", test_size=250 * MIB, bandwidth=10 * MIB) is None
    assert small_file("", test_size=250 * MIB - 1, bandwidth=10 * MIB) is not None
    assert small_file("", test_size=0, bandwidth=0.0) is None


def test_a_small_file_is_described_with_what_would_be_enough() -> None:
    found = SmallFile(size=GIB, bandwidth=400 * MIB, own=False, test_size=GIB)
    assert found.describe() == "the test file of 1 GiB holds only 2.5 s of the measured 400 MiB/s"
    assert found.remedy == "raise --storage-test-size to at least 10Gi"
    tiny = SmallFile(size=MIB, bandwidth=400 * MIB, own=False, test_size=GIB)
    assert tiny.describe() == "the test file of 1 MiB holds less than 0.1 s of the measured 400 MiB/s"


def test_the_remedy_for_a_profile_with_its_own_size_is_in_the_profile() -> None:
    found = SmallFile(size=22 * MIB, bandwidth=2.5 * MIB, own=True, test_size=GIB)
    assert found.describe() == "the profile's own size of 22 MiB holds only 8.8 s of the measured 2.5 MiB/s"
    assert found.remedy == "set size=63m in the profile"


@pytest.mark.parametrize("bandwidth", [1.0, 3.3 * MIB, 41 * MIB, 333 * MIB, 5e9])
@pytest.mark.parametrize("test_size", [64 * MIB, 10 * GIB])
def test_the_remedy_works_when_it_is_taken_at_its_word(bandwidth: float, test_size: int, tmp_path: Path) -> None:
    """fio itself must take the size for as much as the suite does, and the test file must hold it."""
    small = small_file("[a]\nsize=1\n", test_size=test_size, bandwidth=bandwidth)
    assert small is not None and small.own
    option, _, file = small.remedy.removeprefix("set ").partition(" in the profile")
    assert small_file(f"[a]\n{option}\n", test_size=test_size, bandwidth=bandwidth) is None
    larger = parse_size(file.rpartition(" ")[2]) if file else test_size
    size = own_size(f"[a]\n{option}\n")
    assert size is not None and size <= larger
    assert bool(file) is (size > test_size)


@pytest.mark.parametrize("size", ["2m", "2Mi", "2MiB", "2MB", "4096", "3k"])
def test_a_size_is_as_large_as_fio_makes_it(size: str, tmp_path: Path) -> None:
    job = f"[a]\nfilename={tmp_path / 'file'}\nrw=write\nbs=512\nsize={size}\n"
    (tmp_path / "a.fio").write_text(job, encoding="utf-8")
    subprocess.run(["fio", tmp_path / "a.fio"], check=True, capture_output=True, timeout=HANGS_S)
    assert own_size(job) == (tmp_path / "file").stat().st_size


@pytest.mark.parametrize("bandwidth", [1.0, 3.3 * MIB, 41 * MIB, 333 * MIB, 5e9])
def test_the_size_that_is_asked_for_is_enough(bandwidth: float) -> None:
    wanted = SmallFile(size=1, bandwidth=bandwidth, own=False, test_size=1).remedy.rpartition(" ")[2]
    size = int(wanted[:-2]) * {"Mi": MIB, "Gi": GIB}[wanted[-2:]]
    assert small_file("", test_size=size, bandwidth=bandwidth) is None
