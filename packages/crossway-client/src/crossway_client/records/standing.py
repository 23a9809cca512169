"""Records of standing addresses and their deposits."""

from datetime import datetime
from typing import Any

from crossway_client.records.base import Record


class StandingAddress(Record):
    """One standing address; `minimum` and `maximum` in the smallest unit of `token_out`."""

    id: str
    address: str
    client_id: str
    mode: str
    source_chain: str
    destination_chain: str
    token_out: str
    recipient: str
    recovery_address: str
    tokens: tuple[str, ...]
    minimum: int
    maximum: int | None
    max_fee_bps: int
    rules_since: datetime
    active: bool
    reference: str
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


class StandingQuote(Record):
    """What a deposit would give its recipient: `payout_amount` and `least_payout` in the smallest
    unit of the payout token, fees in that of `token`; None where no payment would be made."""

    token: str
    amount: int
    payout_amount: int | None
    reason: str
    least_payout: int | None
    fee: int | None
    app_fee: int | None
    network_fee: int | None
    forwarding_fee: int | None


class StandingDeposit(Record):
    """One deposit at a standing address; `amount` in the smallest unit of `token`."""

    id: int
    standing_address_id: str
    address: str
    status: str
    reason: str
    chain: str
    token: str
    amount: int
    sender: str
    tx_hash: str
    tx_index: int
    block_height: int
    intent_id: int | None
    received_at: datetime
    created_at: datetime
    updated_at: datetime
