"""What changed from one run to another, as a part of a page: what was not the same, pictures and tables."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import Environment
from markupsafe import Markup

from acceptance.report.comparing.model import Difference, RunComparison
from acceptance.report.comparing.naming import describe
from acceptance.report.difference_wording import (
    IN_IT,
    JUDGED,
    JUDGED_HEADS,
    NO_HISTORY,
    against,
    judged_rows,
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
    """The report's templates with how differences read in them."""
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


def render_comparison(comparison: RunComparison, *, shown: Sequence[Sequence[Difference]]) -> Markup:
    """An HTML fragment; `shown` are the differences to show, by pair of classes. All from the files is escaped."""
    sections = [
        {
            "pair": pair,
            "shown": some,
            "picture": differences(some, of=pair.second_class),
            "against": against(some),
            "judged": _judged(pair.judged) if pair.judged else None,
        }
        for pair, some in zip(comparison.classes, shown, strict=True)
    ]
    template = difference_templates().get_template("run_comparison.html.jinja")
    return Markup(
        template.render(
            comparison=comparison,
            sections=sections,
            summary=summary([one for some in shown for one in some]),
            visible=visible_changes([one for some in shown for one in some]),
            not_in_it=IN_IT if comparison.with_history else NO_HISTORY,
        )
    )


def _judged(judged: Sequence[tuple[Verdict, Verdict]]) -> Part:
    limit, *runs = JUDGED_HEADS
    table = Table(label="Other figures", columns=(*words(limit), *numbers(*runs)), rows=judged_rows(judged))
    return Part(title="Other figures", blocks=[JUDGED, table])
