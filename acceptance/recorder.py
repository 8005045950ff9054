"""Collects what a run finds, so that the results can be written at any time."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from acceptance import __version__
from acceptance.control_plane.records import ControlPlaneRecord
from acceptance.judging import overall
from acceptance.rebuild.records import RebuildRecord
from acceptance.results import Cluster, Measurement, Results, Run, Step, Verdict
from acceptance.scaling.records import ScalingRecord


class Recorder:
    """The findings of one run, in the order in which they came. `asked`: see `Results.asked`."""

    def __init__(self, *, run_id: str, started: datetime, settings: Mapping[str, Any], asked: int) -> None:
        self._run_id = run_id
        self._started = started
        self._settings = dict(settings)
        self._asked = asked
        self.cluster: Cluster | None = None
        self.measurements: list[Measurement] = []
        self.verdicts: list[Verdict] = []
        self.steps: list[Step] = []
        self.scaling: list[ScalingRecord] = []
        self.control_plane: list[ControlPlaneRecord] = []
        self.rebuilds: list[RebuildRecord] = []
        self.errors: list[str] = []

    def note_image(self, digest: str | None) -> None:
        """Keep the digest of the image that the load ran in."""
        if self.cluster is not None and digest is not None:
            image = self.cluster.image.model_copy(update={"digest": digest})
            self.cluster = self.cluster.model_copy(update={"image": image})

    def results(self, *, exit_status: int | None = None) -> Results:
        """All of it as the document to write; complete once the exit status is known."""
        finished = None if exit_status is None else datetime.now(UTC)
        run = Run(
            id=self._run_id,
            started=self._started,
            finished=finished,
            complete=exit_status is not None,
            suite_version=__version__,
            exit_status=exit_status,
        )
        # A run that broke off or left something behind has not shown that the storage is fit.
        verdict = overall(self.verdicts)
        return Results(
            run=run,
            cluster=self.cluster,
            settings=self._settings,
            measurements=self.measurements,
            steps=self.steps,
            scaling=self.scaling,
            control_plane=self.control_plane,
            rebuilds=self.rebuilds,
            verdicts=self.verdicts,
            asked=self._asked,
            errors=self.errors,
            overall="inconclusive" if verdict == "pass" and (self.errors or exit_status != 0) else verdict,
        )
