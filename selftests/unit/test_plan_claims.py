"""What plans of the suite's own command line claim at one time, with no cluster to look at."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import pytest

from acceptance.planning.table import ENDS_BEFORE

ROOT = Path(__file__).parents[2]
NO_CLUSTER = "--storage-embedded-name=no-such-cluster"
OWN = "--storage-context=no-such-context"
REFUSED = f"{ENDS_BEFORE}, with exit status"


@pytest.mark.parametrize("job", ["accept", "accept-longhorn", "smoke", None])
def test_no_job_of_the_embedded_cluster_needs_consent(job: str | None, planned: Callable[..., tuple[int, str]]) -> None:
    """Those of tox.ini, and one that asks for all that is there."""
    options = ["--storage-class=replicated", "--storage-baseline-class=local-path", "--storage-destructive"]
    if job is not None:
        tox = ConfigParser(interpolation=None)
        tox.read(ROOT / "tox.ini")
        words = shlex.split(tox[f"testenv:{job}"]["commands"].replace("\\\n", " "))
        options = [word for word in words[words.index("pytest") + 1 :] if word != "{posargs}"]
    status, output = planned(NO_CLUSTER, *options)
    assert status == 0, output
    claimed = re.search(r"^Storage: at most ([\d.]+) (MiB|GiB) in ", output, re.MULTILINE)
    assert claimed is not None and REFUSED not in output, output
    assert float(claimed[1]) * {"MiB": 1 / 1024, "GiB": 1}[claimed[2]] <= 100


@pytest.mark.full
def test_a_class_is_loaded_beside_one_volume_of_the_baseline(planned: Callable[..., tuple[int, str]]) -> None:
    """Whichever class the first test is of."""
    classes = ("--storage-class=fast", "--storage-class=slow", "--storage-baseline-class=local")
    for selected, together in (("random-read-iops", "local, fast"), ("random-read-iops and slow", "local, slow")):
        _, output = planned(NO_CLUSTER, *classes, "-k", selected)
        assert f"volumes to load, test file written in full: {together}" in output
        assert output.count("local: at most 3 GiB claimed at one time; free space is not known") == 1


@pytest.mark.full
def test_what_is_kept_counts_to_the_end(planned: Callable[..., tuple[int, str]]) -> None:
    """Five volumes of a GiB each, one after the other."""
    amounts = []
    for options in ((), ("--storage-keep",)):
        _, output = planned(NO_CLUSTER, "--storage-class=fast", "-m", "smoke", "-k", "test_provisioning", *options)
        amounts += re.findall(r"^Storage: at most (\d+) GiB in (\d+) volumes", output, re.MULTILINE)
    assert amounts == [("2", "2"), ("5", "5")]


@pytest.mark.full
def test_a_run_of_51_volumes_needs_consent_and_is_told_how_much(planned: Callable[..., tuple[int, str]]) -> None:
    """51 of 3 GiB, beside one that is loaded by itself; the plan itself is no wrong usage."""
    options = (OWN, "--storage-class=fast", "-m", "scale or data_plane", "-k", "scaling or sync-write-iops")
    status, output = planned(*options)
    told = " ".join(output.split())
    assert status == 0, output
    assert f"{REFUSED} 4: up to 156 GiB would be claimed at one time (at most 156 GiB of fast;" in told
    assert (
        "without consent a run claims at most 100 GiB. The most is claimed during: random-write-iops on 1, 3, 6, 9"
        in told
    )
    assert "or consent: --storage-claim-at-most=156Gi" in told
    assert REFUSED not in planned(*options, "--storage-claim-at-most=156Gi")[1]
    assert REFUSED in planned(*options, "--storage-claim-at-most=155Gi")[1]


@pytest.mark.parametrize(
    ("options", "refused", "left_out"),
    [
        ((), False, True),
        (("--storage-claim-at-most=200Gi",), False, False),
        (("-m", "not scale"), False, False),
        (("-m", "scale or smoke"), True, False),
        (("--storage-scale-steps=1,3",), True, False),
        (("tests/test_volume_scaling.py", "tests/test_provisioning.py"), True, False),
        (("--storage-claim-at-most=1Gi",), True, False),
    ],
    ids=["defaults", "consent", "others", "by mark", "by option", "by file", "others need consent too"],
)
def test_scale_runs_that_nobody_named_are_left_out_rather_than_refused(
    options: tuple[str, ...], refused: bool, left_out: bool, planned: Callable[..., tuple[int, str]]
) -> None:
    status, output = planned(OWN, "--storage-class=fast", *options)
    told = " ".join(output.split())
    assert status == 0, output
    assert (f"{REFUSED} 4" in told, "include them with --storage-claim-at-most=" in told) == (refused, left_out), output
    if left_out:
        needed, rest = re.search(r"at-most=(\d+)Gi", told), re.search(r"fast: at most ([\d.]+) GiB claimed", told)
        assert needed is not None and rest is not None
        assert float(rest[1]) <= 100 < int(needed[1])
