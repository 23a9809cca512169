"""The verification of received webhooks, as Standard Webhooks specifies it."""

from collections.abc import Mapping

from standardwebhooks import Webhook
from standardwebhooks.webhooks import EmptyWebhookSecretError, WebhookVerificationError

from crossway_client.records.events import Event, parse_event
from crossway_client.transport.errors import SignatureVerificationError


def verify_webhook(payload: bytes, headers: Mapping[str, str], secret: str) -> Event:
    """Verify a webhook's signature and return its event.

    `payload` is the body as it arrived, byte for byte; `secret` is that of the endpoint, `whsec_`
    and base64. Signatures are compared in constant time, and a timestamp may differ from the clock
    by five minutes. Raises `SignatureVerificationError`, and `ValueError` for a secret that is
    none. An event may arrive more than once, with the same `Event.id`.
    """
    try:
        signed = Webhook(secret)
    except (ValueError, RuntimeError, EmptyWebhookSecretError) as error:
        raise ValueError("the secret must be whsec_ and base64") from error
    try:
        signed.verify(payload, dict(headers), json_parse=False)
        return parse_event(payload)
    except WebhookVerificationError as error:
        raise SignatureVerificationError(str(error)) from error
    except ValueError as error:  # Headers or a body that are no signed webhook's.
        raise SignatureVerificationError("the request is not a signed webhook") from error
