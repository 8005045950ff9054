"""Collects the findings of a run, so that the results can be written at any time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import chain
from operator import is_
from typing import Any, TypeVar, get_args, get_origin

from acceptance import __version__
from acceptance.results.clusters import Cluster
from acceptance.results.completeness import missing, overall_of
from acceptance.results.conditions import Conditions
from acceptance.results.declaration import Declaration
from acceptance.results.document import Measurement, RelativeEstimate, Results, Run, Verdict
from acceptance.results.features import CapabilityRecord
from acceptance.results.known_storage import KnownStorage
from acceptance.results.model import Frozen
from acceptance.text.redaction import known_spellings
from acceptance.text.sanitizing import sanitize_values

R = TypeVar("R", bound=Frozen)
LISTS: Mapping[type[Frozen], str] = {
    kind: name
    for name, field in Results.model_fields.items()
    if get_origin(field.annotation) is list
    for kind in get_args(field.annotation)
    if issubclass(kind, Frozen)
}
"""The list of `results.json` that holds each kind of record."""
# All findings, each list of them as a group. Records are frozen, so identical objects have identical content.
_State = tuple[tuple[Any, ...], ...]


class Recorder:
    """The findings of one run, in the order of their arrival. `tier_limits`: see `Results.tier_limits`."""

    _state: _State = ()
    """The findings from which the document was last built."""
    _document: Results | None = None

    def __init__(self, *, run_id: str, started_at: datetime, settings: Mapping[str, Any], tier_limits: int) -> None:
        self._run_id = run_id
        self._started_at = started_at
        self._began_s = time.monotonic()
        self._settings = dict(settings)
        self._tier_limits = tier_limits
        self.command: str | None = None
        self.tests: list[str] = []
        self.deselected_count = 0
        self.left_out: list[str] = []
        self.tested_with: Conditions | None = None
        self.known_storage: KnownStorage | None = None
        self.declaration: Declaration | None = None
        self.cluster: Cluster | None = None
        self._records: dict[type[Frozen], list[Any]] = {kind: [] for kind in LISTS}
        self.errors: list[str] = []
        self._warnings: dict[str, str] = {}

    def warn(self, about: str, warning: str) -> None:
        """Keep a warning that concerns the whole run; the last one about the same thing counts."""
        self._warnings[about] = warning

    def keep(self, *records: Frozen) -> None:
        """Add records, each to the list of its kind."""
        for record in records:
            self._records[type(record)].append(record)

    def keep_measurement(self, measurement: Measurement) -> None:
        """Add a measurement, in place of an earlier one of the same ID."""
        measurements = self.of(Measurement)
        known = [record.id for record in measurements]
        if measurement.id in known:
            measurements[known.index(measurement.id)] = measurement
        else:
            measurements.append(measurement)

    def keep_capability(self, record: CapabilityRecord) -> None:
        """Add the record of a capability, in place of an earlier one of the same class."""
        records, subject = self.of(CapabilityRecord), (record.storage_class, record.capability)
        records[:] = [known for known in records if (known.storage_class, known.capability) != subject]
        records.append(record)

    def of(self, kind: type[R]) -> list[R]:
        """Return the records of a kind, in the order of their arrival. The list is the recorder's own, not a copy."""
        return self._records[kind]

    @property
    def verdicts(self) -> list[Verdict]:
        """The verdicts, in the order of the tests."""
        return self.of(Verdict)

    @property
    def warnings(self) -> list[str]:
        """The warnings about the run as a whole."""
        return list(self._warnings.values())

    def note_image(self, digest: str | None) -> None:
        """Keep the digest of the image that the load ran in."""
        if self.cluster is not None and digest is not None:
            image = self.cluster.image.model_copy(update={"digest": digest})
            self.cluster = self.cluster.model_copy(update={"image": image})

    def note_at_the_end(self, measurement: str, ratio: RelativeEstimate | None) -> None:
        """Keep the ratio of a load's repetition at the end of the run to a measurement, given by its id."""
        update = {"at_the_end": ratio}
        measurements = self.of(Measurement)
        measurements[:] = [
            record.model_copy(update=update) if record.id == measurement else record for record in measurements
        ]

    def judge_again(self, verdict: Verdict, replacement: Verdict) -> None:
        """Replace a verdict by the verdict at the end of the run."""
        self.verdicts[:] = [replacement if current is verdict else current for current in self.verdicts]

    def results(self, *, exit_status: int | None = None) -> Results:
        """Return all findings as the document to write, safe to display; complete once the exit status is known.

        Several files are written from it after each test: it is rebuilt only if the findings have changed.
        """
        state = tuple(_groups([exit_status, known_spellings(), *self._findings()]))
        if self._document is None or not _same(state, self._state):
            self._document, self._state = self._build_results(exit_status), state
        return self._document

    def _findings(self) -> Iterator[object]:
        """Return all attributes except the document and its state, and each list of records separately."""
        left_out = ("_document", "_state", "_records")
        return chain((value for name, value in vars(self).items() if name not in left_out), self._records.values())

    def _build_results(self, exit_status: int | None) -> Results:
        # A monotonic clock: with a clock that is set back, the run would end before it began.
        duration = timedelta(seconds=time.monotonic() - self._began_s)
        end = None if exit_status is None else self._started_at + duration
        run = Run(
            id=self._run_id,
            started=self._started_at,
            finished=end,
            complete=False,
            suite_version=__version__,
            exit_status=exit_status,
            command=self.command,
            tests=self.tests,
            deselected=self.deselected_count,
            left_out=self.left_out,
        )
        lists: dict[str, Any] = {LISTS[kind]: records for kind, records in self._records.items()}
        results = Results(
            **lists,
            run=run,
            cluster=self.cluster,
            settings=self._settings,
            tested_with=self.tested_with,
            known_storage=self.known_storage,
            declaration=self.declaration,
            tier_limits=self._tier_limits,
            warnings=self.warnings,
            errors=self.errors,
            overall="inconclusive",
        )
        left_out = missing(results)
        limit_counts = {"tier_limits_applying": left_out.applying, "tier_limits_judged": left_out.judged_count}
        run = run.model_copy(update={"complete": exit_status is not None and not left_out.tests})
        results = results.model_copy(update={**limit_counts, "run": run})
        results = results.model_copy(update={"overall": overall_of(results)})
        return Results.model_validate(sanitize_values(results.model_dump()))


def _groups(values: Iterable[object]) -> Iterator[tuple[Any, ...]]:
    for value in values:
        if isinstance(value, dict):
            yield from (tuple(value), tuple(value.values()))
        else:
            yield tuple(value) if isinstance(value, list) else (value,)


def _same(state: _State, previous: _State) -> bool:
    """Return whether both hold the same objects. Comparing content would cost as much as building the document."""
    if [*map(len, state)] != [*map(len, previous)]:
        return False
    return all(all(map(is_, *groups)) for groups in zip(state, previous, strict=True))
