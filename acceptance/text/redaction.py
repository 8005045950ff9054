"""Redaction of credentials in text for others: those that this process knows, and text that looks like one.

Known credentials are remembered for the whole process, because an error may quote them anywhere: kubeconfig, tokens,
parameters of StorageClasses. Unknown ones are recognized by their form: `password=...`, `Bearer ...`, a private key.
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Mapping
from urllib.parse import quote

NOT_SHOWN = "(not shown)"
SHORTEST = 8
"""The least characters of a secret that is searched for in texts: a shorter one would hide ordinary words."""

_KINDS = r"passw(?:or)?d|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|key-data|userkey"
_SECRET = re.compile(r"secret|pass|pwd|token|credential|key|auth|signature|connection.?string", re.IGNORECASE)
# A reader needs the reference to find a Secret object, and it reveals nothing.
_REFERENCE = re.compile(r"(secret|credential|key|token)s?[-_.]?(name|namespace|ref)$", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"://[^/@\s:]*:([^/\s]+)@")
_NOT_YET = rf"(?!{re.escape(NOT_SHOWN)})"
# A password may hold an @, and may be known and replaced already.
_USER_IN_URL = re.compile(rf"(://)(?:{re.escape(NOT_SHOWN)}|[^/\s])+@")
# Each pattern ends with the text to hide; the groups before it stay. Texts come from strangers and may be long: no
# pattern begins within a part that was scanned from another place, or scans without a bound.
_PATTERNS = (
    re.compile(r"()-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL),
    re.compile(r"()(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),
    re.compile(r"()\bAQ[A-Za-z0-9+/]{36}=="),  # as Ceph writes its keys
    re.compile(r"()\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_\w{30,}|glpat-[\w-]{20,})"),  # as AWS, GitHub and GitLab do
    re.compile(r"(\bbearer\s+)[\w.~+/=-]{16,}", re.IGNORECASE),
    re.compile(
        rf"(\bauthorization[\"']?\s*[:=]\s*[\"']?(?:basic|bearer|token|negotiate)\s+){_NOT_YET}[^\s\"'\\]+",
        re.IGNORECASE,
    ),
    re.compile(
        rf"((?:{_KINDS})[\w-]{{0,40}}(?<!name)(?<!namespace)[ \t]{{0,3}}=[ \t]{{0,3}}){_NOT_YET}[^\s\"'\\,;&]+", re.I
    ),
    re.compile(rf"(\b(?:pwd|pass|sig|account_?key)[ \t]{{0,3}}=[ \t]{{0,3}}){_NOT_YET}[^\s\"'\\,;&]+", re.IGNORECASE),
    re.compile(rf"(\bx-[\w-]{{0,40}}token\s{{0,3}}:\s{{0,3}}){_NOT_YET}[^\s\"'\\,;]+", re.IGNORECASE),
    re.compile(rf"((?:{_KINDS})[\w-]{{0,40}}(?<!name)(?<!namespace)=?[\"']\s*:\s*[\"']){_NOT_YET}[^\"'\\]+", re.I),
    re.compile(
        rf"((?:passw(?:or)?d|passphrase|key-data|userkey)\s{{0,3}}:\s{{0,3}}){_NOT_YET}[^\s\"'\\,;]+", re.IGNORECASE
    ),
    re.compile(rf"((?<![\w-])--[\w-]{{0,60}}?(?:{_KINDS})\s+){_NOT_YET}[^\s\"'\\-][^\s\"'\\]*", re.IGNORECASE),
)

_secret_spellings: dict[str, None] = {}
_any_known: re.Pattern[str] | None = None


def known_spellings() -> int:
    """Return the number of known spellings: after it has grown, an earlier redacted text may reveal a secret."""
    return len(_secret_spellings)


def promises_secret(name: str) -> bool:
    """Return whether a value of that name holds a credential itself, not a reference to one."""
    return bool(_SECRET.search(name)) and not _REFERENCE.search(name)


def shown_parameter(name: str, value: str) -> str:
    """Return the value of a StorageClass's parameter, or `NOT_SHOWN` if its name promises a secret."""
    # This hides sizes of keys as well, which does no harm.
    return NOT_SHOWN if promises_secret(name) else redact(value)


def remember(secret: str) -> None:
    """Hide the secret in all later texts, in every spelling; one shorter than `SHORTEST` is not searched for."""
    global _any_known
    new = {spelling for spelling in _spellings(secret.strip()) if len(spelling) >= SHORTEST} - _secret_spellings.keys()
    if new:
        _secret_spellings.update(dict.fromkeys(new))
        longest_first = sorted(_secret_spellings, key=len, reverse=True)
        _any_known = re.compile("|".join(map(re.escape, longest_first)))


def remember_secrets(values: Mapping[str, str]) -> None:
    """Remember the values whose names promise a secret, and the passwords in URLs of all others."""
    for name, value in values.items():
        if promises_secret(name):
            remember(value)
        for password in _PASSWORD_IN_URL.findall(value):
            remember(password)


def remember_pull_secret(data: Mapping[str, str]) -> None:
    """Remember a pull secret, as a whole and each login in it; `data` as the API server returns it."""
    for value in data.values():
        remember(value)
        for text in _decode_lines(value):
            try:
                logins = (json.loads(text).get("auths") or {}).values()
            except (ValueError, AttributeError):  # in no form that kubelets know; it is remembered as a whole
                continue
            for login in logins:
                for key in ("password", "auth", "identitytoken", "registrytoken"):
                    remember(str(login.get(key) or ""))


def redact(text: str) -> str:
    """Return the text with `NOT_SHOWN` in place of each credential."""
    if _any_known is not None:
        text = _any_known.sub(NOT_SHOWN, text)
    text = _USER_IN_URL.sub(rf"\1{NOT_SHOWN}@", text)
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{NOT_SHOWN}", text)
    return text


def _spellings(secret: str) -> set[str]:
    """Return the spellings of the secret in an error, a page or a URL; and its content, if it is base64 itself."""
    quoted_forms = {json.dumps(secret)[1:-1], repr(secret)[1:-1], html.escape(secret), quote(secret, safe="")}
    base64_form = base64.b64encode(secret.encode(errors="replace")).decode()
    # Inside of a longer text the last characters of base64 depend on what follows.
    return {secret, *quoted_forms, base64_form, base64_form.rstrip("=")[:-1], *_decode_lines(secret)}


def _decode_lines(secret: str) -> set[str]:
    try:
        text = base64.b64decode(secret, validate=True).decode()
    except (binascii.Error, ValueError):
        return set()
    return {text.strip()} if text.isprintable() else {line for line in text.splitlines() if not line.startswith("---")}
