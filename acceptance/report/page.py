"""Complete pages, of the report and of runs side by side. A browser runs no script that they may contain."""

from __future__ import annotations

import re
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from acceptance.report.picture import NO_PICTURES, can_draw
from acceptance.results.document import Results


def page(*, title: str, body: Markup, foot: str = "") -> str:
    """Return a complete page that needs no other file.

    `body` stands under the title, with the report's style and no script.
    """
    template = templates().get_template("page.html.jinja")
    return template.render(title=title, body=body, style=Markup(style(foot=foot)))


def style(*, foot: str = "") -> str:
    """Return the style sheets of the report, of its pictures, and of runs side by side, as one."""
    names = ("report.css", "pictures.css", "side_by_side.css")
    sheets = [files("acceptance.report").joinpath(name).read_text(encoding="utf-8") for name in names]
    # A style sheet escapes nothing: characters that could end the text, or the sheet, are left out.
    plain = re.sub(r"[^-.,: \w]", "", foot)
    return "\n".join([*sheets, f'@page {{ @bottom-left {{ content: "{plain}"; }} }}'])


def foot_of(results: Results) -> str:
    """Return the footer that tells a sheet of this report from others.

    Such as `Storage acceptance: fail, run 20261123-...`.
    """
    return f"Storage acceptance: {results.overall}, run {results.run.id}"


def templates() -> Environment:
    """Return the environment with the parts of the report; every value that is put into them is escaped."""
    environment = Environment(
        loader=PackageLoader("acceptance.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["pictures_missing"] = lambda: "" if can_draw() else NO_PICTURES
    return environment
