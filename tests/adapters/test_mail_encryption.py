"""Mails over STARTTLS: to a server whose certificate is trusted, and to no other."""

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.mail_server import Inbox, mail_server
from tests.processes import PATIENCE_SECONDS, ROOT

# In a process of its own: which authorities are trusted is read from its environment.
SEND = """
import sys
from crossway.adapters.mail.smtp import SmtpServer
from crossway.domain.errors import Unreachable
from crossway.domain.mails import MailMessage
try:
    server = SmtpServer.parse(sys.argv[1], "a@shop.example")
    server.send(MailMessage("1", "b@c.example", "Hi", "Hi"))
except Unreachable as error:
    print(error)
"""


def write_certificate(folder: Path) -> Path:
    """A certificate of this machine that vouches for itself, with its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(here, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = folder / "mail.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
    return path


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    return write_certificate(tmp_path)


@pytest.fixture
def inbox(certificate: Path) -> Iterator[Inbox]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with mail_server(context) as inbox:
        yield inbox


def send(inbox: Inbox, trusted: Path | None) -> str:
    """What went wrong, empty for nothing."""
    url = inbox.url.replace("smtp://", "smtp://shop:secret@")
    extra = {"SSL_CERT_FILE": str(trusted)} if trusted else {}
    done = subprocess.run(
        [sys.executable, "-c", SEND, url],
        cwd=ROOT,
        env={**os.environ, **extra},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_trusted_server_gets_password_and_mail_encrypted(inbox: Inbox, certificate: Path) -> None:
    assert send(inbox, certificate) == ""
    assert (inbox.logins, [mail["To"] for mail in inbox.mails]) == (["encrypted"], ["b@c.example"])


def test_a_server_that_nobody_vouches_for_gets_nothing(inbox: Inbox) -> None:
    error = send(inbox, None)
    where = inbox.url.removeprefix("smtp://")
    assert error == f"The certificate of {where} is not trusted: self-signed certificate"
    assert (inbox.logins, inbox.mails) == ([], [])
