"""Credentials are not shown: those of parameters and kubeconfigs that are known, and what is written like one."""

from __future__ import annotations

import base64
import html
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acceptance.text import redaction
from acceptance.text.redaction import (
    redact,
    remember,
    remember_pull_secret,
    remember_secrets,
    shown_parameter,
)
from acceptance.text.sanitizing import sanitize
from selftests.bounds import HANGS_S

CANARY = "canary-4f3a9c71"


@pytest.fixture(autouse=True)
def _nothing_known() -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    """As in a process that has just begun."""
    redaction._secret_spellings.clear()
    redaction._any_known = None


@pytest.mark.parametrize(
    "name",
    [
        "adminSecret",
        "password",
        "apiToken",
        "restuserkey",
        "accessKey",
        "secretAccessKey",
        "encryptionPassphrase",
        "auth",
    ],
)
def test_a_parameter_that_promises_a_secret_is_not_shown(name: str) -> None:
    assert "hunter2" not in shown_parameter(name, "hunter2")


@pytest.mark.parametrize(
    "name",
    [
        "csi.storage.k8s.io/node-stage-secret-name",
        "csi.storage.k8s.io/node-stage-secret-namespace",
        "adminSecretName",
        "secretNamespace",
        "fsType",
    ],
)
def test_a_reference_to_a_secret_is_shown(name: str) -> None:
    assert shown_parameter(name, "rook-csi") == "rook-csi"


def test_other_parameters_are_shown_without_the_user_in_their_urls() -> None:
    assert shown_parameter("resturl", "https://me:hunter2@heketi:8080/x") == "https://(not shown)@heketi:8080/x"


@pytest.mark.parametrize(
    "text",
    [
        "nfs:/export",
        "/dev/sda1",
        "user@host:/export",
        'secret "rook-csi-rbd-node" not found',
        "the token of the account is not accepted",
        "adminSecretName=rook-csi",
        "write.iops of sync-write-iops on fast is 1,204 IOPS (99% CI 1,131 IOPS to 1,281 IOPS)",
        "get, create on secrets (only with --storage-pods pull-secret)",
        "tests/test_provisioning.py::test_claim_binds[fast]",
    ],
)
def test_text_without_credentials_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "mount -o user=admin,password={} failed",
        "GET https://registry/v2/?access_token={}&x=1",
        'bad request: {{"clientSecret": "{}"}}',
        "Authorization: Basic {}",
        "Authorization: Bearer {}{}",
        "provisioner said: passphrase: {}",
        "`curl --token {} https://store` ended with status 1",
        "  client-key-data: {}",
        "https://me:{}@proxy:3128 refused",
        "https://me:{}@{}@proxy:3128 refused",
        "node.session.auth.password = {}",
        "password = {}",
        "password:{}",
        "X-Auth-Token: {}",
        "AWS_SECRET_ACCESS_KEY = {}",
        "AccountName=a;AccountKey={};EndpointSuffix=b",
        "https://store/x?sv=1&sig={}",
        "mount.cifs -o user=a,pass={}",
        "pwd={}",
        "Authorization: Token {}",
    ],
)
def test_what_is_written_like_a_credential_is_not_shown(text: str) -> None:
    told = redact(text.format(CANARY, CANARY))
    assert CANARY not in told and "(not shown)" in told
    assert redact(told) == told


def test_private_keys_and_tokens_are_known_by_their_form() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nAAAA\n-----END RSA PRIVATE KEY-----"
    token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzdWl0ZSJ9.c2lnbmF0dXJl"
    ceph = f"AQ{'B' * 36}=="
    aws, github = "AKIAIOSFODNN7EXAMPLE", f"ghp_{'a1' * 18}"
    told = redact(f"a {key} b {token} c {ceph} d {aws} e {github} f")
    assert told == "a (not shown) b (not shown) c (not shown) d (not shown) e (not shown) f"
    assert redact("-----BEGIN PRIVATE KEY-----\nMIIEow, cut off") == "(not shown)"


@given(secret=st.text(min_size=8, max_size=40).filter(lambda text: len(text.strip()) >= 8), around=st.text(max_size=20))
def test_what_is_remembered_is_found_however_it_is_written(secret: str, around: str) -> None:
    forget()
    remember(secret)
    secret = secret.strip()
    encoded = base64.b64encode(secret.encode(errors="replace")).decode()
    for written in (secret, json.dumps(secret)[1:-1], repr(secret)[1:-1], html.escape(secret), encoded):
        assert written not in redact(f"{around}\n{written}\n{around}").replace("(not shown)", "")


@given(text=st.text(max_size=200))
def test_what_is_left_out_once_is_left_out_for_good(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


def test_short_words_are_not_looked_for() -> None:
    remember("fast")
    assert redact("class fast") == "class fast"


def test_a_key_in_base64_is_not_shown_in_clear_either() -> None:
    pem = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIBkg\nQ0FOQVJZLUxJTkU\n-----END EC PRIVATE KEY-----\n"
    remember(base64.b64encode(pem.encode()).decode())
    assert "Q0FOQVJZLUxJTkU" not in redact("openssl: unexpected Q0FOQVJZLUxJTkU")


def test_parameters_are_remembered_by_their_names() -> None:
    remember_secrets({"adminSecret": CANARY, "pool": "replicapool", "url": "https://me:hunter2hunter2@store"})
    assert redact(f"{CANARY} replicapool hunter2hunter2") == "(not shown) replicapool (not shown)"


def test_a_large_output_takes_no_time() -> None:
    """fio's output is many megabytes; in a process of its own, so that it can be ended."""
    code = (
        "import time\nfrom acceptance.text.redaction import redact, remember\nremember('x' * 900)\n"
        'text = \'{"jobname": "a", "secretsecretsecret", \' * 100_000 + \'a\' * 1_000_000\n'
        "began = time.process_time()\nredact(text)\nprint(time.process_time() - began)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, timeout=HANGS_S, check=True
    )
    assert float(done.stdout) < 20


def test_what_was_shown_before_is_not_shown_once_it_is_known_to_be_a_secret() -> None:
    text = "it says kestrel-heather-92"
    assert sanitize(text) == text
    remember("kestrel-heather-92")
    assert "kestrel" not in sanitize(text)


def test_each_login_of_a_pull_secret_is_not_shown() -> None:
    login = {"username": "ops", "password": "pull-hunter2", "auth": base64.b64encode(b"ops:pull-hunter2").decode()}
    content = json.dumps({"auths": {"registry.example.com": login, "other": {"identitytoken": "idtoken-4711"}}})
    remember_pull_secret({".dockerconfigjson": base64.b64encode(content.encode()).decode(), "odd": "bm8ganNvbg=="})
    told = redact(f"401 for pull-hunter2 with {login['auth']} and idtoken-4711")
    assert told == "401 for (not shown) with (not shown) and (not shown)"
