"""The summary of a GitHub job: the verdict, the failures, and the comparison, in Markdown.

Texts come from clusters and may contain anything. All of them are escaped, so that they make no table, link, image,
mention or HTML of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from acceptance.report.comparison import Comparison, comparisons
from acceptance.report.figures import shown_change_of, shown_mean, shown_rule
from acceptance.report.rows import Row
from acceptance.report.summary import totals_in_words, verdict_sentence
from acceptance.report.workloads import workload_sentences
from acceptance.results.document import Results, Verdict
from acceptance.results.verdicts import ORDER
from acceptance.text.sanitizing import on_one_line

VARIABLE = "GITHUB_STEP_SUMMARY"
LARGEST = 1024**2
"""Maximum bytes of a step's summary; GitHub rejects a larger one as a whole."""
_ROOM_OF_OTHERS = 64 * 1024
_MOST_TEXT = 600
"""Characters of one reason: the complete reason is in the report."""
_SIGNS = {
    "pass": "✅ pass",
    "partial": "⚠️ partial",
    "fail": "❌ fail",
    "inconclusive": "❔ inconclusive",
    "skipped": "⬜ skipped",
}
# Characters that Markdown and HTML read as more than text; character references are shown and not read again.
_LIVE = re.compile(r"[\\`*_{}\[\]<>#!|~^$&]")
# GitHub links addresses, mentions and issues after it resolves references: only a character in between prevents that.
_LINKS = re.compile(r"@|#|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
_WORD_JOINER = "\u2060"


def append_summary(path: str, results: Results) -> None:
    """Append the run's summary to the file, as far as GitHub accepts it with the present content. Raise OSError."""
    file = Path(path)
    there = file.stat().st_size if file.exists() else 0
    text = markdown(results, room=LARGEST - _ROOM_OF_OTHERS - there)
    with file.open("a", encoding="utf-8") as summary:
        summary.write(text)


def markdown(results: Results, *, room: int = LARGEST - _ROOM_OF_OTHERS) -> str:
    """Return the summary in at most `room` bytes of UTF-8.

    Lines that do not fit are left out, the last ones first, and the summary says so.
    """
    left_out = "\n\n_More is in the report; this is all that fits here._\n"
    lines: list[str] = []
    size = len(left_out.encode())
    for line in _lines(results):
        size += len(line.encode()) + 1
        if size > room:
            return "\n".join(lines) + left_out if lines else ""
        lines.append(line)
    return "\n".join(lines) + "\n"


def _lines(results: Results) -> Iterator[str]:
    yield f"## Storage acceptance: {_SIGNS[results.overall]}"
    yield ""
    yield f"**{escape(verdict_sentence(results))}**"
    yield ""
    yield escape(totals_in_words(results))
    bad = sorted(
        (verdict for verdict in results.verdicts if verdict.status in ("fail", "inconclusive")),
        key=lambda verdict: ORDER[verdict.status],
    )
    if bad:
        yield from _table(("verdict", "class", "figure", "limit", "reason"), "lllll")
        yield from map(_verdict_line, bad)
    if sentences := list(workload_sentences(results)):
        yield ""
        yield from (f"- {escape(sentence)}" for sentence in sentences)
    for kind, texts in (("Error", results.errors), ("Warning", results.warnings)):
        if texts:
            yield ""
            yield from (f"- **{kind}:** {escape(text)}" for text in texts)
    for comparison in comparisons(results):
        yield from _comparison_lines(comparison)


def escape(text: str) -> str:
    """Return the text on one line, with nothing that Markdown or HTML would interpret."""
    line = on_one_line(text)
    if len(line) > _MOST_TEXT:
        line = line[:_MOST_TEXT] + "…"
    apart = _LINKS.sub(lambda match: match[0] + _WORD_JOINER, line)
    return _LIVE.sub(lambda match: f"&#{ord(match[0])};", apart)


def _verdict_line(verdict: Verdict) -> str:
    figure = " ".join(filter(None, (verdict.profile, verdict.metric))) or verdict.limit
    cells = (_SIGNS[verdict.status], *map(escape, (verdict.storage_class, figure, shown_rule(verdict), verdict.reason)))
    return "| " + " | ".join(cells) + " |"


def _comparison_lines(comparison: Comparison) -> Iterator[str]:
    for title, rows in comparison.groups.items():
        beside = comparison.baseline or "(no baseline)"
        yield from _table((escape(title), *map(escape, (comparison.candidate, beside)), "change", "verdict"), "lrrrl")
        yield from map(_row_line, rows)


def _row_line(row: Row) -> str:
    status = _SIGNS[row.status] if row.verdicts else f"⬜ {row.unjudged_label}"
    cells = map(escape, (f"{row.profile} {row.metric}", shown_mean(row.candidate), shown_mean(row.baseline)))
    return "| " + " | ".join((*cells, escape(shown_change_of(row.change, row.metric)), escape(status))) + " |"


def _table(heads: tuple[str, ...], sides: str) -> Iterator[str]:
    yield ""
    yield "| " + " | ".join(heads) + " |"
    yield "|" + "|".join("---:" if side == "r" else "---" for side in sides) + "|"
