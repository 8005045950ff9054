"""Which classes a run is about."""

from __future__ import annotations

from acceptance.results.document import Results


def classes_under_test(results: Results) -> list[str]:
    """All that were asked for or found, as far as they are known: none where the cluster's default class was asked for
    and never found."""
    asked = results.settings.get("storage_class")
    judged = [each.storage_class for each in results.verdicts]
    return list(dict.fromkeys([*(map(str, asked) if isinstance(asked, list) else ()), *judged, *_measured(results)]))


def measured_classes(results: Results) -> list[str]:
    """Those of them that something was measured on, in the order of their measurement."""
    return list(dict.fromkeys(_measured(results)))


def _measured(results: Results) -> list[str]:
    return [each.storage_class for each in results.measurements if each.role == "candidate"]
