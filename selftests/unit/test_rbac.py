"""What the suite asks of its account, what `deploy/` grants, and what the page on running it says are the same."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from selftests.lab.accounts import ACCOUNT, Grant, all_documents, asked, documents, granted

PAGE = (Path(__file__).parents[2] / "docs/running.md").read_text(encoding="utf-8")
ACCOUNT_SUBJECT = {"kind": "ServiceAccount", "name": ACCOUNT, "namespace": ACCOUNT}


def listed() -> dict[str, set[tuple[str, str]]]:
    """The page's table: by role, each kind of object with each verb."""
    found: dict[str, set[tuple[str, str]]] = {}
    for line in PAGE.partition("| objects |")[2].partition("\n\n")[0].splitlines()[2:]:
        kinds, verbs, role = (cell.strip() for cell in line.strip("|").split("|"))
        name = re.fullmatch(r"`([a-z-]+)`.*", role)
        assert name, line
        pairs = {(kind, verb) for kind in kinds.split(", ") for verb in re.findall(r"\b[a-z]+\b", verbs)}
        found.setdefault(name[1], set()).update(pairs)
    return found


@pytest.mark.parametrize("role", sorted({*asked(), *granted(all_documents())}))
def test_a_role_grants_what_the_suite_asks_for_and_no_more(role: str) -> None:
    rules = granted(all_documents()).get(role, [])
    assert sorted(rules) == sorted(asked().get(role, [])), (
        "permissions.py and deploy/ differ" if Counter(rules).most_common(1)[:1] else "deploy/ has no such role"
    )


@pytest.mark.parametrize("role", sorted({*asked()} - {f"{ACCOUNT}-rebuild"}))
def test_the_page_lists_the_same(role: str) -> None:
    assert listed().get(role) == {(_shown(each), each.verb) for each in asked()[role]}


def test_the_page_lists_no_other_role() -> None:
    assert listed().keys() <= asked().keys()


def test_every_role_is_bound_to_the_account_and_to_nobody_else() -> None:
    objects = all_documents()
    roles = {(each["kind"], each["metadata"]["name"]) for each in objects if each["kind"] in ("Role", "ClusterRole")}
    bindings = [each for each in objects if each["kind"].endswith("Binding")]
    assert {(binding["roleRef"]["kind"], binding["roleRef"]["name"]) for binding in bindings} == roles
    assert all(binding["subjects"] == [ACCOUNT_SUBJECT] for binding in bindings)


def test_the_first_file_asks_for_no_namespace_but_its_own() -> None:
    """It can be applied to any cluster, whatever storage is there."""
    namespaces = {document["metadata"].get("namespace") for document in documents("rbac.yaml")} - {None}
    assert namespaces == {ACCOUNT}


def test_no_rule_is_for_everything() -> None:
    for document in all_documents():
        for rule in document.get("rules", []):
            assert "*" not in [word for words in rule.values() for word in words], document["metadata"]["name"]


def _shown(grant: Grant) -> str:
    return f"{grant.resource}.{grant.group}" if grant.group else grant.resource
