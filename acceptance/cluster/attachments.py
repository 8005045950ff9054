"""VolumeAttachments, as far as the suite reads them; only CSI drivers that attach volumes have them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from acceptance.cluster.api import Api
from acceptance.cluster.columns import Columns
from acceptance.cluster.objects import name_of, slim_metadata
from acceptance.cluster.resources import ATTACHMENTS, NODES, VOLUMES, Object


class AttachmentRow(NamedTuple):
    """A VolumeAttachment, and the name of its PV; empty if it has none."""

    name: str
    volume: str


def slim_attachment(attachment: Object) -> Object:
    """Return an attachment's PV, status and finalizers. Clusters have many attachments, and cannot filter them."""
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
    """Return the names of the attachments of these volumes, selected from those of the whole cluster.

    Raises ApiError, ApiUnreachable.
    """
    return [row.name for row in api.rows(COLUMNS) if row.volume in volumes] if volumes else []


def find_attachment(api: Api, name: str) -> Object | None:
    """Return the attachment, slim, or None if it does not exist.

    The request is a list with a selector, because the suite requires no permission to get attachments. Raises ApiError,
    ApiUnreachable.
    """
    attachments = api.list(ATTACHMENTS, fields=f"metadata.name={name}", slim=slim_attachment)
    return attachments[0] if attachments else None


@dataclass(frozen=True, kw_only=True)
class NodeAttachment:
    """The signs of a volume on a node: its attachments there, and its name in the node's status.

    `status_name`: that name, None for volumes of a kind that has none.
    """

    attachments: tuple[str, ...]
    status_name: str | None
    node: str

    def find_signs(self, api: Api) -> list[str]:
        """Return the signs that exist now, in words. Raises ApiError, ApiUnreachable."""
        signs = [
            f"VolumeAttachment {attachment}" for attachment in self.attachments if find_attachment(api, attachment)
        ]
        status = (api.find(NODES, self.node) or {}).get("status") or {}
        if self.status_name in [volume["name"] for volume in status.get("volumesAttached") or []]:
            signs.append("the volume in the node's status.volumesAttached")
        if self.status_name in (status.get("volumesInUse") or []):
            signs.append("the volume in the node's status.volumesInUse")
        return signs


def attached_to(api: Api, *, volume: str, node: str) -> NodeAttachment:
    """Return the signs of the volume on the only node that uses it. Raises ApiError, ApiUnreachable."""
    csi = api.get(VOLUMES, volume)["spec"].get("csi")
    return NodeAttachment(
        attachments=tuple(attachments_of(api, {volume})),
        # As the kubelet and the attach/detach controller name it in a node's status.
        status_name=f"kubernetes.io/csi/{csi['driver']}^{csi['volumeHandle']}" if csi else None,
        node=node,
    )
