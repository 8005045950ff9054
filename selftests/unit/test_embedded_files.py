"""The certificates and images that the embedded cluster makes."""

import hashlib
import io
import json
import shutil
import stat
import tarfile
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from embedded_cluster import images
from embedded_cluster.certificates import Authority, write_kubeconfig, write_signing_keys
from embedded_cluster.layout import Layout


def load(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def usages(certificate: x509.Certificate) -> set[x509.ObjectIdentifier]:
    return set(certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value)


def test_certificate_is_of_its_authority_alone(tmp_path: Path) -> None:
    one, other = (Authority(folder=tmp_path, common_name=name) for name in ("one", "other"))
    certificate = load(one.issue("client", common_name="client").certificate)
    certificate.verify_directly_issued_by(load(one.certificate))
    with pytest.raises(ValueError, match="does not match certificate issuer"):
        certificate.verify_directly_issued_by(load(other.certificate))


def test_node_has_the_identity_that_node_authorization_knows(tmp_path: Path) -> None:
    pair = Authority(folder=tmp_path, common_name="ca").issue(
        "node", common_name="system:node:a", organization="system:nodes"
    )
    subject = load(pair.certificate).subject
    assert subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "system:node:a"
    assert subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)[0].value == "system:nodes"


def test_only_a_server_may_serve(tmp_path: Path) -> None:
    authority = Authority(folder=tmp_path, common_name="ca")
    assert usages(load(authority.issue("client", common_name="c").certificate)) == {ExtendedKeyUsageOID.CLIENT_AUTH}
    server = load(authority.issue("server", common_name="s", addresses=["10.0.0.1"], names=["s"]).certificate)
    assert ExtendedKeyUsageOID.SERVER_AUTH in usages(server)
    names = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.1"]


def test_all_that_is_written_is_private(tmp_path: Path) -> None:
    authority = Authority(folder=tmp_path, common_name="ca")
    client = authority.issue("client", common_name="client")
    write_signing_keys(tmp_path)
    write_kubeconfig(
        tmp_path / "kubeconfig", layout=Layout("x"), server="https://s", authority=authority, client=client
    )
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_authority_does_not_write_its_key(tmp_path: Path) -> None:
    Authority(folder=tmp_path, common_name="ca")
    assert [path.name for path in tmp_path.iterdir()] == ["ca.crt"]


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    (tmp_path / "busybox").write_text("busybox")
    (tmp_path / "fio").write_text("fio")
    monkeypatch.setattr(images, "run", lambda _command: "sh\ncat\nbusybox\n")
    return {"usr/bin/fio": tmp_path / "fio", "usr/bin/busybox": tmp_path / "busybox"}


def test_the_image_holds_every_load_generator_with_its_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    ldd = {
        "/usr/bin/fio": "\tlinux-vdso.so.1 (0x1)\n\tlibaio.so.1 => /lib/x/libaio.so.1 (0x2)\n\t/lib64/ld.so.2 (0x3)\n",
        "/opt/bin/sysbench": "\tlibaio.so.1 => /lib/x/libaio.so.1 (0x2)\n\tlibpq.so.5 => /usr/lib/x/libpq.so.5 (0x2)\n",
    }
    monkeypatch.setattr(shutil, "which", {Path(each).name: each for each in ldd}.get)
    monkeypatch.setattr(images, "run", lambda command: ldd[str(command[1])])
    programs = {"usr/bin/fio", "usr/bin/sysbench", "usr/bin/busybox"}
    libraries = {"usr/lib/x/libaio.so.1", "usr/lib/x/libpq.so.5", "usr/lib64/ld.so.2"}
    assert set(images.load_generators()) == programs | libraries
    assert images.load_generators()["usr/bin/sysbench"] == Path("/opt/bin/sysbench")


def test_same_inputs_give_the_same_bytes(tmp_path: Path, inputs: dict[str, Path]) -> None:
    archives = [tmp_path / "one.tar", tmp_path / "two.tar"]
    for archive in archives:
        images._write(archive, reference="r:1", files=inputs)
        inputs["usr/bin/fio"].touch()
    assert archives[0].read_bytes() == archives[1].read_bytes()
    inputs["usr/bin/fio"].write_text("another")
    images._write(archives[1], reference="r:1", files=inputs)
    assert archives[0].read_bytes() != archives[1].read_bytes()


def test_archive_holds_what_its_index_says(tmp_path: Path, inputs: dict[str, Path]) -> None:
    images._write(tmp_path / "images.tar", reference="r:1", files=inputs)
    with tarfile.open(tmp_path / "images.tar") as archive:
        content = {member.name: archive.extractfile(member) for member in archive.getmembers()}
        blobs = {name: file.read() for name, file in content.items() if file}
    index = json.loads(blobs["index.json"])
    assert [entry["annotations"]["io.containerd.image.name"] for entry in index["manifests"]] == ["r:1", images.PAUSE]
    for name, blob in blobs.items():
        if name.startswith("blobs/"):
            assert hashlib.sha256(blob).hexdigest() == name.rpartition("/")[2]
    manifest = json.loads(blobs[f"blobs/sha256/{index['manifests'][0]['digest'].removeprefix('sha256:')}"])
    config = json.loads(blobs[f"blobs/sha256/{manifest['config']['digest'].removeprefix('sha256:')}"])
    assert config["config"]["User"] == "65532:65532"
    layer = blobs[f"blobs/sha256/{manifest['layers'][0]['digest'].removeprefix('sha256:')}"]
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        assert tar.getmember("usr/bin/sh").linkname == "busybox"
        assert tar.getmember("tmp").mode == 0o1777
        assert {(member.uid, member.gid, member.mtime) for member in tar.getmembers()} == {(0, 0, 0)}
