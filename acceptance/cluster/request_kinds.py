"""What a request to the API server asks for, in two words, so that requests can be counted by it."""

from __future__ import annotations

from collections.abc import Mapping


def request_kind(method: str, path: str, query: Mapping[str, str]) -> str:
    """`GET pods`, `LIST pods`, `WATCH pods`, `GET pods/log`: what is asked for, without whose."""
    parts = path.strip("/").split("/")
    parts = parts[2:] if parts[0] == "api" else parts[3:] if parts[0] == "apis" else parts
    if parts and parts[0] == "namespaces" and len(parts) > 2:
        parts = parts[2:]
    kind, *rest = parts or [""]
    if "watch" in query:
        method = "WATCH"
    elif method == "GET" and not rest and path.startswith("/api"):
        method = "LIST"
    return f"{method} {'/'.join([kind, *rest[1:2]])}"
