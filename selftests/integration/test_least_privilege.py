"""The account of `deploy/` is enough for every test, and no more: each rule is missed by name, each verb is used."""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes import config

import embedded_cluster
from acceptance.cluster.api import Api
from acceptance.cluster.api_faults import ApiError
from acceptance.cluster.going_contents import GOES
from acceptance.cluster.objects import new_run_id
from acceptance.cluster.permissions import OF_SUBJECT, require_permissions
from acceptance.cluster.resources import (
    CONFIG_MAPS,
    GROUP_CONTENTS,
    LEASES,
    NAMESPACES,
    PODS,
    SECRETS,
    SNAPSHOT_CONTENTS,
    VOLUMES,
    Object,
    Resource,
)
from acceptance.cluster.run_namespace import create_namespace
from acceptance.cluster.waiting import wait_for
from acceptance.limits.declared import SECTIONS
from acceptance.text.errors import EnvironmentFailure
from acceptance.trials.ramps.server_metrics import read_server_metrics
from selftests.bounds import HANGS_S
from selftests.integration.held_loads import held_profiles
from selftests.integration.suite import CLUSTER, READ_LIMIT, ROOT, SuiteRun, left_behind, run_suite
from selftests.lab.accounts import (
    ACCOUNT,
    PULL_SECRET,
    Grant,
    applied,
    documents,
    granted,
    role_of,
    token_kubeconfig,
)
from selftests.lab.audit import Asked, audited
from selftests.lab.snapshot_kinds import snapshot_kinds

pytestmark = pytest.mark.disrupts

FILES = ("rbac.yaml", "rbac-pull-secret.yaml")
METRICS = f"{ACCOUNT}-metrics"
ACCOUNTS = Resource(prefix="api/v1", plural="serviceaccounts")
REVIEWS = Resource(prefix="apis/authentication.k8s.io/v1", plural="selfsubjectreviews", has_namespace=False)
# Of each file of tests, those that are run here; of a file without a line, all.
SMALLEST = {path.name: path.stem for path in (ROOT / "tests").glob("test_*.py")} | {
    "test_provisioning.py": "binds_and_takes or deleted_volume_is_removed",
    "test_further_profiles.py": "random-read-iops",
    "test_volume_scaling.py": "total_speed_holds_with_many_volumes",
    "test_control_plane_scale.py": "required_number",
    "test_control_operations.py": "operations_complete and p50",
    "test_data_integrity.py": "read_by_a_new_pod",
    "test_durability.py": "survive_a_killed_pod and not another",
    "test_drain.py": "acknowledged_records_survive_a_drain",
    "test_shared_volumes.py": "file_locks",
    "test_volume_features.py": "two_nodes_share or read_only",
    # The same requests as of those before: of snapshots, which the cluster has not, of records, of volumes.
    "test_snapshots_in_use.py": "",
    "test_many_snapshots.py": "",
    # The same requests as of control operations and records.
    "test_mixed_operations.py": "",
    # The same requests as of one evicted pod.
    "test_drain_of_many_pods.py": "",
    "test_many_volumes_on_a_node.py": "",
    "test_full_volumes.py": "",
    "test_many_files.py": "",
    "test_access_modes.py": "read_write_once_pod_volume_refuses_a_second_pod",
    "test_volumes_in_use.py": "",
    "test_volumes_on_a_node.py": "",
    "test_growing_volumes.py": "",
    "test_copies_of_volumes.py": "",
    "test_several_volumes.py": "",
    "test_backups.py": "",
    "test_data_of_others.py": "takes_no_data_of_others",
    "test_volume_sizes.py": "",
    # The same loads: with a baseline, of other profiles, beside earlier runs, or beside what commands of the user do to
    # the storage.
    "test_baseline_comparison.py": "",
    "test_workloads.py": "",
    # The same requests as of records; and a pod without a volume, which the Role of pods allows: test_postgresql.py.
    "test_postgresql.py": "",
    "test_synchronous_writes.py": "",
    "test_replica_rebuild.py": "",
    "test_failover.py": "",
    "test_disturbances.py": "",
    "test_failover_out_of_service.py": "",
    "test_kubelet_restart.py": "",
    "test_killed_storage_pods.py": "",
    "test_regression.py": "",
    # It asks no cluster for anything.
    "test_imported_results.py": "",
    "test_sustained_speed.py": "",
    "test_latency_under_load.py": "",
    # A right of its own (deploy/rbac-price.yaml), without which it is skipped: test_resource_overhead.py.
    "test_resource_overhead.py": "",
}
WIDE = "{at_most: 1h, because: the test wants it so}"
"""any time"""
LIMITS = f"""\
{READ_LIMIT}    scaling:
      random-write-iops:
        metric: write.iops
        total_at_last_step: {{at_least: 1%, because: the test wants it so}}
    control_plane:
      ramp:
        rate: 240/min
        stop_when:
          slow_starts: {{longer_than: 5min, more_than: 30, because: not asked for}}
      pods: {{at_least: 4, because: the test wants it so}}
    operations:
      start: {{p50: {{at_most: 5min, because: the test wants it so}}}}
""" + "".join(
    f"    {section.key}: {{{', '.join(f'{key}: {WIDE}' for key in keys)}}}\n"
    for section in SECTIONS
    if section.of_figures and (keys := [key for key, bound in section.bounds.values() if bound.unit == "s"])
)
OPTIONS = (
    "--storage-destructive",
    *("--storage-operations", "--storage-operations-at-once=7"),
    "--storage-class=replicated",
    "--storage-scale-steps=1,2",
    "--storage-scale-window=4s",
    f"--storage-node={CLUSTER}-node-1",
    f"--storage-pull-secret={PULL_SECRET}",
)


