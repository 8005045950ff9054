"""What chapters of the report are made of: parts with sentences, tables and pictures, which one template renders.

Texts are escaped. Markup is made here alone, of texts that it escapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from acceptance.report.picture import Picture
from acceptance.results.document import Status


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table; numbers are aligned to the right."""

    title: str
    number: bool


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table. `label` names it for readers who cannot see it; one with few columns has none.

    Without columns: a list of names and values. `narrow`: heads take no more room than their words.
    """

    columns: Sequence[Column] = ()
    rows: Sequence[Sequence[str]]
    label: str = ""
    narrow: bool = False


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a chapter, in the order of reading; a list of texts is shown as one.

    `status`: the worst of its verdicts, beside its title. `folded`: only its title is shown until a reader opens it.
    """

    title: str = ""
    status: Status | None = None
    folded: bool = False
    blocks: Sequence[str | list[str] | Table | Picture | Part | None]

    @property
    def heading(self) -> str:
        """The title with the status."""
        if self.status is None:
            return self.title
        return Markup("{}: {}").format(
            self.title, mark(self.status, "not judged" if self.status == "skipped" else self.status)
        )


def words(*titles: str) -> tuple[Column, ...]:
    """Columns of words."""
    return tuple(Column(title=title, number=False) for title in titles)


def numbers(*titles: str) -> tuple[Column, ...]:
    """Columns of numbers."""
    return tuple(Column(title=title, number=True) for title in titles)


def name(text: str) -> Markup:
    """A name from the cluster, whose script may run in either direction."""
    return Markup("<bdi>{}</bdi>").format(text)


def on(what: str, storage_class: str) -> Markup:
    """`sync-write-iops on fast`: the title of a part about one class."""
    return Markup("{} on {}").format(what, name(storage_class))


def mark(status: Status, word: str, text: str = "") -> Markup:
    """A word in the color of a status, and a text behind it."""
    marked = Markup('<span class="status status-{}">{}</span>').format(status, word)
    return marked + " " + text if text else marked


def above(text: str, small: str) -> Markup:
    """A text with a small one below it."""
    return Markup("{}<br><small>{}</small>").format(text, small)
