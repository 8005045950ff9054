"""What the report shows of storage classes and mounts holds no credentials."""

from __future__ import annotations

import pytest

from acceptance.credentials import shown_parameter, without_user


@pytest.mark.parametrize(
    "name", ["adminSecret", "csi.storage.k8s.io/node-stage-secret-name", "password", "apiToken", "restuserkey"]
)
def test_a_parameter_that_promises_a_secret_is_not_shown(name: str) -> None:
    assert "hunter2" not in shown_parameter(name, "hunter2")


def test_other_parameters_are_shown_without_the_user_in_their_urls() -> None:
    assert shown_parameter("fsType", "ext4") == "ext4"
    assert shown_parameter("resturl", "https://me:hunter2@heketi:8080/x") == "https://(not shown)@heketi:8080/x"


@pytest.mark.parametrize("text", ["nfs:/export", "/dev/sda1", "user@host:/export"])
def test_text_without_credentials_stays_as_it_is(text: str) -> None:
    assert without_user(text) == text
