"""What a provisioner's refusal means: a missing capability, a claim that can never be, or nothing certain yet.

Messages are those of real drivers: ceph-csi, hcloud, democratic-csi, lvm drivers, local-path, in-tree plugins.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from acceptance.cluster.api import Api
from acceptance.cluster.claims import Claim, DataSource, NeverBound, failed_for_good
from acceptance.cluster.refusals import read_refusal, refuses_growth
from acceptance.cluster.resources import Object
from acceptance.text.errors import Unsupported

RESIZE = "the storageclass that provisions the pvc must support resize"
CLAIM = Claim(name="run-claim", namespace="run", storage_class="fast", size=1, run_id="r")
SHARED = replace(CLAIM, access_mode="ReadWriteMany")
BLOCK = replace(CLAIM, block=True)
PVC = DataSource(kind="PersistentVolumeClaim", name="clone-source", smaller=True)
LARGER = replace(CLAIM, name="larger-clone", source=PVC)
CLONE = replace(CLAIM, source=replace(PVC, smaller=False))
RESTORED = replace(CLAIM, source=DataSource(kind="VolumeSnapshot", name="snap", group="snapshot.storage.k8s.io"))


class Events:
    """An API server that has these events about the claim."""

    def __init__(self, *events: Object) -> None:
        self._events = list(events)

    def list(self, *_: object, **__: object) -> list[Object]:
        return list(self._events)


def warning(message: str, *, times: int = 1, at: int = 0, reason: str = "ProvisioningFailed") -> Object:
    stamp = f"2026-01-01T00:00:{at:02}Z"
    return {"type": "Warning", "reason": reason, "message": message, "count": times, "lastTimestamp": stamp}


def csi(code: str, words: str, *, storage_class: str = "fast") -> str:
    return f'failed to provision volume with StorageClass "{storage_class}": rpc error: code = {code} desc = {words}'


def outcome(claim: Claim, *events: Object) -> Any:
    return failed_for_good(cast(Api, Events(*events)), claim)


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (SHARED, csi("InvalidArgument", "multi node access modes are only supported on rbd `block` type volumes")),
        (SHARED, csi("InvalidArgument", "Volume capabilities not supported")),
        (SHARED, csi("InvalidArgument", "capability at index 0 is not supported")),
        (SHARED, csi("InvalidArgument", "invalid access_mode, MULTI_NODE_MULTI_WRITER")),
        (SHARED, "(combined from similar events): " + csi("Unimplemented", "ReadWriteMany volumes")),
        (SHARED, "NodePath only supports ReadWriteOnce and ReadWriteOncePod (1.22+) access modes"),
        (SHARED, 'failed to provision volume with StorageClass "fast": Only support ReadWriteOnce access mode'),
        (
            SHARED,
            'Failed to provision volume with StorageClass "fast": invalid AccessModes [ReadWriteMany]: only '
            "AccessModes [ReadWriteOnce ReadWriteOncePod] are supported",
        ),
        (SHARED, "Invalid Access Modes: [ReadWriteMany], Supported Access Modes: [ReadWriteOnce]"),
        (replace(CLAIM, access_mode="ReadOnlyMany"), csi("InvalidArgument", "invalid access mode: ReadOnlyMany")),
        (BLOCK, "rancher.io/local-path does not support block volume provisioning"),
        (BLOCK, csi("InvalidArgument", "block volumes are not supported")),
        (BLOCK, csi("InvalidArgument", "Volume capability is not compatible: access type")),
        (CLONE, "CSI driver does not support clone operations: controller CLONE_VOLUME capability is not reported"),
        (CLONE, csi("Unimplemented", "clone is not implemented")),
        (
            RESTORED,
            'failed to provision volume with StorageClass "fast": CSI driver does not support snapshot restore: '
            "controller CREATE_DELETE_SNAPSHOT capability is not reported",
        ),
        (LARGER, csi("OutOfRange", "requested size 2147483648 differs from that of the source volume 1073741824")),
        (LARGER, csi("InvalidArgument", "size of target volume (2147483648 bytes) is different than size of source")),
    ],
)
def test_a_driver_that_refuses_the_request_itself_lacks_the_capability(claim: Claim, said: str) -> None:
    error = outcome(claim, warning(said))
    assert type(error) is Unsupported and str(error).startswith("capability '"), error


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        # No room is no refusal, whatever else the message names and whichever code the driver gives it.
        (LARGER, csi("OutOfRange", "requested size is larger than the free space")),
        (LARGER, csi("OutOfRange", "insufficient free space")),
        (LARGER, csi("OutOfRange", "size of the clone is larger than the free space")),
        (LARGER, csi("ResourceExhausted", "no pool has room for a volume of the size of the source")),
        (LARGER, "the pool is offline, size of source differs"),
        # Its own names say nothing about the class.
        (replace(SHARED, storage_class="rwx-fast"), csi("Internal", "ReadWriteMany", storage_class="rwx-fast")),
        (
            replace(SHARED, storage_class="rwx-fast"),
            csi("Unavailable", "cannot connect, unsupported TLS version", storage_class="rwx-fast"),
        ),
        (replace(LARGER, storage_class="same-size"), csi("Aborted", "busy", storage_class="same-size")),
        (SHARED, csi("DeadlineExceeded", "access mode not supported")),
        (SHARED, csi("Internal", "rpc error: code = InvalidArgument desc = access mode")),
        # A mode that is among those that are supported is not what is wrong.
        (
            replace(CLAIM, access_mode="ReadWriteOncePod"),
            "invalid AccessModes [ReadWriteMany]: only AccessModes [ReadWriteOnce ReadWriteOncePod] are supported",
        ),
        (SHARED, "unsupported access modes in the helper's log"),
        (BLOCK, csi("NotFound", "block device not found")),
        (CLONE, csi("NotFound", "the source to clone was not found")),
        (CLONE, "CSI driver does not support snapshot restore: controller CREATE_DELETE_SNAPSHOT capability"),
        (CLAIM, csi("NotFound", "pool is not found")),
        (CLAIM, csi("ResourceExhausted", "invalid size: exceeded quota")),
        (CLAIM, 'storageclass.storage.k8s.io "fast" not found'),
    ],
)
def test_what_is_not_certain_is_waited_for(claim: Claim, said: str) -> None:
    assert outcome(claim, warning(said, times=9)) is None


@pytest.mark.parametrize("claim", [CLAIM, SHARED, BLOCK, LARGER, replace(SHARED, storage_class="rwx-fast")])
def test_a_refusal_of_something_else_fails_when_it_is_repeated(claim: Claim) -> None:
    said = csi("InvalidArgument", f"parameter replicas is wrong in StorageClass {claim.storage_class}, block size 512")
    assert outcome(claim, warning(said)) is None
    assert type(outcome(claim, warning(said, times=2))) is NeverBound
    assert type(outcome(claim, warning(said, at=1), warning(said + " again", at=2))) is NeverBound


def test_a_refusal_that_another_message_followed_does_not_end_the_wait() -> None:
    refused = warning(csi("InvalidArgument", "wrong parameter"), times=5, at=1)
    assert outcome(CLAIM, warning(csi("Aborted", "restarting"), at=2), refused) is None
    assert type(outcome(CLAIM, refused, warning("no", at=2, reason="Other"))) is NeverBound


@pytest.mark.parametrize(
    ("status", "said", "of_the_volume"),
    [
        (403, "only dynamically provisioned pvc can be resized and " + RESIZE, True),
        (403, 'persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: requests.storage=1Gi', False),
        (403, 'User "suite" cannot patch resource "persistentvolumeclaims"', False),
        (422, "spec.resources.requests.storage: Forbidden", True),
        (409, RESIZE, False),
    ],
)
def test_a_quota_does_not_say_that_a_volume_cannot_grow(status: int, said: str, of_the_volume: bool) -> None:
    assert refuses_growth(status, said) is of_the_volume


def test_names_are_no_words() -> None:
    said = csi("InvalidArgument", "snapshot-0e0f1a2b-0c1d-4e5f-8a9b-0c1d2e3f4a5b of rwx-fast, rwx-fast-2: wrong size")
    refusal = read_refusal(said, names=["rwx-fast"])
    assert (refusal.code, refusal.words) == ("InvalidArgument", "NAME of NAME, rwx-fast-2: wrong size")
