"""What a browser may do with the report: run the report's own script, and nothing else that may be in the page."""

from __future__ import annotations

import base64
import hashlib

_HEAD = "<head>"
_SCRIPT, _SCRIPT_END = "<script>", "</script>"


def with_content_policy(page: str) -> str:
    """The page with a Content Security Policy that lets only its last script run, which is pytest-html's own.

    A second wall, behind the escaping of all that comes from clusters: no text from there stands behind that script.
    """
    _, found, rest = page.rpartition(_SCRIPT)
    allowed = _source(rest.partition(_SCRIPT_END)[0]) if found else "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return page.replace(_HEAD, f'{_HEAD}\n    <meta http-equiv="Content-Security-Policy" content="{policy}"/>', 1)


def _source(script: str) -> str:
    """The script as a policy names it."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"'sha256-{digest}'"
