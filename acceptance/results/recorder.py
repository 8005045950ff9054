"""Collects what a run finds, so that the results can be written at any time."""

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
"""by the kind of record: the list of `results.json` that it is kept in"""
# All findings, each list of them as a group; records are frozen, so that the same objects say the same.
_State = tuple[tuple[Any, ...], ...]


class Recorder:
    """The findings of one run, in the order in which they came. `tier_limits`: see `Results.tier_limits`."""

    _state: _State = ()
    """what the document was last made of"""
    _document: Results | None = None

    def __init__(self, *, run_id: str, started: datetime, settings: Mapping[str, Any], tier_limits: int) -> None:
        self._run_id = run_id
        self._started = started
        self._began_s = time.monotonic()
        self._settings = dict(settings)
        self._tier_limits = tier_limits
        self.command: str | None = None
        self.tests: list[str] = []
        self.deselected = 0
        self.tested_with: Conditions | None = None
        self.known: KnownStorage | None = None
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

    def of(self, kind: type[R]) -> list[R]:
        """Return the records of a kind, in the order in which they came; what is done to the list is done to them."""
        return self._records[kind]

    @property
    def verdicts(self) -> list[Verdict]:
        """What was judged, in the order of the tests."""
        return self.of(Verdict)

    @property
    def warnings(self) -> list[str]:
        """What disturbed the run as a whole."""
        return list(self._warnings.values())

    def note_image(self, digest: str | None) -> None:
        """Keep the digest of the image that the load ran in."""
        if self.cluster is not None and digest is not None:
            image = self.cluster.image.model_copy(update={"digest": digest})
            self.cluster = self.cluster.model_copy(update={"image": image})

    def note_at_the_end(self, measurement: str, found: RelativeEstimate | None) -> None:
        """Keep what the load of a measurement, by its id, did when it was repeated at the end."""
        told = {"at_the_end": found}
        measured = self.of(Measurement)
        measured[:] = [each.model_copy(update=told) if each.id == measurement else each for each in measured]

    def judge_again(self, verdict: Verdict, changed: Verdict) -> None:
        """Replace a verdict by what it became at the end of the run."""
        self.verdicts[:] = [changed if each is verdict else each for each in self.verdicts]

    def results(self, *, exit_status: int | None = None) -> Results:
        """Return all findings as the document to write, fit to be shown; complete once the exit status is known.

        Several files are written of it after each test: it is made again only after something else was found.
        """
        state = tuple(_groups([exit_status, known_spellings(), *self._findings()]))
        if self._document is None or not _same(state, self._state):
            self._document, self._state = self._made(exit_status), state
        return self._document

    def _findings(self) -> Iterator[object]:
        """All attributes but those of the document that was made of them, and each list of records by itself."""
        left_out = ("_document", "_state", "_records")
        return chain((value for name, value in vars(self).items() if name not in left_out), self._records.values())

    def _made(self, exit_status: int | None) -> Results:
        # By a clock that does not jump: one that is set back would have the run end before it began.
        lasted = timedelta(seconds=time.monotonic() - self._began_s)
        finished = None if exit_status is None else self._started + lasted
        run = Run(
            id=self._run_id,
            started=self._started,
            finished=finished,
            complete=False,
            suite_version=__version__,
            exit_status=exit_status,
            command=self.command,
            tests=self.tests,
            deselected=self.deselected,
        )
        lists: dict[str, Any] = {LISTS[kind]: records for kind, records in self._records.items()}
        found = Results(
            **lists,
            run=run,
            cluster=self.cluster,
            settings=self._settings,
            tested_with=self.tested_with,
            known_storage=self.known,
            declaration=self.declaration,
            tier_limits=self._tier_limits,
            warnings=self.warnings,
            errors=self.errors,
            overall="inconclusive",
        )
        left_out = missing(found)
        told = {"tier_limits_applying": left_out.applying, "tier_limits_judged": left_out.judged}
        run = run.model_copy(update={"complete": exit_status is not None and not left_out.tests})
        found = found.model_copy(update={**told, "run": run})
        found = found.model_copy(update={"overall": overall_of(found)})
        return Results.model_validate(sanitize_values(found.model_dump()))


def _groups(values: Iterable[object]) -> Iterator[tuple[Any, ...]]:
    for value in values:
        if isinstance(value, dict):
            yield from (tuple(value), tuple(value.values()))
        else:
            yield tuple(value) if isinstance(value, list) else (value,)


def _same(state: _State, other: _State) -> bool:
    """Whether they hold the same objects. To compare what is in them would cost as much as to make the document."""
    if [*map(len, state)] != [*map(len, other)]:
        return False
    return all(all(map(is_, *groups)) for groups in zip(state, other, strict=True))
