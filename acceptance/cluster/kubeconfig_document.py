"""One kubeconfig file: read as kubectl reads it, each value of the type that Kubernetes has for it.

Source: the types of k8s.io/client-go/tools/clientcmd/api/v1. Unknown keys are ignored, `null` is a missing value.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from acceptance.text.errors import WrongUsage


class _Loader(yaml.SafeLoader):
    """A YAML loader that reads dates as text, as the YAML library of kubectl does."""


_TEXT = ("tag:yaml.org,2002:timestamp",)
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in _TEXT]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, values: Any) -> Any:
        """Leave out `null`: it is a value that is not set, also in lists."""
        if values is None:
            return {}
        if not isinstance(values, dict):
            return values
        return {str(key): _without_nulls(value) for key, value in values.items() if value is not None}


def _without_nulls(value: Any) -> Any:
    return [item for item in value if item is not None] if isinstance(value, list) else value


class Extension(_Part):
    """An entry that a program keeps in the file for itself."""

    name: str = ""
    extension: Any = None


class ClusterPart(_Part):
    """The address of an API server, and the data by which it is recognized."""

    server: str = ""
    server_name: str = Field(default="", alias="tls-server-name")
    insecure: bool = Field(default=False, alias="insecure-skip-tls-verify")
    authority: str = Field(default="", alias="certificate-authority")
    authority_data: str = Field(default="", alias="certificate-authority-data")
    proxy: str = Field(default="", alias="proxy-url")
    extensions: list[Extension] = Field(default_factory=list)


class Variable(_Part):
    """A variable in the environment of a program."""

    name: str = ""
    value: str = ""


class ExecPart(_Part):
    """A program that logs in."""

    api_version: str = Field(default="", alias="apiVersion")
    command: str = ""
    args: list[str] = Field(default_factory=list)
    env: list[Variable] = Field(default_factory=list)
    install_hint: str = Field(default="", alias="installHint")
    provide_cluster: bool = Field(default=False, alias="provideClusterInfo")
    interactive: str = Field(default="", alias="interactiveMode")


class ProviderPart(_Part):
    """A way to log in that is built into kubectl."""

    name: str = ""
    config: dict[str, str] = Field(default_factory=dict)


class UserPart(_Part):
    """The login of a user, and the user as whom that user acts."""

    certificate: str = Field(default="", alias="client-certificate")
    certificate_data: str = Field(default="", alias="client-certificate-data")
    key: str = Field(default="", alias="client-key")
    key_data: str = Field(default="", alias="client-key-data")
    token: str = ""
    token_file: str = Field(default="", alias="tokenFile")
    username: str = ""
    password: str = ""
    provider: ProviderPart | None = Field(default=None, alias="auth-provider")
    program: ExecPart | None = Field(default=None, alias="exec")
    acts_as: str = Field(default="", alias="as")
    acts_as_uid: str = Field(default="", alias="as-uid")
    acts_as_groups: list[str] = Field(default_factory=list, alias="as-groups")
    acts_as_extra: dict[str, list[str]] = Field(default_factory=dict, alias="as-user-extra")


class ContextPart(_Part):
    """A cluster and a user of it, by name."""

    cluster: str = ""
    user: str = ""


class NamedCluster(_Part):
    """An entry of `clusters`."""

    name: str = ""
    cluster: ClusterPart = Field(default_factory=ClusterPart)


class NamedUser(_Part):
    """An entry of `users`."""

    name: str = ""
    user: UserPart = Field(default_factory=UserPart)


class NamedContext(_Part):
    """An entry of `contexts`."""

    name: str = ""
    context: ContextPart = Field(default_factory=ContextPart)


class Document(_Part):
    """A kubeconfig file."""

    kind: str = ""
    api_version: str = Field(default="", alias="apiVersion")
    current_context: str = Field(default="", alias="current-context")
    clusters: list[NamedCluster] = Field(default_factory=list)
    users: list[NamedUser] = Field(default_factory=list)
    contexts: list[NamedContext] = Field(default_factory=list)


def read_document(path: Path) -> Document:
    """Read a file, and make its paths absolute, because they are relative to the folder that holds it.

    Raises WrongUsage, which names file and place and never quotes the text, which may hold a token.
    """
    wrong = f"{path} is not a kubeconfig"
    try:
        content = _parse(path.read_bytes())
    except yaml.MarkedYAMLError as error:  # the error's own text quotes the line
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise WrongUsage(f"{wrong}: line {line}: {error.problem}") from None
    except OSError as error:
        raise WrongUsage(f"{path} cannot be read: {error.strerror or error}; name another kubeconfig") from error
    except (ValueError, yaml.YAMLError, RecursionError, ArithmeticError) as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError) else type(error).__name__
        raise WrongUsage(f"{wrong}: its text cannot be read ({reason}); name another file") from None
    if not isinstance(content, dict | None):
        raise WrongUsage(f"{wrong}: expected a mapping with clusters, users and contexts, found {_kind_of(content)}")
    try:
        document = Document.model_validate(content)
    except ValidationError as error:
        raise WrongUsage(f"{wrong}: {'; '.join(_problems(error))}; correct it, or name another file") from None
    if (document.kind or "Config", document.api_version or "v1") != ("Config", "v1"):
        actual = f"kind {document.kind} of apiVersion {document.api_version}"
        raise WrongUsage(f"{wrong}: expected kind Config of apiVersion v1, found {actual}; name another file")
    for kind in ("clusters", "users", "contexts"):
        _require_different(wrong, kind, [entry.name for entry in getattr(document, kind)])
    return _with_absolute_paths(document, folder=path.absolute().parent)


def _parse(content: bytes) -> Any:
    """Read JSON, which may contain tabs, or YAML, of which kubectl reads the first document."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        loader = _Loader(content)
        try:
            return loader.get_data() if loader.check_data() else None  # type: ignore[no-untyped-call]
        finally:
            loader.dispose()


def _problems(error: ValidationError) -> Iterable[str]:
    for detail in error.errors(include_input=False, include_url=False, include_context=False):
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).lstrip(".")
        yield f"at {place}, {detail['msg'][:1].lower()}{detail['msg'][1:]}"


def _kind_of(content: object) -> str:
    return "a list" if isinstance(content, list) else "a plain value"


def _require_different(wrong: str, kind: str, names: list[str]) -> None:
    double = sorted({name for name in names if names.count(name) > 1})
    if double:
        raise WrongUsage(f"{wrong}: {kind}: expected each name once, found {double[0]!r} more than once; rename one")


def _with_absolute_paths(document: Document, *, folder: Path) -> Document:
    def absolute(path: str) -> str:
        return str(folder / path) if path else ""

    def of_user(user: UserPart) -> UserPart:
        paths = {name: absolute(getattr(user, name)) for name in ("certificate", "key", "token_file")}
        program = user.program
        if program is not None and "/" in program.command:  # others are searched in $PATH
            program = program.model_copy(update={"command": absolute(program.command)})
        return user.model_copy(update={**paths, "program": program})

    clusters = [
        cluster.model_copy(
            update={"cluster": cluster.cluster.model_copy(update={"authority": absolute(cluster.cluster.authority)})}
        )
        for cluster in document.clusters
    ]
    users = [user.model_copy(update={"user": of_user(user.user)}) for user in document.users]
    return document.model_copy(update={"clusters": clusters, "users": users})
