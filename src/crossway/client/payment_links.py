"""Payment links: create, read, change, and list their uses."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from crossway.client.records import Record
from crossway.client.transport import Transport, path_segment

PAGE = 100


class PaymentLink(Record):
    """One payment link; amounts in the smallest unit of `token_out`."""

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
    expires_at: datetime | None
    active: bool
    created_at: datetime
    updated_at: datetime
    reserved: int = 0


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


class PaymentLinks:
    """`/payment-links`."""

    def __init__(self, calls: Transport) -> None:
        self._calls = calls

    def create(
        self,
        *,
        title: str,
        destination_chain: str,
        recipient: str,
        amount: int | None = None,
        min_amount: int | None = None,
        max_amount: int | None = None,
        token_out: str | None = None,
        description: str | None = None,
        source_chains: Sequence[str] | None = None,
        source_tokens: Sequence[str] | None = None,
        reference: str | None = None,
        metadata: dict[str, Any] | None = None,
        max_uses: int | None = None,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> PaymentLink:
        """Create a payment link; without an `amount` each payer chooses. Times need a time zone."""
        body = {
            "title": title,
            "destination_chain": destination_chain,
            "recipient": recipient,
            "amount": _units(amount),
            "min_amount": _units(min_amount),
            "max_amount": _units(max_amount),
            "token_out": token_out,
            "description": description,
            "source_chains": None if source_chains is None else list(source_chains),
            "source_tokens": None if source_tokens is None else list(source_tokens),
            "reference": reference,
            "metadata": metadata,
            "max_uses": max_uses,
            "expires_at": expires_at.isoformat() if expires_at else None,
        }
        return PaymentLink.parse(self._calls.post("/payment-links", body, idempotency_key))

    def list(self) -> Iterator[PaymentLink]:
        """Every payment link, newest first; pages are fetched as needed."""
        return map(PaymentLink.parse, self._calls.pages("/payment-links", "payment_links", PAGE))

    def get(self, link_id: str) -> PaymentLink:
        """One payment link."""
        return PaymentLink.parse(self._calls.get(f"/payment-links/{path_segment(link_id)}"))

    def change(self, link_id: str, **changes: Any) -> PaymentLink:
        """Change fields by their names in the API, such as `active=False`; None clears a field."""
        path = f"/payment-links/{path_segment(link_id)}"
        return PaymentLink.parse(self._calls.patch(path, changes))

    def uses(self, link_id: str) -> Iterator[LinkUse]:
        """The payments made with the link, newest first."""
        path = f"/payment-links/{path_segment(link_id)}/uses"
        return map(LinkUse.parse, self._calls.pages(path, "uses", PAGE))


def _units(amount: int | None) -> str | None:
    return None if amount is None else str(amount)
