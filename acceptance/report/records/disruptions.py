"""Killed pods of the storage system, for the report: a row for each. Nothing is judged here."""

from __future__ import annotations

from collections.abc import Iterator

from acceptance.report.chapters import in_chapter
from acceptance.report.gauges import Gauge, LabeledValues, declare_gauges
from acceptance.report.parts import Part, Table, mark, name, numbers, words
from acceptance.results.disruptions import KilledPod, StoragePodsRecord
from acceptance.results.document import Results
from acceptance.wording.records import ranges_in_words, shown_time


@in_chapter("durability", place=2)
def killed_pod_parts(results: Results) -> Iterator[Part]:
    """Yield a table with a row for each kill, in their order, and one with a row for each selector."""
    kills = [_row(record.storage_class, kill) for record in results.storage_pods for kill in record.kills]
    if kills:
        times = numbers("Another Ready after", "Longest gap", "New volume usable after")
        yield Part(
            title="Pods of the storage system, killed one at a time",
            blocks=[
                "The suite killed only pods that the user named, while another pod wrote numbered records to a volume "
                "of the class. The longest gap is the longest time between two durable records. If the writing pod "
                "failed, the gap ends when a new pod has written and read.",
                Table(
                    label="Killed pods of the storage system",
                    columns=(*words("StorageClass", "Pod", "Node"), *times, *words("Problems")),
                    rows=kills,
                ),
                Table(
                    label="Records while pods were killed",
                    columns=(
                        *words("StorageClass", "Pods", "Not tried"),
                        *numbers("Records acknowledged"),
                        *words("Lost"),
                    ),
                    rows=[_loss_row(record) for record in results.storage_pods],
                ),
            ],
        )


def _row(storage_class: str, kill: KilledPod) -> tuple[str, ...]:
    return (
        name(storage_class),
        name(kill.pod),
        kill.node,
        "never" if kill.ready_s is None else shown_time(kill.ready_s),
        shown_time(kill.gap_s),
        "not seen" if kill.new_volume_s is None else shown_time(kill.new_volume_s),
        "; ".join(filter(None, (kill.broke, kill.problem))) or "none",
    )


def _loss_row(record: StoragePodsRecord) -> tuple[str, ...]:
    loss = record.unread or (f"{record.lost_count:,}: {ranges_in_words(record.lost)}" if record.lost else "")
    return (
        name(record.storage_class),
        name(record.selector),
        f"{record.left:,}" if record.left else "none",
        f"{record.acknowledged:,}",
        mark("fail", "lost", loss) if loss else "none",
    )


def _longest_times(record: StoragePodsRecord) -> LabeledValues:
    for period in ("ready", "gap", "new_volume"):
        times = [getattr(kill, f"{period}_s") for kill in record.kills]
        if times and None not in times:
            yield max(times), {"pods": record.selector, "what": period}


declare_gauges(
    "storage_pods",
    Gauge(
        name="killed_storage_pods_seconds",
        help="longest time after a pod of the storage was killed: until another pod was Ready, without a durable "
        "write, or until a new volume was usable",
        labels=("pods", "what"),
        samples=_longest_times,
    ),
)
