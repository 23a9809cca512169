"""One payment told: where it stands, what it is made of, what happened to it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from datetime import datetime
from typing import Any

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Cell, Color, Fact, Item, Step
from crossway.dashboard.views.figures import (
    about_usd,
    address_cell,
    amount,
    chain_name,
    millis,
    tx_cell,
    usd,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Caller
from crossway.domain.intent import Event, Intent, State
from crossway.domain.quotes import bridge_title
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.records import MoveRecord
from crossway.ports.services import Services
from crossway.usecases.payments import finding, tracking
from crossway.usecases.payments.tracking import Story

COLORS: dict[State, Color] = {state: chip.color for state, chip in wording.STATES.items()}
_SHORTEST_TX = 30
_THERE = frozenset({Event.FILLED, Event.FILL_REVERSED, Event.FILL_REFUSED})
_USUAL = (State.PENDING, State.FUNDED, State.INITIATED, State.COMPLETED)


def sought(services: Services, caller: Caller, text: str) -> list[Intent]:
    """The payments that a link or a search names."""
    return finding.payments(services, caller, text)


def told(services: Services, caller: Caller, intent_id: int) -> Story:
    """Everything about one payment; raises `NotFound`."""
    return tracking.story(services, caller, intent_id)


def reached(moves: Sequence[MoveRecord]) -> dict[State, datetime]:
    """When each state was entered last."""
    times: dict[State, datetime] = {}
    for move in sorted(moves, key=lambda m: m.at):
        if move.from_state != move.to_state:
            times[move.to_state] = move.at
    return times


def steps(
    intent: Intent, moves: Sequence[MoveRecord], transfers: Sequence[Transfer] = ()
) -> tuple[Step, ...]:
    """The steps of this payment: those behind it, the one it is in, and those still to come."""
    times = reached(moves)
    back = _taken_back(times)
    at = {state: millis(time) for state, time in times.items()}
    at[State.PENDING] = millis(intent.created_at)
    if intent.state in _USUAL:
        return _usual(intent, at, "taken back by a reorganisation" if back else "")
    begun = [Step("Created", "done", at[State.PENDING])]
    if back:
        note = "by a reorganisation of the chain"
        begun.append(Step("Deposit taken back", "failed", millis(times[State.PENDING]), note))
    else:
        begun += [
            Step(name, "done", at[state])
            for state, name in ((State.FUNDED, "Deposit complete"), (State.INITIATED, "On its way"))
            if state in at
        ]
    ended = State.FAILED if State.FAILED in at else State.EXPIRED
    word = "Payout refused" if ended is State.FAILED else "Time is over"
    begun.append(Step(word, "failed", at.get(ended), _came(intent) if len(begun) == 1 else ""))
    return (*begun, *_given_back(intent, at, transfers))


def _taken_back(times: Mapping[State, datetime]) -> bool:
    """Whether the deposit was complete, and then was not there any more."""
    funded, waiting = times.get(State.FUNDED), times.get(State.PENDING)
    return funded is not None and waiting is not None and waiting > funded


def _given_back(
    intent: Intent, at: Mapping[State, int], transfers: Sequence[Transfer]
) -> tuple[Step, ...]:
    if intent.state is State.REFUNDED:
        return (Step("Refunded", "done", at.get(State.REFUNDED)),)
    if not intent.held_units:
        return ()
    for transfer in transfers:
        if transfer.duty is Duty.REFUND and transfer.state is TransferState.FAILED:
            return (Step("Refund failed", "failed", millis(transfer.updated_at), transfer.reason),)
    return (Step("Refund", "now", note="on its way back to the payer"),)


def _usual(intent: Intent, at: dict[State, int], said: str) -> tuple[Step, ...]:
    place = _USUAL.index(intent.state)
    names = ("Created", "Deposit", "On its way", "Recipient paid")
    done = ("Created", "Deposit complete", "On its way", "Recipient paid")
    found = []
    for index, state in enumerate(_USUAL):
        if index < place or (index == place and state in (State.PENDING, State.COMPLETED)):
            found.append(Step(done[index], "done", at.get(state)))
        elif index == place:
            found.append(Step(done[index], "now", at.get(state)))
        elif index == place + 1 and state is State.FUNDED:
            found.append(Step("Waiting for the deposit", "now", note=said or _came(intent)))
        else:
            found.append(Step(names[index], "todo"))
    return tuple(found)


def _came(intent: Intent) -> str:
    came = amount(intent.received_units, intent.asset_decimals, intent.asset_symbol)
    asked = amount(intent.terms.total_units, intent.asset_decimals, intent.asset_symbol)
    if intent.received_units:
        return f"{came} of {asked} came in"
    return "nothing came in yet" if intent.state is State.PENDING else "nothing came in"


def key_facts(catalogue: Catalogue, intent: Intent) -> tuple[Fact, ...]:
    """What this payment is, in the order in which people ask."""
    terms, costs = intent.terms, intent.costs
    source = catalogue.chains.get(terms.source_chain)
    destination = catalogue.chains.get(terms.destination_chain)
    total = amount(terms.total_units, intent.asset_decimals, intent.asset_symbol)
    out = amount(terms.out_units, intent.out_decimals, intent.out_symbol)
    way = f"{chain_name(catalogue, terms.source_chain)} → "
    way += chain_name(catalogue, terms.destination_chain)
    worth = costs.amount_micro_usd
    return (
        Fact("Deposit address", address_cell(source, intent.address, "deposit address")),
        Fact("To deposit", Cell(total, about_usd(costs.total_micro_usd), copy=_bare(total))),
        Fact("Recipient gets", Cell(out, about_usd(worth))),
        Fact("Recipient", address_cell(destination, terms.recipient, "recipient")),
        Fact(
            "Way",
            Cell(
                way, sub=f"by {bridge_title(terms.bridge)}" if terms.bridge else "within one chain"
            ),
        ),
        Fact("Fees", Cell(usd(_fees(intent), 4), sub=_fee_split(intent))),
        Fact("Refunds go to", address_cell(source, terms.refund_address, "refund address")),
        Fact("Created", Cell(at=millis(intent.created_at), as_="exact")),
        Fact("Expires", Cell(at=millis(terms.expires_at), as_="exact")),
    )


def detail_facts(catalogue: Catalogue, intent: Intent) -> tuple[Fact, ...]:
    """What developers and support ask besides, smallest units included."""
    terms = intent.terms
    source = catalogue.chains.get(terms.source_chain)
    destination = catalogue.chains.get(terms.destination_chain)
    return (
        Fact("Number", Cell(str(intent.id), copy=str(intent.id), what="number")),
        Fact("Key", _mono(intent.key, "key")),
        Fact("Payout transaction", tx_cell(destination, intent.tx_hash)),
        Fact("Sender", address_cell(source, intent.sender, "sender")),
        Fact("Deposit total", _mono(str(terms.total_units), "smallest units")),
        Fact("Received", _mono(str(intent.received_units), "smallest units")),
        Fact("Still held", _mono(str(intent.held_units), "smallest units")),
        Fact("Payout", _mono(str(terms.out_units), "smallest units")),
        Fact("Token in", address_cell(source, terms.token_in, "token")),
        Fact("Token out", address_cell(destination, terms.token_out, "token")),
        Fact("Coordinator", address_cell(source, intent.coordinator, "coordinator")),
        Fact("Relayer", address_cell(destination, intent.relayer, "relayer")),
        Fact("Relayer repaid", Cell("yes" if intent.relayer_claimed else "not yet")),
        Fact("Client", Cell(intent.client_id, sub=f"{intent.mode} mode")),
        Fact("Nonce", _mono(str(terms.nonce), "nonce")),
    )


def _mono(text: str, what: str) -> Cell:
    brief = text if len(text) <= 28 else f"{text[:14]}…{text[-8:]}"
    return Cell(brief, copy=text, what=what, mono=True, hint=text)


def _bare(text: str) -> str:
    return text.split(" ")[0].replace(",", "")


def _fees(intent: Intent) -> int:
    costs = intent.costs
    return costs.service_micro_usd + costs.bridge_micro_usd + costs.app_micro_usd


def _fee_split(intent: Intent) -> str:
    costs = intent.costs
    parts = [
        f"service {usd(costs.service_micro_usd, 4)}",
        f"bridge {usd(costs.bridge_micro_usd, 4)}",
    ]
    if costs.app_micro_usd:
        parts.append(f"app {usd(costs.app_micro_usd, 4)}")
    return ", ".join(parts)


def timeline(catalogue: Catalogue, intent: Intent, moves: Sequence[MoveRecord]) -> tuple[Item, ...]:
    """What happened, newest first, each with its transaction and its raw record."""
    ordered = sorted(enumerate(moves), key=lambda pair: (pair[1].at, pair[0]), reverse=True)
    return tuple(_item(catalogue, intent, move) for _, move in ordered)


def _item(catalogue: Catalogue, intent: Intent, move: MoveRecord) -> Item:
    title, icon = wording.event(move.event)
    told = f"Announced as {move.tells}" if move.tells else ""
    is_tx = len(move.note) > _SHORTEST_TX and " " not in move.note
    words = "" if is_tx else move.note
    there = intent.terms.destination_chain if move.event in _THERE else intent.terms.source_chain
    return Item(
        key=move.id,
        title=title,
        at=millis(move.at),
        note=". ".join(part.rstrip(".") for part in (words, told) if part),
        tx=tx_cell(catalogue.chains.get(there), move.note) if is_tx else None,
        icon=icon,
        color=COLORS[move.to_state],
        raw=raw(asdict(move)),
    )


def records(story: Story) -> dict[str, Any]:
    """Every record of a payment as it is stored, by what it is."""
    return {
        "Payment": story.intent,
        "Events": sorted(story.moves, key=lambda move: move.at),
        "Deposits": story.deposits,
        "Transfers": story.transfers,
        "Signed transactions": story.attempts,
        "Ledger": [{"at": at, "posting": posting} for at, posting in story.postings],
        "Notes": story.notes,
    }


def raw(record: Any) -> str:
    """A record as indented JSON; what JSON has no form for is written as text, signed bytes not at
    all."""
    return json.dumps(record, indent=2, default=_plain, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return f"{len(value)} bytes" if isinstance(value, bytes) else str(value)
