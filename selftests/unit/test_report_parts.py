"""Parts of chapters: one template renders sentences, tables and pictures in their order, and escapes all texts."""

from __future__ import annotations

import re

from markupsafe import Markup

from acceptance.report.page import templates
from acceptance.report.parts import Column, Part, Table, above, mark, name, numbers, on, words
from acceptance.report.picture import Picture

HOSTILE = "<script>'&\""
ESCAPED = "&lt;script&gt;&#39;&amp;&#34;"


def rendered(part: Part) -> str:
    """Without the space between elements."""
    template = templates().from_string('{% from "parts.html.jinja" import part %}{{ part(it) }}')
    return re.sub(r">\s+<", "><", template.render(it=part)).strip()


def table(**more: object) -> Table:
    fields: dict[str, object] = {"columns": (*words("Pod"), *numbers("Took")), "rows": [("a", "3 s")]}
    return Table(**fields | more)  # type: ignore[arg-type]


def test_blocks_stand_in_their_order() -> None:
    picture = Picture(svg=Markup("<svg></svg>"), caption="c", text="t")
    folded = Part(title="more", is_collapsible=True, blocks=["inner"])
    found = rendered(Part(title="T", status="skipped", blocks=["first", ["one", "two"], picture, None, folded]))
    assert found == (
        '<h3>T: <span class="status status-skipped">skipped</span></h3><p>first</p>'
        '<ul><li>one</li><li>two</li></ul><figure class="picture"><svg></svg>'
        '<figcaption>c <span class="shows">t</span></figcaption></figure>'
        "<details><summary>more</summary><p>inner</p></details>"
    )


def test_a_table_with_a_name_is_a_region_whose_numbers_are_to_the_right() -> None:
    found = rendered(Part(blocks=[table(label="Pods")]))
    assert found == (
        '<div class="wide" role="region" aria-label="Pods" tabindex="0"><table><thead><tr><th scope="col">Pod</th>'
        '<th scope="col" class="number">Took</th></tr></thead><tbody><tr><td>a</td><td class="number">3 s</td></tr>'
        "</tbody></table></div>"
    )
    assert '<th scope="col">Took</th>' in rendered(Part(blocks=[table(label="Pods", narrow=True)]))


def test_small_tables_and_lists_of_values_have_no_region() -> None:
    small = rendered(Part(blocks=[table()]))
    assert small.startswith('<table class="scaling"><thead><tr><th>Pod</th><th>Took</th></tr></thead>')
    values = rendered(Part(blocks=[Table(rows=[("a", "b")])]))
    assert values == '<table class="plain"><tr><td>a</td><td>b</td></tr></table>'


def test_every_text_is_escaped() -> None:
    texts = Table(
        label=HOSTILE,
        columns=[Column(title=HOSTILE, number=False)] * 4,
        rows=[(HOSTILE, name(HOSTILE), mark("fail", HOSTILE, HOSTILE), above(HOSTILE, HOSTILE))],
    )
    inner = Part(title=HOSTILE, is_collapsible=True, blocks=[HOSTILE, [HOSTILE], texts])
    for title, texts_in_title in ((HOSTILE, 1), (on(HOSTILE, HOSTILE), 2)):
        found = rendered(Part(title=title, blocks=[inner]))
        assert "<script>" not in found and found.count(ESCAPED) == 14 + texts_in_title
