"""Strict parsing of what Across' API returns: a malformed response counts as none."""

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

MAX_TEXT: Final = 200
WHOLE: Final = 10**18
"""A share of 1, as the API writes it."""
_INTEGER = re.compile(r"-?[0-9]{1,78}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class SuggestedFees:
    """What relayers ask for a deposit now, in units of its token: `share` of it, a fraction of
    10**18, and `gas`. A deposit must be between `least` and `most`. `pool` is the source's, empty
    where it is not named."""

    timestamp: int
    share: int
    gas: int
    least: int
    most: int
    fill_seconds: int
    pool: str = ""


@dataclass(frozen=True, slots=True)
class ApiError:
    """Why the API refuses a question: its code, empty where it gives none, and its sentence."""

    code: str
    message: str


def parse_json(content: bytes) -> Any:
    """The content as JSON, without floats. Raises `ValueError`."""
    try:
        return json.loads(content, parse_float=Decimal, parse_constant=Decimal)
    # Also where a number has thousands of digits.
    except (RecursionError, ArithmeticError, ValueError):
        raise ValueError("it is not JSON") from None


def parse_suggested_fees(body: Any) -> SuggestedFees:
    """The fees of a deposit. Raises `ValueError`."""
    fields = _object(body, "the response")
    limits = _object(fields.get("limits"), "limits")
    gas, capital, pool = (
        _object(fields.get(name), name) for name in ("relayerGasFee", "relayerCapitalFee", "lpFee")
    )
    # Sponsored routes have fees below zero; nobody is promised that they stay so.
    share = max(_integer(capital.get("pct"), "relayerCapitalFee.pct"), 0)
    share += max(_integer(pool.get("pct"), "lpFee.pct"), 0)
    if share >= WHOLE:
        raise ValueError("its fees are more than the deposit")
    seconds = fields.get("estimatedFillTimeSec")
    if isinstance(seconds, bool) or not isinstance(seconds, int) or not 0 <= seconds <= 86_400:
        raise ValueError("estimatedFillTimeSec is no number of seconds")
    spoke_pool = fields.get("spokePoolAddress", "")
    if not isinstance(spoke_pool, str):
        raise ValueError("spokePoolAddress is no text")
    return SuggestedFees(
        _integer(fields.get("timestamp"), "timestamp"),
        share,
        max(_integer(gas.get("total"), "relayerGasFee.total"), 0),
        _integer(limits.get("minDeposit"), "limits.minDeposit"),
        # What is above this is filled out of the pool, perhaps after our deadline.
        _integer(limits.get("maxDepositShortDelay"), "limits.maxDepositShortDelay"),
        seconds,
        spoke_pool,
    )


def parse_error(content: bytes) -> ApiError | None:
    """Why a question is refused; None where that is not said."""
    try:
        body = parse_json(content)
    except ValueError:
        return None
    if not isinstance(body, dict) or not isinstance(body.get("message"), str):
        return None
    code, text = body.get("code"), body["message"]
    printable = "".join(c if c.isprintable() else " " for c in text)[:MAX_TEXT].strip()
    return ApiError(code if isinstance(code, str) else "", printable)


def parse_status(body: Any) -> str:
    """The status of a deposit. Raises `ValueError`."""
    status = _object(body, "the response").get("status")
    if not isinstance(status, str):
        raise ValueError("status is no text")
    return status


def _object(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} is no object")
    return value


def _integer(value: Any, what: str) -> int:
    """A whole number, as text or not."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not _INTEGER.match(value):
        raise ValueError(f"{what} is no whole number")
    return int(value)
