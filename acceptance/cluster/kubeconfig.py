"""Kubeconfig files of the user: found as kubectl finds them, read, and handed on as one private copy."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from kubernetes.config.kube_config import KUBE_CONFIG_DEFAULT_LOCATION

from acceptance.text.errors import WrongUsage
from acceptance.text.redaction import promises_secret, remember, remember_named

_FILES = {"clusters": ("certificate-authority",), "users": ("client-certificate", "client-key", "tokenFile")}


def user_kubeconfigs() -> list[Path]:
    """The files of `$KUBECONFIG`, or `~/.kube/config`; those that exist."""
    paths = [Path(each).expanduser() for each in KUBE_CONFIG_DEFAULT_LOCATION.split(":") if each]
    return [path for path in paths if path.is_file()]


def copy_kubeconfig(sources: Sequence[Path], target: Path, *, context: str | None = None) -> None:
    """Write what the files say of one context, merged as kubectl merges them, to `target`, readable to its owner alone.

    `context`: None for the current one. The keys to other clusters have no place in a copy that a killed run may leave.

    Certificates and keys in them become files beside it.

    Paths in them are made absolute, since they are relative to the file that holds them. The files are only read.
    Raises WrongUsage for a file that is no kubeconfig.
    """
    merged: dict[str, Any] = {"apiVersion": "v1", "kind": "Config"}
    for source in sources:
        content = _read(source)
        for key, value in content.items():
            if isinstance(value, list) and isinstance(merged.get(key), list):
                known = {each.get("name") for each in merged[key]}
                merged[key] += [each for each in value if each.get("name") not in known]
            elif not merged.get(key):
                merged[key] = value
    _keep_one_context(merged, context or merged.get("current-context"))
    _put_into_files(merged, beside=target)
    _write_private(target, yaml.safe_dump(merged).encode())


def _keep_one_context(merged: dict[str, Any], name: str | None) -> None:
    """Leave out the users and clusters of all other contexts. One that is not there is told by whoever uses it."""
    used = next((each.get("context") or {} for each in merged.get("contexts") or [] if each.get("name") == name), {})
    for kind in ("users", "clusters"):
        wanted = used.get(kind.removesuffix("s"))
        merged[kind] = [each for each in merged.get(kind) or [] if each.get("name") == wanted]


def _put_into_files(merged: dict[str, Any], *, beside: Path) -> None:
    """Put certificates and keys that the file itself holds into files of their own, as private as the copy.

    The client library would do so in the folder that all users share for temporary files, where a killed run leaves
    them.
    """
    for kind, keys in _FILES.items():
        for number, entry in enumerate(merged.get(kind) or []):
            detail = entry.get(kind.removesuffix("s")) or {}
            for key in keys:
                try:
                    content = base64.b64decode(detail.get(f"{key}-data") or "", validate=True)
                except (binascii.Error, TypeError, ValueError):  # whoever uses it will say so
                    continue
                if content:
                    detail[key] = f"{beside}-{kind}-{number}-{key}"
                    del detail[f"{key}-data"]
                    _write_private(Path(detail[key]), content)


def _write_private(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.chmod(0o600)
    path.write_bytes(content)


def _read(source: Path) -> dict[str, Any]:
    wrong = f"{source} is no kubeconfig"
    try:
        content = yaml.safe_load(source.read_text(encoding="utf-8"))
    except yaml.MarkedYAMLError as error:  # its own text quotes the line, which may hold a token
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WrongUsage(f"{wrong}: line {line}: {error.problem}") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise WrongUsage(f"{wrong}: {error}") from error
    if not isinstance(content, dict):
        raise WrongUsage(f"{wrong}: it holds no mapping")
    for kind, keys in _FILES.items():
        for entry in content.get(kind) or []:
            detail = entry.get(kind.removesuffix("s")) or {}
            for key in keys:
                if detail.get(key):
                    detail[key] = str(source.parent.resolve() / detail[key])
            command = (detail.get("exec") or {}).get("command", "")
            if "/" in command:
                detail["exec"]["command"] = str(source.parent.resolve() / command)
    _remember_credentials(content)
    return content


def _remember_credentials(content: dict[str, Any]) -> None:
    """Have what the file holds to be let in shown nowhere."""
    for entry in content.get("users") or []:
        user = entry.get("user") or {}
        for key in ("token", "password", "client-key-data"):
            remember(str(user.get(key) or ""))
        if path := user.get("tokenFile"):
            with suppress(OSError, UnicodeDecodeError):  # whoever uses it will say so
                remember(Path(path).read_text(encoding="utf-8"))
        remember_named(
            {key: str(value) for key, value in ((user.get("auth-provider") or {}).get("config") or {}).items()}
        )
        plugin = user.get("exec") or {}
        remember_named({str(each.get("name")): str(each.get("value")) for each in plugin.get("env") or []})
        _remember_words([str(word) for word in plugin.get("args") or []])
    for entry in content.get("clusters") or []:
        remember_named({"proxy-url": str((entry.get("cluster") or {}).get("proxy-url") or "")})


def _remember_words(words: Sequence[str]) -> None:
    """Secrets on a command line, as `--client-secret=VALUE` or `--client-secret VALUE`."""
    for word, following in pairwise([*words, ""]):
        name, separator, value = word.partition("=")
        if name.startswith("-") and promises_secret(name):
            remember(value if separator else following)
