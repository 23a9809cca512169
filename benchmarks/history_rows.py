"""The rows of a long history as SQL: what each column holds for the payment with the number `n`.

`:size` is how many payments there are, `:oldest` when the first was created, in microseconds, and
`:big` the client that has most of them. What is rare has as many payments in each history, what is
usual the same share. Both databases understand the expressions.
"""

from collections.abc import Mapping
from typing import Final

SPAN_MICROS: Final = 90 * 86_400_000_000
OPEN: Final = 200  # the newest payments are under way
SMALL_SHOP: Final = "shop-small"
WEBHOOKS: Final = 40
# A prime above every number: keys come in no order.
_MODULUS, _FACTOR = 1_000_003, 748_391
_KEY: Final = f"(1000000000000 + n * {_FACTOR} % {_MODULUS})"
_KEY_DIGITS: Final = 13


def key(start: str, width: int, number: int) -> str:
    """An address or hash of a payment: its start, zeros, and digits that follow no order."""
    digits = 1_000_000_000_000 + number * _FACTOR % _MODULUS
    return f"{start}{'0' * (width - _KEY_DIGITS)}{digits}"


def _keyed(start: str, width: int) -> str:
    """The same as SQL."""
    return f"'{start}{'0' * (width - _KEY_DIGITS)}' || {_KEY}"


def _rare(count: int, shift: int) -> str:
    """The test of as many numbers, which are spread over all."""
    return f"(n + {shift}) * {count} / :size <> (n + {shift - 1}) * {count} / :size"


_STATE: Final = (
    f"CASE WHEN n > :size - {OPEN} THEN CASE n % 4 WHEN 0 THEN 'FUNDED' WHEN 1 THEN 'INITIATED' "
    "ELSE 'PENDING' END WHEN n % 25 = 1 THEN 'FAILED' WHEN n % 25 = 2 THEN 'REFUNDED' "
    "WHEN n % 25 = 3 THEN 'EXPIRED' ELSE 'COMPLETED' END"
)
_OWNER: Final = {
    "client_id": f"CASE WHEN {_rare(40, 7)} THEN '{SMALL_SHOP}' WHEN n % 10 < 8 THEN :big "
    "ELSE 'shop-' || (n % 20) END",
    "mode": f"CASE WHEN {_rare(30, 5)} THEN 'live' ELSE 'test' END",
}
_AT: Final = f":oldest + n * ({SPAN_MICROS} / :size)"
_ROUTE: Final = {
    "source_chain": f"CASE WHEN {_rare(30, 9)} THEN 'SOLANA_MAINNET' WHEN n % 5 = 1 THEN "
    "'POLYGON_MAINNET' ELSE 'BASE_MAINNET' END",
    "destination_chain": "'ARBITRUM_MAINNET'",
    "bridge": "CASE n % 3 WHEN 0 THEN 'ACROSS' ELSE 'CCTP' END",
}
_SYMBOL: Final = "CASE n % 7 WHEN 0 THEN 'USDT' WHEN 1 THEN 'ETH' ELSE 'USDC' END"
_VALUE: Final = "(n * 7919 % 5000) * 1000000"