@pytest.fixture(scope="module")
def pull_secret(api: Api) -> Iterator[None]:
    """The secret that deploy/rbac-pull-secret.yaml lets the account read."""
    namespace, _, name = PULL_SECRET.partition("/")
    body = {"metadata": {"name": name}, "type": "Opaque", "data": {"unused": "eA=="}}
    api.create(SECRETS, body, namespace=namespace)
    yield
    api.delete(SECRETS, name, namespace=namespace)


@pytest.fixture(scope="module")
def snapshots(api: Api) -> Iterator[None]:
    """The cluster knows snapshots: else rights on them are not asked for."""
    with snapshot_kinds(api):
        yield


@pytest.fixture(scope="module")
def account(
    api: Api, cluster: embedded_cluster.EmbeddedCluster, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """The account's kubeconfig; the account is fenced in."""
    path = tmp_path_factory.mktemp("account") / "kubeconfig"
    with applied(api, documents(*FILES, "admission-policy.yaml")):
        token_kubeconfig(api, cluster.kubeconfig, path)
        _wait_for_the_fence(api, Api.from_kubeconfig(path))
        yield path


def test_the_token_for_pipelines_is_the_accounts_and_ends_with_its_secret(
    api: Api, cluster: embedded_cluster.EmbeddedCluster, account: Path, tmp_path: Path
) -> None:
    (secret,) = documents("token.yaml")
    where = {"name": secret["metadata"]["name"], "namespace": secret["metadata"]["namespace"]}
    api.create(SECRETS, secret, namespace=where["namespace"])
    try:
        made = wait_for(
            "the token to be made",
            look=lambda: api.get(SECRETS, **where).get("data") or {},
            ready=lambda seen: "token" in seen,
            state=lambda seen: f"the secret holds {', '.join(seen) or 'nothing'}",
            timeout_s=HANGS_S,
        )
        config: dict[str, Any] = yaml.safe_load(cluster.kubeconfig.read_text(encoding="utf-8"))
        config["users"][0]["user"] = {"token": base64.b64decode(made["token"]).decode()}
        path = tmp_path / "kubeconfig"
        path.write_text(yaml.safe_dump(config), encoding="utf-8")
        known = wait_for(
            "the API server to know the token",
            look=lambda: _name_of(path),
            ready=bool,
            state=lambda seen: seen or "it is refused",
            timeout_s=HANGS_S,
        )
    finally:
        api.delete(SECRETS, **where)
    assert known == f"system:serviceaccount:{ACCOUNT}:{ACCOUNT}"
    wait_for(
        "the token to be refused",
        look=lambda: _name_of(path),
        ready=lambda seen: not seen,
        state=lambda seen: f"it is taken for {seen}",
        timeout_s=HANGS_S,
    )


def _name_of(kubeconfig: Path) -> str:
    """Whom the API server takes the user of a kubeconfig for; empty where it knows no such token."""
    try:
        review = Api.from_kubeconfig(kubeconfig).create(REVIEWS, {"metadata": {}})
    except ApiError as error:
        if error.status != 401:
            raise
        return ""
    name: str = review["status"]["userInfo"]["username"]
    return name


def _wait_for_the_fence(api: Api, account: Api) -> None:
    """The API server takes some seconds to know a new policy."""

    def refused() -> bool:
        try:
            account.create(CONFIG_MAPS, {"metadata": {"name": "lab-fence"}}, namespace="default")
        except ApiError as error:
            return "of its runs" in str(error)
        api.delete(CONFIG_MAPS, "lab-fence", namespace="default")
        return False

    wait_for("the fence to hold", look=refused, ready=bool, state=str, timeout_s=HANGS_S)


@pytest.fixture(scope="module")
def as_account(cluster: embedded_cluster.EmbeddedCluster, account: Path) -> tuple[str, ...]:
    """The options by which a run is the account's."""
    return (f"--storage-kubeconfig={account}", f"--storage-image={cluster.image}")


@pytest.fixture(scope="module")
def seen(
    api: Api,
    account: Path,
    as_account: tuple[str, ...],
    pull_secret: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[SuiteRun, Asked]:
    """A run of every subject as that account, the removal of what a killed run left, and what both asked for."""
    folder = tmp_path_factory.mktemp("least-privilege")
    limits = folder / "limits.yaml"
    limits.write_text(LIMITS)
    user = f"system:serviceaccount:{ACCOUNT}:{ACCOUNT}"
    with audited(CLUSTER, user, folder=folder) as asked:
        options = [
            *OPTIONS,
            *as_account,
            f"--storage-thresholds={limits}",
            held_profiles(folder, "random-read-iops", "random-write-iops", rate=200),
            "-k",
            " or ".join(f"({each})" for each in SMALLEST.values() if each),
        ]
        run = run_suite(*options, reports=folder / "reports", timeout=1000)
        _clean_up_a_dead_run(api, account)
        return run, asked()


def _clean_up_a_dead_run(api: Api, account: Path) -> None:
    run_id = new_run_id(datetime.now(UTC))
    create_namespace(api, run_id=run_id)
    words = [sys.executable, "-m", "acceptance", "cleanup", "--kubeconfig", str(account), "--run", run_id]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=HANGS_S, check=False)
    assert done.returncode == 0 and "removed" in done.stdout, done.stdout + done.stderr


def test_the_account_may_do_what_every_subject_takes(seen: tuple[SuiteRun, Asked], api: Api) -> None:
    run, _ = seen
    assert run.status == 0, run.output
    passed = {verdict["test"].partition("::")[0] for verdict in run.results["verdicts"] if verdict["status"] == "pass"}
    assert {f"tests/{name}" for name, tests in SMALLEST.items() if tests} == passed
    assert [name for name in SMALLEST if not (ROOT / "tests" / name).exists()] == []
    assert run.results["control_plane"][0]["api_server_missing"] is None
    assert left_behind(api, by_anyone=True) == []


# Of classes that can be expanded, and of CSI drivers, which the embedded cluster has not; they are used on the lab's
# (test_volume_features.py), by an administrator.
NOT_HERE = {
    Grant(resource="persistentvolumeclaims", verb="patch"),
    Grant(resource="csidrivers", verb="get", group="storage.k8s.io"),
    # The limit of a node, with --storage-with node-volumes.
    Grant(resource="csinodes", verb="get", group="storage.k8s.io"),
    # Classes of attributes, which are for CSI drivers.
    Grant(resource="volumeattributesclasses", verb="list", group="storage.k8s.io"),
}
SNAPSHOTS = {"snapshot.storage.k8s.io", "groupsnapshot.storage.k8s.io"}


def test_every_verb_that_is_granted_is_used(seen: tuple[SuiteRun, Asked]) -> None:
    _, asked = seen
    unused = {
        grant
        for grants in granted(documents(*FILES)).values()
        for grant in grants
        if _anywhere(grant) not in asked.allowed and grant.group not in SNAPSHOTS
    }
    assert unused == NOT_HERE
    assert Grant(resource="/metrics", verb="get") in asked.allowed


def test_nothing_else_is_asked_for(seen: tuple[SuiteRun, Asked]) -> None:
    """But what the account is not to have (deploy/rbac.yaml says why), which the report then says it lacks."""
    run, asked = seen
    assert asked.refused == {Grant(resource="nodes/proxy", verb="get")}
    assert "nodes/proxy" in run.results["control_plane"][0]["storage_operations_missing"]


def test_every_pod_passed_the_restricted_standard_and_none_was_exempt(seen: tuple[SuiteRun, Asked]) -> None:
    """Those of loads, of prefills, of sets, and whatever else a subject makes."""
    _, asked = seen
    assert len(asked.pod_security) > 10
    assert {tuple(each.items()) for each in asked.pod_security} == {(("enforce-policy", "restricted:latest"),)}


def _anywhere(grant: Grant) -> Grant:
    return replace(grant, namespace="", name="")


@pytest.fixture(scope="module")
def others(api: Api, snapshots: None) -> Iterator[None]:
    """What belongs to somebody else: a namespace, a volume of a claim in it, and what is behind snapshots of it."""
    volume = {
        "capacity": {"storage": "1Mi"},
        "accessModes": ["ReadWriteOnce"],
        "hostPath": {"path": "/nowhere"},
        "claimRef": {"namespace": OTHERS, "name": OTHERS},
    }
    api.create(NAMESPACES, {"metadata": {"name": OTHERS}})
    _wait_for_its_account(api, OTHERS)
    api.create(PODS, {"metadata": {"name": OTHERS}, "spec": {**NOWHERE, **POD}}, namespace=OTHERS)
    api.create(VOLUMES, {"metadata": {"name": OTHERS}, "spec": volume})
    of_a_run = {**volume, "claimRef": {"namespace": RUN_NAMESPACE, "name": "load"}}
    api.create(VOLUMES, {"metadata": {"name": f"{OTHERS}-of-a-run"}, "spec": of_a_run})
    for kind, content in CONTENTS.items():
        api.create(kind, {**content, "metadata": {"name": OTHERS}})
    yield
    for kind in CONTENTS:
        api.delete(kind, OTHERS)
    api.delete(PODS, OTHERS, namespace=OTHERS, grace_s=0)
    api.delete(VOLUMES, OTHERS)
    api.delete(VOLUMES, f"{OTHERS}-of-a-run")
    api.delete(NAMESPACES, OTHERS)


def _wait_for_its_account(api: Api, name: str) -> None:
    wait_for(
        "the namespace to have its account, without which no pod is looked at",
        look=lambda: api.find(ACCOUNTS, "default", namespace=name),
        ready=lambda seen: seen is not None,
        state=str,
        timeout_s=HANGS_S,
    )


OTHERS = "lab-others"
POD: Object = {"containers": [{"name": "x", "image": "x"}]}
NOWHERE: Object = {"nodeSelector": {"lab": "nowhere"}}
RUN_NAMESPACE = "storage-acceptance-20200101-000000-abcdefabcdefabcd"
OF_NOBODY: Object = {"deletionPolicy": "Retain", "driver": "lab.example.com"}
REFERENCE = {"namespace": OTHERS, "name": OTHERS}
CONTENTS: dict[Resource, Object] = {
    SNAPSHOT_CONTENTS: {
        "apiVersion": "snapshot.storage.k8s.io/v1",
        "kind": "VolumeSnapshotContent",
        "spec": {**OF_NOBODY, "source": {"snapshotHandle": "x"}, "volumeSnapshotRef": REFERENCE},
    },
    GROUP_CONTENTS: {
        "apiVersion": "groupsnapshot.storage.k8s.io/v1beta1",
        "kind": "VolumeGroupSnapshotContent",
        "spec": {
            **OF_NOBODY,
            "source": {"groupSnapshotHandles": {"volumeGroupSnapshotHandle": "x", "volumeSnapshotHandles": ["x"]}},
            "volumeGroupSnapshotRef": REFERENCE,
        },
    },
}
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}


