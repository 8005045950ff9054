"""Text that is shown to others, without the credentials in it: those that this process knows, and what looks like one.

What is known is remembered for the whole process, since an error may quote it anywhere: kubeconfig, tokens, parameters
of StorageClasses. What is not known is told by how it is written: `password=...`, `Bearer ...`, a private key.
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
"""characters of a secret that is looked for in texts: a shorter one would blot out ordinary words"""

_KINDS = r"passw(?:or)?d|passphrase|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|key-data|userkey"
_SECRET = re.compile(r"secret|pass|pwd|token|credential|key|auth|signature|connection.?string", re.IGNORECASE)
# A reference to a Secret object is what a reader needs to find it, and gives nothing away.
_REFERENCE = re.compile(r"(secret|credential|key|token)s?[-_.]?(name|namespace|ref)$", re.IGNORECASE)
_PASSWORD_IN_URL = re.compile(r"://[^/@\s:]*:([^/\s]+)@")
_NOT_YET = rf"(?!{re.escape(NOT_SHOWN)})"
# A password may hold an @, and may be known and away already.
_USER_IN_URL = re.compile(rf"(://)(?:{re.escape(NOT_SHOWN)}|[^/\s])+@")
# Each ends with what is not shown; what comes before it in groups stays. Texts come from strangers and may be long: no
# pattern begins within what another place has scanned already, or scans on without a bound.
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

_known: dict[str, None] = {}
_any_known: re.Pattern[str] | None = None


def known_spellings() -> int:
    """How many there are by now: a text that was fit to be shown may not be so any more when there are more."""
    return len(_known)


def promises_secret(name: str) -> bool:
    """Whether something of that name holds a credential itself, not a reference to one."""
    return bool(_SECRET.search(name)) and not _REFERENCE.search(name)


def shown_parameter(name: str, value: str) -> str:
    """The value of a StorageClass's parameter, or a word in its place where the name promises a secret."""
    # Hides sizes of keys as well, by which nobody is hurt.
    return NOT_SHOWN if promises_secret(name) else redact(value)


def remember(secret: str) -> None:
    """From now on the text is not shown, in whatever way it is written; too short a one is not looked for."""
    global _any_known
    new = {spelling for spelling in _spellings(secret.strip()) if len(spelling) >= SHORTEST} - _known.keys()
    if new:
        _known.update(dict.fromkeys(new))
        longest_first = sorted(_known, key=len, reverse=True)
        _any_known = re.compile("|".join(map(re.escape, longest_first)))


def remember_named(values: Mapping[str, str]) -> None:
    """The same for those whose names promise a secret, and for the passwords in URLs of all others."""
    for name, value in values.items():
        if promises_secret(name):
            remember(value)
        for password in _PASSWORD_IN_URL.findall(value):
            remember(password)


def remember_pull_secret(data: Mapping[str, str]) -> None:
    """The same for a pull secret, `data` as the API server gives it: as a whole, and each login in it."""
    for value in data.values():
        remember(value)
        for text in _decoded(value):
            try:
                logins = (json.loads(text).get("auths") or {}).values()
            except (ValueError, AttributeError):  # in no form that kubelets know; it is remembered as it is
                continue
            for login in logins:
                for key in ("password", "auth", "identitytoken", "registrytoken"):
                    remember(str(login.get(key) or ""))


def redact(text: str) -> str:
    """The text, with a word in place of each credential."""
    if _any_known is not None:
        text = _any_known.sub(NOT_SHOWN, text)
    text = _USER_IN_URL.sub(rf"\1{NOT_SHOWN}@", text)
    for pattern in _PATTERNS:
        text = pattern.sub(rf"\1{NOT_SHOWN}", text)
    return text


def _spellings(secret: str) -> set[str]:
    """How the secret may be written in an error, a page or a URL; and what it says where it is base64 itself."""
    quoted = {json.dumps(secret)[1:-1], repr(secret)[1:-1], html.escape(secret), quote(secret, safe="")}
    encoded = base64.b64encode(secret.encode(errors="replace")).decode()
    # Inside of a longer text the last characters of base64 depend on what follows.
    return {secret, *quoted, encoded, encoded.rstrip("=")[:-1], *_decoded(secret)}


def _decoded(secret: str) -> set[str]:
    try:
        text = base64.b64decode(secret, validate=True).decode()
    except (binascii.Error, ValueError):
        return set()
    return {text.strip()} if text.isprintable() else {line for line in text.splitlines() if not line.startswith("---")}
