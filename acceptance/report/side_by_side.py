"""Several runs in one report: a column for each class of each run, a row for each figure and each verdict.

Classes, vendors or dates stand next to each other; differences beyond noise are described in words.
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
from acceptance.report.figures import shown_verdict_value
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
    """One class of one run. `storage_class` is the empty text if the run reached none."""

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
    """A figure in a column.

    `difference` is that from the first column; `mark` says which column is best, if that is certain.
    """

    value: Estimate
    difference: Difference | None
    mark: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One metric of one profile over all columns; None if a column does not have it."""

    profile: str
    metric: str
    main: bool
    cells: Sequence[Cell | None]


@dataclass(frozen=True, kw_only=True)
class VerdictRow:
    """One limit over all columns. `same_limit`: the limit is the same in all columns."""

    about: str
    limit: str
    same_limit: bool
    verdicts: Sequence[Verdict | None]


@dataclass(frozen=True)
class SideBySide:
    """The content of the page, in its order."""

    runs: Sequence[NamedRun]

    @cached_property
    def columns(self) -> list[Column]:
        return [Column(run=run, storage_class=name) for run in self.runs for name in _classes(run.results)]

    @cached_property
    def together(self) -> Together | None:
        """Return one verdict over all runs, if they are of the same classes and cluster."""
        return together([run.results for run in self.runs])

    @cached_property
    def unlike(self) -> list[Unlike]:
        """Return the facts in which the columns differ."""
        name_sets = [set(candidates(column.run.results, column.storage_class)) for column in self.columns]
        in_several = sorted(name for name in set().union(*name_sets) if sum(name in names for names in name_sets) > 1)
        return unlike(
            [
                run_facts(column.run.results, profiles=in_several)
                | class_facts(column.run.results, column.storage_class)
                for column in self.columns
            ]
        )

    @cached_property
    def rows(self) -> list[Row]:
        """Return a row for each metric that any column has, profile by profile."""
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
        """Return the picture of the main metrics, each column compared with the first."""
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
        """Return a row for each limit; limits that some column does not meet come first."""
        by_limit: dict[str, dict[int, Verdict]] = {}
        for place, column in enumerate(self.columns):
            for verdict in column.run.results.verdicts:
                if verdict.storage_class == column.storage_class:
                    by_limit.setdefault(verdict.id.partition("/")[2], {})[place] = verdict
        rows = [
            _verdict_row([by_column.get(place) for place in range(len(self.columns))])
            for by_column in by_limit.values()
        ]
        return sorted(rows, key=lambda row: min(ORDER[verdict.status] for verdict in row.verdicts if verdict))

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], dict[tuple[str, str], Difference]]:
        """Return the differences from the first to the second of any two columns, by profile and metric."""
        return {
            (first, second): {
                (difference.profile, difference.metric): difference
                for difference in differences(
                    self.columns[first].run.results,
                    self.columns[second].run.results,
                    (self.columns[first].storage_class, self.columns[second].storage_class),
                )
            }
            for first, second in combinations(range(len(self.columns)), 2)
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
            {pair: by_metric.get((profile, metric)) for pair, by_metric in self._pairs.items()},
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
    """Return the runs side by side as an HTML fragment; every value from the files is escaped."""
    environment = difference_templates()
    environment.filters["measured"] = shown_verdict_value
    template = environment.get_template("side_by_side.html.jinja")
    return Markup(template.render(page=SideBySide(runs), not_in_it=NOT_IN_IT))


def _classes(results: Results) -> list[str]:
    """Return the classes that the run measured; for a run that measured none, all that are known."""
    return measured_classes(results) or classes_under_test(results) or [""]


def _value(column: Column, profile: str, metric: str) -> Estimate | None:
    measurement = candidates(column.run.results, column.storage_class).get(profile)
    return None if measurement is None else measurement.metrics.get(metric)


def _verdict_row(verdicts: Sequence[Verdict | None]) -> VerdictRow:
    present = [verdict for verdict in verdicts if verdict is not None]
    return VerdictRow(
        about=": ".join(filter(None, (present[0].chapter, present[0].profile))),
        limit=present[0].limit,
        same_limit=len({verdict.limit for verdict in present}) == 1,
        verdicts=verdicts,
    )
