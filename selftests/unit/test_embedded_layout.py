"""Where an embedded cluster keeps its files, and what it may be called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.text.errors import WrongUsage
from embedded_cluster.layout import Layout, cache_folder

NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?", fullmatch=True)

# The kernel's limit for the path of a unix socket, without its closing zero.
LONGEST_SOCKET = 107


@pytest.mark.parametrize("name", ["", "A", "1a", "-a", "a-", "a_b", "a/b", "..", "a" * 21, "a\n", "ä"])
def test_name_that_is_no_short_label_is_refused(name: str) -> None:
    with pytest.raises(WrongUsage, match="is not a cluster name"):
        Layout(name)


@given(NAMES)
def test_sockets_of_every_name_fit(name: str) -> None:
    node = Layout(name).node(200)
    for path in (node.containerd_socket, Layout(name).gluster_socket):
        assert len(str(path)) <= LONGEST_SOCKET


@given(NAMES)
def test_bridge_of_every_name_is_an_interface_name(name: str) -> None:
    assert len(Layout(name).bridge) <= 15


@given(NAMES, NAMES)
def test_names_share_nothing(one: str, other: str) -> None:
    if one != other:
        assert Layout(one).bridge != Layout(other).bridge
        assert not Layout(one).state.is_relative_to(Layout(other).state)
        assert not Layout(one).cgroup.startswith(f"{Layout(other).cgroup}/")


def test_cache_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(cache_folder()) == "/somewhere/storage-acceptance"
