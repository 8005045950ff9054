"""`make venv` installs the checkout itself: the same command as the wheel's, and no copies that grow old."""

from __future__ import annotations

import tomllib
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

from selftests.unit.docs_pages import ROOT


@pytest.mark.parametrize(("version", "copied"), [("standard", True), ("editable", False)])
def test_only_a_wheel_to_hand_on_has_copies(version: str, copied: bool) -> None:
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    hook = module_from_spec(spec)
    spec.loader.exec_module(hook)
    data: dict[str, Any] = {"force_include": {}}
    hook.WheelContents(str(ROOT), {}, None, None, str(ROOT), "wheel").initialize(version, data)
    assert set(data["force_include"]) == (set(hook.INSIDE) if copied else set())
    assert [name for name in hook.INSIDE if not (ROOT / name).exists()] == []


def test_pytest_finds_the_plugin_in_the_checkout() -> None:
    (named,) = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"][
        "pytest11"
    ].values()
    assert callable(import_module(named).pytest_addoption)


def test_the_environment_changes_no_other_session_of_pytest() -> None:
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nvenv:")[2].partition("\n\n")[0]
    assert "--editable ." in recipe and "PYTEST_ADDOPTS" not in recipe and ".pth" not in recipe
