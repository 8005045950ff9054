"""Kubeconfig files of the user: found as kubectl finds them, read, and handed on as one private copy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from kubernetes.config.kube_config import KUBE_CONFIG_DEFAULT_LOCATION

from acceptance.errors import WrongUsage

_FILES = {"clusters": ("certificate-authority",), "users": ("client-certificate", "client-key", "tokenFile")}


def user_kubeconfigs() -> list[Path]:
    """The files of `$KUBECONFIG`, or `~/.kube/config`; those that exist."""
    paths = [Path(each).expanduser() for each in KUBE_CONFIG_DEFAULT_LOCATION.split(":") if each]
    return [path for path in paths if path.is_file()]


def copy_kubeconfig(sources: Sequence[Path], target: Path) -> None:
    """Write what the files say, merged as kubectl merges them, to `target`, readable to its owner alone.

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
    target.touch(mode=0o600)
    target.chmod(0o600)
    target.write_text(yaml.safe_dump(merged), encoding="utf-8")


def _read(source: Path) -> dict[str, Any]:
    wrong = f"{source} is no kubeconfig"
    try:
        content = yaml.safe_load(source.read_text(encoding="utf-8"))
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
    return content
