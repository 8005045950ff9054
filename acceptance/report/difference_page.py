"""The changes from one run to another, as a part of a page: differing facts, pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment
from markupsafe import Markup

from acceptance.report.comparing.model import Difference, RunComparison
from acceptance.report.comparing.naming import describe
from acceptance.report.difference_wording import (
    IN_IT,
    NO_HISTORY,
    OTHER_FIGURE_HEADS,
    OTHER_FIGURES,
    against,
    other_figure_rows,
    shown_change,
    shown_change_interval,
    shown_multiples,
    shown_visible,
    summary,
    visible_changes,
)
from acceptance.report.figures import shown_value, shown_value_interval
from acceptance.report.overview import verdict_sentence
from acceptance.report.page import templates
from acceptance.report.parts import Part, Table, numbers, words
from acceptance.report.pictures import differences
from acceptance.results.document import Verdict


def difference_templates() -> Environment:
    """Return the report's templates with the filters that word differences."""
    environment = templates()
    environment.filters |= {
        "mean": shown_value,
        "interval": shown_value_interval,
        "change": shown_change,
        "change_interval": shown_change_interval,
        "visible": shown_visible,
        "multiples": shown_multiples,
        "about": describe,
        "sentence": lambda run: verdict_sentence(run.results),
    }
    return environment


def render_comparison(comparison: RunComparison, *, selection: Sequence[Sequence[Difference]]) -> Markup:
    """Return the comparison as an HTML fragment; all values from the files are escaped.

    `selection`: the differences to show, by pair of classes.
    """
    sections = [
        {
            "pair": pair,
            "shown": pair_differences,
            "picture": differences(pair_differences, of=pair.second_class),
            "against": against(pair_differences),
            "judged": _other_figures(pair.verdict_pairs) if pair.verdict_pairs else None,
        }
        for pair, pair_differences in zip(comparison.classes, selection, strict=True)
    ]
    template = difference_templates().get_template("run_comparison.html.jinja")
    return Markup(
        template.render(
            comparison=comparison,
            sections=sections,
            summary=summary([difference for pair_differences in selection for difference in pair_differences]),
            visible=visible_changes([difference for pair_differences in selection for difference in pair_differences]),
            not_in_it=IN_IT if comparison.with_history else NO_HISTORY,
        )
    )


def _other_figures(pairs: Sequence[tuple[Verdict, Verdict]]) -> Part:
    limit, *runs = OTHER_FIGURE_HEADS
    table = Table(label="Other figures", columns=(*words(limit), *numbers(*runs)), rows=other_figure_rows(pairs))
    return Part(title="Other figures", blocks=[OTHER_FIGURES, table])
