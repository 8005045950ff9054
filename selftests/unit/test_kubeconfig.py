"""The user's kubeconfig files are found, read and merged as kubectl does it; they are never changed."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from acceptance.cluster.kubeconfig import copy_kubeconfig, read_access, user_kubeconfigs
from acceptance.cluster.kubeconfig_document import read_document
from acceptance.text.errors import WrongUsage


def content(name: str, *, current: bool = True, **cluster: str) -> dict[str, Any]:
    return {
        **({"current-context": name} if current else {}),
        "clusters": [{"name": name, "cluster": {"server": f"https://{name}", **cluster}}],
        "users": [{"name": name, "user": {"client-key": "keys/key.pem", "exec": {"command": "./login"}}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "theirs" / "config"
    path.parent.mkdir()
    path.write_text(yaml.safe_dump(content("one", **{"certificate-authority": "ca.crt"})))
    return path


@pytest.fixture
def other(tmp_path: Path) -> Path:
    path = tmp_path / "other"
    path.write_text(yaml.safe_dump(content("two")))
    return path


def test_a_copy_is_private_and_the_source_untouched(source: Path, tmp_path: Path) -> None:
    before = source.read_bytes()
    copy_kubeconfig(source, tmp_path / "copy")
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    assert source.read_bytes() == (tmp_path / "copy").read_bytes() == before


def test_reading_leaves_the_source_untouched_and_makes_no_file(source: Path) -> None:
    before, there = source.read_bytes(), sorted(source.parent.iterdir())
    read_access([source])
    assert (source.read_bytes(), sorted(source.parent.iterdir())) == (before, there)


def test_paths_are_those_of_the_folder_that_holds_them(source: Path) -> None:
    access = read_access([source])
    assert access.cluster.authority == str(source.parent / "ca.crt")
    assert access.user.key == str(source.parent / "keys" / "key.pem")
    assert access.user.program is not None and access.user.program.command == str(source.parent / "login")


def test_a_program_without_a_folder_is_one_of_the_search_path(tmp_path: Path) -> None:
    path = tmp_path / "config"
    found = content("one")
    found["users"][0]["user"]["exec"]["command"] = "aws"
    path.write_text(yaml.safe_dump(found))
    program = read_access([path]).user.program
    assert program is not None and program.command == "aws"


@pytest.mark.parametrize(("context", "server"), [(None, "https://one"), ("two", "https://two")])
def test_several_files_are_merged(source: Path, other: Path, context: str | None, server: str) -> None:
    access = read_access([source, other], context=context)
    assert access.cluster.server == server
    assert access.file == (other if context else source)


def test_of_several_entries_of_one_name_the_first_counts_as_a_whole(source: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    second.write_text(yaml.safe_dump(content("one", **{"tls-server-name": "other"})))
    assert read_access([source, second]).cluster.server_name == ""
    assert read_access([second, source]).cluster.authority == ""


def test_the_first_current_context_that_is_set_counts(other: Path, tmp_path: Path) -> None:
    without, empty = tmp_path / "without", tmp_path / "empty"
    without.write_text(yaml.safe_dump(content("three", current=False)))
    empty.write_text("")
    assert read_access([empty, without, other]).context == "two"


def test_a_context_of_one_file_may_be_of_a_cluster_in_another(source: Path, tmp_path: Path) -> None:
    context = tmp_path / "context"
    context.write_text(yaml.safe_dump({"contexts": [{"name": "x", "context": {"cluster": "one", "user": "one"}}]}))
    access = read_access([context, source], context="x")
    assert (access.file, access.cluster.server) == (context, "https://one")
    assert str(source) in access.cluster_is and str(source) in access.user_is


@pytest.mark.parametrize(
    "spelled",
    [
        lambda found: json.dumps(found, indent="\t").encode(),
        lambda found: yaml.safe_dump(found).encode("utf-16"),
        lambda found: b"\xef\xbb\xbf" + yaml.safe_dump(found).encode(),
        lambda found: (yaml.safe_dump(found) + "---\nkind: Other\n").encode(),
        lambda found: yaml.safe_dump({**found, "kind": None, "users": [None, *found["users"]], "x": 1}).encode(),
    ],
    ids=["JSON with tabs", "UTF-16", "byte order mark", "second document", "nulls and unknown keys"],
)
def test_every_spelling_that_kubectl_takes_is_read(spelled: Callable[[Any], bytes], tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_bytes(spelled(content("one")))
    assert read_access([path]).cluster.server == "https://one"


def test_names_that_look_like_dates_or_times_are_text(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(
        "current-context: 2026-11-28\n"
        "contexts: [{name: 2026-11-28, context: {cluster: 2026-11-28}}]\n"
        "clusters: [{name: 2026-11-28, cluster: {server: https://x}}]\n"
    )
    assert read_access([path]).context == "2026-11-28"


def test_a_context_without_a_user_is_one_of_nobody(tmp_path: Path) -> None:
    path = tmp_path / "config"
    found = content("one")
    del found["contexts"][0]["context"]["user"]
    path.write_text(yaml.safe_dump(found))
    access = read_access([path])
    assert (access.user.token, access.user.program) == ("", None)


def _changed(**more: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda found: {**found, **more}


@pytest.mark.parametrize(
    ("change", "context", "named"),
    [
        (_changed(), "typo", ["'typo'", "one"]),
        (_changed(**{"current-context": "gone"}), None, ["'gone'", "one"]),
        (_changed(**{"current-context": ""}), None, ["current-context", "one"]),
        (_changed(clusters=[]), None, ["cluster 'one'"]),
        (_changed(users=[]), None, ["user 'one'"]),
        (_changed(contexts=[{"name": "one"}]), None, ["context one", "no cluster"]),
        (_changed(contexts=None), None, ["available: none"]),
        (_changed(clusters={"one": {}}), None, ["clusters"]),
        (_changed(users="me"), None, ["users"]),
        (_changed(users=[{"name": "one", "user": {"token": 5}}]), None, ["users[0].user.token"]),
        (_changed(users=[{"name": "one"}, {"name": "one"}]), None, ["users", "'one'"]),
        (_changed(kind="Pod", apiVersion="v1"), None, ["kind Pod"]),
    ],
)
def test_what_does_not_fit_is_told_with_the_users_own_file(
    change: Callable[[dict[str, Any]], dict[str, Any]], context: str | None, named: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(change(content("one"))))
    with pytest.raises(WrongUsage) as told:
        read_access([path], context=context)
    assert [word for word in (str(path), *named) if word not in str(told.value)] == []


def test_a_wrong_context_lists_those_of_all_files(source: Path, other: Path) -> None:
    with pytest.raises(WrongUsage, match=r"available: one, two"):
        read_access([source, other], context="three")


@pytest.mark.parametrize("text", ["- a list", "{", "just text", "a: [1", "\x00", "&a [*a]", "[" * 3000])
def test_what_is_no_kubeconfig_is_told(tmp_path: Path, text: str) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text(text)
    with pytest.raises(WrongUsage, match="wrong is not a kubeconfig"):
        read_document(wrong)


@pytest.mark.parametrize("where", ["a folder", "nothing"])
def test_a_file_that_cannot_be_read_is_named(where: str, tmp_path: Path) -> None:
    path = tmp_path if where == "a folder" else tmp_path / "gone"
    with pytest.raises(WrongUsage, match=f"{path} cannot be read"):
        read_document(path)


def test_files_of_the_environment_that_exist_are_taken_in_its_order(source: Path, other: Path) -> None:
    assert user_kubeconfigs({"KUBECONFIG": f"{other}:/gone::{source}:{other}"}) == [other, source]


def test_an_environment_that_names_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match=r"\$KUBECONFIG names \./gone\.yaml, which does not exist"):
        user_kubeconfigs({"KUBECONFIG": "./gone.yaml"})


def test_no_kubeconfig_at_all_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(WrongUsage, match=r"~/\.kube/config does not exist"):
        user_kubeconfigs({})
