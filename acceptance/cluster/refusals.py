"""The meaning of a provisioner's event about a refused claim: by its gRPC code, not by words that sound like a reason.

Sources: the codes of CreateVolume in https://github.com/container-storage-interface/spec/blob/master/spec.md; the form
of events in `controller/controller.go` of sig-storage-lib-external-provisioner. Provisioners that are no CSI drivers
have no codes; their messages are matched as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

FINAL_CODES = ("InvalidArgument", "Unimplemented")
"""Codes with which the driver refuses the request itself, whatever the state of its storage."""

_PREFIX = re.compile(
    r'^(?:\(combined from similar events\): )?(?:[Ff]ailed to provision volume with StorageClass "[^"]*": )?'
)
_CODE_AND_WORDS = re.compile(r"rpc error: code = (\w+) desc = (.*)", re.DOTALL)
# Names that controllers give to a volume, a snapshot or its content.
_GENERATED_NAME = re.compile(r"[\w-]*[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

# Together with a code of FINAL_CODES: which part of the request the driver refuses.
_ACCESS = re.compile(
    r"access[ _-]?modes?|(?:multi|single)[ _-]?(?:node|writer)|ReadWriteMany|ReadOnlyMany|ReadWriteOncePod|"
    r"\b(?:RWX|ROX|RWOP)\b|capabilit",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"\bblock\b(?![ _-]?size)|volume[ _-]?mode|access[ _-]?type|capabilit", re.IGNORECASE)
_COPY = re.compile(r"\bclon(?:e|es|ing)\b|(?:content|data)[ _]?source", re.IGNORECASE)
_SIZE = re.compile(r"\b(?:size|capacity)\b", re.IGNORECASE)
_SOURCE = re.compile(r"\b(?:source|snapshot|clone|original|parent|origin)\b", re.IGNORECASE)
_COPIES = re.compile(r"\b(?:snapshots?|clones?|child|children|depend[ae]nts?)\b", re.IGNORECASE)
_NO_SPACE = re.compile(r"\b(?:free|space|available|availability|insufficient|exhausted|quota|pool)\b", re.IGNORECASE)

# Messages without a code, as a whole.
_LISTED_MODES = re.compile(
    r"invalid access ?modes:? \[[\w ]*\][:,] "
    r"(?:only AccessModes|supported access modes:) \[([\w ]*)\](?: are supported)?",
    re.IGNORECASE,
)
_WITH_NAMED_MODES = re.compile(r"(?:NodePath )?only supports? ([\w .()+]+?) access modes?", re.IGNORECASE)
_NO_BLOCK = re.compile(r"\S+ does not support block volume provisioning")
# Of Kubernetes' admission plugin PersistentVolumeClaimResize. Others forbid for reasons of their own, such as a quota.
_NO_GROWTH = "the storageclass that provisions the pvc must support resize"
_NO_SUCH_COPY = {
    "PersistentVolumeClaim": "CSI driver does not support clone operations: ",
    "VolumeSnapshot": "CSI driver does not support snapshot restore: ",
}


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A refused claim. `code`: the driver's gRPC code, None if there is none; `words`: the rest, without names."""

    code: str | None
    words: str

    @property
    def is_final(self) -> bool:
        """Return whether the request can never succeed as it is."""
        return self.code in FINAL_CODES


def read_refusal(message: str, *, names: Iterable[str]) -> Refusal:
    """Read the message of an event ProvisioningFailed. `names`: names of objects in it, which tell no reason."""
    text = _PREFIX.sub("", message, count=1).strip()
    match = _CODE_AND_WORDS.fullmatch(text)
    code, words = (match[1], match[2]) if match else (None, text)
    for name in sorted(filter(None, names), key=len, reverse=True):
        words = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", "NAME", words)
    return Refusal(code=code, words=_GENERATED_NAME.sub("NAME", words))


def refuses_access_mode(refusal: Refusal, mode: str) -> bool:
    """Return whether the storage has no volumes of that access mode, spelled as in `ReadWriteMany`."""
    if refusal.code is not None:
        return refusal.is_final and _ACCESS.search(refusal.words) is not None
    match = _LISTED_MODES.fullmatch(refusal.words) or _WITH_NAMED_MODES.fullmatch(refusal.words)
    return match is not None and mode not in re.findall(r"\w+", match[1])


def refuses_block(refusal: Refusal) -> bool:
    """Return whether the storage has no raw block volumes."""
    if refusal.code is not None:
        return refusal.is_final and _BLOCK.search(refusal.words) is not None
    return _NO_BLOCK.fullmatch(refusal.words) is not None


def refuses_copy(refusal: Refusal, source_kind: str) -> bool:
    """Return whether the storage fills no volume from a source of that kind: the driver lacks the capability."""
    if refusal.code is not None:
        return refusal.code == "Unimplemented" and _COPY.search(refusal.words) is not None
    return source_kind in _NO_SUCH_COPY and refusal.words.startswith(_NO_SUCH_COPY[source_kind])


def refuses_larger_copy(refusal: Refusal) -> bool:
    """Return whether the storage creates no copy larger than its source.

    The specification gives OutOfRange to that, and drivers give it also to a pool without room, which is another case.
    """
    if refusal.code != "OutOfRange" and not refusal.is_final:
        return False
    words = refusal.words
    return bool(_SIZE.search(words) and _SOURCE.search(words) and not _NO_SPACE.search(words))


def refuses_because_of_copies(message: str, *, names: Iterable[str]) -> bool:
    """Return whether a driver refuses to delete or to expand a volume because it has snapshots or clones.

    `message`: of the event. The specification gives FailedPrecondition to that, and also to a volume in use.
    """
    refusal = read_refusal(message[max(message.find("rpc error: "), 0) :], names=names)
    return refusal.code in ("FailedPrecondition", *FINAL_CODES) and _COPIES.search(refusal.words) is not None


def refuses_growth(status: int, message: str) -> bool:
    """Return whether the API server refuses a larger size because of the volume, and not because of the account."""
    return status == 422 or (status == 403 and _NO_GROWTH in message)
