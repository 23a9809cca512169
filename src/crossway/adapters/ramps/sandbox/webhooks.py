"""How a sandbox provider's calls to Crossway are written, signed and read.

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
from crossway.ports.ramps import Outcome, Report

TIMESTAMP, SIGNATURE = "x-sandbox-timestamp", "x-sandbox-signature"
MOST_AGE_SECONDS = 300


def write(reports: Sequence[Report]) -> bytes:
    """The body of a call."""
    return orjson.dumps({"reports": [_written(report) for report in reports]})


def sign(secret: str, body: bytes, now: float) -> dict[str, str]:
    """The header fields of a call."""
    stamp = str(int(now))
    return {TIMESTAMP: stamp, SIGNATURE: _signature(secret, stamp, body)}


def read(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> list[Report]:
    """The reports of a call. Raises `Unauthorized` and `InvalidInput`."""
    stamp, signature = headers.get(TIMESTAMP, ""), headers.get(SIGNATURE, "")
    expected = _signature(secret, stamp, body)
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise Unauthorized("The signature of this call is wrong")
    # Only what was signed is read, and a number was.
    if abs(now - int(stamp)) > MOST_AGE_SECONDS:
        raise Unauthorized("This call was signed too long ago")
    try:
        return [_report(one) for one in orjson.loads(body)["reports"]]
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput("The body must hold reports of this sandbox") from error


def _signature(secret: str, stamp: str, body: bytes) -> str:
    return hmac.new(secret.encode(), stamp.encode() + b"." + body, sha256).hexdigest()


def _written(report: Report) -> dict[str, object]:
    return {
        "id": report.id,
        "reference": report.reference,
        "outcome": report.outcome.value,
        "at": report.at.isoformat(),
        "units": _text(report.units),
        "fiatMinor": _text(report.fiat_minor),
        "txHash": report.tx_hash,
        "reason": report.reason,
    }


def _report(body: Mapping[str, Any]) -> Report:
    at = datetime.fromisoformat(body["at"])
    texts = {name: body[name] for name in ("id", "reference", "txHash", "reason")}
    if at.tzinfo is None or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(body)
    return Report(
        id=texts["id"],
        reference=texts["reference"],
        outcome=Outcome(body["outcome"]),
        at=at,
        units=_number(body["units"]),
        fiat_minor=_number(body["fiatMinor"]),
        tx_hash=texts["txHash"],
        reason=texts["reason"],
    )


def _text(number: int | None) -> str | None:
    return None if number is None else str(number)


def _number(text: object) -> int | None:
    if text is None:
        return None
    if not (isinstance(text, str) and text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)
