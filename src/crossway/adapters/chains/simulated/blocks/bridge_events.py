"""Loading and saving what bridges' contracts report."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from sqlalchemy import Row, Select, bindparam, select

from crossway.adapters.chains.simulated.blocks.bridge_faults import load_paused
from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.tables import across_deposits, bridge_events
from crossway.adapters.chains.simulated.blocks.transactions import Transaction
from crossway.adapters.chains.simulated.contracts.block_contracts import BlockContracts
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall, Method
from crossway.adapters.chains.simulated.contracts.events import (
    MARKER_NAMES,
    BridgeEvent,
    EventKind,
)
from crossway.adapters.chains.simulated.contracts.reach import bridge_of
from crossway.adapters.chains.simulated.contracts.timing import (
    ACROSS_FILL_DEADLINE_SECONDS,
    ACROSS_FILL_SECONDS,
)
from crossway.domain.quotes import BridgeName
from crossway.sql.in_values import within

_OF_CHAIN = (
    select(bridge_events)
    .where(bridge_events.c.chain == bindparam("chain"))
    .order_by(bridge_events.c.id)
)
_BY_PAYMENT = _OF_CHAIN.where(within(bridge_events.c.tag, "tags"))
_BY_TX = _OF_CHAIN.where(within(bridge_events.c.tx_tag, "tags"))


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event, with its transaction and the height of its block."""

    tx_id: str
    height: int
    event: BridgeEvent


@dataclass(frozen=True, slots=True)
class LoadedContracts:
    """Bridges' contracts with what calls of them need: the addresses that may be paid, and the
    markers that may be set."""

    loaded: BlockContracts
    parties: set[str]
    marker_tags: set[int]


def load_contracts(
    session: ChainSession, calls: Sequence[ContractCall], swaps: bool = False
) -> LoadedContracts:
    """What bridges' contracts have of the payments of these calls; `swaps`: other transactions
    buy from the exchange."""
    facts = session.facts
    agents = frozenset({facts.accounts.relayer, facts.accounts.coordinator})
    contracts = BlockContracts(facts.id, facts.reach, agents)
    if calls or swaps:
        contracts.paused = load_paused(session.db)
    if not calls:
        return LoadedContracts(contracts, set(), set())
    names = {call.intent_hash for call in calls}
    stored = load_by_payment(session, names)
    contracts.history = {name: [each.event for each in stored[name]] for name in names}
    payees = {e.payee for events in contracts.history.values() for e in events if e.payee}
    parties = payees.union(*(call.parties() for call in calls))
    tags = {lookup_tag(facts.id, f"{marker}:{n}") for n in names for marker in MARKER_NAMES}
    return LoadedContracts(contracts, parties, tags)


def load_by_payment(
    session: ChainSession, intent_hashes: Collection[str], height: int | None = None
) -> dict[str, list[StoredEvent]]:
    """The events of payments up to a height, oldest first."""
    tags = [lookup_tag(session.facts.id, name) for name in intent_hashes]
    loaded: dict[str, list[StoredEvent]] = defaultdict(list)
    for stored in _load(session, _BY_PAYMENT, tags):
        if height is None or stored.height <= height:
            loaded[stored.event.intent_hash].append(stored)
    return loaded


def load_by_tx(session: ChainSession, tx_ids: Collection[str]) -> dict[str, list[BridgeEvent]]:
    """The events of transactions, in the order in which they happened."""
    tags = [lookup_tag(session.facts.id, tx_id) for tx_id in tx_ids]
    loaded: dict[str, list[BridgeEvent]] = defaultdict(list)
    for stored in _load(session, _BY_TX, tags):
        loaded[stored.tx_id].append(stored.event)
    return loaded


def find_give_backs(
    session: ChainSession, sent: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Those of these transactions, each with who sent money in it, in which a bridge's contract
    gave a deposit back: each makes one call."""
    by_contracts = {tx_id for tx_id, sender in sent if bridge_of(sender) is not None}
    if not by_contracts:
        return set()
    return {
        (tx_id, event.contract)
        for tx_id, events in load_by_tx(session, by_contracts).items()
        for event in events
        if event.kind is EventKind.GIVEN_BACK
    }


def load_sent_since(session: ChainSession, height: int) -> list[StoredEvent]:
    """What was sent in the blocks from a height on."""
    condition = (bridge_events.c.block_height >= height) & (
        bridge_events.c.kind == EventKind.SENT.value
    )
    return _load(session, _OF_CHAIN.where(condition))


def load_arrivals(session: ChainSession, contract: str, height: int) -> list[BridgeEvent]:
    """What has arrived at a contract up to a height, oldest first."""
    condition = (
        (bridge_events.c.contract == contract)
        & (bridge_events.c.kind == EventKind.ARRIVED.value)
        & (bridge_events.c.block_height <= height)
    )
    return [stored.event for stored in _load(session, _OF_CHAIN.where(condition))]


def save_events(
    session: ChainSession, height: int, tx: Transaction, events: Sequence[BridgeEvent]
) -> None:
    """Store the events of a transaction, and the deposit that waits for relayers of Across."""
    chain, tx_tag = session.facts.id, lookup_tag(session.facts.id, tx.tx_id)
    rows = [
        (
            chain,
            height,
            tx_tag,
            tx.tx_id,
            lookup_tag(chain, event.intent_hash),
            event.intent_hash,
            event.kind.value,
            event.contract,
            event.at,
            event.outcome,
            event.token,
            str(event.got),
            str(event.paid),
            str(event.credited),
            event.payee,
            event.message,
            event.message_id,
        )
        for event in events
    ]
    insert_rows(session.db, bridge_events, rows)
    for event in events:
        if event.kind is EventKind.SENT and bridge_of(event.contract) is BridgeName.ACROSS:
            _save_deposit(session, height, tx, event.at)


def _save_deposit(session: ChainSession, height: int, tx: Transaction, at: float) -> None:
    if tx.contract is None:
        raise ValueError(f"{tx.tx_id} calls no contract of a bridge")
    fill = replace(tx.contract, method=Method.FILL_RELAY)
    row = (
        session.facts.id,
        height,
        fill.intent_hash,
        fill.destination,
        at + ACROSS_FILL_DEADLINE_SECONDS,
        at + ACROSS_FILL_SECONDS,
        False,
        orjson.dumps(fill.as_body()),
    )
    insert_rows(session.db, across_deposits, [row])


def _load(session: ChainSession, query: Select[Any], tags: Sequence[int] = ()) -> list[StoredEvent]:
    parameters = {"chain": session.facts.id, "tags": tags}
    return [_parse(row) for row in session.db.execute(query, parameters).all()]


def _parse(row: Row[Any]) -> StoredEvent:
    event = BridgeEvent(
        row.intent_hash,
        EventKind(row.kind),
        row.contract,
        row.at,
        row.outcome,
        row.token,
        int(row.got),
        int(row.paid),
        int(row.credited),
        row.payee,
        row.message,
        row.message_id,
    )
    return StoredEvent(row.tx_id, row.block_height, event)
