"""x402: offers to pay by a signature, verified and settled."""

from collections.abc import Iterable, Mapping
from typing import Any

from crossway_client.records.x402 import PaymentRequired, Settlement, SupportedKinds, Verification
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint
from crossway_client.transport.requests import (
    Request,
    get,
    given,
    optional_list,
    record,
    smallest_units,
)


class X402(Resource[CarrierT]):
    """`/x402`."""

    @endpoint
    def supported(self) -> Request[SupportedKinds]:
        """The networks on which payments are settled now."""
        return get("/x402/supported", record(SupportedKinds))

    @endpoint
    def create_offers(
        self,
        *,
        amount: int,
        destination_chain: str,
        recipient: str,
        token_out: str | None = None,
        refund_address: str | None = None,
        source_chains: Iterable[str] | None = None,
        url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Request[PaymentRequired]:
        """Offer up to three ways to pay an amount in micro-USD; each has a deposit address of
        its own and expires."""
        body = given(
            amount=smallest_units(amount),
            destination_chain=destination_chain,
            tokenOut=token_out,
            recipient=recipient,
            refund_address=refund_address,
            source_chains=optional_list(source_chains),
            url=url,
            metadata=metadata,
        )
        return Request(
            "POST",
            "/x402/offers",
            record(PaymentRequired),
            body=body,
            idempotency_key=idempotency_key,
        )

    @endpoint
    def verify(
        self,
        payment_payload: Mapping[str, Any],
        payment_requirements: Mapping[str, Any] | None = None,
        *,
        x402_version: int = 2,
    ) -> Request[Verification]:
        """Whether a payment for one of your offers would be settled now."""
        body = _asked(payment_payload, payment_requirements, x402_version)
        return Request("POST", "/x402/verify", record(Verification), body=body)

    @endpoint
    def settle(
        self,
        payment_payload: Mapping[str, Any],
        payment_requirements: Mapping[str, Any] | None = None,
        *,
        x402_version: int = 2,
        idempotency_key: str | None = None,
    ) -> Request[Settlement]:
        """Carry a payment out and wait for it. Each is settled once."""
        body = _asked(payment_payload, payment_requirements, x402_version)
        return Request(
            "POST",
            "/x402/settle",
            record(Settlement),
            body=body,
            idempotency_key=idempotency_key,
        )


def _asked(
    payload: Mapping[str, Any], requirements: Mapping[str, Any] | None, version: int
) -> dict[str, Any]:
    return given(x402Version=version, paymentPayload=payload, paymentRequirements=requirements)
