"""Payment links: create, read, change, and list their uses."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Any, Final, Literal, TypeAlias

from crossway_client.records.expanded import ExpandedUse
from crossway_client.records.payment_links import PaymentLink
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint, iterator
from crossway_client.transport.requests import (
    Request,
    get,
    given,
    optional_list,
    page_of,
    record,
    smallest_units,
)
from crossway_client.transport.steps import Feed, pages


class _Unchanged(Enum):
    """The default of a field that is not to change, as None clears one."""

    UNCHANGED = "unchanged"


UNCHANGED: Final = _Unchanged.UNCHANGED
Unchanged: TypeAlias = Literal[_Unchanged.UNCHANGED]


class PaymentLinks(Resource[CarrierT]):
    """`/payment-links`; amounts are in the smallest unit of the link's token."""

    @endpoint
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
        metadata: Mapping[str, Any] | None = None,
        max_uses: int | None = None,
        expires_at: datetime | None = None,
        active: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Request[PaymentLink]:
        """Create a payment link; without an `amount` each payer chooses. Times need a time zone."""
        body = given(
            title=title,
            destination_chain=destination_chain,
            recipient=recipient,
            amount=smallest_units(amount),
            min_amount=smallest_units(min_amount),
            max_amount=smallest_units(max_amount),
            token_out=token_out,
            description=description,
            source_chains=optional_list(source_chains),
            source_tokens=optional_list(source_tokens),
            reference=reference,
            metadata=metadata,
            max_uses=max_uses,
            expires_at=expires_at,
            active=active,
        )
        result = record(PaymentLink)
        return Request("POST", "/payment-links", result, body=body, idempotency_key=idempotency_key)

    @endpoint
    def get(self, link_id: str) -> Request[PaymentLink]:
        """One payment link."""
        return get("/payment-links/{id}", record(PaymentLink), id=link_id)

    @endpoint
    def update(
        self,
        link_id: str,
        *,
        title: str | Unchanged = UNCHANGED,
        description: str | Unchanged | None = UNCHANGED,
        amount: int | Unchanged | None = UNCHANGED,
        min_amount: int | Unchanged | None = UNCHANGED,
        max_amount: int | Unchanged | None = UNCHANGED,
        source_chains: Sequence[str] | Unchanged | None = UNCHANGED,
        source_tokens: Sequence[str] | Unchanged | None = UNCHANGED,
        reference: str | Unchanged | None = UNCHANGED,
        metadata: Mapping[str, Any] | Unchanged | None = UNCHANGED,
        max_uses: int | Unchanged | None = UNCHANGED,
        expires_at: datetime | Unchanged | None = UNCHANGED,
        active: bool | Unchanged = UNCHANGED,
    ) -> Request[PaymentLink]:
        """Change the given fields; None clears one. The destination cannot change."""
        fields = {
            "title": title,
            "description": description,
            "amount": _amount(amount),
            "min_amount": _amount(min_amount),
            "max_amount": _amount(max_amount),
            "source_chains": source_chains,
            "source_tokens": source_tokens,
            "reference": reference,
            "metadata": metadata,
            "max_uses": max_uses,
            "expires_at": expires_at,
            "active": active,
        }
        body = {name: value for name, value in fields.items() if value is not UNCHANGED}
        segments = {"id": link_id}
        return Request("PATCH", "/payment-links/{id}", record(PaymentLink), segments, body=body)

    @iterator
    def uses(
        self, link_id: str, *, expand: Sequence[str] | None = None, page_size: int = 100
    ) -> Feed[ExpandedUse]:
        """The payments made with the link, newest first; `expand` may name `intent`."""
        path, segments = "/payment-links/{id}/uses", {"id": link_id}
        query = {"limit": page_size, "expand": expand or None}
        return pages(Request("GET", path, page_of("uses", ExpandedUse), segments, query))

    @iterator
    def list(
        self,
        *,
        created_after: date | None = None,
        created_before: date | None = None,
        page_size: int = 100,
    ) -> Feed[PaymentLink]:
        """Every payment link, newest first; pages are requested when they are needed. A `datetime`
        needs a time zone, a date is its midnight in UTC."""
        query = {
            "limit": page_size,
            "created_after": created_after,
            "created_before": created_before,
        }
        result = page_of("payment_links", PaymentLink)
        return pages(Request("GET", "/payment-links", result, query=query))


def _amount(amount: int | Unchanged | None) -> str | Unchanged | None:
    return amount if amount is UNCHANGED else smallest_units(amount)
