"""`discover`: the StorageClasses of a cluster, what is wrong with them, and what to run next. It only reads."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

from acceptance.cluster.description import offered_image
from acceptance.cluster.looking import CLASSES, look_at_storage
from acceptance.cluster.storage_classes import storage_class_of
from acceptance.commands.command import Commands
from acceptance.commands.named_cluster import add_cluster_options, connected, options_of
from acceptance.judging.discovery import Discovery, FoundClass, Surroundings, discover
from acceptance.text.program import PROGRAM
from acceptance.text.sanitizing import on_one_line, sanitize
from acceptance.wording.discovery import problem


def add_discover(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("discover", help="show a cluster's StorageClasses, and what is wrong with them")
    add_cluster_options(parser)
    parser.set_defaults(command=_discover)


def _discover(chosen: argparse.Namespace) -> int:
    from acceptance.report.plain_table import print_table

    with connected(chosen, only_reads=True) as api:
        look = look_at_storage(api)
        image = [] if offered_image(api) else ["--storage-image=IMAGE"]
    classes = [storage_class_of(each) for each in look.found[CLASSES]]
    found = discover(classes, Surroundings(**{kind: each for kind, each in look.found.items() if kind != CLASSES}))
    if found.classes:
        print_table(
            ("class", "provisioner", "default", "binds", "expansion", "snapshot class", "free space told"),
            map(_row, found.classes),
        )
    for line in _told(found):
        print(sanitize(on_one_line(line)))
    for kind, why in look.unread.items():
        print(f"Not looked at: {kind.replace('_', ' ')}: {why}.")
    if found.candidate is not None:
        print("\nTo run next:")
        for line in _next(found, options_of(chosen), image=image):
            print(f"  {sanitize(line)}")
    return 0


def _row(each: FoundClass) -> tuple[str, ...]:
    return (
        each.name + (" (local)" if each.local else ""),
        each.provisioner,
        _yes(each.default),
        "at first use" if each.binding == "WaitForFirstConsumer" else "at once",
        _yes(each.expansion),
        "yes, of groups" if each.snapshots and each.groups else _yes(each.snapshots),
        _yes(each.capacity),
    )


def _yes(value: bool) -> str:
    return "yes" if value else "-"


def _told(found: Discovery) -> Iterator[str]:
    yield from map(problem, found.wrong)
    for storage_class in found.classes:
        for wrong in storage_class.wrong:
            yield f"{storage_class.name}: {problem(wrong)}"
    if found.baseline is not None:
        yield (
            f"Baseline: {found.baseline} is on the nodes' own disks; a comparison is fair where these hold "
            f"{found.candidate} too."
        )
    elif any(storage_class.name == found.candidate and not storage_class.local for storage_class in found.classes):
        yield "Baseline: no local class was found, so nothing is compared; local-path-provisioner offers one."


def _next(found: Discovery, cluster: list[str], *, image: list[str]) -> Iterator[str]:
    yield shlex.join([PROGRAM, "quick", str(found.candidate), *cluster, *image])
    beside = [] if found.baseline is None else [f"--storage-baseline-class={found.baseline}"]
    yield shlex.join([PROGRAM, "run", f"--storage-class={found.candidate}", *beside, *cluster, *image])
    if image:
        yield "IMAGE: one with fio and a shell that the nodes can pull; this cluster names none itself."
