"""pytest's own reporters, fed with whatever a test may say: page, JUnit file and terminal show text, and that alone."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from selftests.bounds import HANGS_S

ROOT = Path(__file__).parents[2]
CANARY = "canary-4f3a9c71"
HOSTILE = (
    "<script>document.title='ran'</script>",
    "\"'><img src=x onerror=alert(1)>",
    "]]><!--",
    "\x1b[2J\x1b]0;title\x07\x00\x0b\x85",
    "\n::error::not a command\n##vso[task.complete]",
    "\u202e\udcff\ufffe",
    f"password={CANARY} --token {CANARY}",
)
# A test file whose tests say each of them in every way in which a test can say something.
TESTS = f"""
import logging, sys, warnings
import pytest

HOSTILE = {HOSTILE!r}
PRINTED = [text.encode("utf-8", "replace").decode() for text in HOSTILE]

@pytest.mark.parametrize("text", PRINTED)
def test_fails(text, record_property):
    record_property("reason", text)
    print(text)
    logging.getLogger("a").warning(text)
    secret = "{CANARY}-in-a-variable"
    raise RuntimeError(text)

@pytest.mark.parametrize("text", PRINTED)
def test_is_skipped(text):
    pytest.skip(text)

@pytest.fixture
def broken(text):
    raise OSError(text)

@pytest.mark.parametrize("text", PRINTED)
def test_errs(broken, text):
    pass

def test_is_talked_about_by_the_client():
    logging.getLogger("kubernetes.client.rest").debug("response body: {CANARY}-in-an-answer")
    assert False
"""


@dataclass(frozen=True, kw_only=True)
class Session:
    """What a session of pytest left."""

    output: str
    page: str
    junit: str


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The tests above, with the plugin, and with the options that show most."""
    folder = tmp_path_factory.mktemp("session")
    (folder / "test_hostile.py").write_text(TESTS, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\njunit_family = xunit1\n", encoding="utf-8")
    options = ["--showlocals", "--tb=long", "--full-trace", "-rA", "-vv", "--log-level=DEBUG", "--self-contained-html"]
    files = [f"--html={folder}/page.html", f"--junitxml={folder}/junit.xml"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "fixtures.outward",
            "-p",
            "fixtures.users_plugins",
            *options,
            *files,
            str(folder),
        ],
        cwd=ROOT,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": str(ROOT),
            "JENKINS_URL": "x",
            "BUILD_URL": f"https://ci:{CANARY}@ci/",
        },
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return Session(
        output=done.stdout,
        page=(folder / "page.html").read_text(encoding="utf-8"),
        junit=(folder / "junit.xml").read_text(encoding="utf-8"),
    )


class Tags(HTMLParser):
    """The tags of a piece of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)


def printed(session: Session) -> str:
    """Without the names of these tests: their parameters are the user's own words, and pytest has them printable."""
    return re.sub(r"test_\w+\[[^\n]*", "", session.output)


def rows(session: Session) -> list[dict[str, Any]]:
    """What the page's script makes its table of."""
    blob = re.search(r'data-jsonblob="([^"]*)"', session.page)
    assert blob
    tests = json.loads(html.unescape(blob[1]))["tests"]
    return [row for rows in tests.values() for row in rows]


def paged(session: Session) -> str:
    """The page, its names of tests left out."""
    blob = re.sub(r'data-jsonblob="[^"]*"', "", session.page)
    return blob + "".join(row["log"].replace(row["testId"], "") for row in rows(session))


def in_junit(session: Session) -> str:
    """All texts and properties."""
    root = ElementTree.fromstring(session.junit)
    properties = [each.attrib["value"] for each in root.iter("property")]
    return "".join([*root.itertext(), *properties, *(each.get("message", "") for each in root.iter())])


def test_nothing_that_a_test_says_becomes_markup(session: Session) -> None:
    assert len(rows(session)) == 3 * len(HOSTILE) + 1
    for row in rows(session):
        assert Tags("".join(row["resultsTableRow"])).found == ["td"] * 4
        assert Tags(row["log"]).found == []
    assert Tags(session.page).found.count("script") == 1


def test_the_junit_file_can_be_read_and_holds_the_texts(session: Session) -> None:
    root = ElementTree.fromstring(session.junit)
    assert root[0].attrib["failures"] == str(len(HOSTILE) + 1)
    assert "\\x1b[2J" in in_junit(session) and HOSTILE[0] in in_junit(session)


def test_the_terminal_is_not_moved_and_no_command_is_given(session: Session) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", session.output)
    assert not re.search(r"^\s*::|##\w*\[", printed(session), re.MULTILINE)


@pytest.mark.parametrize("part", [printed, paged, in_junit])
def test_no_credential_is_in_it(session: Session, part: Callable[[Session], str]) -> None:
    assert "(not shown)" in part(session)
    assert CANARY not in part(session)