def namespace(name: str, **metadata: object) -> Callable[[Api], object]:
    """Makes a namespace of that name, restricted unless asked for otherwise."""
    asked = {"name": name, "labels": RESTRICTED, **metadata}
    body = {"metadata": {key: value for key, value in asked.items() if value}}
    return lambda account: account.create(NAMESPACES, body)


def lease(where: str) -> Callable[[Api], object]:
    """Makes a lease there."""
    return lambda account: account.create(LEASES, {"metadata": {"name": "lab"}}, namespace=where)


CHANGES: dict[str, Callable[[Api], object]] = {
    "delete a namespace": lambda account: account.delete(NAMESPACES, OTHERS),
    "make a namespace": namespace(f"{OTHERS}-too"),
    "make one named like a run's": namespace("storage-acceptance-reports"),
    "make one without the label": namespace(RUN_NAMESPACE, labels=None),
    "make one with another label": namespace(RUN_NAMESPACE, labels=dict.fromkeys(RESTRICTED, "privileged")),
    "have one named by the server": namespace("", generateName="lab-"),
    "have one named by the server like a run's": namespace("", generateName="storage-acceptance-"),
    "make an object": lambda account: account.create(CONFIG_MAPS, {"metadata": {"name": "x"}}, namespace=OTHERS),
    "make a lease in kube-system": lease("kube-system"),
    "make a secret elsewhere": lambda account: account.create(SECRETS, {"metadata": {"name": "x"}}, namespace=OTHERS),
    "evict a pod": lambda account: account.evict(OTHERS, namespace=OTHERS, grace_s=0),
    "change a volume": lambda account: account.patch(VOLUMES, OTHERS, {"metadata": {"labels": {"x": "y"}}}),
    "claim a volume anew": lambda account: account.patch(
        VOLUMES, f"{OTHERS}-of-a-run", {"spec": {"claimRef": {"namespace": OTHERS, "name": OTHERS}}}
    ),
    "have what is behind a snapshot go": lambda account: account.patch(SNAPSHOT_CONTENTS, OTHERS, GOES),
    "delete what is behind a snapshot": lambda account: account.delete(SNAPSHOT_CONTENTS, OTHERS),
    "have what is behind a group snapshot go": lambda account: account.patch(GROUP_CONTENTS, OTHERS, GOES),
    "delete what is behind a group snapshot": lambda account: account.delete(GROUP_CONTENTS, OTHERS),
    "let a volume be claimed": lambda account: account.patch(
        VOLUMES, f"{OTHERS}-of-a-run", {"spec": {"claimRef": None}}
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_the_fence_keeps_the_account_from_what_is_not_its_own(change: str, account: Path, others: None) -> None:
    """RBAC would allow each of them."""
    with pytest.raises(ApiError, match="of its runs") as refused:
        CHANGES[change](Api.from_kubeconfig(account))
    assert refused.value.status in (403, 422)


POWERS: dict[str, Object] = {
    "privileged": {"containers": [{"name": "x", "image": "x", "securityContext": {"privileged": True}}]},
    "host path": {"volumes": [{"name": "root", "hostPath": {"path": "/"}}]},
    "host network": {"hostNetwork": True},
    "host's processes": {"hostPID": True},
}


@pytest.mark.parametrize("power", POWERS)
@pytest.mark.parametrize("standard", ["restricted", "privileged"])
def test_no_pod_of_the_account_has_power_over_its_node(power: str, standard: str, account: Path, api: Api) -> None:
    """Neither where the namespace is restricted, nor in one that an administrator has opened."""
    body = {"metadata": {"name": RUN_NAMESPACE, "labels": dict.fromkeys(RESTRICTED, standard)}}
    api.create(NAMESPACES, body)
    _wait_for_its_account(api, RUN_NAMESPACE)
    pod = {**POD, **POWERS[power]}
    try:
        with pytest.raises(ApiError, match=r"PodSecurity|without any power over their node"):
            Api.from_kubeconfig(account).create(PODS, {"metadata": {"name": "x"}, "spec": pod}, namespace=RUN_NAMESPACE)
    finally:
        api.delete(NAMESPACES, RUN_NAMESPACE)
        wait_for(
            "the namespace to be deleted",
            look=lambda: api.find(NAMESPACES, RUN_NAMESPACE),
            ready=lambda seen: seen is None,
            state=str,
            timeout_s=HANGS_S,
        )


CASES = [(role, grant) for role, grants in granted(documents(*FILES)).items() if role != METRICS for grant in grants]
SUBJECTS = {role_of(subject): subject for subject in OF_SUBJECT}


@pytest.fixture(scope="module")
def without(api: Api, snapshots: None, cluster: embedded_cluster.EmbeddedCluster) -> Iterator[Callable[[int], Api]]:
    """The API as a user that has all rights but that of the case; those of all cases are made at once."""
    with ExitStack() as undo:
        for number, (role, grant) in enumerate(CASES):
            undo.enter_context(applied(api, _all_but(number, role, grant)))
        yield lambda number: _impersonating(_user(number), cluster.kubeconfig)


def _all_but(number: int, role: str, missing: Grant) -> list[Object]:
    """A role for the user of the case: all that the core and its subject take, but for what is missing."""
    everything = granted(documents(*FILES))
    wanted = {each for name in (ACCOUNT, f"{ACCOUNT}-cluster", role) for each in everything[name]} - {missing}
    rules = [
        {"apiGroups": [each.group], "resources": [each.resource], "verbs": [each.verb]}
        | ({"resourceNames": [each.name]} if each.name else {})
        for each in wanted
    ]
    group, name = "rbac.authorization.k8s.io", _user(number)
    return [
        {"kind": "ClusterRole", "metadata": {"name": name}, "rules": rules},
        {
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": name},
            "subjects": [{"apiGroup": group, "kind": "User", "name": name}],
        },
    ]


def _user(number: int) -> str:
    return f"lab-least-{number}"


def _impersonating(user: str, kubeconfig: Path) -> Api:
    connection = config.new_client_from_config(config_file=str(kubeconfig))
    connection.set_default_header("Impersonate-User", user)
    return Api(connection)


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=lambda n: f"{CASES[n][0]}-{CASES[n][1].verb}-{CASES[n][1].resource}"
)
def test_a_right_that_is_taken_away_is_missed_by_name(number: int, without: Callable[[int], Api]) -> None:
    role, grant = CASES[number]

    def missed() -> list[str]:
        try:
            require_permissions(
                without(number),
                pull_secret=PULL_SECRET if role.endswith("pull-secret") else None,
                subjects=[SUBJECTS[role]] if role in SUBJECTS else [],
            )
        except EnvironmentFailure as error:
            return str(error).splitlines()[1:]
        return []

    # The API server takes some milliseconds to know a new role.
    lines = wait_for(
        "one right to be missed", look=missed, ready=lambda seen: len(seen) == 1, state=str, timeout_s=HANGS_S
    )
    kind = f"{grant.resource}.{grant.group}" if grant.group else grant.resource
    assert lines[0].strip().startswith(f"{grant.verb} on {kind}")


def test_figures_that_may_not_be_read_are_told(without: Callable[[int], Api]) -> None:
    """The role for metrics is one that a run can be without."""
    assert "forbidden" in str(read_server_metrics(without(0), []).requests_missing)
