"""PostgreSQL itself, killed and recovered through the suite's own command line: it keeps its commits on good storage,
and fails for its own reason on storage that forgets the end of its log or a page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from acceptance.cluster.api import Api
from embedded_cluster import EmbeddedCluster
from selftests.integration.suite import CLUSTER, ROOT, left_behind, run_suite
from selftests.lab.forgotten_log import Fault, forgetful_class
from selftests.lab.provisioner import LabClass, lab_classes

TESTS = ("tests/test_postgresql.py", "--storage-for=postgresql", "--storage-durability-time", "2s")
FORGETFUL, NEVER = "lab-forgets-log", "lab-never-provisions"


@pytest.fixture(scope="module")
def offered(cluster: EmbeddedCluster) -> None:
    """The cluster has the image of PostgreSQL, made of Debian's packages, and names it."""
    words = [sys.executable, "-m", "embedded_cluster", "up", "--name", CLUSTER, "--with", "postgresql"]
    subprocess.run(words, cwd=ROOT, check=True, timeout=600)


@pytest.mark.full
def test_a_killed_postgresql_has_all_commits_on_good_storage(offered: None, api: Api, reports: Path) -> None:
    run = run_suite(*TESTS, "--storage-class=local-path", reports=reports)
    assert run.status == 0, run.output
    (found,) = run.results["postgresql"]
    assert found["acknowledged"] >= 20 and (found["lost"], found["damage"], found["broken"]) == ([], [], "")
    assert found["commits_timed"] >= 20 and 0 < found["commit_p50_s"] <= found["commit_p99_s"]
    assert found["transactions"] > 0 and found["recovered_s"] > 0
    assert f"recovered in {found['recovered_s']:.1f} s with all" in run.verdict("killed_postgresql")["reason"]
    assert "PostgreSQL itself, killed under load" in (run.folder / "latest" / "report.html").read_text()
    assert left_behind(api) == []


@pytest.mark.full
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("log", r"but lacks [\d,]+ of the [\d,]+ commits that it had acknowledged: \d+"),
        ("page", r"but is damaged: .*pg_(amcheck|checksums): .*1255"),
    ],
)
def test_storage_that_forgets_fails_for_that_reason(
    fault: Fault, said: str, offered: None, api: Api, lab_folder: Path, reports: Path
) -> None:
    with forgetful_class(api, FORGETFUL, lab_folder / f"forgets-{fault}", fault=fault):
        run = run_suite(*TESTS, f"--storage-class={FORGETFUL}", reports=reports)
    assert run.status == 1, run.output
    verdict = run.verdict("killed_postgresql")
    assert verdict["status"] == "fail" and re.search(said, verdict["reason"]), verdict["reason"]
    (found,) = run.results["postgresql"]
    assert bool(found["lost"]) == (fault == "log")
    assert not found["lost"] or (found["lost"][-1][1] == found["acknowledged"] and found["lost"][0][0] > 20)
    assert left_behind(api) == []


@pytest.mark.full
@pytest.mark.parametrize("image", ["127.0.0.1:9/no/such:image", ""], ids=["no such image", "no PostgreSQL in it"])
def test_without_an_image_it_is_skipped_before_any_claim(
    image: str, cluster: EmbeddedCluster, api: Api, reports: Path
) -> None:
    """On a class whose claims are never bound: no time goes by and nothing fails for want of a volume."""
    with lab_classes(api, [LabClass(name=NEVER, folder=None)]):
        option = f"--storage-postgresql-image={image or cluster.image}"
        run = run_suite(*TESTS, f"--storage-class={NEVER}", option, reports=reports)
    assert run.status == 5, run.output
    reason = run.verdict("killed_postgresql")["reason"]
    assert reason.startswith("no PostgreSQL to test: image ") and "--storage-postgresql-image" in reason
    assert ("cannot be pulled" if image else "lacks postgres") in reason
    assert run.results["postgresql"] == [] and left_behind(api) == []
