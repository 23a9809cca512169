"""Decides which payments a bridge may fund with inventory, and on the transactions that do so."""

from collections.abc import Iterable, Mapping
from typing import Final

from crossway.domain.intent import Intent, State
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import RebalancingMode, is_rebalancing
from crossway.engine.inventory_snapshot import FundingSnapshot, leaves_stock, unified_key
from crossway.engine.inventory_txs import attempt_of, find_current
from crossway.engine.outbound_decision import SIGN, Decision
from crossway.engine.payout_checks import CONFIRMED_STATES
from crossway.engine.shortages import wait_for_inventory
from crossway.ports.chain import ChainHead
from crossway.ports.inventory_transfer_repository import NewInventoryTransfer
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.leaving_inventory import most_leaving, sum_spent_since
from crossway.usecases.payments.inventory_transfers import (
    PAUSED,
    bringing_transfer,
    moves_inventory,
    why_disabled,
)

S = InventoryTransferState
_REPLACED: Final = "Nothing to send: the bridge was asked anew, or the transfer has ended."
_LAPSED: Final = "What {} agreed to has lapsed; it is asked anew."
_APPROVAL_IN_USE: Final = "The approval for another inventory transfer must be used first."
_APPROVED: Final = (OutboundTxState.SIGNED, *CONFIRMED_STATES)
_APPROVING: Final = "The approval must be confirmed first."
_BRINGS: Final = "{} brings {} to {} for it first: {}."
_UNIFIED_SHORT: Final = "The relayer is short of {} on {}, and so is the unified balance at {}."
_ENDED: Final = "The payment has ended: what was agreed to for it lapses."
_NOT_PAID_OUT: Final = (State.EXPIRED, State.FAILED, State.REFUNDED)
_SILENT: Final = "The relayer is short of {} on {}, and {} does not say what it can bring."
_STATES: Final = {
    S.PLANNED: "not agreed to yet",
    S.AGREED: "agreed to",
    S.SENDING: "transaction sent",
    S.SENT: "on its way",
    S.OVERDUE: "overdue",
}


