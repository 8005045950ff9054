"""The kubeconfig of the user: found, merged and understood as kubectl does it. Its files are only read."""

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
from acceptance.text.redaction import promises_secret, remember, remember_named

VARIABLE = "KUBECONFIG"
DEFAULT = "~/.kube/config"
_NAME_ONE = "name another with --storage-context NAME"


class UnknownContext(WrongUsage):
    """A context was named that the kubeconfig does not have."""


@dataclass(frozen=True, kw_only=True)
class Access:
    """What a context says: its cluster, and the user to be there, each with its entry in words, for errors."""

    context: str
    cluster: ClusterPart
    cluster_is: str
    user: UserPart
    user_is: str
    file: Path
    """that has the context"""


def user_kubeconfigs(environment: Mapping[str, str] = os.environ) -> list[Path]:
    """Return the files of `$KUBECONFIG` that exist, or `~/.kube/config`.

    Raises WrongUsage when `$KUBECONFIG` names no file that exists, or when there is neither.
    """
    named = environment.get(VARIABLE, "")
    texts = [each for each in (named or DEFAULT).split(os.pathsep) if each]
    existing = [path for path in dict.fromkeys(Path(text).expanduser() for text in texts) if path.exists()]
    if existing:
        return existing
    if named:
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
    """Return what the files, merged as kubectl merges them, say of a context; None: of the current one.

    Of entries of one name, and of current contexts, the first counts, in the order of the files. Raises WrongUsage.
    """
    documents = {path: read_document(path) for path in sources}
    for document in documents.values():
        _remember_credentials(document)
    contexts = _merged(documents, "contexts")
    files = ", ".join(map(str, documents))
    name = context or next((each.current_context for each in documents.values() if each.current_context), "")
    available = ", ".join(contexts) or "none"
    if not name:
        raise WrongUsage(
            f"{files}: no current-context is set; name a context with --storage-context NAME; available: {available}"
        )
    if name not in contexts:
        which = "context" if context else "current-context"
        raise UnknownContext(f"{files}: {which} {name!r} does not exist; {_NAME_ONE}; available: {available}")
    file, named = contexts[name]
    chosen: ContextPart = named.context
    context_is = f"{file}, context {name}"
    cluster, cluster_is = _cluster(documents, chosen, wanted_by=context_is)
    user, user_is = _user(documents, chosen, wanted_by=context_is)
    return Access(
        context=name, cluster=cluster, cluster_is=cluster_is, user=user, user_is=user_is or context_is, file=file
    )


def _cluster(documents: Mapping[Path, Document], chosen: ContextPart, *, wanted_by: str) -> tuple[ClusterPart, str]:
    clusters = _merged(documents, "clusters")
    if chosen.cluster not in clusters:
        found = f"cluster {chosen.cluster!r} does not exist" if chosen.cluster else "it names no cluster"
        raise WrongUsage(f"{wanted_by}: {found}; correct it, or {_NAME_ONE}")
    file, named = clusters[chosen.cluster]
    return named.cluster, f"{file}, cluster {named.name}"


def _user(documents: Mapping[Path, Document], chosen: ContextPart, *, wanted_by: str) -> tuple[UserPart, str]:
    """The context's user; an unnamed one where it names none, for servers that let in anybody."""
    if not chosen.user:
        return UserPart(), ""
    users = _merged(documents, "users")
    if chosen.user not in users:
        raise WrongUsage(f"{wanted_by}: user {chosen.user!r} does not exist; correct it, or {_NAME_ONE}")
    file, named = users[chosen.user]
    return named.user, f"{file}, user {named.name}"


def _merged(documents: Mapping[Path, Document], kind: str) -> dict[str, tuple[Path, Any]]:
    """The entries of a kind by name, each with its file."""
    merged: dict[str, tuple[Path, Any]] = {}
    for path, document in documents.items():
        for entry in getattr(document, kind):
            merged.setdefault(entry.name, (path, entry))
    return merged


def copy_kubeconfig(source: Path, target: Path) -> None:
    """Copy a kubeconfig that holds its certificates and keys itself, readable to its owner alone."""
    target.touch(mode=0o600)
    target.chmod(0o600)
    shutil.copyfile(source, target)


def _remember_credentials(document: Document) -> None:
    """Have what the file holds to be let in shown nowhere; also that of users who are not used."""
    for user in (each.user for each in document.users):
        for secret in (user.token, user.password, user.key_data):
            remember(secret)
        if user.token_file:
            with suppress(OSError, ValueError):  # whoever uses it will say so
                remember(Path(user.token_file).read_text(encoding="utf-8"))
        if user.provider is not None:
            remember_named(user.provider.config)
        if user.program is not None:
            remember_named({each.name: each.value for each in user.program.env})
            _remember_words(user.program.args)
    for cluster in (each.cluster for each in document.clusters):
        remember_named({"proxy-url": cluster.proxy})


def _remember_words(words: Sequence[str]) -> None:
    """Secrets on a command line, as `--client-secret=VALUE` or `--client-secret VALUE`."""
    for word, following in pairwise([*words, ""]):
        name, separator, value = word.partition("=")
        if name.startswith("-") and promises_secret(name):
            remember(value if separator else following)
