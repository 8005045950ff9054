"""Several runs in one report: a column for each class of each run, a row for each figure and each verdict.

Classes, vendors or dates stand beside each other; what of the differences is beyond noise is said in words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from markupsafe import Markup

from acceptance.report.comparing.differences import candidates, differences
from acceptance.report.comparing.facts import class_facts, run_facts, unlike
from acceptance.report.comparing.model import Difference, NamedRun, Unlike
from acceptance.report.comparing.naming import describe
from acceptance.report.comparing.ranking import best_marks
from acceptance.report.comparing.together import Together, together
from acceptance.report.difference_page import difference_templates
from acceptance.report.difference_wording import NOT_IN_IT
from acceptance.report.figures import shown_measured
from acceptance.report.main_figures import main_figures
from acceptance.report.overview import verdict_sentence
from acceptance.report.picture import Picture
from acceptance.report.pictures import beside_each_other
from acceptance.report.pictures.side_by_side import Beside
from acceptance.results.completeness import classes_under_test, measured_classes
from acceptance.results.document import Estimate, Results, Verdict
from acceptance.results.verdicts import ORDER


@dataclass(frozen=True, kw_only=True)
class Column:
    """One class of one run. `storage_class` is the empty text where the run came to none."""

    run: NamedRun
    storage_class: str

    @property
    def about(self) -> str:
        return describe(self.run.results)

    @property
    def sentence(self) -> str:
        return verdict_sentence(self.run.results)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A figure in a column. `difference` is that from the first column; `mark` says who is best, where that is sure."""

    value: Estimate
    difference: Difference | None
    mark: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One metric of one profile over all columns; None where a column does not have it."""

    profile: str
    metric: str
    main: bool
    cells: Sequence[Cell | None]


@dataclass(frozen=True, kw_only=True)
class VerdictRow:
    """One limit over all columns. `same_limit`: all columns were asked for the same."""

    about: str
    limit: str
    same_limit: bool
    verdicts: Sequence[Verdict | None]


@dataclass(frozen=True)
class SideBySide:
    """What the page shows, in its order."""

    runs: Sequence[NamedRun]

    @cached_property
    def columns(self) -> list[Column]:
        return [Column(run=run, storage_class=name) for run in self.runs for name in _classes(run.results)]

    @cached_property
    def together(self) -> Together | None:
        """One verdict over all, where they are runs of the same."""
        return together([run.results for run in self.runs])

    @cached_property
    def unlike(self) -> list[Unlike]:
        """What the columns differ in."""
        measured = [set(candidates(column.run.results, column.storage_class)) for column in self.columns]
        in_several = sorted(name for name in set().union(*measured) if sum(name in some for some in measured) > 1)
        return unlike(
            [
                run_facts(column.run.results, profiles=in_several)
                | class_facts(column.run.results, column.storage_class)
                for column in self.columns
            ]
        )

    @cached_property
    def rows(self) -> list[Row]:
        """A row for each metric that any column has, profile by profile."""
        names = dict.fromkeys(
            (profile, metric)
            for column in self.columns
            for profile, measurement in candidates(column.run.results, column.storage_class).items()
            for metric in measurement.metrics
        )
        profiles = sorted({profile for profile, _ in names})
        return [self._row(*name) for profile in profiles for name in names if name[0] == profile]

    @cached_property
    def picture(self) -> Picture | None:
        """What the profiles are about, each column beside the first."""
        return beside_each_other(
            [
                Beside(
                    profile=row.profile,
                    metric=row.metric,
                    changes=[cell.difference.change if cell and cell.difference else None for cell in row.cells[1:]],
                )
                for row in self.rows
                if row.main
            ],
            columns=[column.storage_class or column.run.name for column in self.columns]
            if len({column.storage_class for column in self.columns}) > 1
            else [column.run.name for column in self.columns],
        )

    @cached_property
    def verdict_rows(self) -> list[VerdictRow]:
        """A row for each limit; those come first that some column does not meet."""
        found: dict[str, dict[int, Verdict]] = {}
        for place, column in enumerate(self.columns):
            for verdict in column.run.results.verdicts:
                if verdict.storage_class == column.storage_class:
                    found.setdefault(verdict.id.partition("/")[2], {})[place] = verdict
        rows = [_verdict_row([some.get(place) for place in range(len(self.columns))]) for some in found.values()]
        return sorted(rows, key=lambda row: min(ORDER[each.status] for each in row.verdicts if each))

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], dict[tuple[str, str], Difference]]:
        """The differences from the first to the second of any two columns, by profile and metric."""
        return {
            (one, other): {
                (difference.profile, difference.metric): difference
                for difference in differences(
                    self.columns[one].run.results,
                    self.columns[other].run.results,
                    (self.columns[one].storage_class, self.columns[other].storage_class),
                )
            }
            for one, other in combinations(range(len(self.columns)), 2)
        }

    @cached_property
    def _main(self) -> set[tuple[str, str]]:
        return {
            main_figure
            for column in self.columns
            for main_figure in main_figures(column.run.results, column.storage_class)
        }

    def _row(self, profile: str, metric: str) -> Row:
        values = [_value(column, profile, metric) for column in self.columns]
        marks = best_marks(
            [value is not None for value in values],
            {pair: some.get((profile, metric)) for pair, some in self._pairs.items()},
        )
        cells = [
            None
            if value is None
            else Cell(
                value=value,
                difference=self._pairs[0, place].get((profile, metric)) if place else None,
                mark=marks[place],
            )
            for place, value in enumerate(values)
        ]
        return Row(profile=profile, metric=metric, main=(profile, metric) in self._main, cells=cells)


def render_side_by_side(runs: Sequence[NamedRun]) -> Markup:
    """The runs beside each other, as an HTML fragment; every value from the files is escaped."""
    environment = difference_templates()
    environment.filters["measured"] = shown_measured
    template = environment.get_template("side_by_side.html.jinja")
    return Markup(template.render(page=SideBySide(runs), not_in_it=NOT_IN_IT))


def _classes(results: Results) -> list[str]:
    """The classes that it measured; of a run that came to none, all that are known."""
    return measured_classes(results) or classes_under_test(results) or [""]


def _value(column: Column, profile: str, metric: str) -> Estimate | None:
    measurement = candidates(column.run.results, column.storage_class).get(profile)
    return None if measurement is None else measurement.metrics.get(metric)


def _verdict_row(verdicts: Sequence[Verdict | None]) -> VerdictRow:
    known = [verdict for verdict in verdicts if verdict is not None]
    return VerdictRow(
        about=": ".join(filter(None, (known[0].chapter, known[0].profile))),
        limit=known[0].limit,
        same_limit=len({each.limit for each in known}) == 1,
        verdicts=verdicts,
    )
