"""A remote signer over HTTPS with an authority of its own, that can be told to misbehave."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID
from eth_account import Account

TOKEN = "a token that nobody may see"
ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)


@dataclass
class RemoteSigner:
    """What the signer holds, what it was asked, and how it misbehaves: `wrong_key`, `high_s`,
    `error`, `refuses`, `redirect`, `garbage`, `too_much`, `silent`, `slow`, or not at all."""

    secret: bytes
    url: str = ""
    certificates: str = ""
    fault: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def fields(self) -> dict[str, Any]:
        """What a profile says of it."""
        return {
            "url": self.url,
            "key_id": "relayer",
            "access_token": "env:SIGNER_TOKEN",
            "certificates": self.certificates,
            "timeout_seconds": 1.0,
        }

    def public_key(self, curve: str) -> bytes:
        if curve == "ed25519":
            return Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes(*RAW)
        numbers = ec.derive_private_key(int.from_bytes(self.secret, "big"), ec.SECP256K1())
        point = numbers.public_key().public_numbers()
        return point.x.to_bytes(32, "big") + point.y.to_bytes(32, "big")

    def sign(self, body: dict[str, Any]) -> bytes:
        secret = bytes(32 - 1) + b"\x07" if self.fault == "wrong_key" else self.secret
        if body["curve"] == "ed25519":
            key = Ed25519PrivateKey.from_private_bytes(secret)
            return key.sign(bytes.fromhex(body["message"]))
        signed = Account.from_key(secret).unsafe_sign_hash(bytes.fromhex(body["digest"]))
        s = ORDER - signed.s if self.fault == "high_s" else signed.s
        return signed.r.to_bytes(32, "big") + s.to_bytes(32, "big")


class Handler(BaseHTTPRequestHandler):
    """Answers as docs/signers.md has it. Its keys have one secret for both curves."""

    def __init__(self, signer: RemoteSigner, curve: str, *args: Any) -> None:
        self.signer, self.curve = signer, curve
        super().__init__(*args)

    def do_GET(self) -> None:
        self._answer({"public_key": self.signer.public_key(self.curve).hex()})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.signer.requests.append(body)
        self._answer({"signature": self.signer.sign(body).hex()})

    def _answer(self, body: dict[str, Any]) -> None:
        self.signer.tokens.add(self.headers["Authorization"])
        fault = self.signer.fault
        if fault == "silent":
            self.signer.over.wait(30)
        content = {"garbage": b"<html>", "too_much": b" " * 100_000}.get(
            fault, json.dumps(body).encode()
        )
        self.send_response({"error": 503, "refuses": 403, "redirect": 307}.get(fault, 200))
        if fault == "redirect":
            self.send_header("Location", self.path)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        # Who asked may have given up.
        with suppress(OSError):
            for part in [bytes([byte]) for byte in content] if fault == "slow" else [content]:
                self.wfile.write(part)
                if fault == "slow" and self.signer.over.wait(0.2):
                    return

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


@contextmanager
def running(folder: Path, secret: bytes, curve: str = "secp256k1") -> Iterator[RemoteSigner]:
    """A remote signer with one key."""
    signer = RemoteSigner(secret)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, signer, curve))
    server.daemon_threads = True
    certificate = _write_certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    signer.url = f"https://127.0.0.1:{server.server_port}/v1"
    signer.certificates = str(certificate)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield signer
    finally:
        signer.over.set()
        server.shutdown()
        server.server_close()


def _write_certificate(folder: Path) -> Path:
    """A certificate that is its own authority, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a signer of tests")])
    now = datetime.now(UTC)
    address = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(address, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    path = folder / "signer.pem"
    path.write_bytes(
        certificate.public_bytes(pem)
        + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return path
