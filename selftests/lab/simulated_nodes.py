"""What simulated pods and claims do from a given ordinal on: stages that win over the usual ones while a block runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from acceptance.cluster.api import Api
from acceptance.cluster.resources import NODES, PODS, Object, Resource
from acceptance.cluster.waiting import wait_for
from acceptance.text.errors import EnvironmentFailure

STORAGE_CLASS = "simulated"
NODE_LABEL = "storage-acceptance/simulated"

STAGES = Resource(prefix="apis/kwok.x-k8s.io/v1alpha1", plural="stages", has_namespace=False)

# Where several stages match, KWOK plays those that have a weight; the usual ones have none.
WEIGHT = 1
# Longer than any test takes.
NEVER_S = 86_400.0

POD_ORDINAL = '.metadata.labels["apps.kubernetes.io/pod-index"]'
CLAIM_ORDINAL = '(.metadata.name | capture("-(?<ordinal>[0-9]+)$").ordinal)'

_STATUSES = """
{{ $now := Now }}
conditions:
{{ range list "Ready" "ContainersReady" }}
- {type: {{ . }}, status: "%(ready)s", lastTransitionTime: {{ $now | Quote }}}
{{ end }}
containerStatuses:
{{ range .status.containerStatuses }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
"""
_CRASHED = (
    _STATUSES % {"ready": "False"}
    + """\
  ready: false
  restartCount: {{ .restartCount }}
  state:
    waiting: {reason: CrashLoopBackOff, message: as the lab wants it}
  lastState:
    terminated: {exitCode: 1, reason: Error, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }}}
{{ end }}
"""
)
_RESTARTED = (
    _STATUSES % {"ready": "True"}
    + """\
  ready: true
  restartCount: {{ add .restartCount 1 }}
  state:
    running: {startedAt: {{ $now | Quote }}}
  lastState:
    terminated: {exitCode: 1, reason: Error, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }}}
{{ end }}
"""
)


@contextmanager
def late_pods(api: Api, *, from_ordinal: int, seconds: float) -> Iterator[None]:
    """Pods of sets, from that ordinal on, run only so long after they were scheduled."""
    with _stages(api, delayed(api.get(STAGES, "pod-ready"), since(POD_ORDINAL, from_ordinal), seconds=seconds)):
        yield


@contextmanager
def stalled_pods(api: Api, *, from_ordinal: int) -> Iterator[None]:
    """Pods of sets, from that ordinal on, never run."""
    with late_pods(api, from_ordinal=from_ordinal, seconds=NEVER_S):
        yield


@contextmanager
def late_claims(api: Api, *, from_ordinal: int, seconds: float) -> Iterator[None]:
    """Claims of sets, from that ordinal on, get their volume only so long after they were made."""
    usual = api.get(STAGES, "claim-provision")
    with _stages(api, delayed(usual, since(CLAIM_ORDINAL, from_ordinal), seconds=seconds)):
        yield


@contextmanager
def crashing_pods(api: Api, *, from_ordinal: int, seconds: float = 1) -> Iterator[None]:
    """Containers of sets, from that ordinal on, crash so long after they began to run, and restart as late."""
    with _stages(api, *crash_loop(since(POD_ORDINAL, from_ordinal), seconds=seconds)):
        _see_a_crash(api, ordinal=from_ordinal)
        yield


def _see_a_crash(api: Api, *, ordinal: int) -> None:
    """KWOK hears of a stage some time after it was made, and plays it with no pod that had run before."""
    name, namespace = "lab-crashes", "default"
    node = api.list(NODES, labels=f"{NODE_LABEL}=true")[0]["metadata"]["name"]
    body = {
        "metadata": {"name": name, "labels": {"apps.kubernetes.io/pod-index": str(ordinal)}},
        "spec": {
            "nodeName": node,
            "containers": [{"name": "main", "image": "none"}],
            "automountServiceAccountToken": False,
            "tolerations": [{"operator": "Exists"}],
            "terminationGracePeriodSeconds": 0,
        },
    }

    def crashed() -> bool:
        """Of a pod that ran first, another is made."""
        if api.find(PODS, name, namespace=namespace) is None:
            api.create(PODS, body, namespace=namespace)
        try:
            seen = wait_for(
                "a simulated pod to crash",
                look=lambda: api.get(PODS, name, namespace=namespace)["status"].get("containerStatuses", []),
                ready=lambda statuses: any("waiting" in status["state"] for status in statuses),
                state=str,
                timeout_s=10,
                failure=EnvironmentFailure,
            )
        except EnvironmentFailure:
            seen = []
        api.delete(PODS, name, namespace=namespace, grace_s=0)
        return bool(seen)

    wait_for(
        "KWOK to play the stages of the lab",
        look=crashed,
        ready=bool,
        state=lambda seen: "no simulated pod crashed",
        timeout_s=180,
        failure=EnvironmentFailure,
    )


@contextmanager
def _stages(api: Api, *stages: Object) -> Iterator[None]:
    for stage in stages:
        api.create(STAGES, stage)
    try:
        yield
    finally:
        for stage in stages:
            api.delete(STAGES, stage["metadata"]["name"])


def since(ordinal: str, first: int) -> Object:
    """What selects everything whose ordinal, found by a jq expression, is at least `first`; never what has none."""
    return {"key": f"{ordinal} | tonumber >= {first}", "operator": "In", "values": ["true"]}


def delayed(usual: Object, which: Object, *, seconds: float) -> Object:
    """A stage that does what a usual one does, but later and only to those that `which` selects."""
    selector = usual["spec"]["selector"]
    spec = {
        **usual["spec"],
        "selector": {**selector, "matchExpressions": [*selector["matchExpressions"], which]},
        "delay": {"durationMilliseconds": int(seconds * 1000)},
        "weight": WEIGHT,
    }
    return _stage(f"lab-late-{usual['metadata']['name']}", spec)


def crash_loop(which: Object, *, seconds: float) -> list[Object]:
    """Two stages for pods that run: their containers crash, and are started again with one restart more."""
    pod = {"apiGroup": "v1", "kind": "Pod"}
    alive = {"key": ".metadata.deletionTimestamp", "operator": "DoesNotExist"}
    running = {"key": ".status.phase", "operator": "In", "values": ["Running"]}

    def stage(name: str, *, state: str, template: str) -> Object:
        there = {"key": f".status.containerStatuses[0].state.{state}", "operator": "Exists"}
        spec = {
            "resourceRef": pod,
            "selector": {"matchExpressions": [alive, running, there, which]},
            "delay": {"durationMilliseconds": int(seconds * 1000)},
            "weight": WEIGHT,
            "next": {"statusTemplate": template},
        }
        return _stage(name, spec)

    return [
        stage("lab-crash", state="running", template=_CRASHED),
        stage("lab-restart", state="waiting", template=_RESTARTED),
    ]


def _stage(name: str, spec: Object) -> Object:
    return {"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": {"name": name}, "spec": spec}
