"""The guided tour: one payment from quote to refund, step by step, with live data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Detail, Row
from crossway.dashboard.views.custody import label_custody
from crossway.dashboard.views.formatting import (
    address_cell,
    amount_cell,
    chain_cell,
    format_duration,
    format_token_amount,
    format_usd,
    token_amount_cell,
    tx_cell,
)
from crossway.dashboard.views.marks import mark_bridge
from crossway.dashboard.views.tour_payment import WEBHOOK_URL
from crossway.domain.clients import Principal
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.quotes import Quote, bridge_title
from crossway.ports.services import Services
from crossway.ports.webhook_repository import DeliveryFilter
from crossway.ports.webhooks import ReceivedWebhook
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.payments.timeline import IntentTimeline

QUOTE_COLUMNS = (
    Column("Bridge"),
    Column("Customer pays", "right"),
    Column("Shop gets", "right"),
    Column("Fees", "right"),
    Column("Time"),
)
BALANCE_COLUMNS = (
    Column("Account"),
    Column("Chain"),
    Column("Before", "right"),
    Column("Now", "right"),
    Column("Change", "right"),
)


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter of the tour: its title, a short description and its one action."""

    name: str
    title: str
    description: str
    button: str
    icon: str
    more_label: str
    page: str


CHAPTERS: Final = (
    Chapter(
        "quote", "What does it cost?",
        "A shop wants to receive 25 USDC on Arbitrum, and its customer holds USDC on Base. "
        "Crossway asks every bridge between the two chains and takes the cheapest route.",
        "Ask for a quote", "price_check", "Compare all chains", "quotes",
    ),
    Chapter(
        "intent", "Create the payment",
        "The shop creates a payment intent with the recipient, the chain and the refund address. "
        "It gets a deposit address for this payment alone, so no deposit is matched by hand.",
        "Create the payment", "add_circle", "Payment form", "new_intent",
    ),
    Chapter(
        "deposit", "The customer pays",
        "The customer pays from any wallet, with the QR code or by hand. This customer makes a "
        "mistake and sends about 10% too much.",
        "Simulate an overpayment", "payments", "View this payment", "intent",
    ),
    Chapter(
        "fill", "The shop is paid",
        "The deposit goes over the bridge of its quote, whose contracts pay the shop or return it. "
        "Where no bridge carries a payment, the operator pays the shop out of inventory.",
        "", "bolt", "View this payment", "intent",
    ),
    Chapter(
        "webhook", "The shop is notified",
        "Each step is sent to the shop's system as a signed webhook. In this tour a built-in "
        "receiver takes it.",
        "", "webhook", "All webhooks", "webhooks",
    ),
    Chapter(
        "refund", "The overpayment is returned",
        "Crossway detects that more was received than requested and returns the excess to the "
        "customer's refund address. No support request is needed, and the ledger shows every unit.",
        "", "undo", "View this payment", "intent",
    ),
)  # fmt: skip


def build_quote_rows(services: Services, quotes: Sequence[Quote]) -> tuple[Row, ...]:
    """Rows of the bridges' quotes; the first one is selected."""
    return tuple(
        Row(
            str(quote.bridge),
            (
                Cell(
                    bridge_title(quote.bridge or "–"),
                    marks=mark_bridge(quote.bridge or ""),
                    badges=() if number else (Badge("selected", "green", "check"),),
                ),
                amount_cell(quote.deposit_amount, quote.asset_decimals, quote.asset_symbol),
                amount_cell(quote.payout_amount, quote.amount_decimals, quote.amount_symbol),
                Cell(format_usd(quote.costs.fee_micro_usd, 4)),
                Cell(
                    f"about {format_duration(quote.fill_seconds)}",
                    sub=label_custody(quote.custody),
                ),
            ),
            marked=not number,
        )
        for number, quote in enumerate(quotes)
    )


def read_balances(services: Services, intent: Intent | None) -> dict[str, int]:
    """On-chain balances of all participants in smallest units, by display name."""
    if intent is None:
        return {}
    terms = intent.terms
    source, destination = (
        services.chains[terms.source_chain],
        services.chains[terms.destination_chain],
    )
    accounts = {
        "The shop": (destination, terms.recipient, terms.token_out),
        "Deposit address": (source, intent.address, terms.token_in),
        "Crossway's inventory on the shop's chain": (
            destination,
            destination.accounts.relayer,
            terms.token_out,
        ),
        "Crossway's inventory on the customer's chain": (
            source,
            source.accounts.relayer,
            terms.token_in,
        ),
        "The customer's refund address": (source, terms.refund_address, terms.token_in),
    }
    return {
        name: chain.balances([address], token)[address]
        for name, (chain, address, token) in accounts.items()
    }


