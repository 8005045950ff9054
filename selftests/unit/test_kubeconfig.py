"""The user's kubeconfig files are read, merged and copied; they are never changed."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest
import yaml

from acceptance.cluster.kubeconfig import copy_kubeconfig
from acceptance.text.errors import WrongUsage


def config(name: str, **detail: str) -> str:
    content = {
        "current-context": name,
        "clusters": [{"name": name, "cluster": {"server": "https://one", **detail}}],
        "users": [{"name": name, "user": {"client-key": "keys/key.pem", "exec": {"command": "./login"}}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
    }
    return yaml.safe_dump(content)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "theirs" / "config"
    path.parent.mkdir()
    path.write_text(config("one", **{"certificate-authority": "ca.crt"}))
    return path


def test_the_copy_is_private_and_the_source_untouched(source: Path, tmp_path: Path) -> None:
    before = source.read_bytes()
    copy_kubeconfig([source], tmp_path / "copy")
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600
    assert source.read_bytes() == before


def test_paths_are_those_of_the_folder_that_held_them(source: Path, tmp_path: Path) -> None:
    copy_kubeconfig([source], tmp_path / "copy")
    copied = yaml.safe_load((tmp_path / "copy").read_text())
    assert copied["clusters"][0]["cluster"]["certificate-authority"] == str(source.parent / "ca.crt")
    assert copied["users"][0]["user"]["client-key"] == str(source.parent / "keys" / "key.pem")
    assert copied["users"][0]["user"]["exec"]["command"] == str(source.parent / "login")


def test_keys_that_the_file_holds_are_files_beside_the_copy_and_nowhere_else(tmp_path: Path) -> None:
    """The client library would put them where a killed run leaves them."""
    key = b"-----BEGIN PRIVATE KEY-----"
    user = {"client-key-data": base64.b64encode(key).decode(), "client-certificate-data": "no base64!"}
    source, copy = tmp_path / "config", tmp_path / "private" / "copy"
    content = {"current-context": "one", "contexts": [{"name": "one", "context": {"user": "one"}}]}
    source.write_text(yaml.safe_dump({**content, "users": [{"name": "one", "user": {"token": "t", **user}}]}))
    copy.parent.mkdir()
    copy_kubeconfig([source], copy)
    copied = yaml.safe_load(copy.read_text())["users"][0]["user"]
    written = Path(copied.pop("client-key"))
    assert copied == {"token": "t", "client-certificate-data": "no base64!"}
    assert written.parent == copy.parent and written.read_bytes() == key
    assert stat.S_IMODE(written.stat().st_mode) == 0o600


def test_several_files_are_merged_and_the_first_wins(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text(config("two") + config("one").replace("current-context: one\n", "").split("clusters:")[0])
    copy_kubeconfig([source, other], tmp_path / "copy")
    copied = yaml.safe_load((tmp_path / "copy").read_text())
    assert copied["current-context"] == "one"
    assert [each["name"] for each in copied["contexts"]] == ["one", "two"]


@pytest.mark.parametrize("context", ["one", "two", None])
def test_keys_to_other_clusters_are_not_copied(source: Path, tmp_path: Path, context: str | None) -> None:
    other = tmp_path / "other"
    other.write_text(config("two"))
    copy_kubeconfig([source, other], tmp_path / "copy", context=context)
    copied = yaml.safe_load((tmp_path / "copy").read_text())
    for kind in ("users", "clusters"):
        assert [each["name"] for each in copied[kind]] == [context or "one"]


@pytest.mark.parametrize("content", ["- a list", "{", "just text"])
def test_what_is_no_kubeconfig_is_told(tmp_path: Path, content: str) -> None:
    wrong = tmp_path / "wrong"
    wrong.write_text(content)
    with pytest.raises(WrongUsage, match="is no kubeconfig"):
        copy_kubeconfig([wrong], tmp_path / "copy")