# The columns of a payment that differ; the others are those of a model.
INTENT: Final = {
    **_OWNER,
    **_ROUTE,
    "id": "n",
    "intent_hash": _keyed("0x1", 63),
    "address": _keyed("0xa", 39),
    "destination_address": _keyed("0xd", 39),
    "nonce": f"'9' || {_KEY}",
    "recipient": "'0xb00000000000000000000000000000000' || (1000000 + n % (:size / 25))",
    "refund_address": _keyed("0xf", 39),
    "sender": "'0xe00000000000000000000000000000000' || (1000000 + n % (:size / 25))",
    "tx_hash": _keyed("0x2", 63),
    "state": _STATE,
    "funding_level": "CASE n % 40 WHEN 7 THEN 'SHORT' WHEN 9 THEN 'OVER' ELSE '' END",
    "asset_symbol": _SYMBOL,
    "payment_link_id": "CASE WHEN n % 25 = 11 THEN 'pl_2' END",
    "amount_micro_usd": _VALUE,
    "metadata": "'{\"reference\":\"ORD-' || n || '\"}'",
    "created_at": _AT,
    "updated_at": _AT,
    "expires_at": f"{_AT} + 3600000000",
}
ORDER: Final = {
    **_OWNER,
    "id": "n",
    "reference": f"'ramp-' || {_KEY}",
    "state": "CASE WHEN n % 20 = 1 THEN 'FAILED' ELSE 'COMPLETED' END",
    "direction": "CASE WHEN n % 3 = 1 THEN 'off-ramp' ELSE 'on-ramp' END",
    "currency": f"CASE WHEN {_rare(30, 9)} THEN 'KES' ELSE 'NGN' END",
    "provider_reference": f"'p-' || {_KEY}",
    "recipient": _keyed("0xb", 39),
    "intent_address": _keyed("0xa", 39),
    "created_at": _AT,
    "updated_at": _AT,
}
WEBHOOK: Final = {
    "id": "n",
    "client_id": ":big",
    "mode": "'test'",
    "url": "'https://example.com/' || n",
    "events": "'[\"*\"]'",
    "description": "''",
    "enabled": "TRUE",
    "disabled_reason": "''",
    "created_at": "0",
    "updated_at": "0",
}
# Sums of each hour and day, as many in each history: `n` counts groups and periods.
GROUPS, PERIODS = 12, {"hour": 90 * 24, "day": 90}
_NUMBER: Final = ":first + n / " + str(GROUPS)
CORRIDOR_STATS: Final = {
    "period": ":span",
    "period_number": _NUMBER,
    "mode": "'test'",
    "source": "'BASE_MAINNET'",
    "destination": "'ARBITRUM_MAINNET'",
    "bridge": "'CCTP'",
    "symbol": "'USDC'",
    "outcome": "CASE WHEN n % 12 = 1 THEN 'failed' ELSE 'paid' END",
    "bucket": "n % 12",
    "payment_count": ":size",
    "micro_usd": ":size",
    "fee_micro_usd": "1",
}
GROUP_FIGURES: Final = {
    "dimension": "CASE WHEN n % 12 = 0 THEN 'all' WHEN n % 12 < 5 THEN 'route' ELSE 'merchant' END",
    "span": ":span",
    "mode": "'test'",
    "number": _NUMBER,
    "value": "CASE WHEN n % 12 = 0 THEN '' WHEN n % 12 < 5 THEN 'BASE_MAINNET>CHAIN_' || (n % 12) "
    "WHEN n % 12 = 5 THEN :big ELSE 'shop-' || (n % 12) END",
    **dict.fromkeys(
        (
            *("pending", "funded", "initiated", "expired", "refunded", "failed", "underpaid"),
            *("requested_whole", "requested_rest", "volume_whole", "volume_rest"),
            *("service_fee_micro_usd", "bridge_fee_micro_usd"),
        ),
        "1",
    ),
    **dict.fromkeys(("completed", "deposited", "started"), ":size"),
}
# Whole rows of the tables around a payment.
AROUND: Final[Mapping[str, Mapping[str, str]]] = {
    "transitions": {
        "event_id": f"'evt_0000000000000000001' || {_KEY}",
        "intent_id": "n",
        "at": _AT,
        "event": "'FILLED'",
        "from_state": "'INITIATED'",
        "to_state": _STATE,
        "event_type": "'intent_completed'",
        "note": "''",
    },
    "deposits": {
        "intent_id": "n",
        "chain": "'BASE_MAINNET'",
        "tx_hash": _keyed("0x3", 63),
        "tx_index": "0",
        "block_height": "n",
        "block_hash": "'h'",
        "ready_height": "n",
        "token": "'t'",
        "sender": _keyed("0xc", 39),
        "to_address": "'a'",
        "amount": "'25000000'",
        "at": _AT,
        "state": "'CREDITED'",
        "purpose": "CASE n % 40 WHEN 5 THEN 'LATE' ELSE 'PAYMENT' END",
        "note": "''",
        "awaiting_return": "FALSE",
        "credited_at": _AT,
    },
    "outbound_txs": {
        "id": "n",
        "intent_id": "n",
        "kind": "'FILL'",
        "cause": "'fill'",
        "chain": "'ARBITRUM_MAINNET'",
        "token": "'t'",
        "amount": "'1'",
        "to_address": "'b'",
        "state": "'FINAL'",
        "attempt_count": "0",
        "reason": "''",
        "next_at": "0",
        "tx_id": _keyed("0x4", 63),
        "block_height": "1",
        "created_at": "0",
        "updated_at": "0",
    },
    "metadata_values": {"value": "'ord-' || n", "intent_id": "n"},
    "outbox": {
        **_OWNER,
        "event_id": f"'evt_0000000000000000002' || {_KEY}",
        "type": "CASE n % 3 WHEN 0 THEN 'intent_completed' ELSE 'intent_created' END",
        "kind": "'intent'",
        "resource_id": "n",
        "at": _AT,
        "snapshot": "'{}'",
        "position": "n",
    },
    "deliveries": {
        "webhook_id": f"n % {WEBHOOKS} + 1",
        "event_id": "n",
        "sequence_key": "''",
        "state": "CASE WHEN n % 10 = 3 THEN 'FAILED' ELSE 'DELIVERED' END",
        "attempt_count": "1",
        "next_at": "0",
        "leased_until": "0",
        "error": "''",
        "created_at": _AT,
        "updated_at": _AT,
    },
    "request_log": {
        **_OWNER,
        "at": _AT,
        "request_id": "'req-' || n",
        "method": "'POST'",
        "path": "'/v1/intents'",
        "status": "CASE WHEN n % 25 = 7 THEN 404 ELSE 201 END",
        "microseconds": "900",
        "intent_id": "n",
    },
    "payment_figures": {
        **_OWNER,
        **_ROUTE,
        "intent_id": "n",
        "created_at": _AT,
        "hour": f"({_AT}) / 3600000000",
        "symbol": _SYMBOL,
        "decimals": "6",
        "state": _STATE,
        "cause": "CASE WHEN n % 25 = 1 THEN 'underpaid' ELSE '' END",
        "bucket": "n % 12",
        "deposited": "TRUE",
        "started": "TRUE",
        "underpaid": "FALSE",
        "requested_micro_usd": _VALUE,
        "service_fee_micro_usd": "10000",
        "bridge_fee_micro_usd": "0",
        "source_fee_whole": "0",
        "source_fee_rest": "0",
        "destination_fee_whole": "0",
        "destination_fee_rest": "0",
        "deposit_units": "'25000000'",
    },
}
