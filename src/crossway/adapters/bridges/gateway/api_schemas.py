"""Strict parsing of what Circle Gateway's API returns: a malformed response counts as none."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from crossway.adapters.bridges.gateway.attestations import Attestation, parse_attestation
from crossway.domain.money import parse_decimal

MAX_TEXT: Final = 200
_USDC_DECIMALS: Final = 6
_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*\Z", re.ASCII)
_NUMBER = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,6}0*)?\Z", re.ASCII)
_INTEGER = re.compile(r"[0-9]{1,78}\Z", re.ASCII)
_MAX_PAYLOAD: Final = 16_384


@dataclass(frozen=True, slots=True)
class CreatedTransfer:
    """Circle's attestation to burn intents, its number there, and the fee that Circle takes on top
    of all, in units of USDC, None where it does not say."""

    transfer_id: str
    attestation: Attestation
    fee: int | None


def parse_json(content: bytes) -> Any:
    """The content as JSON, without floats. Raises `ValueError`."""
    try:
        return json.loads(content, parse_float=Decimal, parse_constant=Decimal)
    # Also where a number has thousands of digits.
    except (RecursionError, ArithmeticError, ValueError):
        raise ValueError("it is not JSON") from None


def parse_transfer(body: Any) -> CreatedTransfer:
    """The attestation to burn intents. Raises `ValueError`."""
    fields = _object(body, "the response")
    transfer_id = fields.get("transferId")
    if not isinstance(transfer_id, str) or not 0 < len(transfer_id) <= MAX_TEXT:
        raise ValueError("transferId is no text")
    payload, signature = (_hex(fields.get(name), name) for name in ("attestation", "signature"))
    fees = fields.get("fees")
    total = fees.get("total") if isinstance(fees, dict) else None
    fee = None if total is None else _dollars(total, "fees.total")
    return CreatedTransfer(_printable(transfer_id), parse_attestation(payload, signature), fee)


def parse_estimate(body: Any) -> int:
    """The highest fee of the one burn intent that was asked about, in units of USDC. Raises
    `ValueError`."""
    intents = body.get("body") if isinstance(body, dict) else body
    if not isinstance(intents, list) or len(intents) != 1:
        raise ValueError("it has no estimate of one burn intent")
    intent = _object(_object(intents[0], "an estimate").get("burnIntent"), "burnIntent")
    value = intent.get("maxFee")
    if type(value) is int and value >= 0:
        return value
    if not isinstance(value, str) or not _INTEGER.match(value):
        raise ValueError("maxFee is no whole number")
    return int(value)


def parse_balances(body: Any) -> Mapping[tuple[int, str], int]:
    """The balances in units of USDC by domain and depositor, the latter in small letters. Raises
    `ValueError`."""
    entries = _object(body, "the response").get("balances")
    if not isinstance(entries, list) or len(entries) > 1_000:
        raise ValueError("it has no list of balances")
    balances: dict[tuple[int, str], int] = {}
    for entry in entries:
        fields = _object(entry, "a balance")
        domain, depositor = fields.get("domain"), fields.get("depositor")
        if type(domain) is not int or not isinstance(depositor, str):
            raise ValueError("a balance has no domain or no depositor")
        key = domain, depositor.lower()
        if key in balances:
            raise ValueError("it has two balances of one depositor")
        balances[key] = _dollars(fields.get("balance"), "balance")
    return balances


def parse_error(content: bytes) -> str | None:
    """Why a question is refused, in the API's words; None where it does not say."""
    try:
        body = parse_json(content)
    except ValueError:
        return None
    if not isinstance(body, dict):
        return None
    text = body.get("message")
    return _printable(text) if isinstance(text, str) else None


def _dollars(value: Any, what: str) -> int:
    """A decimal number of USDC as text, in units."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        value = f"{value:f}" if isinstance(value, Decimal) else str(value)
    if not isinstance(value, str) or not _NUMBER.match(value):
        raise ValueError(f"{what} is no amount of USDC")
    whole, _, places = value.partition(".")
    return parse_decimal(what, f"{whole}.{places[:_USDC_DECIMALS] or '0'}", _USDC_DECIMALS)


def _hex(value: Any, what: str) -> bytes:
    is_short = isinstance(value, str) and len(value) <= 2 * _MAX_PAYLOAD
    if not is_short or not _HEX.match(value):
        raise ValueError(f"{what} is not hexadecimal")
    return bytes.fromhex(value[2:])


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no object")
    return value


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:MAX_TEXT].strip()