def build_balance_rows(
    services: Services, intent: Intent, before: Mapping[str, int], now: Mapping[str, int]
) -> tuple[Row, ...]:
    """Rows of the balances before the tour and now."""
    names, terms = services.catalogue, intent.terms
    rows = []
    for name, units in now.items():
        chain = terms.destination_chain if "shop" in name else terms.source_chain
        token = terms.token_out if chain == terms.destination_chain else terms.token_in
        previous = before.get(name, units)
        change = units - previous
        sign = "+" if change > 0 else "−" if change < 0 else ""
        change_text = (
            f"{sign}{format_token_amount(names, chain, token, abs(change))}" if change else "–"
        )
        rows.append(
            Row(
                name,
                (
                    Cell(name),
                    chain_cell(names, chain),
                    token_amount_cell(names, chain, token, previous),
                    token_amount_cell(names, chain, token, units),
                    Cell(change_text, tone="strong" if change else ""),
                ),
            )
        )
    return tuple(rows)


def list_deliveries(
    services: Services, caller: Principal, intent: Intent
) -> list[tuple[str, str, int]]:
    """This payment's deliveries to the tour's receiver: event type, response, delivery id."""
    endpoints = [
        item for item in webhooks.list_webhooks(services, caller) if item.url == WEBHOOK_URL
    ]
    if not endpoints:
        return []
    records = deliveries.list_deliveries(
        services, caller, DeliveryFilter(webhook_id=endpoints[-1].id), 50
    )
    return [
        (event.type, str(item.status or item.error or ""), item.id)
        for item, event in reversed(records)
        if event.kind == "intent" and event.resource_id == intent.id
    ]


def find_received_webhook(services: Services, intent: Intent) -> ReceivedWebhook | None:
    """The newest webhook of this payment that the tour's receiver got in this process."""
    inbox = services.webhooks.inbox if services.webhooks else None
    for webhook in reversed(inbox.received(WEBHOOK_URL) if inbox else ()):
        data = json.loads(webhook.body).get("data", {})
        if intent.address in json.dumps(data):
            return webhook
    return None


def find_excess_return(timeline: IntentTimeline) -> OutboundTx | None:
    """The transaction that returns the overpayment: one of its own, or the one that collects the
    deposit and returns the excess with it."""
    of_duty = {transfer.kind: transfer for transfer in timeline.outbound_txs}
    return of_duty.get(OutboundTxKind.RETURN_EXCESS) or of_duty.get(OutboundTxKind.START)


def build_excess_details(services: Services, timeline: IntentTimeline) -> tuple[Detail, ...]:
    """Details of the overpayment's return: amounts, address and transaction."""
    transaction = find_excess_return(timeline)
    terms = timeline.intent.terms
    chain = services.catalogue.chains[terms.source_chain]
    excess = timeline.intent.received_amount - terms.deposit_amount
    status = "returned" if transaction and transaction.state in FINISHED_STATES else "in progress"
    return (
        Detail(
            "Requested",
            Cell(_format_source_amount(services, timeline.intent, terms.deposit_amount)),
        ),
        Detail(
            "Received",
            Cell(_format_source_amount(services, timeline.intent, timeline.intent.received_amount)),
        ),
        Detail(
            "Overpayment",
            Cell(
                _format_source_amount(services, timeline.intent, max(excess, 0)),
                sub=status,
                tone="strong",
            ),
        ),
        Detail("To", address_cell(chain, terms.refund_address, "refund address")),
        Detail("Transaction", tx_cell(chain, transaction.tx_id if transaction else None)),
    )


def _format_source_amount(services: Services, intent: Intent, units: int) -> str:
    return format_token_amount(
        services.catalogue, intent.terms.source_chain, intent.terms.token_in, units
    )


FINISHED_STATES: Final = frozenset({OutboundTxState.CONFIRMED, OutboundTxState.FINAL})
