"""Intents: create, read, list, watch, trigger and refund."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from crossway_client.records.expanded import ExpandedIntent
from crossway_client.records.intents import (
    DestinationAddress,
    Intent,
    IntentBatch,
    ProcessingTriggered,
    RefundSent,
)
from crossway_client.records.timeline import Timeline
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint, iterator
from crossway_client.transport.requests import Request, get, given, page_of, record, records
from crossway_client.transport.steps import Feed, changes, pages


class Intents(Resource[CarrierT]):
    """`/intents`."""

    @endpoint
    def create(
        self,
        *,
        amount: int,
        token_in: str,
        source_chain: str,
        destination_chain: str,
        recipient: str,
        sender: str | None = None,
        refund_address: str | None = None,
        amount_symbol: str | None = None,
        token_out: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        payment_link_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Request[Intent]:
        """Create a payment with its own deposit address. `amount` is in the smallest unit of
        `amount_symbol` (USDC), `sender` or `refund_address` is required."""
        body = given(
            amount=str(amount),
            tokenIn=token_in,
            source_chain=source_chain,
            destination_chain=destination_chain,
            recipient=recipient,
            sender=sender,
            refund_address=refund_address,
            amountSymbol=amount_symbol,
            tokenOut=token_out,
            metadata=metadata,
            payment_link_id=payment_link_id,
        )
        return Request(
            "POST", "/intents", record(Intent), body=body, idempotency_key=idempotency_key
        )

    @endpoint
    def create_batch(
        self,
        *,
        intents: Sequence[Mapping[str, Any]],
        mode: str = "all",
        idempotency_key: str | None = None,
    ) -> Request[IntentBatch]:
        """Create up to 500 payments at once, each with the fields of `POST /intents` under the
        API's names. `all` creates every one or none, `each` those that can be created."""
        body = {"mode": mode, "intents": list(intents)}
        return Request(
            "POST",
            "/intents/batch",
            record(IntentBatch),
            body=body,
            idempotency_key=idempotency_key,
        )

    @endpoint
    def get(
        self, intent: int | str, *, expand: Sequence[str] | None = None
    ) -> Request[ExpandedIntent]:
        """The payment with this record number or deposit address; `expand` as in `list`."""
        return _one(intent, expand)

    @endpoint
    def timeline(self, intent_id: int) -> Request[Timeline]:
        """What happened to a payment, step by step, and what happens next."""
        return get("/intents/{id}/timeline", record(Timeline), id=intent_id)

    @endpoint
    def by_sender(
        self, sender: str, *, limit: int | None = None, offset: int | None = None
    ) -> Request[list[Intent]]:
        """The newest payments of one payer's wallet, at most 100."""
        query = {"limit": limit, "offset": offset}
        segments = {"sender": sender}
        return Request("GET", "/intents/user/{sender}", records(Intent), segments, query)

    @endpoint
    def destination_address(self, address: str) -> Request[DestinationAddress]:
        """The address of an intent on its destination chain."""
        path = "/intents/destination-address/{address}"
        return get(path, record(DestinationAddress), address=address)

    @endpoint
    def trigger(
        self, address: str, *, idempotency_key: str | None = None
    ) -> Request[ProcessingTriggered]:
        """Check the deposit now and start the payment; test networks need this call."""
        return Request(
            "POST",
            "/intents/{address}/trigger-processing",
            record(ProcessingTriggered),
            {"address": address},
            idempotency_key=idempotency_key,
        )

    @endpoint
    def refund(
        self, address: str, *, reason: str | None = None, idempotency_key: str | None = None
    ) -> Request[RefundSent]:
        """Refund what an expired payment holds, when the automatic refund did not; the payer reads
        the `reason`."""
        return Request(
            "POST",
            "/intents/{address}/refund",
            record(RefundSent),
            {"address": address},
            body=given(reason=reason) or None,
            idempotency_key=idempotency_key,
        )

    @iterator
    def watch(self, intent: int | str, *, every_seconds: float = 1.0) -> Feed[ExpandedIntent]:
        """The payment now and after each change, until it is final."""
        return changes(
            _one(intent),
            every_seconds,
            lambda now: (now.intent_status, now.tx_hash),
            lambda now: now.ended,
        )

    @iterator
    def list(
        self,
        *,
        status: str | None = None,
        source_chain: str | None = None,
        destination_chain: str | None = None,
        sender: str | None = None,
        recipient: str | None = None,
        payment_link_id: str | None = None,
        bridge: str | None = None,
        token: str | None = None,
        reference: str | None = None,
        created_after: date | None = None,
        created_before: date | None = None,
        expand: Sequence[str] | None = None,
        page_size: int = 100,
    ) -> Feed[ExpandedIntent]:
        """Every payment, newest first; pages are requested when they are needed.

        `status` is `pending`, `processing`, `completed`, `failed`, or a status of an intent;
        `bridge` may be `none`; `token` is the symbol of the payer's; `reference` a value of the
        metadata. A `datetime` needs a time zone, a date is its midnight in UTC. `expand` names
        what the records have besides: `order`, `deliveries`.
        """
        query = {
            "limit": page_size,
            "status": status,
            "source_chain": source_chain,
            "destination_chain": destination_chain,
            "sender": sender,
            "recipient": recipient,
            "payment_link_id": payment_link_id,
            "bridge": bridge,
            "token": token,
            "reference": reference,
            "created_after": created_after,
            "created_before": created_before,
            "expand": expand or None,
        }
        return pages(Request("GET", "/intents", page_of("intents", ExpandedIntent), query=query))


def _one(intent: int | str, expand: Sequence[str] | None = None) -> Request[ExpandedIntent]:
    result, query = record(ExpandedIntent), {"expand": expand or None}
    if isinstance(intent, int) or (intent.isascii() and intent.isdecimal()):
        return Request("GET", "/intents/{id}", result, {"id": intent}, query)
    return Request("GET", "/intents/address/{address}", result, {"address": intent}, query)
