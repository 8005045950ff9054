"""Names that tell several runs apart for their readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from acceptance.report.comparing.model import NamedRun
from acceptance.results.completeness import is_whole
from acceptance.results.document import Results


def name_runs(results: Sequence[Results]) -> list[NamedRun]:
    """Return the runs, each named by its date and time.

    The name has the id too if two runs began in the same minute, and a number if one run is given twice.
    """
    names = _told_apart(
        [f"{result.run.started:%Y-%m-%d %H:%M}" for result in results], [result.run.id for result in results]
    )
    names = _told_apart(names, [f"({number})" for number in range(1, len(results) + 1)])
    return [NamedRun(name=name, results=result) for name, result in zip(names, results, strict=True)]


def describe(results: Results) -> str:
    """Return a run in words.

    Such as `run 20261121-203246-82b53d, tier baseline, embedded v1.34.4 with 3 nodes, suite 0.1.0`.
    """
    cluster = results.cluster
    where = "no cluster"
    if cluster is not None:
        nodes = len(cluster.nodes)
        where = f"{cluster.kind} {cluster.kubernetes_version} with {nodes} node{'s' * (nodes != 1)}"
        where = "directories of a host" if cluster.kind == "host" else where
    whole = "" if is_whole(results) else ", not complete"
    return (
        f"run {results.run.id}, tier {results.settings.get('tier')}, {where}, suite {results.run.suite_version}{whole}"
    )


def _told_apart(names: Sequence[str], more: Sequence[str]) -> list[str]:
    count = Counter(names)
    return [f"{name} {extra}" if count[name] > 1 else name for name, extra in zip(names, more, strict=True)]
