"""A plan as a text for users: what would be created, what would be skipped, how long each step takes."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from acceptance.planning.assumed_throughput import AssumedThroughput
from acceptance.planning.budget import beyond_budget, budget_in_words
from acceptance.planning.records import Plan
from acceptance.planning.room import Room
from acceptance.planning.rough_time import rough_time
from acceptance.planning.site import Site
from acceptance.results.access_modes import DEFAULT_MODE
from acceptance.settings.made_cluster import MAKERS
from acceptance.text.quantities import counted, format_quantity
from acceptance.text.sanitizing import sanitize

WIDTH = 120
NOT_ASKED = "No cluster could be reached, so the plan is based on the options alone"
ENDS_BEFORE = "A run with these options would end before its first test"


def plan_text(
    plan: Plan,
    *,
    site: Site,
    speeds: AssumedThroughput,
    room: Room | None = None,
    budget_s: float | None = None,
    width: int = WIDTH,
    access_mode: str = DEFAULT_MODE,
) -> str:
    """Return the complete plan. `room`: its claims and the free space, None for a host; `width`: in columns."""
    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    console.print(Text("The plan of this run; nothing was created."))
    console.print(Text(f"Cluster: {sanitize(site.about)}"))
    if access_mode != DEFAULT_MODE:
        console.print(Text(f"Access mode of all PVCs, except those of a baseline class: {access_mode}"))
    if site.trouble is not None:
        console.print(Text(f"{ENDS_BEFORE if site.is_reachable else NOT_ASKED}: {sanitize(site.trouble)}"))
    if room is not None and room.problem is not None:
        console.print(Text(f"{ENDS_BEFORE}, with exit status {room.problem.exit_status}: {room.problem}"))
    if plan.steps:
        console.print(_table(plan, site, speeds))
        for line in (*_totals(plan, site, speeds, room), *_budget(plan, speeds, budget_s), speeds.description):
            console.print(Text(line))
    else:
        console.print(Text("Nothing would run."))
    for line in _notes(plan):
        console.print(Text(line))
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().rstrip().splitlines())


def _table(plan: Plan, site: Site, speeds: AssumedThroughput) -> Table:
    on_host = site.kind == "host"
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    table.add_column("step", overflow="fold")
    created_kinds = ("folders",) if on_host else ("sets", "PVCs", "pods")
    for title in ("tests", *created_kinds, "storage", "min:s", "if unclear"):
        table.add_column(title, justify="right", no_wrap=True)
    begin = "begin: preflight of the directories" if on_host else "begin: preflight, create a namespace"
    if site.kind in MAKERS:
        begin = f"begin: {site.kind} creates the cluster, preflight, create a namespace"
    blanks = [""] * (len(created_kinds) + 2)
    table.add_row(begin, *blanks, _clock(speeds.open_s), "")
    for step in plan.steps:
        claims = sum(volume.number for volume in step.volumes)
        numbers = (claims,) if on_host else (step.sets, claims, step.pods)
        size = sum(volume.storage for volume in step.volumes)
        table.add_row(
            Text(sanitize(step.description) + (" (destructive)" if step.destructive else "")),
            str(step.tests),
            *(str(number or "") for number in numbers),
            format_quantity(size, unit="B") if size else "",
            _clock(step.about_s),
            _clock(step.most_s) if step.most_s > step.about_s else "",
        )
    table.add_row("end: clean up and verify that nothing is left", *blanks, _clock(speeds.close_s), "")
    return table


def _totals(plan: Plan, site: Site, speeds: AssumedThroughput, room: Room | None) -> Iterator[str]:
    ends_s = speeds.open_s + speeds.close_s
    about, most = plan.about_s + ends_s, plan.most_s + ends_s
    unclear = "" if most - about < 60 else f", {rough_time(most)} if every measurement takes its maximum duration"
    if plan.goes_on_s >= 60:
        unclear += f", {rough_time(most - plan.goes_on_s)} with --storage-load longest=60s"
    yield f"Time: {rough_time(about)} when verdicts are clear{unclear}. Steps that hang time out (--storage-timeout)."
    noun = "folder" if site.kind == "host" else "volume"
    volumes = counted(plan.most_volumes, noun) if plan.most_volumes else "no volume"
    yield f"Storage: at most {format_quantity(plan.most_storage, unit='B')} in {volumes} at one time."
    for record in () if room is None else room.records:
        yield f"  {sanitize(record.storage_class)}: {sanitize(record.description)}"
    destructive = [step for step in plan.steps if step.destructive]
    if destructive:
        yield f"Destructive: {len(destructive)} of {len(plan.steps)} steps; the table shows what they destroy or ramp."


def _budget(plan: Plan, speeds: AssumedThroughput, budget_s: float | None) -> Iterator[str]:
    """Yield what the time budget has room for."""
    if budget_s is None:
        return
    budget = f"Budget: {budget_in_words(budget_s)}"
    tests = list(dict.fromkeys(test for step in plan.steps for test in step.required_by))
    left_out = list(beyond_budget(plan, tests, budget_s=budget_s, open_s=speeds.open_s, close_s=speeds.close_s))
    if left_out:
        tests_without_room = counted(len(left_out), "test")
        yield f"{budget}. By these estimates, it has no room for {tests_without_room}, which a run leaves out:"
        yield from (f"  {sanitize(name)}" for name in dict.fromkeys(test.partition("[")[0] for test in left_out))
    elif plan.most_s + speeds.open_s + speeds.close_s > budget_s:
        yield f"{budget}; it suffices when verdicts are clear. Otherwise, a run leaves out the tests without room."
    else:
        yield f"{budget}; it suffices."


def _notes(plan: Plan) -> Iterator[str]:
    for number, (reason, tests) in enumerate(plan.skips):
        yield ("Skipped:\n" if number == 0 else "") + f"  {counted(tests, 'test')}: {sanitize(reason)}"
    if plan.unknown:
        yield "Resources and time of these are unknown: " + ", ".join(map(sanitize, plan.unknown))


def _clock(seconds: float) -> str:
    """Return minutes and seconds: `0:14`, `2:07`."""
    minutes, rest = divmod(max(round(seconds), 1), 60)
    return f"{minutes}:{rest:02d}"
