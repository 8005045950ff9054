"""TLS to an API server: the certificates that it is trusted by, a user's own, and the errors that do not pass."""

from __future__ import annotations

import base64
import binascii
import ssl
import tempfile
from pathlib import Path

from acceptance.process.private_folder import private_folder
from acceptance.text.errors import WrongUsage

_AS_DATA = "expected PEM in base64, as `kubectl config view --raw` prints it"


def trusting(authority: str, place: str, *, insecure: bool = False) -> ssl.SSLContext:
    """Return settings that trust a server for which these certificates vouch, or those of the system.

    `insecure`: trust any server. As kubectl, the settings accept certificates that lack extensions which newer Pythons
    require. Raises WrongUsage, naming `place`, for text that is no certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if not authority:
        context.load_default_certs()
        return context
    try:
        context.load_verify_locations(cadata=authority)
    except (ssl.SSLError, ValueError) as error:
        raise WrongUsage(f"{place}: expected certificates in PEM, found none that is readable; correct it") from error
    return context


def authority_text(path: str, data: str, place: str) -> str:
    """Return the certificates of a file or of base64 data; nothing if both are empty. Raises WrongUsage."""
    # Text next to certificates in PEM may be in any language; Python's interface to OpenSSL accepts only ASCII.
    return content_of(path, data, place).decode("latin-1").encode("ascii", errors="replace").decode()


def content_of(path: str, data: str, place: str) -> bytes:
    """Return the content of a file, or of base64 data; nothing if both are empty. Raises WrongUsage, naming `place`."""
    if path and data:
        raise WrongUsage(f"{place} and {place.rpartition(' ')[2]}-data are both given; remove one")
    if data in OMISSION_MARKS:
        raise WrongUsage(f"{place}-data: {_AS_DATA}, found the placeholder that it prints without --raw; replace it")
    if data:
        try:
            return base64.b64decode("".join(data.split()), validate=True)
        except (binascii.Error, ValueError):
            raise WrongUsage(f"{place}-data: {_AS_DATA}, found other text; replace it") from None
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not a path"
        raise WrongUsage(f"{place}: {path} cannot be read: {why}; correct the path") from error


OMISSION_MARKS = ("DATA+OMITTED", "REDACTED")
"""The texts that kubectl prints in place of certificates, keys and tokens."""


def show_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes, place: str) -> None:
    """Have connections show a client certificate, which the key must fit. Raises WrongUsage, naming `place`."""
    with private_folder() as folder:  # OpenSSL reads them from files
        files = []
        for content in (certificate, key):
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                file.write(content)
            files.append(file.name)
        try:
            context.load_cert_chain(files[0], files[1], password="")  # or OpenSSL would ask the user for one
        except (ssl.SSLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or ""
            fits = "KEY_VALUES_MISMATCH" in reason or "KEY_TYPE_MISMATCH" in reason
            problem = "a key of another certificate" if fits else "other text, or a key with a passphrase"
            raise WrongUsage(
                f"{place}: expected a client certificate and its key in PEM, found {problem}; get both from the "
                "creator of the kubeconfig"
            ) from error


def lasting_reason(error: BaseException) -> str:
    """Return why no later try will do better, for an error of TLS that is about certificates or no TLS at all.

    Empty for anything else, such as a connection that broke off.
    """
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {cause.verify_message.rstrip('.')}"
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, _PASSING):
            return f"the TLS handshake failed: {(cause.reason or str(cause)).replace('_', ' ').lower()}"
    return ""


_PASSING = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


def _causes(error: BaseException) -> list[BaseException]:
    causes: list[BaseException] = []
    pending: list[object] = [error]
    while pending:
        item = pending.pop()
        if isinstance(item, BaseException) and item not in causes:
            causes.append(item)
            pending += [item.__cause__, item.__context__, getattr(item, "reason", None), *item.args]
    return causes
