"""The common window: only seconds in which every volume was loaded, by one clock."""

from __future__ import annotations

import pytest

from acceptance.loads.fio.samples import Counts, Sample
from acceptance.measuring.windows import (
    ShortWindow,
    TimedSample,
    batch_length,
    batch_values,
    common_window,
    correct_clock,
    samples_in,
)
from acceptance.results.metrics import Metric
from acceptance.text.errors import StorageFailure
from acceptance.trials.scaling.loaded_volume import LoadedVolume
from acceptance.trials.scaling.step_records import default_metric, rate_record, step_record

IOPS = Metric.parse("write.iops")


def sample(ios: int, duration_s: float = 1.0, latency_s: float = 0.001) -> Sample:
    idle = Counts()
    write = Counts(
        ios=ios,
        bytes=ios * 4096,
        latency_sum_s=ios * latency_s,
        latencies=ios,
        histogram={int(latency_s * 1e9): ios} if ios else {},
    )
    return Sample(duration_s=duration_s, counts={"read": idle, "write": write, "sync": idle})


def load(start_s: float, seconds: int, ios: int = 100, latency_s: float = 0.001) -> list[TimedSample]:
    return [TimedSample(end_s=start_s + index + 1, sample=sample(ios, latency_s=latency_s)) for index in range(seconds)]


def volume(pod: str, samples: list[TimedSample], *, offset_s: float = 0.0) -> LoadedVolume:
    return LoadedVolume(pod=pod, node="n", offset_s=offset_s, samples=samples)


def test_window_begins_with_the_last_pod_and_ends_with_the_first() -> None:
    window = common_window({"a": load(100, 12), "b": load(103.5, 12)}, wanted_s=8)
    assert (window.start_s, window.end_s) == (103.5, 111.5)


def test_seconds_in_which_not_all_were_loaded_do_not_count() -> None:
    """Alone, a does 900; together each does 100."""
    alone_then_together = [*load(100, 3, ios=900), *load(103, 9, ios=100)]
    record = step_record([volume("a", alone_then_together), volume("b", load(103, 12))], metric=IOPS, window_s=6)
    assert record.total.mean == 200
    assert [each.rate for each in record.volumes] == [100, 100]


def test_window_that_is_too_short_names_who_was_late_and_who_ended_early() -> None:
    loads = {"early": load(100, 8), "late": load(104, 8), "good": load(100, 12)}
    with pytest.raises(ShortWindow, match=r"found 4\.0 s: late began last, 4\.0 s after .* early ended first"):
        common_window(loads, wanted_s=6)
    with pytest.raises(ShortWindow) as short:
        common_window(loads, wanted_s=6)
    assert short.value.missing_s == 2


def test_a_pod_without_load_is_named() -> None:
    with pytest.raises(StorageFailure, match=r"^idle showed no load in the step"):
        common_window({"busy": load(100, 8), "idle": []}, wanted_s=6)


def test_clocks_that_differ_are_corrected() -> None:
    """b's node is 90 s behind; uncorrected there is no common second at all."""
    behind = load(10, 12)
    with pytest.raises(ShortWindow):
        common_window({"a": load(100, 12), "b": behind}, wanted_s=6)
    window = common_window({"a": load(100, 12), "b": correct_clock(behind, offset_s=90)}, wanted_s=6)
    assert window.start_s == 100


def test_spread_of_the_clocks_is_told() -> None:
    record = step_record(
        [volume("a", load(100, 12)), volume("b", load(100, 12), offset_s=-2.5)], metric=IOPS, window_s=6
    )
    assert record.clock_spread_s == 2.5


def test_a_second_that_took_five_counts_five_times() -> None:
    slow = [*load(100, 2), TimedSample(end_s=107, sample=sample(50, duration_s=5)), *load(107, 3)]
    window = common_window({"a": slow}, wanted_s=10)
    assert batch_values(IOPS, slow, window, length_s=1) == [100, 100, 10, 10, 10, 10, 10, 100, 100, 100]


def test_samples_of_pods_that_are_out_of_phase_fill_every_batch() -> None:
    shifted = load(100.4, 12)
    window = common_window({"a": load(100, 12), "b": shifted}, wanted_s=6)
    values = batch_values(IOPS, shifted, window, length_s=1)
    assert values == [100] * 6
    assert len(samples_in(shifted, window)) == 6


def test_total_has_an_interval_and_the_mean_of_the_volumes_with_it() -> None:
    uneven = [TimedSample(end_s=101 + index, sample=sample(90 + 20 * (index % 2))) for index in range(12)]
    record = step_record([volume("a", uneven), volume("b", load(100, 12))], metric=IOPS, window_s=10)
    assert record.total.low is not None and record.total.high is not None
    assert record.total.low < 200 < record.total.high
    assert record.per_volume.mean == record.total.mean / 2
    assert record.per_volume.low == record.total.low / 2


def test_each_volume_has_an_interval_from_its_own_batches() -> None:
    uneven = [TimedSample(end_s=101 + index, sample=sample(90 + 20 * (index % 2))) for index in range(12)]
    record = step_record(
        [volume("uneven", uneven), volume("even", load(100, 12)), volume("still", load(100, 12, ios=0))],
        metric=IOPS,
        window_s=10,
    )
    wavers, even, still = record.volumes
    assert wavers.low is not None and wavers.high is not None
    assert wavers.low < wavers.rate == 100 < wavers.high
    assert (even.low, even.rate, even.high) == (100, 100, 100)
    assert (still.low, still.rate, still.high) == (0, 0, 0)


