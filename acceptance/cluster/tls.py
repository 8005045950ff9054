"""TLS to an API server: whom it is trusted by, what a user shows it, and which errors do not pass by themselves."""

from __future__ import annotations

import base64
import binascii
import ssl
import tempfile
from pathlib import Path

from acceptance.process.private_folder import private_folder
from acceptance.text.errors import WrongUsage

_AS_DATA = "wanted PEM in base64, as `kubectl config view --raw` prints it"


def trusting(authority: str, place: str, *, insecure: bool = False) -> ssl.SSLContext:
    """Return settings by which a server is trusted that these certificates vouch for, or those of the system.

    `insecure`: any server is. As kubectl, it takes certificates that lack extensions which newer Pythons ask for.
    Raises WrongUsage, naming `place`, for what is no certificate.
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
        raise WrongUsage(f"{place}: wanted certificates in PEM, found none that can be read; correct it") from error
    return context


def authority_text(path: str, data: str, place: str) -> str:
    """Return the certificates of a file or of base64 data; nothing where both are empty. Raises WrongUsage."""
    # What is beside certificates in PEM may be in any language; OpenSSL's Python face takes ASCII alone.
    return content_of(path, data, place).decode("latin-1").encode("ascii", errors="replace").decode()


def content_of(path: str, data: str, place: str) -> bytes:
    """Return what is in a file, or in base64 data; nothing where both are empty. Raises WrongUsage, naming `place`."""
    if path and data:
        raise WrongUsage(f"{place} and {place.rpartition(' ')[2]}-data are both given; remove one")
    if data in OMITTED:
        raise WrongUsage(f"{place}-data: {_AS_DATA}, found what it prints without --raw; replace it")
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
        why = error.strerror if isinstance(error, OSError) else "it is no path"
        raise WrongUsage(f"{place}: {path} cannot be read: {why}; correct the path") from error


OMITTED = ("DATA+OMITTED", "REDACTED")
"""What kubectl prints in place of certificates, keys and tokens."""


def show_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes, place: str) -> None:
    """Have connections show a client certificate, which the key must fit. Raises WrongUsage, naming `place`."""
    with private_folder() as folder:  # OpenSSL reads them from files
        files = []
        for content in (certificate, key):
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                file.write(content)
            files.append(file.name)
        try:
            context.load_cert_chain(files[0], files[1], password="")  # or it would ask for one
        except (ssl.SSLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", None) or ""
            fits = "KEY_VALUES_MISMATCH" in reason or "KEY_TYPE_MISMATCH" in reason
            found = "a key that is not the certificate's" if fits else "other text, or a key with a passphrase"
            raise WrongUsage(
                f"{place}: wanted a client certificate and its key in PEM, found {found}; get both from whoever made "
                "the kubeconfig"
            ) from error


def lasting_reason(error: BaseException) -> str:
    """Return why no later try will do better, for an error of TLS that is about certificates or no TLS at all.

    Empty for anything else, such as a connection that broke off.
    """
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted: {cause.verify_message.rstrip('.')}"
        if isinstance(cause, ssl.SSLError) and not isinstance(cause, _PASSING):
            return f"no TLS with it: {(cause.reason or str(cause)).replace('_', ' ').lower()}"
    return ""


_PASSING = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


def _causes(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    left: list[object] = [error]
    while left:
        each = left.pop()
        if isinstance(each, BaseException) and each not in found:
            found.append(each)
            left += [each.__cause__, each.__context__, getattr(each, "reason", None), *each.args]
    return found
