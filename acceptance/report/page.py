"""Whole pages: the report's own, and what is added to pytest-html's so that it is read as the same report."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from acceptance.report.content_policy import with_content_policy

# Telephones show a page without it as a large one, made small; the language tells readers aloud how to read it.
_HEAD = (
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
    '\n    <meta name="color-scheme" content="light dark"/>'
)


def page(*, title: str, body: Markup) -> str:
    """A whole page that needs nothing else: `body` under the title, with the report's style and no script."""
    template = templates().get_template("page.html.jinja")
    return completed(template.render(title=title, body=body, style=Markup(style())))


def completed(html: str) -> str:
    """A page of our own or pytest-html's with what small screens and screen readers need, and its content policy."""
    html = html.replace("<html>", '<html lang="en">', 1).replace("<head>", f"<head>\n    {_HEAD}", 1)
    return with_content_policy(html)


def style() -> str:
    """The report's style sheets as one."""
    return "\n".join(each.read_text(encoding="utf-8") for each in style_files())


def style_files() -> list[Path]:
    """The style sheets of the report, of its pictures, and of runs beside each other."""
    names = ("report.css", "pictures.css", "side_by_side.css")
    return [Path(str(files("acceptance.report").joinpath(name))) for name in names]


def templates() -> Environment:
    """Where the parts of the report are; every value that is put into them is escaped."""
    return Environment(
        loader=PackageLoader("acceptance.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
