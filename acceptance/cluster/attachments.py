"""Attachments of volumes to nodes, as far as the suite looks at them; only CSI drivers that attach have them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from acceptance.cluster.api import Api
from acceptance.cluster.columns import Columns
from acceptance.cluster.objects import name_of, slim_metadata
from acceptance.cluster.resources import ATTACHMENTS, NODES, VOLUMES, Object


class AttachmentRow(NamedTuple):
    """An attachment, and the name of the volume that it is of; empty for one that has no volume of its own."""

    name: str
    volume: str


def slim_attachment(attachment: Object) -> Object:
    """Which volume it is of, whether it is done, what holds it. Clusters have many, and they are not told apart."""
    return {
        "metadata": slim_metadata(attachment, "finalizers"),
        "spec": {"source": {"persistentVolumeName": _volume_of(attachment)}},
        "status": {"attached": bool((attachment.get("status") or {}).get("attached"))},
    }


def _volume_of(attachment: Object) -> str | None:
    return (attachment["spec"].get("source") or {}).get("persistentVolumeName")


def _row(attachment: Object) -> AttachmentRow:
    return AttachmentRow(name=name_of(attachment), volume=_volume_of(attachment) or "")


COLUMNS = Columns(resource=ATTACHMENTS, names=("Name", "PV"), row=AttachmentRow._make, of=_row)


def attachments_of(api: Api, volumes: Collection[str]) -> list[str]:
    """The names of the attachments of these volumes, found among those of the whole cluster.

    Raises ApiError, ApiUnreachable.
    """
    return [row.name for row in api.rows(COLUMNS) if row.volume in volumes] if volumes else []


def find_attachment(api: Api, name: str) -> Object | None:
    """The attachment, slim, or None where there is none. A list of that one: the suite asks for no right to get them.

    Raises ApiError, ApiUnreachable.
    """
    found = api.list(ATTACHMENTS, fields=f"metadata.name={name}", slim=slim_attachment)
    return found[0] if found else None


@dataclass(frozen=True, kw_only=True)
class Attached:
    """By what the cluster shows that a volume is on a node: its attachments there, and its name in the node's status.

    `named`: that name, None for volumes of a kind that has none.
    """

    attachments: tuple[str, ...]
    named: str | None
    node: str

    def seen(self, api: Api) -> list[str]:
        """What of it there is now, in words. Raises ApiError, ApiUnreachable."""
        found = [
            f"VolumeAttachment {attachment}" for attachment in self.attachments if find_attachment(api, attachment)
        ]
        status = (api.find(NODES, self.node) or {}).get("status") or {}
        if self.named in [each["name"] for each in status.get("volumesAttached") or []]:
            found.append("the volume in the node's status.volumesAttached")
        if self.named in (status.get("volumesInUse") or []):
            found.append("the volume in the node's status.volumesInUse")
        return found


def attached_to(api: Api, *, volume: str, node: str) -> Attached:
    """How the volume, which is in use on this node alone, can be seen there. Raises ApiError, ApiUnreachable."""
    csi = api.get(VOLUMES, volume)["spec"].get("csi")
    return Attached(
        attachments=tuple(attachments_of(api, {volume})),
        # As the kubelet and the attach/detach controller name it in a node's status.
        named=f"kubernetes.io/csi/{csi['driver']}^{csi['volumeHandle']}" if csi else None,
        node=node,
    )
