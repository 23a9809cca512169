"""What Iris returns, checked: every parser raises `ValueError` with a few words."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any, Final

MAX_MESSAGE_BYTES: Final = 16_384
"""Circle's contracts take a body of 8,192 bytes at most."""
USDC_UNITS: Final = Decimal(10**6)
_HUNDREDTHS, _WHOLE_BPS = Decimal(100), Decimal(10_000)
_MAX_ALLOWANCE: Final = Decimal(10**12)
_HEX: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*\Z", re.ASCII)
_NUMBER: Final = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,20})?\Z", re.ASCII)
_COMPLETE: Final = "complete"


@dataclass(frozen=True, slots=True)
class AttestedMessage:
    """One message as Iris has it: `message` and `attestation` are empty until it is attested to.
    `hook` is that of the decoded message, empty where Iris does not say it, and `delay_reason`
    Circle's word for why it waits."""

    message: bytes
    attestation: bytes
    hook: bytes
    delay_reason: str

    @property
    def is_complete(self) -> bool:
        """Whether it is attested to."""
        return bool(self.message)


_UNREADABLE: Final = AttestedMessage(b"", b"", b"", "")


def parse_json(content: bytes) -> Any:
    """JSON whose fractional numbers are exact."""
    try:
        return json.loads(content, parse_float=Decimal, parse_constant=_reject_constant)
    # Also where a number has thousands of digits.
    except (RecursionError, ArithmeticError, ValueError):
        raise ValueError("it is not JSON") from None


def parse_messages(body: Any) -> Sequence[AttestedMessage]:
    """The messages of one transaction, each at its place. Anyone can send a payment by a contract
    that emits messages of its own, so one that cannot be read counts as not attested to and hides
    none of the others; only where none can be read is the answer refused."""
    messages = body.get("messages") if isinstance(body, dict) else None
    if not isinstance(messages, list):
        raise ValueError("it has no list of messages")
    parsed: list[AttestedMessage] = []
    failures: list[str] = []
    for entry in messages:
        try:
            parsed.append(_parse_message(entry))
        except ValueError as error:
            parsed.append(_UNREADABLE)
            failures.append(str(error))
    if failures and len(failures) == len(messages):
        raise ValueError(failures[0])
    return parsed


def parse_fees(body: Any) -> Mapping[int, int]:
    """The least fees by finality threshold, in hundredths of a basis point, rounded up."""
    if not isinstance(body, list) or not 0 < len(body) <= 100:
        raise ValueError("it has no list of fees")
    fees = {}
    for entry in body:
        threshold = entry.get("finalityThreshold") if isinstance(entry, dict) else None
        if type(threshold) is not int:
            raise ValueError("a fee has no finality threshold")
        fee = _parse_decimal(entry.get("minimumFee"), "minimumFee", _WHOLE_BPS)
        fees[threshold] = int((fee * _HUNDREDTHS).to_integral_value(ROUND_CEILING))
    return fees


def parse_allowance(body: Any) -> int:
    """The allowance in units of USDC, rounded down."""
    value = body.get("allowance") if isinstance(body, dict) else None
    allowance = _parse_decimal(value, "allowance", _MAX_ALLOWANCE)
    return int((allowance * USDC_UNITS).to_integral_value(ROUND_FLOOR))


def _parse_message(entry: Any) -> AttestedMessage:
    if not isinstance(entry, dict):
        raise ValueError("a message is no object")
    status, reason = entry.get("status"), entry.get("delayReason")
    if not isinstance(status, str):
        raise ValueError("a message has no status")
    is_complete = status == _COMPLETE
    message = _parse_hex(entry.get("message"), "message") if is_complete else b""
    attestation = _parse_hex(entry.get("attestation"), "attestation") if is_complete else b""
    if is_complete and not (message and attestation):
        raise ValueError("a complete message is empty")
    return AttestedMessage(
        message, attestation, _decoded_hook(entry), reason if isinstance(reason, str) else ""
    )


def _decoded_hook(entry: Mapping[str, Any]) -> bytes:
    """The hook of the decoded message, by which a message that is not complete is told from others
    of its transaction; empty where there is none that can be read."""
    body: Any = entry
    for name in ("decodedMessage", "decodedMessageBody"):
        body = body.get(name) if isinstance(body, dict) else None
    hook = body.get("hookData") if isinstance(body, dict) else None
    try:
        return _parse_hex(hook, "hookData")
    except ValueError:
        return b""


def _parse_hex(value: Any, name: str) -> bytes:
    is_short = isinstance(value, str) and len(value) <= 2 * MAX_MESSAGE_BYTES
    if not is_short or not _HEX.match(value):
        raise ValueError(f"{name} is not hexadecimal")
    return bytes.fromhex(value[2:])


def _parse_decimal(value: Any, name: str, maximum: Decimal) -> Decimal:
    is_number = type(value) is int or isinstance(value, Decimal)
    if not is_number and not (isinstance(value, str) and _NUMBER.match(value)):
        raise ValueError(f"{name} is not a number")
    number = Decimal(value)
    if not 0 <= number <= maximum:
        raise ValueError(f"{name} is out of range")
    return number


def _reject_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON")
