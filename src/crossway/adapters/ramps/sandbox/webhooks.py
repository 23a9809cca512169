"""Encoding, signing and parsing the webhooks of sandbox providers.

The body is `{"reports": [{"id", "reference", "outcome", "at", "units", "fiatMinor", "txHash",
"reason"}]}`, amounts as integer strings or null. `x-sandbox-timestamp` is in epoch seconds,
`x-sandbox-signature` the HMAC-SHA256 of `TIMESTAMP.BODY` in hex, with the provider's secret.
"""

import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any

import orjson

from crossway.domain.errors import InvalidInput, Unauthorized
from crossway.ports.ramps import ProviderOrderStatus, ProviderUpdate

TIMESTAMP, SIGNATURE = "x-sandbox-timestamp", "x-sandbox-signature"
MAX_AGE_SECONDS = 300


def encode_body(updates: Sequence[ProviderUpdate]) -> bytes:
    """The body of a webhook."""
    return orjson.dumps({"reports": [_to_json(update) for update in updates]})


def sign_headers(secret: str, body: bytes, now: float) -> dict[str, str]:
    """The headers of a webhook."""
    timestamp = str(int(now))
    return {TIMESTAMP: timestamp, SIGNATURE: _signature(secret, timestamp, body)}


def parse_updates(
    secret: str, headers: Mapping[str, str], body: bytes, now: float
) -> list[ProviderUpdate]:
    """The updates in a webhook. Raises `Unauthorized` and `InvalidInput`."""
    timestamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    expected = _signature(secret, timestamp, body)
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise Unauthorized("The signature of this call is wrong")
    # The signature is valid, so the timestamp is the number that was signed.
    if abs(now - int(timestamp)) > MAX_AGE_SECONDS:
        raise Unauthorized("This call was signed too long ago")
    try:
        return [_parse_update(entry) for entry in orjson.loads(body)["reports"]]
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput("The body must hold reports of this sandbox") from error


def _signature(secret: str, timestamp: str, body: bytes) -> str:
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, sha256).hexdigest()


def _to_json(update: ProviderUpdate) -> dict[str, object]:
    return {
        "id": update.id,
        "reference": update.reference,
        "outcome": update.status.value,
        "at": update.at.isoformat(),
        "units": _to_text(update.amount),
        "fiatMinor": _to_text(update.fiat_minor),
        "txHash": update.tx_hash,
        "reason": update.reason,
    }


def _parse_update(body: Mapping[str, Any]) -> ProviderUpdate:
    at = datetime.fromisoformat(body["at"])
    texts = {name: body[name] for name in ("id", "reference", "txHash", "reason")}
    if at.tzinfo is None or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(body)
    return ProviderUpdate(
        id=texts["id"],
        reference=texts["reference"],
        status=ProviderOrderStatus(body["outcome"]),
        at=at,
        amount=_parse_integer(body["units"]),
        fiat_minor=_parse_integer(body["fiatMinor"]),
        tx_hash=texts["txHash"],
        reason=texts["reason"],
    )


def _to_text(number: int | None) -> str | None:
    return None if number is None else str(number)


def _parse_integer(text: object) -> int | None:
    if text is None:
        return None
    if not (isinstance(text, str) and text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)
