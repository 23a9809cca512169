"""Standing addresses: create, read and change them, and list what came to them."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway_client.records.standing import StandingAddress, StandingDeposit, StandingQuote
from crossway_client.resources.payment_links import UNCHANGED, Unchanged
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


class StandingAddresses(Resource[CarrierT]):
    """`/standing-addresses`; `minimum` and `maximum` are in the smallest unit of the payout
    token."""

    @endpoint
    def create(
        self,
        *,
        source_chain: str,
        destination_chain: str,
        recipient: str,
        recovery_address: str,
        token_out: str | None = None,
        tokens: Sequence[str] | None = None,
        minimum: int | None = None,
        maximum: int | None = None,
        reference: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Request[StandingAddress]:
        """Create an address that does not expire. Who is paid, and who gets back what is not paid
        out, can never be changed."""
        body = given(
            source_chain=source_chain,
            destination_chain=destination_chain,
            recipient=recipient,
            recovery_address=recovery_address,
            token_out=token_out,
            tokens=optional_list(tokens),
            minimum=smallest_units(minimum),
            maximum=smallest_units(maximum),
            reference=reference,
            metadata=metadata,
        )
        path, result = "/standing-addresses", record(StandingAddress)
        return Request("POST", path, result, body=body, idempotency_key=idempotency_key)

    @endpoint
    def get(self, address_id: str) -> Request[StandingAddress]:
        """One standing address."""
        return get("/standing-addresses/{id}", record(StandingAddress), id=address_id)

    @endpoint
    def quote(
        self, address_id: str, *, amount: int, token: str | None = None
    ) -> Request[StandingQuote]:
        """What a deposit of so many smallest units of a token, by default the first accepted one,
        would give the recipient now."""
        path, query = "/standing-addresses/{id}/quote", {"amount": amount, "token": token}
        return Request("GET", path, record(StandingQuote), {"id": address_id}, query=query)

    @endpoint
    def update(
        self,
        address_id: str,
        *,
        minimum: int | None = None,
        maximum: int | Unchanged | None = UNCHANGED,
        reference: str | Unchanged | None = UNCHANGED,
        metadata: Mapping[str, Any] | Unchanged | None = UNCHANGED,
        active: bool | None = None,
    ) -> Request[StandingAddress]:
        """Change the given rules for later deposits; None clears a maximum, a reference or
        metadata."""
        most = maximum if maximum is UNCHANGED else smallest_units(maximum)
        cleared = {"maximum": most, "reference": reference, "metadata": metadata}
        body = given(minimum=smallest_units(minimum), active=active)
        body |= {name: value for name, value in cleared.items() if value is not UNCHANGED}
        path, segments = "/standing-addresses/{id}", {"id": address_id}
        return Request("PATCH", path, record(StandingAddress), segments, body=body)

    @iterator
    def list(self, *, page_size: int = 100) -> Feed[StandingAddress]:
        """Every standing address, newest first; pages are requested when they are needed."""
        result = page_of("standing_addresses", StandingAddress)
        return pages(Request("GET", "/standing-addresses", result, query={"limit": page_size}))


class StandingDeposits(Resource[CarrierT]):
    """`/standing-deposits`: what came to standing addresses."""

    @endpoint
    def get(self, deposit_id: int) -> Request[StandingDeposit]:
        """One deposit at a standing address."""
        return get("/standing-deposits/{id}", record(StandingDeposit), id=deposit_id)

    @iterator
    def list(
        self,
        *,
        standing_address: str | None = None,
        status: str | None = None,
        page_size: int = 100,
    ) -> Feed[StandingDeposit]:
        """Every deposit at every standing address, or at one, newest first."""
        query = {"limit": page_size, "standing_address": standing_address, "status": status}
        result = page_of("standing_deposits", StandingDeposit)
        return pages(Request("GET", "/standing-deposits", result, query=query))
