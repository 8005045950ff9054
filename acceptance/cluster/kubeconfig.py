"""The kubeconfig of the user: found, merged and interpreted as kubectl does it. Its files are only read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from acceptance.cluster.kubeconfig_document import (
    ClusterPart,
    ContextPart,
    Document,
    UserPart,
    read_document,
)
from acceptance.text.errors import WrongUsage
from acceptance.text.redaction import promises_secret, remember, remember_secrets

VARIABLE = "KUBECONFIG"
DEFAULT = "~/.kube/config"
_NAME_ONE = "name another with --storage-context NAME"


class UnknownContext(WrongUsage):
    """A context that was named and that the kubeconfig does not have."""


@dataclass(frozen=True, kw_only=True)
class Access:
    """The content of a context: its cluster, and the user there, each with its entry in words, for errors."""

    context: str
    cluster: ClusterPart
    cluster_is: str
    user: UserPart
    user_is: str
    file: Path
    """The file that has the context."""


def user_kubeconfigs(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files of `$KUBECONFIG` that exist, or `~/.kube/config`.

    Raises WrongUsage if `$KUBECONFIG` names no file that exists, or if neither exists.
    """
    variable = environment.get(VARIABLE, "")
    texts = [text for text in (variable or DEFAULT).split(os.pathsep) if text]
    existing = [path for path in dict.fromkeys(Path(text).expanduser() for text in texts) if path.exists()]
    if existing:
        return existing
    if variable:
        are = "does not exist" if len(texts) == 1 else "do not exist"
        raise WrongUsage(
            f"${VARIABLE} names {', '.join(texts) or 'no file'}, which {are}; correct it, or name a file "
            "with --storage-kubeconfig FILE"
        )
    raise WrongUsage(
        f"no kubeconfig: ${VARIABLE} is not set and {DEFAULT} does not exist; name a file with "
        "--storage-kubeconfig FILE"
    )


def read_access(sources: Sequence[Path], *, context: str | None = None) -> Access:
    """Return the content of a context in the files, merged as kubectl merges them; None: of the current one.

    Of entries of one name, and of current contexts, the first counts, in the order of the files. Raises WrongUsage.
    """
    documents = {path: read_document(path) for path in sources}
    for document in documents.values():
        _remember_credentials(document)
    contexts = _merge_entries(documents, "contexts")
    files = ", ".join(map(str, documents))
    name = context or next(
        (document.current_context for document in documents.values() if document.current_context), ""
    )
    available = ", ".join(contexts) or "none"
    if not name:
        raise WrongUsage(
            f"{files}: no current-context is set; name a context with --storage-context NAME; available: {available}"
        )
    if name not in contexts:
        kind = "context" if context else "current-context"
        raise UnknownContext(f"{files}: {kind} {name!r} does not exist; {_NAME_ONE}; available: {available}")
    file, entry = contexts[name]
    context_part: ContextPart = entry.context
    context_is = f"{file}, context {name}"
    cluster, cluster_is = _cluster(documents, context_part, wanted_by=context_is)
    user, user_is = _user(documents, context_part, wanted_by=context_is)
    return Access(
        context=name, cluster=cluster, cluster_is=cluster_is, user=user, user_is=user_is or context_is, file=file
    )


def _cluster(documents: Mapping[Path, Document], context: ContextPart, *, wanted_by: str) -> tuple[ClusterPart, str]:
    clusters = _merge_entries(documents, "clusters")
    if context.cluster not in clusters:
        problem = f"cluster {context.cluster!r} does not exist" if context.cluster else "it names no cluster"
        raise WrongUsage(f"{wanted_by}: {problem}; correct it, or {_NAME_ONE}")
    file, entry = clusters[context.cluster]
    return entry.cluster, f"{file}, cluster {entry.name}"


def _user(documents: Mapping[Path, Document], context: ContextPart, *, wanted_by: str) -> tuple[UserPart, str]:
    """Return the context's user; an unnamed one if it names none, for servers that admit anybody."""
    if not context.user:
        return UserPart(), ""
    users = _merge_entries(documents, "users")
    if context.user not in users:
        raise WrongUsage(f"{wanted_by}: user {context.user!r} does not exist; correct it, or {_NAME_ONE}")
    file, entry = users[context.user]
    return entry.user, f"{file}, user {entry.name}"


def _merge_entries(documents: Mapping[Path, Document], kind: str) -> dict[str, tuple[Path, Any]]:
    """Return the entries of a kind by name, each with its file."""
    entries: dict[str, tuple[Path, Any]] = {}
    for path, document in documents.items():
        for entry in getattr(document, kind):
            entries.setdefault(entry.name, (path, entry))
    return entries


def copy_kubeconfig(source: Path, target: Path) -> None:
    """Copy a kubeconfig that contains its certificates and keys, readable to its owner alone."""
    target.touch(mode=0o600)
    target.chmod(0o600)
    shutil.copyfile(source, target)


def _remember_credentials(document: Document) -> None:
    """Redact the credentials in the file; also those of users who are not used."""
    for user in (entry.user for entry in document.users):
        for secret in (user.token, user.password, user.key_data):
            remember(secret)
        if user.token_file:
            with suppress(OSError, ValueError):  # the login with this file reports it
                remember(Path(user.token_file).read_text(encoding="utf-8"))
        if user.provider is not None:
            remember_secrets(user.provider.config)
        if user.program is not None:
            remember_secrets({variable.name: variable.value for variable in user.program.env})
            _remember_words(user.program.args)
    for cluster in (entry.cluster for entry in document.clusters):
        remember_secrets({"proxy-url": cluster.proxy})


def _remember_words(words: Sequence[str]) -> None:
    """Redact secrets on a command line, as `--client-secret=VALUE` or `--client-secret VALUE`."""
    for word, following in pairwise([*words, ""]):
        name, separator, value = word.partition("=")
        if name.startswith("-") and promises_secret(name):
            remember(value if separator else following)
