"""Apply events to intents: state changes, outbound transactions and ledger postings as a batch."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.changed_records import changed
from crossway.domain.intent import Intent, IntentEvent, State, advance
from crossway.domain.ledger import Account, AddressKey, Leg, Posting
from crossway.domain.outbound import OPEN_STATES, OutboundTxKind
from crossway.ports.records import IntentChange, NewOutboundTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments import corridor_stats
from crossway.usecases.payments.address_balances import AddressBalances
from crossway.usecases.payments.bridge_transfers import BridgeTransferBatch
from crossway.usecases.payments.inventory_transfers import InventoryTransferBatch

REFUSED_CAUSE: Final = "refused"
RETURNED_CAUSE: Final = "returned"
"""The cause of a refund of what the escrow has returned to its deposit address."""


@dataclass
class IntentBatch:
    """Changes to locked intents that one database transaction stores, with what follows from them:
    outbound transactions, ledger postings and changes to bridge and inventory transfers. `current`
    holds the intents as changed so far."""

    services: Services
    now: datetime
    current: dict[int, Intent]
    changes: list[IntentChange] = field(default_factory=list)
    outbound: list[NewOutboundTx] = field(default_factory=list)
    postings: list[Posting] = field(default_factory=list)
    balances: AddressBalances = field(default_factory=AddressBalances)
    transfers: BridgeTransferBatch = field(init=False)
    inventory: InventoryTransferBatch = field(init=False)

    def __post_init__(self) -> None:
        over_bridges = {i.id for i in self.current.values() if i.custody is Custody.BRIDGE}
        self.transfers = BridgeTransferBatch(self.now, over_bridges)
        self.inventory = InventoryTransferBatch(self.now)

    def apply_event(
        self, intent_id: int, event: IntentEvent, cause: str, note: str = "", **fields: Any
    ) -> Intent:
        """Apply an event to an intent by the transition table, and enqueue the outbound
        transactions that the transition requires. `cause` makes each of them unique per intent;
        `fields` are fields of the intent to set. Raises `InvalidTransition`."""
        before = self.current[intent_id]
        transition = advance(before.state, event)
        after = changed(before, state=transition.to, updated_at=self.now, **fields)
        self.current[intent_id] = after
        self.changes.append(IntentChange(before, after, event, transition, note))
        for kind in transition.outbound:
            self.outbound.append(new_outbound_tx(self.services, after, kind, cause, self.now))
        return after

    def add_postings(self, owner: int, chain: str, token: str, tx: str, *legs: Leg) -> None:
        """Add ledger postings of a payment, or of a rebalancing transfer, for one token, all made
        by transaction `tx`."""
        self.append_postings(
            Posting(owner, chain, token, debit, credit, units, tx) for debit, credit, units in legs
        )

    def append_postings(self, postings: Iterable[Posting]) -> None:
        """Add complete postings."""
        new = list(postings)
        self.postings += new
        self.balances.add(new)

    def store(self, unit: UnitOfWork) -> None:
        """Write the whole batch. Ramp orders whose intents or bridge transfers changed become due
        for processing."""
        unit.intents.apply(self._with_transfers(unit))
        unit.bridge_transfers.plan([c.after for c in self.changes if _is_to_be_sent(c)], self.now)
        self.transfers.store(unit)
        self.inventory.store(unit)
        unit.orders.wake(self._changed_orders(), self.now)
        unit.outbound_txs.enqueue(one_return_for_each_address(unit, self.outbound), self.now)
        unit.ledger.post(self.postings, self.now)
        corridor_stats.count(unit, self.changes, self.now)

    def _changed_orders(self) -> set[int]:
        """The ramp orders whose payments changed, or the state or reason of whose transfers."""
        changed = {c.after.id: c.after for c in self.changes}
        for c in self.transfers.changes:
            is_told = (c.before.state, c.before.reason) != (c.after.state, c.after.reason)
            if is_told and c.after.intent_id in self.current:
                changed[c.after.intent_id] = self.current[c.after.intent_id]
        return {i.order_id for i in changed.values() if i.order_id is not None}

    def _with_transfers(self, unit: UnitOfWork) -> list[IntentChange]:
        """The changes, those that are published with the bridge transfer that they tell of."""
        published = {c.after.id for c in self.changes if _tells_of_bridge(c)}
        transfers = self.transfers.preload(unit, published) if published else {}
        return [
            replace(c, transfer=transfers.get(c.after.id)) if _tells_of_bridge(c) else c
            for c in self.changes
        ]


def _tells_of_bridge(change: IntentChange) -> bool:
    is_published = change.transition.event_type is not None
    return is_published and change.after.custody is Custody.BRIDGE


def _is_to_be_sent(change: IntentChange) -> bool:
    over_bridge = change.after.custody is Custody.BRIDGE
    return over_bridge and OutboundTxKind.START in change.transition.outbound


def new_outbound_tx(
    services: Services, intent: Intent, kind: OutboundTxKind, cause: str, now: datetime
) -> NewOutboundTx:
    """The outbound transaction of a kind that an intent requires: amount, recipient, due time.

    An amount of None means the whole balance of the address when the transaction is signed. After
    a start that the recipient's refusal undid (`REFUSED_CAUSE`), the network costs are kept.
    """
    terms = intent.terms
    chain, token, amount, to_address, due_at = terms.source_chain, terms.token_in, None, "", now
    match kind:
        case OutboundTxKind.START:
            cause, amount, to_address = "start", terms.deposit_amount, intent.bridger
        case OutboundTxKind.FILL:
            cause, chain, token = "fill", terms.destination_chain, terms.token_out
            amount, to_address = terms.payout_amount, terms.recipient
        case OutboundTxKind.REIMBURSE:
            cause, token, amount = "reimburse", intent.collected.token, intent.collected.amount
            accounts = services.chains[terms.source_chain].accounts
            to_address = accounts.relayer
            due_at = now + timedelta(seconds=intent.settle_seconds)
            if accounts.is_reclaimable(intent.bridger):
                # Long before anyone may reclaim the deposit.
                half = timedelta(seconds=accounts.reclaim_seconds // 2)
                due_at = min(due_at, max(now, terms.expires_at + half))
        case OutboundTxKind.REFUND:
            failed, refused = intent.state is State.FAILED, cause == REFUSED_CAUSE
            cause, to_address = "failed" if failed else "expiry", terms.refund_address
            kept = intent.collected.costs.network_fee_units if refused else 0
            # What a bridge returned is at the deposit address again.
            is_in_escrow = failed and intent.custody is Custody.OPERATOR
            if is_in_escrow:
                token, amount = intent.collected.token, intent.collected.amount - kept
        case OutboundTxKind.RETURN_EXCESS:
            to_address = terms.refund_address
    return NewOutboundTx(intent.id, kind, cause, chain, token, amount, to_address, due_at)


def one_return_for_each_address(
    unit: UnitOfWork, new: Sequence[NewOutboundTx]
) -> list[NewOutboundTx]:
    """Leave out returns from addresses that a return is due or under way for. Each moves the entire
    balance; what arrives too late for one follows when it is confirmed."""
    intent_ids = {tx.intent_id for tx in new if _is_return(tx)}
    open_ids = [
        tx.id
        for tx in unit.outbound_txs.list_unsettled(intent_ids)
        if tx.kind is OutboundTxKind.RETURN_EXCESS and tx.state in OPEN_STATES
    ]
    # Locked, so that none of them is cancelled as needless before this is stored. One that another
    # engine has locked does not count.
    locked = unit.outbound_txs.lock(open_ids).values()
    taken = {(tx.intent_id, tx.chain, tx.token) for tx in locked if tx.state in OPEN_STATES}
    kept = []
    for tx in new:
        key = (tx.intent_id, tx.chain, tx.token)
        if _is_return(tx) and key in taken:
            continue
        if _is_return(tx):
            taken.add(key)
        kept.append(tx)
    return kept


def _is_return(tx: NewOutboundTx) -> bool:
    return tx.kind is OutboundTxKind.RETURN_EXCESS


def recovered_dust(unit: UnitOfWork, batch: IntentBatch, key: AddressKey) -> int:
    """The amount booked as dust that has left the address again. A negative balance means that
    more left the address than was held there, so dust was swept with it."""
    balance = batch.balances.get(unit, key)
    return min(-balance.held, balance.dust) if balance.held < 0 else 0


def net_held(postings: Iterable[Posting]) -> int:
    """The net change of the HELD account by these postings."""
    return sum(
        posting.amount * ((posting.debit is Account.HELD) - (posting.credit is Account.HELD))
        for posting in postings
    )
