"""Signing requests to Fonbnk and verifying its webhooks."""

import base64
import hashlib
import hmac
from collections.abc import Mapping

from crossway.adapters.ramps.credentials import FonbnkCredentials


def sign_request(access: FonbnkCredentials, milliseconds: int, target: str) -> Mapping[str, str]:
    """The signature headers of a request to `target`, the path with its query."""
    key = base64.b64decode(access.client_secret.get_secret_value())
    digest = hmac.new(key, f"{milliseconds}:{target}".encode(), hashlib.sha256).digest()
    return {
        "x-client-id": access.client_id,
        "x-timestamp": str(milliseconds),
        "x-signature": base64.b64encode(digest).decode(),
    }


def is_webhook_signed(access: FonbnkCredentials, signature: str, body: bytes) -> bool:
    """Whether a webhook carries the hash of its body and the secret's hash, in either order."""
    secret = access.webhook_secret.get_secret_value().encode()
    hashed = hashlib.sha256(secret).hexdigest().encode()
    right = [hashlib.sha256(text).hexdigest() for text in (body + hashed, hashed + body)]
    expected = signature.strip().lower().encode()
    return any(hmac.compare_digest(expected, digest.encode()) for digest in right)
