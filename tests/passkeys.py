"""A passkey in software: the answers of an authenticator, honest or not."""

import base64
import json
import secrets
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from webauthn.helpers import encode_cbor

USER_PRESENT, USER_VERIFIED, HAS_KEY = 1, 4, 64


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


@dataclass
class SoftwarePasskey:
    """One credential for one site. `verifies` says whether it asks for a PIN or a finger."""

    rp_id: str = "localhost"
    origin: str = "http://localhost:8600"
    verifies: bool = True
    sign_count: int = 1
    key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def register(self, options: str) -> str:
        """The answer to options of registration."""
        numbers = self.key.public_key().public_numbers()
        x, y = (value.to_bytes(32, "big") for value in (numbers.x, numbers.y))
        cose = encode_cbor({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        credential = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cose
        data = self._authenticator_data(HAS_KEY) + credential
        attestation = encode_cbor({"fmt": "none", "attStmt": {}, "authData": data})
        client_data = self._client_data("webauthn.create", options)
        response = {"attestationObject": _text(attestation), "clientDataJSON": _text(client_data)}
        return self._credential(response)

    def authenticate(self, options: str) -> str:
        """The answer to options of authentication; every use counts."""
        self.sign_count += 1
        client_data = self._client_data("webauthn.get", options)
        data = self._authenticator_data(0)
        signed = self.key.sign(data + sha256(client_data).digest(), ec.ECDSA(SHA256()))
        response = {
            "authenticatorData": _text(data),
            "clientDataJSON": _text(client_data),
            "signature": _text(signed),
        }
        return self._credential(response)

    def _authenticator_data(self, flags: int) -> bytes:
        flags |= USER_PRESENT | (USER_VERIFIED if self.verifies else 0)
        count = self.sign_count.to_bytes(4, "big")
        return sha256(self.rp_id.encode()).digest() + bytes([flags]) + count

    def _client_data(self, kind: str, options: str) -> bytes:
        challenge = json.loads(options)["challenge"]
        client_data = {"type": kind, "challenge": challenge, "origin": self.origin}
        return json.dumps(client_data).encode()

    def _credential(self, response: dict[str, Any]) -> str:
        id_ = _text(self.id)
        return json.dumps({"id": id_, "rawId": id_, "type": "public-key", "response": response})
