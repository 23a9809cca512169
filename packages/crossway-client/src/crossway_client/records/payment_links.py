"""Records of payment links and their uses."""

from datetime import datetime
from typing import Any

from crossway_client.records.base import Record


class PaymentLink(Record):
    """One payment link; amounts in the smallest unit of `token_out`. `reserved` payments are open
    and not paid so far."""

    id: str
    url: str
    client_id: str
    mode: str
    title: str
    description: str
    amount: int | None
    min_amount: int | None
    max_amount: int | None
    destination_chain: str
    token_out: str
    recipient: str
    source_chains: tuple[str, ...]
    source_tokens: tuple[str, ...]
    reference: str
    metadata: dict[str, Any]
    max_uses: int | None
    uses: int
    reserved: int = 0
    expires_at: datetime | None
    active: bool
    created_at: datetime
    updated_at: datetime


class LinkUse(Record):
    """One payment made with a payment link."""

    id: int
    intent_id: int
    intent_address: str
    intent_status: str
    source_chain: str
    asset_token_symbol: str
    total_amount_in_asset_token: int
    payment_url: str
    created_at: datetime
