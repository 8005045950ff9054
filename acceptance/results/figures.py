"""The figures of a trial: the record of subjects that need no form of their own."""

from __future__ import annotations

from pydantic import Field, JsonValue

from acceptance.results.model import Frozen
from acceptance.results.requirement import FigureUnit
from acceptance.results.subjects import Subject


class NamedFigure(Frozen):
    """A figure that a limit can be on, with its interval, or exact, as a count is."""

    metric: str
    value: float | None = Field(description="None if it could not be measured; `unknown` says why")
    low: float | None = None
    high: float | None = None
    unit: FigureUnit
    confidence: float | None = Field(default=None, description="confidence of the two-sided interval from low to high")
    unknown: str = ""


class FiguresRecord(Frozen):
    """The figures of one subject on one class. `done`: what the trial did, in a sentence."""

    subject: Subject
    storage_class: str
    done: str
    figures: list[NamedFigure]
    rows: list[dict[str, JsonValue]] = Field(default=[], description="the data behind the figures, by column title")

    def figure(self, metric: str) -> NamedFigure | None:
        """Return the figure of that metric; None if there is none."""
        return next((figure for figure in self.figures if figure.metric == metric), None)
