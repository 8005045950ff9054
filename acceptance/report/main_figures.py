"""The main figures of the profiles of a class: those that are shown before all others."""

from __future__ import annotations

from acceptance.report.comparing.differences import candidates
from acceptance.report.comparison import main_metrics
from acceptance.results.document import Results


def main_figures(results: Results, storage_class: str) -> set[tuple[str, str]]:
    """Return profile and metric of each main figure, by the profile's name, or by what the limits ask of it."""
    return {
        (profile, metric)
        for profile, measurement in candidates(results, storage_class).items()
        for metric in main_metrics(
            measurement,
            [
                verdict
                for verdict in results.verdicts
                if (verdict.storage_class, verdict.profile) == (storage_class, profile)
            ],
        )
    }
