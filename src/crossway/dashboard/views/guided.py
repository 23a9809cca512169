"""The guided story: one payment from its quote to its refund, step by step, read as it goes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views.cells import Cell, Chip, Column, Fact, Row
from crossway.dashboard.views.figures import (
    address_cell,
    amount,
    chain_name,
    duration,
    token_amount,
    tx_cell,
    usd,
)
from crossway.domain.clients import Caller
from crossway.domain.intent import Intent
from crossway.domain.quotes import Quote, bridge_title
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.services import Services
from crossway.ports.webhook_records import DeliveryFilter
from crossway.ports.webhooks import Received
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.payments.tracking import Story

SOURCE, DESTINATION, SYMBOL = "BASE_MAINNET", "ARBITRUM_MAINNET", "USDC"
UNITS: Final = "25000000"
HOOK: Final = "https://story.demo.example/crossway"
QUOTE_COLUMNS = (
    Column("Bridge"), Column("The customer pays", "right"), Column("The shop gets", "right"),
    Column("Fees", "right"), Column("Takes"),
)  # fmt: skip
BALANCE_COLUMNS = (
    Column("Who"), Column("Where"), Column("Before", "right"), Column("Now", "right"),
    Column("Change", "right"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chapter:
    """One step: what it is called, what it is, in two sentences, and the one thing to do."""

    name: str
    title: str
    words: str
    button: str
    icon: str
    more: str
    page: str


CHAPTERS: Final = (
    Chapter(
        "quote", "What does it cost?",
        "A shop wants to receive 25 USDC on Arbitrum, and its customer holds USDC on Base. "
        "Crossway asks every bridge between the two chains and takes the cheapest way.",
        "Ask for a quote", "price_check", "Compare all chains", "quotes",
    ),
    Chapter(
        "intent", "Ask for the payment",
        "The shop makes a payment intent: who is paid, on which chain, and where money goes back. "
        "It gets a deposit address that belongs to this payment alone, so nothing must be matched "
        "by hand.",
        "Make the payment", "add_circle", "The form for payments", "new_intent",
    ),
    Chapter(
        "deposit", "The customer pays",
        "The customer sends the money from any wallet, by the QR code or by hand. This one makes a "
        "mistake and sends about a tenth too much.",
        "Let the customer pay too much", "payments", "Open this payment", "intent",
    ),
    Chapter(
        "fill", "The shop is paid",
        "Crossway pays the shop at once out of its own stock on the destination chain, and "
        "collects the deposit. The shop waits for seconds, not for the minutes of a bridge.",
        "", "bolt", "Open this payment", "intent",
    ),
    Chapter(
        "webhook", "The shop's system is told",
        "Each step is announced to the shop's own system, signed so that nobody else can pretend "
        "to be Crossway. Here a receiver that is built in for this story takes the message.",
        "", "webhook", "All webhooks", "webhooks",
    ),
    Chapter(
        "refund", "What was too much goes back",
        "Crossway sees that more came in than was asked for, and sends the rest back to the "
        "customer's refund address. Nobody has to write to support, and the books show every unit.",
        "", "undo", "Open this payment", "intent",
    ),
)  # fmt: skip


def quote_rows(services: Services, quotes: Sequence[Quote]) -> tuple[Row, ...]:
    """What each bridge asks; the first is the one that is taken."""
    return tuple(
        Row(
            str(quote.bridge),
            (
                Cell(bridge_title(quote.bridge or "–"),
                     chips=() if number else (Chip("taken", "green", "check"),)),
                Cell(amount(quote.deposit_units, quote.asset_decimals, quote.asset_symbol)),
                Cell(amount(quote.out_units, quote.amount_decimals, quote.amount_symbol)),
                Cell(usd(quote.service_micro_usd + quote.bridge_micro_usd, 4)),
                Cell(f"about {duration(quote.fill_seconds)}"),
            ),
            marked=not number,
        )
        for number, quote in enumerate(quotes)
    )  # fmt: skip


def balances(services: Services, intent: Intent | None) -> dict[str, int]:
    """Units of everyone who takes part, by who they are."""
    if intent is None:
        return {}
    terms = intent.terms
    source, destination = (
        services.chains[terms.source_chain],
        services.chains[terms.destination_chain],
    )
    places = {
        "The shop": (destination, terms.recipient, terms.token_out),
        "Deposit address": (source, intent.address, terms.token_in),
        "Crossway's stock on the shop's chain": (
            destination, destination.own.relayer, terms.token_out,
        ),
        "Crossway's stock on the customer's chain": (source, source.own.relayer, terms.token_in),
        "The customer's refund address": (source, terms.refund_address, terms.token_in),
    }  # fmt: skip
    return {
        who: chain.balances([address], token)[address]
        for who, (chain, address, token) in places.items()
    }


def balance_rows(
    services: Services, intent: Intent, before: Mapping[str, int], now: Mapping[str, int]
) -> tuple[Row, ...]:
    """Each balance before the story and now."""
    names, terms = services.catalogue, intent.terms
    rows = []
    for who, units in now.items():
        on = terms.destination_chain if "shop" in who else terms.source_chain
        token = terms.token_out if on == terms.destination_chain else terms.token_in
        was = before.get(who, units)
        change = units - was
        sign = "+" if change > 0 else "−" if change < 0 else ""
        told = f"{sign}{token_amount(names, on, token, abs(change))}" if change else "–"
        rows.append(
            Row(who, (
                Cell(who), Cell(chain_name(names, on)), Cell(token_amount(names, on, token, was)),
                Cell(token_amount(names, on, token, units)),
                Cell(told, tone="strong" if change else ""),
            ))
        )  # fmt: skip
    return tuple(rows)


def told(services: Services, caller: Caller, intent: Intent) -> list[tuple[str, str, int]]:
    """What was delivered of this payment to the story's receiver: event, answer, delivery."""
    found = [one for one in webhooks.every(services, caller) if one.url == HOOK]
    if not found:
        return []
    listed = deliveries.page(services, caller, DeliveryFilter(webhook_id=found[-1].id), 50)
    return [
        (told.type, str(one.status or one.error or ""), one.id)
        for one, told in reversed(listed)
        if told.kind == "intent" and told.resource_id == intent.id
    ]


