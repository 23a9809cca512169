"""Strict parsing of what rhino.fi's API returns: a malformed response counts as none."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, DecimalException
from typing import Any, Final

MAX_TEXT: Final = 200
_MAX_DIGITS: Final = 100
_MAX_SCALE: Final = 80
_QUOTE_ID = re.compile(r"[0-9a-fA-F]{1,64}\Z", re.ASCII)
_TX_ID = re.compile(r"0x[0-9a-fA-F]{64}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class TokenConfig:
    """A token of a chain as the service knows it."""

    address: str
    decimals: int


@dataclass(frozen=True, slots=True)
class ChainConfig:
    """An EVM chain as the service knows it, under its name there; tokens by symbol."""

    name: str
    chain_id: str
    contract: str
    is_enabled: bool
    tokens: Mapping[str, TokenConfig]


@dataclass(frozen=True, slots=True)
class ServiceQuote:
    """What the service asks for a transfer. Amounts are in whole tokens: `pay`, and `gas`, which is
    the part of the fee for the destination's gas, of `token_in`; `receive`, and the `least` of it
    that is promised, of `token_out`. `usual_seconds` is None where the service does not say."""

    quote_id: str
    chain_in: str
    chain_out: str
    token_in: str
    token_out: str
    pay: Decimal
    receive: Decimal
    least: Decimal
    gas: Decimal
    depositor: str
    recipient: str
    expires_at: datetime
    usual_seconds: float | None


@dataclass(frozen=True, slots=True)
class TransferReport:
    """What the service says of a committed quote: a word, and the transactions by which it paid, or
    gave the deposit back; empty where it names none of the form of an EVM chain."""

    quote_id: str
    state: str
    payout_tx: str
    refund_tx: str


def parse_json(content: bytes) -> Any:
    """The content as JSON, without floats. Raises `ValueError`."""
    try:
        return json.loads(content, parse_float=Decimal, parse_constant=Decimal)
    # Also where a number has thousands of digits.
    except (RecursionError, ArithmeticError, ValueError):
        raise ValueError("it is not JSON") from None


def parse_token(body: Any) -> str:
    """The JSON web token of a sign-in. Raises `ValueError`."""
    token = _object(body, "the response").get("jwt")
    if not isinstance(token, str) or not 0 < len(token) <= 10_000 or not token.isascii():
        raise ValueError("jwt is no token")
    if not token.isprintable() or " " in token:
        raise ValueError("jwt is no token")
    return token


def parse_configs(body: Any) -> list[ChainConfig]:
    """The EVM chains that the service lists; a malformed entry counts as none. Raises
    `ValueError`."""
    configs = []
    for name, entry in _object(body, "the response").items():
        try:
            configs.append(_parse_chain(name, _object(entry, "a chain")))
        except ValueError:
            continue
    return configs


def _parse_chain(name: str, entry: Mapping[str, Any]) -> ChainConfig:
    if entry.get("type") != "EVM":
        raise ValueError("another family")
    tokens = {
        symbol: TokenConfig(_text(token, "address"), int(token["decimals"]))
        for symbol, token in _object(entry.get("tokens"), "tokens").items()
        if isinstance(token, dict) and type(token.get("decimals")) is int
    }
    contract, status = _text(entry, "contractAddress"), entry.get("status")
    return ChainConfig(name, _text(entry, "networkId"), contract, status == "enabled", tokens)


def parse_quote(body: Any) -> ServiceQuote:
    """A quote from one token into the same or another one. Raises `ValueError`."""
    fields = _object(body, "the response")
    token_in = token_out = "token"
    least = "receiveAmount"
    if (tag := fields.get("_tag")) == "bridgeSwap":
        token_in, token_out, least = "tokenIn", "tokenOut", "minReceiveAmount"
    elif tag != "bridge":
        raise ValueError("it is no quote of a bridge")
    fees = _object(fields.get("fees"), "fees")
    return ServiceQuote(
        parse_quote_id(fields),
        _text(fields, "chainIn"),
        _text(fields, "chainOut"),
        _text(fields, token_in),
        _text(fields, token_out),
        _amount(fields, "payAmount"),
        _amount(fields, "receiveAmount"),
        _amount(fields, least),
        _amount(fees, "gasFee"),
        _text(fields, "depositor"),
        _text(fields, "recipient"),
        _time(fields, "expiresAt"),
        _seconds(fields.get("estimatedDuration")),
    )


def parse_quote_id(body: Any) -> str:
    """The number of a quote, which the deposit carries. Raises `ValueError`."""
    quote_id = _object(body, "the response").get("quoteId")
    if not isinstance(quote_id, str) or not _QUOTE_ID.match(quote_id):
        raise ValueError("quoteId is no hexadecimal number")
    return quote_id


def parse_report(body: Any) -> TransferReport:
    """What became of a committed quote. Raises `ValueError`."""
    fields = _object(body, "the response")
    return TransferReport(
        _text(fields, "_id"),
        printable(_text(fields, "state")),
        _tx_id(fields.get("withdrawTxHash")),
        _tx_id(fields.get("refundTxHash")),
    )


def parse_refusal(content: bytes) -> tuple[str, str]:
    """The service's code and sentence of a refusal, empty where it gives none."""
    try:
        fields = _object(parse_json(content), "the response")
    except ValueError:
        return "", ""
    code, message = fields.get("_tag"), fields.get("message") or fields.get("error")
    return (
        printable(code) if isinstance(code, str) else "",
        printable(message) if isinstance(message, str) else "",
    )


def printable(text: str) -> str:
    """A text of the service as it may be shown."""
    return "".join(c if c.isprintable() else " " for c in text)[:MAX_TEXT].strip()


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no object")
    return value


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT:
        raise ValueError(f"{name} is no text")
    return value


def _amount(fields: Mapping[str, Any], name: str) -> Decimal:
    """A decimal number of whole tokens, as text."""
    text = fields.get(name)
    try:
        if not isinstance(text, str) or len(text) > _MAX_DIGITS:
            raise ValueError(text)
        amount = Decimal(text)
    except (ValueError, DecimalException):
        raise ValueError(f"{name} is no amount") from None
    # Whatever is smaller or greater than any token counts could take for ever to compute with.
    if not amount.is_finite() or amount < 0 or abs(amount.adjusted()) > _MAX_SCALE:
        raise ValueError(f"{name} is no amount")
    return amount


def _seconds(value: Any) -> float | None:
    """A duration of milliseconds; None where it is none, or above a day."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    return float(value) / 1_000 if 0 < value <= 86_400_000 else None


def _time(fields: Mapping[str, Any], name: str) -> datetime:
    try:
        time = datetime.fromisoformat(_text(fields, name))
    except ValueError:
        raise ValueError(f"{name} is no time") from None
    if time.tzinfo is None:
        raise ValueError(f"{name} has no time zone")
    return time.astimezone(UTC)


def _tx_id(value: Any) -> str:
    return value.lower() if isinstance(value, str) and _TX_ID.match(value) else ""
