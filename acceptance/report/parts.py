"""The elements of the report's chapters: parts with sentences, tables and pictures, which one template renders.

Texts are escaped. Only this module makes markup, of texts that it escapes.
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
    """A table.

    `label` names it for readers who cannot see it; a table with few columns has none. Without columns: a list of names
    and values. `narrow`: heads are no wider than their words.
    """

    columns: Sequence[Column] = ()
    rows: Sequence[Sequence[str]]
    label: str = ""
    narrow: bool = False


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of a chapter, in the order of reading; a list of texts is shown as a list.

    `status`: the worst of its verdicts, next to its title, in the words of `label`. `is_collapsible`: only its title is
    shown until a reader opens it.
    """

    title: str = ""
    status: Status | None = None
    label: str = ""
    is_collapsible: bool = False
    blocks: Sequence[str | list[str] | Table | Picture | Part | None]

    @property
    def heading(self) -> str:
        """Return the title with the status."""
        if self.status is None:
            return self.title
        return Markup("{}: {}").format(self.title, mark(self.status, self.label or self.status))


def words(*titles: str) -> tuple[Column, ...]:
    """Return columns of words."""
    return tuple(Column(title=title, number=False) for title in titles)


def numbers(*titles: str) -> tuple[Column, ...]:
    """Return columns of numbers."""
    return tuple(Column(title=title, number=True) for title in titles)


def name(text: str) -> Markup:
    """Return the markup of a name from the cluster, whose script may run in either direction."""
    return Markup("<bdi>{}</bdi>").format(text)


def on(about: str, storage_class: str) -> Markup:
    """Return the title of a part about one class, such as `sync-write-iops on fast`."""
    return Markup("{} on {}").format(about, name(storage_class))


def mark(status: Status, word: str, text: str = "") -> Markup:
    """Return a word in the color of a status, followed by a text."""
    colored_word = Markup('<span class="status status-{}">{}</span>').format(status, word)
    return colored_word + " " + text if text else colored_word


def above(text: str, small: str) -> Markup:
    """Return a text with a small one below it."""
    return Markup("{}<br><small>{}</small>").format(text, small)