def test_the_upper_bound_allows_for_the_slowest_of_many_being_slow_by_chance() -> None:
    """The lower one does not: for all to pass, each must."""
    uneven = [TimedSample(end_s=101 + index, sample=sample(90 + 20 * (index % 2))) for index in range(12)]
    alone = step_record([volume("a", uneven)], metric=IOPS, window_s=10).volumes[0]
    one_of_many = step_record([volume(f"{index}", uneven) for index in range(15)], metric=IOPS, window_s=10).volumes[0]
    assert alone.high is not None and one_of_many.high is not None
    assert one_of_many.low == alone.low
    assert one_of_many.high > alone.high


def test_latency_is_the_mean_over_pods() -> None:
    record = step_record(
        [volume("a", load(100, 12, latency_s=0.001)), volume("b", load(100, 12, ios=10, latency_s=0.003))],
        metric=IOPS,
        window_s=6,
    )
    assert record.latency_mean_s is not None and record.latency_p99_s is not None
    assert record.latency_mean_s.mean == pytest.approx(0.002)
    assert record.latency_p99_s.mean == pytest.approx(0.002)


def test_a_volume_that_stands_still_does_nothing_and_has_no_latency() -> None:
    record = step_record([volume("a", load(100, 12)), volume("b", load(100, 12, ios=0))], metric=IOPS, window_s=6)
    assert record.total.mean == 100
    assert record.latency_mean_s is None


def test_rate_record_has_the_slowest_first() -> None:
    volumes = [volume("good", load(100, 12, ios=100)), volume("slow", load(100, 12, ios=60))]
    record = rate_record(volumes, metric=IOPS, rate=100, window_s=6)
    assert {pod: each.mean for pod, each in record.reached.items()} == {"slow": 0.6, "good": 1.0}
    assert next(iter(record.reached)) == "slow"


def test_what_a_rate_limited_volume_makes_up_for_is_not_held_against_it() -> None:
    """It stands still for a second and does twice as much in the next."""
    done = [100, 100, 100, 0, 200, *[100] * 16]
    caught_up = [TimedSample(end_s=101 + each, sample=sample(ios)) for each, ios in enumerate(done)]
    (reached,) = rate_record([volume("a", caught_up)], metric=IOPS, rate=100, window_s=20).reached.values()
    assert reached.low == reached.mean == 1.0


def test_what_a_rate_limited_volume_owes_is_counted_from_the_beginning_of_its_load() -> None:
    """Before its first sample it did nothing for a second, and made up for it in the next."""
    idle, *later = [TimedSample(end_s=101 + each, sample=sample(ios)) for each, ios in enumerate([0, 200, *[100] * 19])]
    whole = LoadedVolume(pod="whole", node="n", offset_s=0, samples=later, head=[idle])
    unknown = LoadedVolume(pod="unknown", node="n", offset_s=0, samples=later)
    record = rate_record([whole, unknown], metric=IOPS, rate=100, window_s=20)
    assert record.reached["whole"].mean == 1.0
    assert record.reached["unknown"].mean == 1.05


@pytest.mark.parametrize(("second", "low"), [(20, 0.85), (2, 1.0)])
def test_what_a_rate_limited_volume_owed_late_may_be_owed_again(second: int, low: float) -> None:
    """A stall of a second at the end is what it may be; one that was made up for in the first half is over."""
    done = [100] * 20
    done[second - 1] = 0
    if second < 20:
        done[second] = 200
    stalled = [TimedSample(end_s=101 + each, sample=sample(ios)) for each, ios in enumerate(done)]
    (reached,) = rate_record([volume("a", stalled)], metric=IOPS, rate=100, window_s=20).reached.values()
    assert reached.low is not None and reached.low == pytest.approx(low, abs=0.101)
    assert (reached.low >= 0.98) == (second < 20)
    assert reached.high is not None and reached.high > 0.98


def test_a_rate_limited_volume_whose_debt_wanders_has_not_kept_up() -> None:
    """By chance it owes nothing in the end; it never did the same in two seconds."""
    done = [80, 120, 90, 110, 70, 130, 85, 115, 95, 105] * 2
    wandering = [TimedSample(end_s=101 + each, sample=sample(ios)) for each, ios in enumerate(done)]
    (reached,) = rate_record([volume("a", wandering)], metric=IOPS, rate=100, window_s=20).reached.values()
    assert reached.mean == 1.0
    assert reached.low is not None and reached.low < 0.9


@pytest.mark.parametrize(("window_s", "length_s"), [(6, 1), (20, 2), (60, 6)])
def test_window_is_cut_into_about_ten_batches(window_s: float, length_s: int) -> None:
    assert batch_length(window_s) == length_s


@pytest.mark.parametrize(
    ("profile", "metric"),
    [
        ("random-read-bandwidth", "read.bandwidth"),
        ("sequential-write-iops", "write.iops"),
        ("sync-write-iops", "write.iops"),
        ("random-read-latency", "read.iops"),
    ],
)
def test_profile_says_which_rate_it_is_about(profile: str, metric: str) -> None:
    assert default_metric(profile).path == metric
