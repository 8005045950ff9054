"""The cluster's own authorities, certificates and kubeconfigs."""

import base64
import datetime
import ipaddress
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from embedded_cluster.layout import Layout

# Long enough for a long soak test, and an end for a forgotten key.
_LIFETIME = datetime.timedelta(days=365)


def write_secret(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read, from its first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _name(common_name: str, organization: str | None) -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.COMMON_NAME, common_name)]
    if organization:
        attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(attributes)


def _certificate(subject: x509.Name, key: ec.EllipticCurvePrivateKey, issuer: x509.Name) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + _LIFETIME)
    )


@dataclass(frozen=True)
class KeyPair:
    """The files of a private key and its certificate."""

    key: Path
    certificate: Path


class Authority:
    """An authority that issues certificates; its own key is never written, so nothing can be issued after `up`."""

    def __init__(self, *, folder: Path, common_name: str) -> None:
        """Create the authority and write its certificate to `folder`/<common_name>.crt."""
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = _name(common_name, None)
        certificate = (
            _certificate(self._subject, self._key, self._subject)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        self.certificate = folder / f"{common_name}.crt"
        write_secret(self.certificate, certificate.public_bytes(serialization.Encoding.PEM))

    def issue(
        self,
        file: str,
        *,
        common_name: str,
        organization: str | None = None,
        addresses: Sequence[str] = (),
        names: Sequence[str] = (),
    ) -> KeyPair:
        """Issue a client certificate, which with `addresses` or `names` serves there too; in `folder`/<file>.crt."""
        key = ec.generate_private_key(ec.SECP256R1())
        purposes = [ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = _certificate(_name(common_name, organization), key, self._subject)
        if addresses or names:
            purposes.append(ExtendedKeyUsageOID.SERVER_AUTH)
            hosts: list[x509.GeneralName] = [x509.DNSName(name) for name in names]
            hosts += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
            builder = builder.add_extension(x509.SubjectAlternativeName(hosts), critical=False)
        certificate = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False).sign(
            self._key, hashes.SHA256()
        )
        pair = KeyPair(key=self.folder / f"{file}.key", certificate=self.folder / f"{file}.crt")
        write_secret(pair.key, _pem(key))
        write_secret(pair.certificate, certificate.public_bytes(serialization.Encoding.PEM))
        return pair


def write_signing_keys(folder: Path) -> KeyPair:
    """Write the pair that signs and checks service account tokens; its `certificate` is a bare public key."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    pair = KeyPair(key=folder / "service-account.key", certificate=folder / "service-account.pub")
    write_secret(pair.key, _pem(key))
    write_secret(pair.certificate, public)
    return pair


def write_kubeconfig(path: Path, *, layout: Layout, server: str, authority: Authority, client: KeyPair) -> Path:
    """Write a kubeconfig that needs no other file; JSON, which is YAML too. Return `path`."""

    def encode(file: Path) -> str:
        return base64.b64encode(file.read_bytes()).decode()

    context = f"storage-acceptance-{layout.name}"
    cluster = {"server": server, "certificate-authority-data": encode(authority.certificate)}
    user = {"client-certificate-data": encode(client.certificate), "client-key-data": encode(client.key)}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": context, "cluster": cluster}],
        "users": [{"name": context, "user": user}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": context}}],
        "current-context": context,
    }
    write_secret(path, json.dumps(content, indent=1).encode())
    return path
