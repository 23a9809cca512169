"""Reads what our accounts can spend and which markers the chains have executed."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.network_costs import ChainCosts
from crossway.domain.outbound import SWEEP_KINDS, OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import fill_marker, settle_marker, start_marker
from crossway.engine.agency import read_authorized
from crossway.engine.bridge_snapshot import BridgeSnapshot, read_bridge_snapshot
from crossway.engine.escrow_returns import Reclaims, read_reclaims
from crossway.engine.inventory_snapshot import FundingSnapshot, Location, read_funding_snapshot
from crossway.engine.pay_ins import PayIn, read_pay_ins
from crossway.engine.standing_planner import Departures, read_departures
from crossway.engine.tx_builder import build_payout_call
from crossway.ports.chain import Chain, ChainHead
from crossway.ports.services import Services
from crossway.usecases.money.leaving_inventory import Spent, read_spent
from crossway.usecases.payments.abandoned_payouts import find_unpaid, payout_deadline
from crossway.usecases.pricing.network_fees import read_network_costs
from crossway.usecases.pricing.price_snapshot import PriceRefusal, find_start_refusals

_RETURNS = (*SWEEP_KINDS, OutboundTxKind.RECOVER)
_CHECKED_KINDS = (OutboundTxKind.START, OutboundTxKind.FILL, OutboundTxKind.REFUND)


@dataclass
class ChainSnapshot:
    """What our accounts can spend, and which markers the chains have already executed.

    `fee_per_tx` and the balances of `gas` are units of this chain's native coin; `gas` and
    `next_nonces` are by sending account, the relayer's first. `inventory` is the
    relayer's balance by destination (chain, token), `spent` what the books had taken from it before
    it was read, `affordable_fills` the number of transactions
    its gas pays for by destination chain. `unreachable_chains` gave no answer. `unpaid` are the
    payouts past their deadline of which it is final that nothing was paid, `refused` those that
    were tried before and whose recipient would refuse them again, as finally unpaid.
    `price_refusals` says by (deposited, paid out) symbol why a payment must not start now,
    `refusals` by intent id why the recipient could not be paid. `costs` are those of this chain,
    where it tells them. `authorized` are the coordinators for whom the relayer may act. `reclaims`
    are what somebody reclaimed from the escrow, `pay_ins` the payers' signatures to carry out,
    `bridges` is what bridges' contracts say, `funding` what can be moved to where inventory lacks.
    `left` is what has left standing addresses already.
    """

    fee_per_tx: int
    gas: Mapping[str, int]
    next_nonces: Mapping[str, int]
    inventory: dict[Location, int] = field(default_factory=dict)
    spent: dict[Location, Spent] = field(default_factory=dict)
    affordable_fills: dict[str, int] = field(default_factory=dict)
    executed_markers: set[str] = field(default_factory=set)
    unreachable_chains: set[str] = field(default_factory=set)
    unpaid: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    refusals: dict[int, str] = field(default_factory=dict)
    price_refusals: Mapping[tuple[str, str], PriceRefusal] = field(default_factory=dict)
    costs: Mapping[str, ChainCosts] = field(default_factory=dict)
    authorized: set[str] = field(default_factory=set)
    reclaims: Reclaims = field(default_factory=Reclaims)
    pay_ins: Mapping[int, PayIn] = field(default_factory=dict)
    bridges: BridgeSnapshot = field(default_factory=BridgeSnapshot)
    funding: FundingSnapshot = field(default_factory=FundingSnapshot)
    left: Departures = field(default_factory=Departures)


def take_chain_snapshot(
    services: Services, chain: Chain, head: ChainHead, txs: Sequence[OutboundTx]
) -> ChainSnapshot:
    """Read balances, fees and executed markers for these transactions of one chain.

    Raises `Unreachable` when that chain itself does not answer.
    """
    checked = [t for t in txs if t.kind in _CHECKED_KINDS]
    with services.store.read() as unit:
        intents = unit.intents.get_many({t.intent_id for t in checked})
    senders = chain.accounts.senders
    gas = {sender: chain.native_balance(sender) for sender in senders}
    next_nonces = {sender: chain.next_nonce(sender) for sender in senders}
    snapshot = ChainSnapshot(chain.fee_units(), gas, next_nonces)
    by_kind: dict[OutboundTxKind, list[tuple[OutboundTx, Intent]]] = {}
    for tx in checked:
        by_kind.setdefault(tx.kind, []).append((tx, intents[tx.intent_id]))
    starts, fills = by_kind.get(OutboundTxKind.START, []), by_kind.get(OutboundTxKind.FILL, [])
    paid_out = [(t, i) for t, i in starts if i.custody is Custody.OPERATOR]
    pairs = {(i.asset_symbol, i.out_symbol) for _, i in starts if i.state is State.FUNDED}
    snapshot.price_refusals = find_start_refusals(services, pairs)
    _read_inventory(services, snapshot, [intent for _, intent in (*paid_out, *fills)])
    tried = [i for t, i in fills if t.attempt_count and i.state is State.INITIATED]
    funded = [i for _, i in paid_out if i.state is State.FUNDED]
    _read_refusals(services, snapshot, [*funded, *tried])
    margin = timedelta(seconds=services.policy.start_margin_seconds)
    to_check = [i for _, i in starts if head.time + margin >= i.terms.expires_at]
    to_check += [i for t, i in by_kind.get(OutboundTxKind.REFUND, []) if t.amount is None]
    if to_check:
        snapshot.executed_markers |= chain.executed({start_marker(intent) for intent in to_check})
    if starts or any(t.kind in _RETURNS for t in txs):
        snapshot.costs = read_network_costs(services, {chain.id}).costs
    snapshot.authorized = read_authorized(services, chain, txs)
    snapshot.reclaims = read_reclaims(services, chain, head, txs)
    _read_promised(services, chain, head, snapshot, fills)
    snapshot.left = read_departures(services, chain, txs)
    snapshot.pay_ins = read_pay_ins(services, chain, txs)
    snapshot.bridges = read_bridge_snapshot(services, chain, head, txs)
    snapshot.funding = read_funding_snapshot(services, chain, txs, funded, snapshot.inventory)
    return snapshot


def _read_promised(
    services: Services,
    chain: Chain,
    head: ChainHead,
    snapshot: ChainSnapshot,
    fills: Sequence[tuple[OutboundTx, Intent]],
) -> None:
    """What concerns payouts from inventory, whose deposits are in the escrow."""
    promised = [(t, i) for t, i in fills if i.custody is Custody.OPERATOR]
    _read_escrow(services, chain, snapshot, [i for _, i in promised])
    _read_unpaid(services, chain, head, snapshot, promised)


def _read_unpaid(
    services: Services,
    chain: Chain,
    head: ChainHead,
    snapshot: ChainSnapshot,
    fills: Sequence[tuple[OutboundTx, Intent]],
) -> None:
    """Find the payouts that may be given up: past their deadline, or refused before and again."""
    overdue = [(t, i) for t, i in fills if head.time >= payout_deadline(services, i)]
    refused = [(t, i) for t, i in fills if t.attempt_count and i.id in snapshot.refusals]
    if not (overdue or refused):
        return
    # Where the nodes disagree on one of these payouts, all else on this chain goes on.
    with suppress(Unreachable):
        unpaid = find_unpaid(services, chain, head.finalized, [*overdue, *refused])
        snapshot.unpaid = unpaid & {t.id for t, _ in overdue}
        snapshot.refused = unpaid & {t.id for t, _ in refused}


def _read_inventory(services: Services, snapshot: ChainSnapshot, paying: Iterable[Intent]) -> None:
    for location in {(i.terms.destination_chain, i.terms.token_out) for i in paying}:
        payer = services.chains.get(location[0])
        if payer is None:
            snapshot.unreachable_chains.add(location[0])
            continue
        with services.store.read() as unit:
            snapshot.spent[location] = read_spent(unit, *location, services.clock.now())
        try:
            snapshot.inventory[location] = payer.balances([payer.accounts.relayer], location[1])[
                payer.accounts.relayer
            ]
            if location[0] not in snapshot.affordable_fills:
                gas = payer.native_balance(payer.accounts.relayer)
                snapshot.affordable_fills[location[0]] = gas // max(payer.fee_units(), 1)
        except Unreachable:
            # Transactions that need an unreadable balance wait.
            snapshot.unreachable_chains.add(location[0])


def _read_refusals(services: Services, snapshot: ChainSnapshot, paying: Iterable[Intent]) -> None:
    """Simulate payouts: what the recipient would refuse is better not collected, and costs nothing
    to try once more."""
    by_destination: dict[str, list[Intent]] = {}
    for intent in paying:
        location = (intent.terms.destination_chain, intent.terms.token_out)
        if snapshot.inventory.get(location, 0) >= intent.terms.payout_amount:
            by_destination.setdefault(location[0], []).append(intent)
    for destination, intents in by_destination.items():
        payer = services.chains[destination]
        try:
            reasons = payer.find_refusals([build_payout_call(i, payer.accounts) for i in intents])
        except Unreachable:
            snapshot.unreachable_chains.add(destination)
            continue
        snapshot.refusals |= {i.id: r for i, r in zip(intents, reasons, strict=True) if r}


def _read_escrow(
    services: Services, chain: Chain, snapshot: ChainSnapshot, filling: Sequence[Intent]
) -> None:
    """Find collected deposits that have already left escrow.

    After a restore from backup the ledger may not know that a payer was refunded; such an intent
    must not be filled as well.
    """
    by_source: dict[str, list[Intent]] = {}
    for intent in filling:
        by_source.setdefault(intent.terms.source_chain, []).append(intent)
    settled_markers: set[str] = set()
    for source, intents in by_source.items():
        collector = services.chains.get(source)
        try:
            if collector is None:
                raise Unreachable(f"{source} is not configured")
            settled_markers |= collector.executed({settle_marker(intent) for intent in intents})
        except Unreachable:
            snapshot.unreachable_chains.add(source)
    if settled_markers:
        snapshot.executed_markers |= settled_markers | chain.executed(
            {fill_marker(intent) for intent in filling if settle_marker(intent) in settled_markers}
        )