class FundingPlanner:
    """Decides in order on what bridges bring, and deducts what it plans and signs."""

    def __init__(
        self,
        unit: UnitOfWork,
        services: Services,
        head: ChainHead,
        snapshot: FundingSnapshot,
        intents: Mapping[int, Intent],
    ) -> None:
        self._unit, self._services, self._head = unit, services, head
        self._disabled, self._spent = snapshot.disabled, snapshot.spent
        self._stocks, self._unified = dict(snapshot.stocks), dict(snapshot.unified)
        # By token and transfer, what rebalances and gives way to payments.
        self._yielding: dict[str, dict[int, int]] = {}
        # The tokens and unified balances from which open transfers have been deducted.
        self._reserved: set[object] = set()
        # By chain and bridge, the transfers whose approvals are not used yet.
        self._approving: dict[tuple[str, str], set[int]] = {}
        ids = [intent.id for intent in intents.values() if moves_inventory(intent)]
        self._transfers: dict[int, list[InventoryTransfer]] = {}
        for transfer in unit.inventory_transfers.list_by_intents(ids):
            self._transfers.setdefault(transfer.intent_id, []).append(transfer)

    def find_bringing(self, intent: Intent) -> InventoryTransfer | None:
        """The transfer that is bringing the payout of a payment."""
        return next((t for t in self._transfers.get(intent.id, ()) if t.is_bringing), None)

    def wait_for_arrival(self, transfer: InventoryTransfer, symbol: str) -> Decision:
        """The decision to wait with a payout for what a bridge is bringing for it."""
        state = _STATES[transfer.state] + (f". {transfer.reason}" if transfer.reason else "")
        title, where = bridge_title(transfer.bridge), transfer.destination_chain
        reason = _BRINGS.format(title, symbol, chain_name(self._services, where), state)
        return Decision(wait_reason=reason.replace("..", "."), ends_in_time=True)

    def fund(self, intent: Intent) -> Decision | NewInventoryTransfer:
        """What a bridge is to bring for a payment that inventory cannot pay, or the decision to
        wait. A transfer that was refused is not planned again."""
        new, services = bringing_transfer(intent), self._services
        known = {t.kind for t in self._transfers.get(intent.id, ())}
        bridge, symbol = intent.terms.bridge, intent.out_symbol
        if new is None or new.kind in known or bridge not in services.inventory_bridges:
            return wait_for_inventory(services, intent)
        if reason := why_disabled(self._disabled, new):
            return Decision(wait_reason=reason)
        if leaves_stock(intent):
            token = intent.collected.token
            enough = self.uncommitted_stock(intent.terms.source_chain, token)
            is_funded = enough >= intent.collected.amount
            return new if is_funded else wait_for_inventory(services, intent)
        where, title = chain_name(services, intent.terms.destination_chain), bridge_title(bridge)
        available = self._mintable(intent)
        if available is None:
            return Decision(wait_reason=_SILENT.format(symbol, where, title))
        if available < intent.collected.amount:
            reason = _UNIFIED_SHORT.format(symbol, where, title)
            return Decision(wait_reason=reason, alert_key=f"unified:{bridge}")
        return new

    def reserve(self, intent: Intent) -> None:
        """Deduct what was planned for a payment: at most its deposit, with the bridge's fee."""
        if leaves_stock(intent):
            self._stocks[intent.collected.token] -= intent.collected.amount
        elif (units := self._mintable(intent)) is not None:
            self._unified[unified_key(self._services, intent)] = units - intent.collected.amount

    def _mintable(self, intent: Intent) -> int | None:
        """What may be minted, without what open transfers will be: the service may have deducted
        some of these, so that this is rather too little."""
        key = unified_key(self._services, intent)
        units = self._unified.get(key)
        if units is None or key in self._reserved:
            return units
        self._reserved.add(key)
        self._unit.leases.lock(f"unified:{key[0]}")
        facts = self._services.catalogue.chains
        mints = [
            mint
            for mint in self._unit.inventory_transfers.list_reserving(bridge=key[0])
            if facts[mint.destination_chain].testnet == key[1]
        ]
        self._unified[key] = units - sum(most_leaving(self._unit, mints).values())
        return self._unified[key]

    def uncommitted_stock(self, chain: str, token: str) -> int:
        """What the relayer has of a token here, without what payments or open transfers need. What
        rebalances gives way to payments until it is approved or signed."""
        if token not in self._stocks:
            return 0
        if token not in self._reserved:
            self._reserved.add(token)
            self._unit.leases.lock(f"inventory:{chain}")
            open_transfers = self._unit.inventory_transfers.list_reserving(source_chain=chain)
            leaving = [t for t in open_transfers if t.source_token == token]
            most = most_leaving(self._unit, leaving)
            yielding = {id: most.pop(id) for id in self._find_yielding(leaving)}
            self._yielding[token] = yielding
            committed = self._unit.intents.sum_committed_payouts(chain, token)
            spent = sum_spent_since(self._unit, chain, token, self._spent[token])
            self._stocks[token] -= committed + sum(most.values()) + spent
        return self._stocks[token]

    def _find_yielding(self, leaving: Iterable[InventoryTransfer]) -> set[int]:
        """Those that rebalance, and of which nothing is signed. The approval of one keeps others
        from being made, so that it is to be used."""
        unsent = {t.intent_id: t for t in leaving if is_rebalancing(t.intent_id) and t.is_unsent}
        kind = OutboundTxKind.INVENTORY_APPROVE
        approvals = self._unit.outbound_txs.list_by_intents(unsent.keys(), kind) if unsent else ()
        used = {a.intent_id for a in approvals if _is_in_use(a, unsent[a.intent_id])}
        return {t.id for owner, t in unsent.items() if owner not in used}

    def _decide_approval(self, transfer: InventoryTransfer) -> Decision:
        """An approval replaces the one before: the next is made once the last was used."""
        place = (transfer.chain, transfer.bridge)
        if place not in self._approving:
            reserving = self._unit.inventory_transfers.list_reserving(source_chain=transfer.chain)
            agreed = {
                t.intent_id
                for t in reserving
                if t.bridge == transfer.bridge and t.state is not S.PLANNED
            }
            kind = OutboundTxKind.INVENTORY_APPROVE
            approvals = self._unit.outbound_txs.list_by_intents(agreed, kind)
            self._approving[place] = {
                t.id
                for t in reserving
                for approval in approvals
                if t.intent_id == approval.intent_id and _is_in_use(approval, t)
            }
        if self._approving[place] - {transfer.id}:
            return Decision(wait_reason=_APPROVAL_IN_USE)
        self._approving[place].add(transfer.id)
        return SIGN

    def decide(self, tx: OutboundTx, intent: Intent | None) -> Decision:
        """The decision on a due transaction of an inventory transfer, for a payment or to
        rebalance."""
        if intent is None and tx.intent_id not in self._transfers:
            stored = self._unit.inventory_transfers.list_by_intents([tx.intent_id])
            self._transfers[tx.intent_id] = stored
        transfer = find_current(tx, self._transfers.get(tx.intent_id, ()))
        if transfer is None or transfer.state not in (S.AGREED, S.SENDING):
            return Decision(cancel_reason=_REPLACED)
        if transfer.bridge not in self._services.inventory_bridges:
            return Decision(wait_reason=f"{bridge_title(transfer.bridge)} is not configured here.")
        if transfer.has_lapsed(self._head.time):
            return Decision(wait_reason=_LAPSED.format(bridge_title(transfer.bridge)))
        is_mint = transfer.kind is InventoryTransferKind.MINT
        if intent is None and self._is_paused():
            return Decision(wait_reason=PAUSED)
        if not is_mint and intent is not None and intent.state in _NOT_PAID_OUT:
            return Decision(wait_reason=_ENDED)
        # What is minted comes to the relayer: a switch keeps inventory from leaving it.
        if not is_mint and (reason := why_disabled(self._disabled, transfer)):
            return Decision(wait_reason=reason)
        if is_mint or intent is not None or self._has_stock(tx, transfer):
            return self._decide_order(tx, transfer, intent)
        # Nobody waits for what rebalances.
        return Decision(wait_reason=self._short(tx))

    def _decide_order(
        self, tx: OutboundTx, transfer: InventoryTransfer, intent: Intent | None
    ) -> Decision:
        """Approvals come first, one after the other, and what is sent must be there."""
        if tx.kind is OutboundTxKind.INVENTORY_APPROVE:
            return self._decide_approval(transfer)
        kind = OutboundTxKind.INVENTORY_APPROVE
        approvals = self._unit.outbound_txs.list_by_intents([tx.intent_id], kind)
        own = [a for a in approvals if attempt_of(a) == attempt_of(tx)]
        if any(approval.state not in CONFIRMED_STATES for approval in own):
            return Decision(wait_reason=_APPROVING)
        is_mint = transfer.kind is InventoryTransferKind.MINT
        # What open transfers have reserved includes this one.
        if is_mint or intent is None or self.uncommitted_stock(tx.chain, tx.token) >= 0:
            return SIGN
        symbol = self._services.catalogue.by_address[tx.chain, tx.token].symbol
        return Decision(wait_reason=self._short(tx), alert_key=f"stock:{tx.chain}:{symbol}")

    def _has_stock(self, tx: OutboundTx, transfer: InventoryTransfer) -> bool:
        """Whether there is what a transfer that rebalances moves, after all that others need; it
        is approved only then, too. From then on it is taken."""
        spare = self.uncommitted_stock(tx.chain, tx.token)
        yielding = self._yielding.get(tx.token, {})
        if transfer.id not in yielding:
            return spare >= 0
        if spare < yielding[transfer.id]:
            return False
        self._stocks[tx.token] -= yielding.pop(transfer.id)
        return True

    def _short(self, tx: OutboundTx) -> str:
        symbol = self._services.catalogue.by_address[tx.chain, tx.token].symbol
        return f"The relayer is short of {symbol} on {chain_name(self._services, tx.chain)}."

    def _is_paused(self) -> bool:
        return self._unit.rebalancing.get_settings().mode is RebalancingMode.PAUSED


def _is_in_use(approval: OutboundTx, transfer: InventoryTransfer) -> bool:
    """Whether an approval for a transfer's agreement is signed or made."""
    is_own = attempt_of(approval) == (transfer.kind.value, transfer.attempt)
    return is_own and approval.state in _APPROVED
