"""Whole pages: the report's own, and what is added to pytest-html's so that it is read as the same report.

A browser may run the report's own script, and nothing else that may be in the page.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from acceptance.report.picture import NO_PICTURES, can_draw
from acceptance.results.document import Results

# Telephones show a page without it as a large one, made small; the language tells readers aloud how to read it.
_HEAD = (
    '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
    '\n    <meta name="color-scheme" content="light dark"/>'
)
# Beside the rows of pytest-html, which its script draws.
_TESTS = Markup(
    """<div class="acceptance"><h2>Tests</h2>
<p>This list counts tests, each by its worst verdict: some tests have several verdicts.</p>
<p class="without-scripts">The list of tests is drawn by a script, which does not run here. All verdicts and their
reasons are above.</p></div>"""
)
_END_OF_HEAD, _END_OF_TITLE = "</head>", "</h1>"
_SCRIPT, _END_OF_SCRIPT = "<script>", "</script>"


def report_page(*, title: str, summary: Markup, frame: str | None, foot: str = "") -> str:
    """The report: the summary below the title of pytest-html's page, or alone where there is no such page.

    `foot` stands at the foot of each printed page.
    """
    head, found, rest = (frame or "").partition(_END_OF_TITLE)
    if not found:
        return page(title=title, body=summary, foot=foot)
    # Not by pytest-html's --css, which names the folders of this machine in the page.
    head = head.replace(_END_OF_HEAD, f"<style>\n{style(foot=foot)}\n</style>\n{_END_OF_HEAD}", 1)
    return completed(f"{head}{_END_OF_TITLE}\n{summary}\n{_TESTS}\n{rest}")


def page(*, title: str, body: Markup, foot: str = "") -> str:
    """A whole page that needs nothing else: `body` under the title, with the report's style and no script."""
    template = templates().get_template("page.html.jinja")
    return completed(template.render(title=title, body=body, style=Markup(style(foot=foot))))


def completed(html: str) -> str:
    """A page of our own or pytest-html's with what small screens and screen readers need, and its content policy."""
    html = html.replace("<html>", '<html lang="en">', 1).replace("<head>", f"<head>\n    {_HEAD}", 1)
    return with_content_policy(html)


def style(*, foot: str = "") -> str:
    """The style sheets of the report, of its pictures, and of runs beside each other, as one."""
    names = ("report.css", "pictures.css", "side_by_side.css")
    sheets = [files("acceptance.report").joinpath(name).read_text(encoding="utf-8") for name in names]
    # A style sheet escapes nothing: what could end the text, or the sheet, is left out.
    plain = re.sub(r"[^-.,: \w]", "", foot)
    return "\n".join([*sheets, f'@page {{ @bottom-left {{ content: "{plain}"; }} }}'])


def foot_of(results: Results) -> str:
    """What tells a sheet of this report from others: `Storage acceptance: fail, run 20261123-...`"""
    return f"Storage acceptance: {results.overall}, run {results.run.id}"


def templates() -> Environment:
    """Where the parts of the report are; every value that is put into them is escaped."""
    environment = Environment(
        loader=PackageLoader("acceptance.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["pictures_missing"] = lambda: "" if can_draw() else NO_PICTURES
    return environment


def with_content_policy(page: str) -> str:
    """The page with a Content Security Policy that lets only its last script run, which is pytest-html's own.

    A second wall, behind the escaping of all that comes from clusters: no text from there stands behind that script.
    """
    _, found, rest = page.rpartition(_SCRIPT)
    allowed = _source(rest.partition(_END_OF_SCRIPT)[0]) if found else "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return page.replace("<head>", f'<head>\n    <meta http-equiv="Content-Security-Policy" content="{policy}"/>', 1)


def _source(script: str) -> str:
    """The script as a policy names it."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"