def received(services: Services, intent: Intent) -> Received | None:
    """The newest message about this payment that the story's receiver took in this process."""
    inbox = services.outgoing.inbox if services.outgoing else None
    for one in reversed(inbox.received(HOOK) if inbox else ()):
        data = json.loads(one.body).get("data", {})
        if intent.address in json.dumps(data):
            return one
    return None


def excess(story: Story) -> Transfer | None:
    """The transfer that gives back what was too much: its own, or the one that collects the
    deposit, which sends the rest back in the same transaction."""
    of_duty = {transfer.duty: transfer for transfer in story.transfers}
    return of_duty.get(Duty.RETURN_EXCESS) or of_duty.get(Duty.START)


def excess_facts(services: Services, story: Story) -> tuple[Fact, ...]:
    """What of the over-payment went back, where to, and by which transaction."""
    back = excess(story)
    terms = story.intent.terms
    on = services.catalogue.chains[terms.source_chain]
    over = story.intent.received_units - terms.total_units
    where = "sent back" if back and back.state in DONE else "on its way"
    return (
        Fact("Asked for", Cell(_source(services, story.intent, terms.total_units))),
        Fact("Came in", Cell(_source(services, story.intent, story.intent.received_units))),
        Fact("Too much", Cell(_source(services, story.intent, max(over, 0)), sub=where,
                              tone="strong")),
        Fact("To", address_cell(on, terms.refund_address, "refund address")),
        Fact("By", tx_cell(on, back.tx_id if back else None)),
    )  # fmt: skip


def _source(services: Services, intent: Intent, units: int) -> str:
    return token_amount(services.catalogue, intent.terms.source_chain, intent.terms.token_in, units)


DONE: Final = frozenset({TransferState.CONFIRMED, TransferState.FINAL})
