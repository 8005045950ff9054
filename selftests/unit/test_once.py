"""What takes long is done once, whether it goes well or not."""

from __future__ import annotations

import pytest

from acceptance.process.once import Once
from acceptance.text.errors import StorageFailure


def test_each_key_is_found_once_and_kept_once() -> None:
    asked: list[str] = []

    def find(key: str) -> int:
        asked.append(key)
        return len(asked)

    kept: list[int] = []
    found = Once(find, keep=kept.append)
    assert [found("a"), found("b"), found("a")] == [1, 2, 1]
    assert (asked, kept) == (["a", "b"], [1, 2])


def test_what_failed_is_not_tried_again() -> None:
    tries = 0

    def fail(key: str) -> int:
        nonlocal tries
        tries += 1
        raise StorageFailure(f"no {key}")

    kept: list[int] = []
    found = Once(fail, keep=kept.append)
    for _ in range(2):
        with pytest.raises(StorageFailure, match="no volume"):
            found("volume")
    assert (tries, kept) == (1, [])
