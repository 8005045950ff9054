"""The facts about a run, one line each, so that the differences between runs can be named."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from acceptance.report.comparing.model import Unlike
from acceptance.results.access_modes import access_mode_in
from acceptance.results.completeness import is_whole
from acceptance.results.document import Results
from acceptance.results.load_digests import load_digest
from acceptance.text.quantities import format_quantity, format_size

UNKNOWN = "not recorded"
NO_VALUE = "none"
DIGEST = 12
"""The length of a digest that a fact shows."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact about a run or a class.

    `disturbs`: if runs differ in it, their figures are not of the same load or machine.
    """

    value: str
    disturbs: bool = False


Facts = dict[str, Fact]


def unlike(facts: Sequence[Facts]) -> list[Unlike]:
    """Return all facts in which the runs differ, those that disturb a comparison first.

    A fact that a run lacks is `not recorded`.
    """
    names = dict.fromkeys(name for fact in facts for name in fact)
    differing_facts = []
    for name in names:
        values = [fact[name].value if name in fact else UNKNOWN for fact in facts]
        if len(set(values)) > 1:
            disturbs = any(fact[name].disturbs for fact in facts if name in fact)
            differing_facts.append(Unlike(name=name, values=values, disturbs=disturbs))
    return sorted(differing_facts, key=lambda difference: not difference.disturbs)


def run_facts(results: Results, *, profiles: Iterable[str]) -> Facts:
    """Return the facts about a run without its classes; of load files only those of `profiles`."""
    settings, measurements = results.settings, results.measurements
    facts = {
        "PVC size": Fact(value=_size(settings.get("volume_size")), disturbs=True),
        "test file": Fact(value=_size(settings.get("test_size")), disturbs=True),
        "volume mode": Fact(value=str(settings.get("volume_mode") or "filesystem"), disturbs=True),
        "access mode": Fact(value=access_mode_in(settings), disturbs=True),
        "shortest requested load": Fact(value=_load_time(settings.get("load_time"))),
        "fio": Fact(value=_distinct(measurement.fio_version for measurement in measurements), disturbs=True),
        "loaded node": Fact(value=_distinct(measurement.node for measurement in measurements), disturbs=True),
        "complete run": Fact(value="yes" if is_whole(results) else "no", disturbs=True),
        "tier": Fact(value=str(settings.get("tier") or NO_VALUE)),
        "suite": Fact(value=results.run.suite_version),
    }
    return facts | _cluster_facts(results) | _text_facts(results, profiles)


def class_facts(results: Results, name: str) -> Facts:
    """Return the facts about a StorageClass of a run, as the cluster reports it."""
    storage_classes = results.cluster.storage_classes if results.cluster else []
    storage_class = next((candidate for candidate in storage_classes if candidate.name == name), None)
    facts = {"StorageClass": Fact(value=name)}
    if storage_class is None:
        return facts
    parameters = {f"parameter {key}": Fact(value=value) for key, value in sorted(storage_class.parameters.items())}
    return facts | {"provisioner": Fact(value=storage_class.provisioner)} | parameters


def _cluster_facts(results: Results) -> Facts:
    cluster = results.cluster
    if cluster is None:
        return {}
    facts = {
        "kind of cluster": Fact(value=cluster.kind, disturbs=True),
        "number of nodes": Fact(value=str(len(cluster.nodes)), disturbs=True),
        "load image": Fact(value=cluster.image.digest or cluster.image.reference, disturbs=True),
        "Kubernetes": Fact(value=cluster.kubernetes_version),
        "kernel": Fact(value=_distinct(node.kernel for node in cluster.nodes)),
        "architecture": Fact(value=_distinct(node.architecture for node in cluster.nodes), disturbs=True),
    }
    if cluster.cpu_latency is not None:
        sleep_states = "kept awake" if cluster.cpu_latency.held_low else "may sleep"
        facts["CPUs"] = Fact(value=sleep_states, disturbs=True)
    if cluster.stand_ins:
        facts["substitutes"] = Fact(value="; ".join(cluster.stand_ins), disturbs=True)
    return facts


def _text_facts(results: Results, profiles: Iterable[str]) -> Facts:
    """Return load files by the beginning of their digests: files of one name need not be the same."""
    if results.tested_with is None:
        return {}
    texts = {Path(name).stem: text for name, text in results.tested_with.profiles.items()}
    facts = {
        f"load file {name}": Fact(value=load_digest(texts[name])[:DIGEST], disturbs=True)
        for name in profiles
        if name in texts
    }
    limits_digest = hashlib.sha256(results.tested_with.limits_file.encode()).hexdigest()
    return facts | {"limits file": Fact(value=limits_digest[:DIGEST])}


def _size(value: object) -> str:
    return format_size(value) if isinstance(value, int) and value >= 0 else UNKNOWN


def _load_time(value: object) -> str:
    return format_quantity(value, unit="s") if isinstance(value, int | float) and value > 0 else NO_VALUE


def _distinct(values: Iterable[str]) -> str:
    return ", ".join(sorted(set(values))) or NO_VALUE
