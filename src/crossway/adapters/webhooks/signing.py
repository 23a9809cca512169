"""Signing webhooks as the Standard Webhooks specification says."""

import base64
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache

from standardwebhooks.webhooks import Webhook

_BYTES = 32


class StandardSigner:
    """`ports.webhooks.WebhookSigner` with the `standardwebhooks` package."""

    def new_secret(self) -> str:
        return "whsec_" + base64.b64encode(secrets.token_bytes(_BYTES)).decode()

    def headers(
        self, secrets: Sequence[str], event_id: str, at: datetime, body: bytes
    ) -> Mapping[str, str]:
        text = body.decode()
        return {
            "webhook-id": event_id,
            "webhook-timestamp": str(int(at.timestamp())),
            "webhook-signature": " ".join(
                _signing(secret).sign(event_id, at, text) for secret in secrets
            ),
        }


@lru_cache(maxsize=1_024)
def _signing(secret: str) -> Webhook:
    return Webhook(secret)
