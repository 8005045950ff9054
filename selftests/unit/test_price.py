"""The price of the storage: what kubelets say, counters that begin anew, restarts, and the verdicts on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from acceptance.cluster.api_faults import ApiUnreachable
from acceptance.cluster.pod_usage import ContainerState, PodKey, Reading, WatchedPod, usage_of
from acceptance.cluster.resources import Object
from acceptance.judging.outcome import plain_outcome
from acceptance.judging.price import judge_price
from acceptance.judging.rejudging import contradictions
from acceptance.limits.limit import Limit
from acceptance.loads.fio.samples import Sample
from acceptance.loads.fio.snapshots import Counts
from acceptance.report.records.price import price_parts
from acceptance.report.summary import render_summary
from acceptance.results.document import Verdict
from acceptance.results.price import MemoryGrowth, PriceRecord, Span
from acceptance.settings.values import pods_of
from acceptance.trials.price.history import PodHistory, at
from acceptance.trials.price.record_of import TimedLoad, price_record
from acceptance.trials.price.watch import PriceWatch
from selftests.unit.made_limits import of_price
from selftests.unit.read_gauges import gauges_of
from selftests.unit.read_parts import pictures_of, sentences_of, tables_of
from selftests.unit.test_report_crashes import results

MIB = 1024.0**2
REST_S = 80.0
ANSWER = """\
# TYPE pod_cpu_usage_seconds_total counter
pod_cpu_usage_seconds_total{namespace="store",pod="csi-0"} 12.5 1700000010500
pod_cpu_usage_seconds_total{namespace="other",pod="x"} 1 1700000010500
pod_memory_working_set_bytes{namespace="store",pod="csi-0"} 1.048576e+06 1700000011000
container_cpu_usage_seconds_total{container="a",namespace="store",pod="csi-0"} 3 1700000010500
"""


def test_a_kubelets_answer_is_read_by_pod() -> None:
    usage, key = usage_of(ANSWER.splitlines()), PodKey(namespace="store", name="csi-0")
    assert usage.cpu[key] == Reading(value=12.5, at_s=1700000010.5)
    assert usage.memory == {key: Reading(value=MIB, at_s=1700000011.0)}


def pod(uid: str = "u", restarts: int = 0, ended: str = "") -> WatchedPod:
    return WatchedPod(
        key=PodKey(namespace="store", name="csi-0"),
        uid=uid,
        node="n",
        containers={"main": ContainerState(restarts=restarts, last_end=ended)},
    )


def test_a_counter_that_begins_anew_makes_no_negative_cpu() -> None:
    history = PodHistory()
    for number, value in enumerate([100.0, 105.0, 105.0, 2.0, 4.0]):
        history.take_cpu(Reading(value=value, at_s=10.0 * number), now_s=10.0 * number + 3)
    history.settle()
    assert [used for _, used in history.cpu] == [0.0, 5.0, 5.0, 7.0, 9.0]
    assert history.cpu[0][0] == 3.0, "by this machine's clock"


def test_the_same_reading_counts_once_and_a_gap_is_one() -> None:
    history = PodHistory()
    for now_s in (0.0, 5.0):
        history.take_memory(Reading(value=7.0, at_s=0.0), now_s=now_s)
    assert history.memory == [(0.0, 7.0)]
    assert at([(0.0, 1.0), (10.0, 2.0)], 5.0) == 1.5
    assert at([(0.0, 1.0), (100.0, 2.0)], 50.0) is None
    assert at([(0.0, 1.0)], 1.0) is None


def test_restarts_replacements_and_deletions_are_told() -> None:
    history = PodHistory()
    history.take_state(pod(), now_s=0)
    history.take_state(pod(restarts=2, ended="OOMKilled, exit code 137"), now_s=10)
    history.take_state(pod(uid="other"), now_s=20)
    history.note_deletion(now_s=30)
    history.note_deletion(now_s=40)
    assert history.restarts == [
        "container main restarted 2 times (last end: OOMKilled, exit code 137)",
        "was replaced by a new pod of the same name",
        "was deleted",
    ]


def test_that_a_pod_of_a_job_ends_is_no_restart() -> None:
    history = PodHistory()
    history.take_state(replace(pod(), of_a_job=True), now_s=0)
    history.note_deletion(now_s=10)
    assert history.restarts == []


class TwoNodes:
    """An API server; the kubelet of node `a` does not answer."""

    def list(self, *_: object, namespace: str, labels: str, slim: Callable[[Object], Object]) -> list[Object]:
        return [
            slim({"metadata": {"namespace": namespace, "name": name, "uid": name}, "spec": {"nodeName": node}})
            for name, node in (("csi-1", "a"), ("csi-0", "b"))
        ]

    def lines(self, path: str) -> list[str]:
        if "/nodes/a/" in path:
            raise ApiUnreachable("no answer of a's kubelet")
        return ANSWER.splitlines()


def test_a_node_that_does_not_answer_hides_no_other() -> None:
    watch = PriceWatch(TwoNodes(), of=["store"])  # type: ignore[arg-type]
    with pytest.raises(ApiUnreachable):
        watch.look()
    assert {key.name: len(history.cpu) for key, history in watch.pods.items()} == {"csi-0": 1, "csi-1": 0}


class Watched:
    """What a watch leaves: pods that take `cpu` CPUs under load, and grow by so much in an hour."""

    def __init__(self, *, minutes: int, cpu: float = 0.5, grows: float = 0.0, restarts: int = 0) -> None:
        end_s = 2 * REST_S + 60 * minutes
        history, used = PodHistory(), 0.0
        for step in range(int(end_s / 10) + 1):
            now_s = 10.0 * step
            history.take_cpu(Reading(value=used, at_s=None), now_s=now_s)
            history.take_memory(Reading(value=100 * MIB + grows * now_s / 3600, at_s=None), now_s=now_s)
            history.take_state(pod(restarts=restarts if step == 20 else 0), now_s=now_s)
            used += 10 * (cpu if REST_S <= now_s < end_s - REST_S else 0.1)
        self.pods = {PodKey(namespace="store", name="csi-0"): history}
        self.began_s, self.requests, self.asked_s, self.gaps = 0.0, 10, 0.5, dict[str, None]()
        self.started_at = datetime.fromtimestamp(0, tz=UTC)


def record(*, minutes: int = 5, **told: float) -> PriceRecord:
    """Under 500 IOPS."""
    done = Counts(ios=500, bytes=500 * 4096)
    load = TimedLoad(begin_s=REST_S, samples=[Sample(duration_s=1.0, counts={"write": done})] * (60 * minutes))
    watched = Watched(minutes=minutes, **told)  # type: ignore[arg-type]
    return price_record(
        watched,  # type: ignore[arg-type]
        load,
        storage_class="fast",
        profile="random-write-iops",
        of=["store"],
        rest_s=REST_S,
    )


def limit(metric: str, at_most: float) -> Limit:
    return of_price("random-write-iops", metric, at_most, because="nodes are small")


def test_cpu_is_told_for_each_period_and_for_a_thousand_operations() -> None:
    found = record()
    cpu = {period.name: period.cpu for period in found.periods}
    assert cpu["rest"] is not None and cpu["rest"].mean == pytest.approx(0.1)
    assert cpu["load"] is not None and cpu["load"].mean == pytest.approx(0.5)
    assert found.cpu_per_1000_iops is not None and found.cpu_per_1000_iops.mean == pytest.approx(1.0)
    assert found.iops == pytest.approx(500)


@pytest.mark.parametrize(("at_most", "status"), [(1.2, "pass"), (0.8, "fail")])
def test_cpu_for_a_thousand_operations_is_judged(at_most: float, status: str) -> None:
    verdict = judge_price(record(), limit("cpu_per_1000_iops", at_most))
    assert verdict.status == status, verdict.reason
    assert "per 1,000 IOPS of random-write-iops on fast is 100 % of one CPU" in verdict.reason


@pytest.mark.parametrize(
    ("grows", "status", "said"),
    [(64 * MIB, "fail", "pod store/csi-0 leaks: "), (0.0, "pass", "does not leak: "), (-9 * MIB, "pass", "by -9.0")],
)
def test_a_leak_under_a_long_load_is_told(grows: float, status: str, said: str) -> None:
    verdict = judge_price(record(minutes=30, grows=grows), limit("memory_growth", 16 * MIB))
    assert verdict.status == status and said in verdict.reason, verdict.reason


def test_a_short_load_tells_no_leak_and_says_so() -> None:
    verdict = judge_price(record(minutes=5, grows=64 * MIB), limit("memory_growth", 16 * MIB))
    assert verdict.status == "skipped" and "takes 30 min" in verdict.reason


def test_a_restart_under_load_fails_and_names_the_pod() -> None:
    assert judge_price(record(), limit("restarts", 0)).status == "pass"
    verdict = judge_price(record(restarts=1), limit("restarts", 0))
    assert verdict.status == "fail" and "store/csi-0 container main restarted once" in verdict.reason
    assert (verdict.measured, verdict.unit) == (1.0, "count")
    assert judge_price(record(), limit("restarts", 0)).measured == 0.0
    assert judge_price(record(restarts=1), limit("restarts", 1)).status == "pass"


def found_of(verdict: Verdict) -> tuple[str, dict[str, JsonValue]]:
    assert verdict.outcome is not None
    return verdict.outcome.code, verdict.outcome.facts


@pytest.mark.parametrize(("at_most", "code"), [(1.2, "cpu_within"), (0.8, "cpu_outside"), (1.0, "cpu_on_both_sides")])
def test_what_cpu_was_found_is_data(at_most: float, code: str) -> None:
    spread = record().model_copy(update={"cpu_per_1000_iops": Span(mean=1.0, low=0.9, high=1.1)})
    assert found_of(judge_price(spread, limit("cpu_per_1000_iops", at_most))) == (f"price.{code}", {"of": ["store"]})


def test_why_no_cpu_is_judged_is_data() -> None:
    for span, code in ((None, "no_cpu_known"), (Span(mean=1.0), "cpu_too_few_samples")):
        found = record().model_copy(update={"cpu_per_1000_iops": span})
        assert found_of(judge_price(found, limit("cpu_per_1000_iops", 1.0)))[0] == f"price.{code}"


@pytest.mark.parametrize(
    ("low", "high", "second", "code"),
    [
        (20.0, 40.0, 30.0, "leaks"),
        (-9.0, 9.0, 0.0, "no_leak"),
        (10.0, 40.0, 30.0, "may_leak"),
        (20.0, 40.0, 1.0, "single_step"),
    ],
)
def test_what_a_pods_memory_did_is_data(low: float, high: float, second: float, code: str) -> None:
    grew = MemoryGrowth(
        mean=30 * MIB, low=low * MIB, high=high * MIB, first=30 * MIB, second=second * MIB, seconds=1350
    )
    whole = record()
    pods = [each.model_copy(update={"growth": grew}) for each in whole.pods]
    verdict = judge_price(whole.model_copy(update={"pods": pods}), limit("memory_growth", 16 * MIB))
    told = {"namespace": "store", "pod": "csi-0", "growth": grew.model_dump(), "alike": 1, "watched": 1}
    assert found_of(verdict) == (f"price.{code}", told)


def test_that_no_growth_is_known_is_data() -> None:
    verdict = judge_price(record(minutes=5), limit("memory_growth", 16 * MIB))
    assert found_of(verdict) == ("price.no_growth_known", {"load_s": 300.0, "needed_s": 1800.0})
    assert (verdict.requirement.bound, verdict.requirement.unit) == (16 * MIB, "B")


def test_results_in_which_no_growth_is_known_agree_with_themselves() -> None:
    verdict = judge_price(record(minutes=5), limit("memory_growth", 16 * MIB))
    for changed, agrees in (({}, True), ({"measured": 1.0}, False), ({"outcome": plain_outcome("no")}, False)):
        found = results(verdicts=[verdict.model_copy(update=changed)])
        named = [contradiction for contradiction in contradictions(found) if "but has a judged value" in contradiction]
        assert (named == []) == agrees


def test_restarts_are_data() -> None:
    assert found_of(judge_price(record(), limit("restarts", 0)))[0] == "price.restarts_within"
    code, facts = found_of(judge_price(record(restarts=1), limit("restarts", 0)))
    assert (code, facts["of"], facts["watched"]) == ("price.restarts_outside", ["store"], 1)
    assert facts["restarts"] == [{"namespace": "store", "pod": "csi-0", "what": "container main restarted once"}]


def test_the_chapter_has_both_pictures_the_pods_and_its_own_price() -> None:
    found = results(prices=[record(restarts=1)])
    (section,) = price_parts(found)
    periods, pods = tables_of(section)
    assert [period["All pods of the storage"] for period in periods] == ["idle, before", "under load", "after"]
    assert len(pictures_of(section)) == 2 and pods[0]["Pod"] == "<bdi>store/csi-0</bdi>"
    assert any("restarted once" in sentence for sentence in sentences_of(section))
    assert "Resource overhead of the storage" in render_summary(found)
    assert {"price_cpus_per_1000_iops", "price_memory_bytes"} <= set(gauges_of(found))


def test_pods_are_named_by_namespace_and_selector() -> None:
    assert pods_of("longhorn-system") == ("longhorn-system",)
    assert pods_of(["rook-ceph/app=rook-ceph-osd"]) == ("rook-ceph/app=rook-ceph-osd",)
    for wrong in ("Store", "store/", "/app=x", ""):
        with pytest.raises(ValueError, match="expected the pods of the storage"):
            pods_of(wrong)
