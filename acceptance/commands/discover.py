"""`discover`: shows the StorageClasses of a cluster, their problems, and the next command. It only reads."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

from acceptance.cluster.description import offered_image
from acceptance.cluster.looking import CLASSES, look_at_storage
from acceptance.cluster.storage_classes import storage_class_of
from acceptance.commands.command import Commands
from acceptance.commands.named_cluster import add_cluster_options, connect, options_of
from acceptance.judging.discovery import Discovery, FoundClass, Surroundings, discover
from acceptance.text.program import PROGRAM
from acceptance.text.sanitizing import on_one_line, sanitize
from acceptance.wording.discovery import problem


def add_discover(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("discover", help="show a cluster's StorageClasses, and their problems")
    add_cluster_options(parser)
    parser.set_defaults(command=_discover)


def _discover(options: argparse.Namespace) -> int:
    from acceptance.report.plain_table import print_table

    with connect(options, only_reads=True) as api:
        look = look_at_storage(api)
        image = [] if offered_image(api) else ["--storage-image=IMAGE"]
    classes = [storage_class_of(item) for item in look.objects[CLASSES]]
    discovery = discover(classes, Surroundings(**look.objects))
    if discovery.classes:
        print_table(
            ("class", "provisioner", "default", "binds", "expansion", "snapshot class", "free space reported"),
            map(_row, discovery.classes),
        )
    for line in _describe(discovery):
        print(sanitize(on_one_line(line)))
    for kind, why in look.unread.items():
        print(f"Not checked: {kind.replace('_', ' ')}: {why}.")
    if discovery.candidate is not None:
        print("\nNext commands:")
        for line in _next(discovery, options_of(options), image=image):
            print(f"  {sanitize(line)}")
    return 0


def _row(storage_class: FoundClass) -> tuple[str, ...]:
    return (
        storage_class.name + (" (local)" if storage_class.local else ""),
        storage_class.provisioner,
        _yes(storage_class.default),
        "at first use" if storage_class.binding == "WaitForFirstConsumer" else "immediately",
        _yes(storage_class.expansion),
        "yes, also of groups" if storage_class.snapshots and storage_class.groups else _yes(storage_class.snapshots),
        _yes(storage_class.capacity),
    )


def _yes(value: bool) -> str:
    return "yes" if value else "-"


def _describe(discovery: Discovery) -> Iterator[str]:
    yield from map(problem, discovery.wrong)
    for storage_class in discovery.classes:
        for wrong in storage_class.wrong:
            yield f"{storage_class.name}: {problem(wrong)}"
    if discovery.baseline is not None:
        yield (
            f"Baseline: {discovery.baseline} is on the nodes' own disks; a comparison is fair if the data of "
            f"{discovery.candidate} is on these disks too."
        )
    elif any(
        storage_class.name == discovery.candidate and not storage_class.local for storage_class in discovery.classes
    ):
        yield "Baseline: no local class was found, so nothing is compared; local-path-provisioner provides one."


def _next(discovery: Discovery, cluster: list[str], *, image: list[str]) -> Iterator[str]:
    yield shlex.join([PROGRAM, "quick", str(discovery.candidate), *cluster, *image])
    beside = [] if discovery.baseline is None else [f"--storage-baseline-class={discovery.baseline}"]
    yield shlex.join([PROGRAM, "run", f"--storage-class={discovery.candidate}", *beside, *cluster, *image])
    if image:
        yield "IMAGE: an image with fio and a shell that the nodes can pull; this cluster does not name one."
