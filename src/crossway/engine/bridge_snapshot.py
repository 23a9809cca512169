"""What nodes say of the payments of bridges whose transactions are due on one chain."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import start_marker
from crossway.engine.bridge_proof import RELEASING, has_done
from crossway.engine.outbound_decision import FoundTx
from crossway.engine.tx_builder import build_outbound_call
from crossway.ports.bridge import BridgeEnd, ContractState
from crossway.ports.chain import Chain, ChainHead, IncludedTx
from crossway.ports.services import Services

K = OutboundTxKind
_AT_SOURCE: Final = (K.START, K.GIVE_BACK, K.REFUND)
_AT_DESTINATION: Final = (K.DELIVER, K.RELEASE)
_SIMULATED: Final = (K.START, K.GIVE_BACK, K.DELIVER, K.RELEASE)
# How long before a payment was created the block of its send or arrival may be.
_LOOK_BACK: Final = timedelta(hours=1)


@dataclass
class BridgeSnapshot:
    """What was read for the due transactions of payments over bridges on one chain.

    `names` are those of all chains. By payment: `transfers`; `states` of the bridge's contract
    here; `depths`, the blocks that a payment of its value asks for here; `seconds_to_depth`, how
    soon its send has the depth that its value asks for, 0 if it has. By transaction: `found`, the
    transaction of anybody that did the same; `would_revert`, why it would revert now. `collected`
    are the payments that somebody started at the factory, `refusing` those whose recipient the
    token refuses, `undeployed` those whose bridge has no contract on the destination chain,
    `unanswered` those of which that chain tells neither. `unrepaid`: by source chain, the micro-USD
    of payouts from inventory that a bridge has still to repay.
    """

    height: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    transfers: Mapping[int, BridgeTransfer] = field(default_factory=dict)
    states: dict[int, ContractState] = field(default_factory=dict)
    depths: dict[int, int] = field(default_factory=dict)
    found: dict[int, FoundTx] = field(default_factory=dict)
    would_revert: dict[int, str] = field(default_factory=dict)
    collected: set[int] = field(default_factory=set)
    refusing: set[int] = field(default_factory=set)
    unanswered: set[int] = field(default_factory=set)
    undeployed: set[int] = field(default_factory=set)
    seconds_to_depth: dict[int, float] = field(default_factory=dict)
    unrepaid: dict[str, int] = field(default_factory=dict)


def read_bridge_snapshot(
    services: Services, chain: Chain, head: ChainHead, txs: Sequence[OutboundTx]
) -> BridgeSnapshot:
    """Read what bridges' contracts on a chain have of these transactions' payments, and simulate
    the transactions. Raises `Unreachable`."""
    kinds = (*_AT_SOURCE, *_AT_DESTINATION, K.FILL)
    due = [tx for tx in txs if tx.kind in kinds]
    with services.store.read() as unit:
        bridged_ids = unit.intents.find_over_bridges({tx.intent_id for tx in due})
        bridged = [tx for tx in due if tx.intent_id in bridged_ids]
        if not bridged:
            return BridgeSnapshot(head.height)
        intents = unit.intents.get_many(bridged_ids)
        transfers = unit.bridge_transfers.get_many(bridged_ids)
        usd_values = unit.intents.get_usd_values(bridged_ids)
    depth = services.catalogue.chains[chain.id].confirmations.depth_for_value
    names = {name: facts.name for name, facts in services.catalogue.chains.items()}
    snapshot = BridgeSnapshot(head.height, names, transfers)
    snapshot.depths = {i: depth(value) for i, value in usd_values.items()}
    _read_contracts(services.bridge_ends[chain.id], chain, snapshot, bridged, intents)
    starting = [intents[tx.intent_id] for tx in bridged if tx.kind is K.START]
    _read_refusing(services, snapshot, starting)
    open_txs = [tx for tx in bridged if tx.id not in snapshot.found]
    _simulate(services.bridge_ends[chain.id], chain, snapshot, open_txs, intents)
    _read_prefills(services, snapshot, [intents[t.intent_id] for t in bridged if t.kind is K.FILL])
    sources = [intents[tx.intent_id] for tx in bridged if tx.kind in _AT_SOURCE]
    at_source = {start_marker(intent): intent.id for intent in sources}
    if at_source:
        snapshot.collected = {at_source[m] for m in chain.executed(set(at_source))}
    return snapshot


def _read_contracts(
    end: BridgeEnd,
    chain: Chain,
    snapshot: BridgeSnapshot,
    txs: Sequence[OutboundTx],
    intents: Mapping[int, Intent],
) -> None:
    """Read the states of the payments, and the transactions of others that did what is due."""
    of_contract: dict[str, dict[str, Intent]] = {}
    for tx in txs:
        intent = intents[tx.intent_id]
        of_contract.setdefault(intent.bridger, {})[intent.intent_hash] = intent
    tx_ids: dict[int, str] = {}
    for bridger, by_hash in of_contract.items():
        states = end.contract_states(bridger, by_hash)
        snapshot.states |= {by_hash[name].id: state for name, state in states.items()}
        of_bridge = [tx for tx in txs if intents[tx.intent_id].bridger == bridger]
        tx_ids |= _find_at_source(end, bridger, by_hash, snapshot, of_bridge)
        tx_ids |= _find_arrivals(end, bridger, by_hash, snapshot, of_bridge)
    statuses = chain.status(set(tx_ids.values())) if tx_ids else {}
    for tx in txs:
        status = statuses.get(found := tx_ids.get(tx.id, ""))
        if isinstance(status, IncludedTx) and has_done(tx.kind, intents[tx.intent_id], status):
            snapshot.found[tx.id] = FoundTx(found, status)


def _find_at_source(
    end: BridgeEnd,
    bridger: str,
    by_hash: Mapping[str, Intent],
    snapshot: BridgeSnapshot,
    txs: Sequence[OutboundTx],
) -> dict[int, str]:
    """By transaction, the one that sent the deposit, or gave it back."""
    found: dict[int, str] = {}
    for kind, find in ((K.START, end.find_sends), (K.GIVE_BACK, end.find_give_backs)):
        due = {tx.intent_id: tx.id for tx in txs if tx.kind is kind}
        done = {
            name: intent
            for name, intent in by_hash.items()
            if intent.id in due and _is_done(kind, snapshot.states[intent.id])
        }
        if done:
            since = min(i.created_at for i in done.values()) - _LOOK_BACK
            logged = find(bridger, done, since)
            found |= {due[done[one.intent_hash].id]: one.tx_id for one in logged}
    return found


def _is_done(kind: OutboundTxKind, state: ContractState) -> bool:
    return state.sent if kind is K.START else state.given_back


def _find_arrivals(
    end: BridgeEnd,
    bridger: str,
    by_hash: Mapping[str, Intent],
    snapshot: BridgeSnapshot,
    txs: Sequence[OutboundTx],
) -> dict[int, str]:
    """By transaction, the one by which the money of a payment arrived, or left the contract after
    it had been parked."""
    due: dict[tuple[int, OutboundTxKind], int] = {
        (tx.intent_id, tx.kind): tx.id for tx in txs if tx.kind in _AT_DESTINATION
    }
    ids = {intent_id for intent_id, _ in due}
    arrived = {
        name: intent
        for name, intent in by_hash.items()
        if intent.id in ids and snapshot.states[intent.id].arrived
    }
    found: dict[int, str] = {}
    if not arrived:
        return found
    since = min(i.created_at for i in arrived.values()) - _LOOK_BACK
    for logged in end.find_arrivals(bridger, arrived, since):
        kind = K.RELEASE if logged.arrival.outcome in RELEASING else K.DELIVER
        tx_id = due.get((arrived[logged.arrival.intent_hash].id, kind))
        if tx_id is not None:
            found.setdefault(tx_id, logged.tx_id)
    return found


def _read_refusing(
    services: Services, snapshot: BridgeSnapshot, starting: Collection[Intent]
) -> None:
    """Nothing is sent towards a recipient that the token refuses, nor to a destination chain that
    does not answer or has no contract of the bridge: what arrived there would be lost. Payments to
    other chains go on."""
    for chain, token in {(i.terms.destination_chain, i.terms.token_out) for i in starting}:
        of_token = [
            i for i in starting if (i.terms.destination_chain, i.terms.token_out) == (chain, token)
        ]
        end = services.bridge_ends.get(chain)
        try:
            if end is None:
                raise Unreachable(f"{chain} is not configured")
            refused = end.find_refusing(token, {i.terms.recipient for i in of_token})
            missing = end.find_missing({i.bridger for i in of_token})
        except Unreachable:
            snapshot.unanswered |= {i.id for i in of_token}
            continue
        snapshot.refusing |= {i.id for i in of_token if i.terms.recipient in refused}
        snapshot.undeployed |= {i.id for i in of_token if i.bridger in missing}


def _read_prefills(services: Services, snapshot: BridgeSnapshot, paying: Sequence[Intent]) -> None:
    """Read how deep the sends of payments are that inventory is to pay in advance. Where a source
    chain does not answer, nothing is paid in advance."""
    for source in {intent.terms.source_chain for intent in paying}:
        of_source = [i for i in paying if i.terms.source_chain == source]
        chain = services.chains.get(source)
        if chain is None:
            continue
        with suppress(Unreachable):
            height = chain.heads().height
            txs = {snapshot.transfers[i.id].source_tx for i in of_source}
            statuses = chain.status(txs - {""})
            with services.store.read() as unit:
                usd_values = unit.intents.get_usd_values({i.id for i in of_source})
                snapshot.unrepaid[source] = unit.bridge_transfers.sum_unrepaid(source)
            facts = services.catalogue.chains[source]
            for intent in of_source:
                status = statuses.get(snapshot.transfers[intent.id].source_tx)
                # After a reorg, the same transaction may not have sent it.
                if not isinstance(status, IncludedTx) or not has_done(K.START, intent, status):
                    continue
                depth = facts.confirmations.depth_for_value(usd_values[intent.id])
                missing = depth - (height - status.block_height)
                # Half a block early: the next one is on its way already.
                wait = (missing - 0.5) * facts.block_time_seconds
                snapshot.seconds_to_depth[intent.id] = wait if missing > 0 else 0


def _simulate(
    end: BridgeEnd,
    chain: Chain,
    snapshot: BridgeSnapshot,
    txs: Sequence[OutboundTx],
    intents: Mapping[int, Intent],
) -> None:
    to_try = [
        tx
        for tx in txs
        if tx.kind in _SIMULATED
        and (tx.kind is not K.DELIVER or snapshot.transfers[tx.intent_id].message)
    ]
    calls = [
        build_outbound_call(
            tx, intents[tx.intent_id], chain.accounts, snapshot.transfers.get(tx.intent_id)
        )
        for tx in to_try
    ]
    reasons = end.simulate(calls) if calls else []
    snapshot.would_revert = {tx.id: why for tx, why in zip(to_try, reasons, strict=True) if why}
