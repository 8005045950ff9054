"""Names and labels: legal for the API server, and never the same for two things."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from hypothesis import assume, given
from hypothesis import strategies as st

from acceptance.cluster.objects import NAME_LENGTH, labels, metadata, new_run_id, object_name, run_namespace, run_of

DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?")
STARTED = datetime(2026, 11, 21, 7, 15, 2, tzinfo=UTC)
# What names are made of: a profile's or an object's name is never without a letter or digit.
parts = st.from_regex(r"\A[A-Za-z0-9][ -~]{0,80}\Z")


@given(st.lists(parts | st.text(max_size=300), max_size=4), parts)
def test_every_name_is_a_legal_dns_label(more: list[str], one: str) -> None:
    assert DNS_LABEL.fullmatch(object_name(*more, one))


@given(st.text(max_size=20), st.text(max_size=20))
def test_long_names_differ_where_the_inputs_do(first: str, second: str) -> None:
    assume(first != second)
    assert object_name("x" * 80, first) != object_name("x" * 80, second)


def test_a_short_name_stays_as_it_is() -> None:
    assert object_name("sync-write-iops", "local-path", "1") == "sync-write-iops-local-path-1"


def test_names_that_differ_only_in_what_is_not_allowed_do_not_collide() -> None:
    assert object_name("fast.ssd") != object_name("fast-ssd")
    assert re.fullmatch(r"fast-ssd-a-b-[0-9a-f]{8}", object_name("Fast.SSD", "a_b"))


def test_a_name_just_too_long_is_shortened_with_a_hash() -> None:
    assert object_name("a" * NAME_LENGTH) == "a" * NAME_LENGTH
    assert re.fullmatch(r"a{54}-[0-9a-f]{8}", object_name("a" * (NAME_LENGTH + 1)))


def test_run_ids_sort_by_time_and_differ_within_a_second() -> None:
    ids = {new_run_id(STARTED) for _ in range(20)}
    assert len(ids) == 20
    assert all(identifier.startswith("20261121-071502-") for identifier in ids)
    assert max(ids) < new_run_id(STARTED.replace(second=3))


def test_a_run_id_is_legal_as_a_label_and_in_the_name_of_its_namespace() -> None:
    run_id = new_run_id(STARTED)
    assert DNS_LABEL.fullmatch(run_namespace(run_id))
    assert all(LABEL_VALUE.fullmatch(value) for value in labels(run_id).values())


def test_a_namespace_is_a_runs_only_by_a_whole_id() -> None:
    run_id = new_run_id(STARTED)
    assert run_of(run_namespace(run_id)) == run_id
    for other in (
        run_id,
        f"storage-acceptance-{run_id}-reports",
        "storage-acceptance-archive",
        "storage-acceptance-",
        "",
    ):
        assert run_of(other) is None


def test_the_metadata_of_every_object_carries_the_runs_labels() -> None:
    found = metadata("data", run_id="r", annotations={"a": "b"})
    assert found == {
        "name": "data",
        "labels": {"storage-acceptance/run": "r", "app.kubernetes.io/managed-by": "storage-acceptance"},
        "annotations": {"a": "b"},
    }
