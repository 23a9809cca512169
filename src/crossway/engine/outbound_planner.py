"""Decides for each due outbound transaction: sign it, wait, cancel it or give it up."""

from collections.abc import Mapping
from datetime import timedelta

from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import AddressKey
from crossway.domain.outbound import SWEEP_KINDS, OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import start_marker
from crossway.domain.owners import is_payment
from crossway.engine.agency import wait_for_agent, wait_for_coordinator
from crossway.engine.available_inventory import AvailableInventory
from crossway.engine.bridge_planner import (
    decide_delivery,
    decide_give_back,
    decide_refund_over_bridge,
    decide_release,
    decide_send,
    is_returned_by_bridge,
    wait_for_depth,
)
from crossway.engine.bridge_prefills import decide_prefill
from crossway.engine.chain_snapshot import ChainSnapshot
from crossway.engine.emergency_hold import EmergencyHold
from crossway.engine.escrow_returns import decide_reclaimed
from crossway.engine.inventory_planner import FundingPlanner
from crossway.engine.nonce_skips import NonceSkips
from crossway.engine.outbound_decision import SIGN, Decision
from crossway.engine.pay_ins import decide_pay_in
from crossway.engine.payout_checks import (
    CONFIRMED_STATES,
    NOT_PAID_IN_TIME,
    decide_forbidden,
    decide_reimbursement,
    decide_restart,
)
from crossway.engine.return_limits import ReturnLimits
from crossway.engine.sending_accounts import SendingAccounts
from crossway.engine.shortages import wait_for_answers, wait_for_gas, wait_for_inventory
from crossway.engine.signing_refusals import NOT_SIGNED
from crossway.engine.standing_planner import StandingPlanner
from crossway.engine.tx_builder import earliest_sweep_time
from crossway.engine.without_payment import decide_without_payment
from crossway.ports.chain import ChainHead
from crossway.ports.inventory_transfer_repository import NewInventoryTransfer
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.address_balances import AddressBalances
from crossway.usecases.payments.dust import is_dust
from crossway.usecases.payments.lifecycle import RETURNED_CAUSE

_SWEEP_RETRY, _REFUSAL_RETRY = timedelta(seconds=2), timedelta(minutes=1)
REFUSED = "The recipient cannot be paid: {}. The deposit goes back when the payment expires."


class OutboundPlanner:
    """Decides on due transactions in order and deducts gas and inventory for each it signs."""

    def __init__(
        self,
        unit: UnitOfWork,
        services: Services,
        head: ChainHead,
        snapshot: ChainSnapshot,
        intents: Mapping[int, Intent],
        accounts: SendingAccounts,
    ) -> None:
        self._unit, self._services, self._head, self._snapshot = unit, services, head, snapshot
        self._intents, self._accounts = intents, accounts
        self._inventory = AvailableInventory(unit, snapshot.inventory, snapshot.spent)
        self._affordable_fills = dict(snapshot.affordable_fills)
        begun_ids = [i.id for i in intents.values() if i.state not in (State.PENDING, State.FUNDED)]
        starts = unit.outbound_txs.list_by_intents(begun_ids, OutboundTxKind.START)
        self._started = {t.intent_id for t in starts if t.state in CONFIRMED_STATES}
        self._skips = NonceSkips(unit, snapshot.next_nonces)
        self._limits = ReturnLimits(unit, services, snapshot.costs, intents)
        self._active_sweeps: set[AddressKey] | None = None
        self._balances, self._hold = AddressBalances(), EmergencyHold(unit)
        self._funding = FundingPlanner(unit, services, head, snapshot.funding, intents)
        left, agents = snapshot.left, snapshot.authorized
        self._standing = StandingPlanner(unit, services, head, left, agents, self._limits)

    def decide(self, tx: OutboundTx) -> Decision:
        """The decision for one due transaction; it is cancelled when its intent has moved on."""
        if not is_payment(tx.intent_id):
            return self._decide_without_payment(tx)
        intent, snapshot = self._intents[tx.intent_id], self._snapshot
        decision = self._hold.apply(tx, self._decide_by_kind(tx, intent))
        if decision.sign:
            accounts, authorized = self._services.chains[tx.chain].accounts, snapshot.authorized
            decision = wait_for_agent(self._services, tx, intent, accounts, authorized) or decision
        if decision.sign and not self._accounts.take(tx):
            decision = wait_for_gas(self._services, tx.chain)
        waits = decision.wait_reason if decision.alert_key or decision.ends_in_time else ""
        if decision.sign and tx.reason.startswith(NOT_SIGNED):
            waits = tx.reason
        if waits and tx.id in snapshot.unpaid:
            return Decision(give_up_reason=NOT_PAID_IN_TIME.format(waits))
        if decision.sign:
            self._reserve(tx, intent, decision)
        return decision

    def _decide_without_payment(self, tx: OutboundTx) -> Decision:
        decided = decide_without_payment(tx, self._skips, self._standing, self._funding)
        decision = self._hold.apply(tx, decided)
        if decision.sign and not self._accounts.take(tx):
            return wait_for_gas(self._services, tx.chain)
        if decision.sign and tx.kind is OutboundTxKind.RECOVER:
            self._limits.spend(tx)
        return decision

    def save(self) -> None:
        """Store what these decisions leave of the budget for returns."""
        self._limits.save()

    def _decide_by_kind(self, tx: OutboundTx, intent: Intent) -> Decision:
        bridges, pay_ins = self._snapshot.bridges, self._snapshot.pay_ins
        if found := bridges.found.get(tx.id):
            return wait_for_depth(tx, intent, found, bridges) or Decision(found=found)
        if reclaimed := decide_reclaimed(tx, intent, self._snapshot.reclaims):
            return reclaimed
        match tx.kind:
            case OutboundTxKind.START:
                return self._decide_start(tx, intent)
            case OutboundTxKind.DELIVER:
                return decide_delivery(tx, intent, bridges)
            case OutboundTxKind.RELEASE:
                return decide_release(tx, intent, bridges, self._services.clock.now())
            case OutboundTxKind.GIVE_BACK:
                return decide_give_back(tx, intent, bridges)
            case OutboundTxKind.FILL:
                return self._decide_fill(tx, intent)
            case OutboundTxKind.REIMBURSE:
                return decide_reimbursement(intent, intent.id in self._started)
            case OutboundTxKind.REFUND:
                return self._decide_refund(tx, intent)
            case OutboundTxKind.RETURN_EXCESS:
                return self._decide_return(tx, intent)
            case OutboundTxKind.SKIP_NONCE:
                return self._skips.decide(tx)
            case OutboundTxKind.PAY_IN:
                return decide_pay_in(self._services, self._head, tx, intent, pay_ins)
            case OutboundTxKind.INVENTORY_APPROVE | OutboundTxKind.INVENTORY_SEND:
                return self._funding.decide(tx, intent)
        return SIGN

    def _decide_start(self, tx: OutboundTx, intent: Intent) -> Decision:
        terms, over_bridge = intent.terms, intent.custody is Custody.BRIDGE
        if over_bridge and self._snapshot.bridges.states[intent.id].sent:
            return decide_send(tx, intent, self._snapshot.bridges)
        if start_marker(intent) in self._snapshot.executed_markers and not over_bridge:
            return Decision(already_done=True)
        if intent.state in (State.PENDING, State.EXPIRED, State.REFUNDED):
            reason = f"Nothing to start: the payment is {intent.state.lower()}."
            return Decision(cancel_reason=reason)
        if intent.state is not State.FUNDED:
            return decide_restart(self._head, intent)
        margin = timedelta(seconds=self._services.policy.start_margin_seconds)
        if self._head.time + margin >= terms.expires_at:
            return Decision(
                wait_reason="Too close to expiry to start safely: refunded when it expires.",
                wait_until=terms.expires_at,
            )
        priced = self._snapshot.price_refusals.get((intent.asset_symbol, intent.out_symbol))
        # A swap costs what the exchange asks for, and fails where that is too much.
        if priced is not None and intent.swap is None:
            return Decision(wait_reason=priced.reason, alert_key=f"price:{priced.symbol}")
        if over_bridge:
            return decide_send(tx, intent, self._snapshot.bridges)
        destination = terms.destination_chain
        if destination in self._snapshot.unreachable_chains:
            unreachable = chain_name(self._services, destination)
            return Decision(wait_reason=f"No answer from {unreachable}, where the payout is due.")
        if isinstance(funding := self._fund(intent), Decision):
            return funding
        if refusal := self._snapshot.refusals.get(intent.id):
            until = self._services.clock.now() + _REFUSAL_RETRY
            return Decision(wait_reason=REFUSED.format(refusal), wait_until=until)
        if self._affordable_fills[destination] <= 0:
            return wait_for_gas(self._services, destination)
        return Decision(sign=True, funding=funding)

    def _fund(self, intent: Intent) -> NewInventoryTransfer | Decision | None:
        """What a bridge is to bring for a payment that is to be started, None where inventory pays
        it or what is on its way, or the decision to wait."""
        is_brought = self._funding.find_bringing(intent) is not None
        if is_brought or self._inventory.uncommitted(intent) >= intent.terms.payout_amount:
            return None
        return self._funding.fund(intent)

    def _decide_fill(self, tx: OutboundTx, intent: Intent) -> Decision:
        terms, snapshot = intent.terms, self._snapshot
        if intent.custody is Custody.BRIDGE:
            inventory = self._inventory.balance(intent)
            limit = self._services.policy.prefill_limit_micro_usd
            refusal = snapshot.refusals.get(intent.id)
            now = self._services.clock.now()
            return decide_prefill(intent, snapshot.bridges, limit, inventory, refusal, now)
        if intent.state is not State.INITIATED:
            return Decision(cancel_reason=f"Nothing to fill: it is {intent.state.lower()}.")
        if intent.id not in self._started:
            return Decision(wait_reason="The start must be confirmed first.")
        if silent := snapshot.unreachable_chains & {terms.source_chain, terms.destination_chain}:
            return wait_for_answers(self._services, silent)
        if forbidden := decide_forbidden(self._unit, self._head, snapshot, tx, intent):
            return forbidden
        if bringing := self._funding.find_bringing(intent):
            # What is there belongs to the payments that were started on it.
            own = 0 if bringing.is_unsent else terms.payout_amount
            if self._inventory.uncommitted(intent) + own < terms.payout_amount:
                return self._funding.wait_for_arrival(bringing, intent.out_symbol)
        if self._inventory.balance(intent) < terms.payout_amount:
            return wait_for_inventory(self._services, intent)
        return SIGN

    def _decide_refund(self, tx: OutboundTx, intent: Intent) -> Decision:
        if tx.amount is not None:
            if intent.relayer_claimed:
                return Decision(fail_reason="the bridge has repaid the relayer already")
            if intent.id not in self._started:
                return Decision(wait_reason="The deposit must be collected again first.")
            return SIGN
        from_escrow = tx.cause == RETURNED_CAUSE
        is_due = from_escrow or is_returned_by_bridge(intent)
        if intent.state is not State.EXPIRED and not is_due:
            return Decision(cancel_reason=f"Nothing to refund: it is {intent.state.lower()}.")
        if intent.custody is Custody.BRIDGE:
            if first := decide_refund_over_bridge(intent, self._snapshot.bridges):
                return first
        elif start_marker(intent) in self._snapshot.executed_markers and not from_escrow:
            return Decision(revive_start=True)
        if intent.balance_at_address <= 0:
            return Decision(cancel_reason="Nothing to refund: the deposit address is empty.")
        return self._decide_sweep(tx, intent)

    def _decide_return(self, tx: OutboundTx, intent: Intent) -> Decision:
        terms = intent.terms
        balance = self._balances.get(self._unit, (intent.id, tx.chain, tx.token))
        if (tx.chain, tx.token) != (terms.source_chain, terms.token_in):
            if balance.held <= 0:
                return Decision(cancel_reason="Another transaction has already returned it.")
        elif intent.state in (State.PENDING, State.FUNDED) or intent.balance_at_address <= 0:
            return Decision(cancel_reason="Nothing is left to return.")
        else:
            was_started = intent.state in (State.INITIATED, State.COMPLETED, State.FAILED)
            if was_started and intent.id not in self._started:
                return Decision(wait_reason="The deposit must be collected again first.")
        amount = balance.held + balance.dust
        # Before its payment ends, only an operator or the merchant asks for a return.
        has_ended = intent.state not in (State.PENDING, State.FUNDED)
        if has_ended and is_dust(self._services, intent, tx.token, tx.chain, amount):
            return Decision(keep_as_dust=True)
        accounts = self._services.chains[tx.chain].accounts
        return (
            wait_for_coordinator(self._services, tx, intent, accounts)
            or self._limits.wait_for_next_day(tx)
            or self._decide_sweep(tx, intent)
        )

    def _decide_sweep(self, tx: OutboundTx, intent: Intent) -> Decision:
        """A sweep moves an address's whole balance, so only one may be pending per address."""
        accounts = self._services.chains[tx.chain].accounts
        if waits := wait_for_coordinator(self._services, tx, intent, accounts):
            return waits
        reason, earliest = earliest_sweep_time(tx, intent, accounts)
        if self._head.time < earliest:
            return Decision(
                wait_reason=reason,
                wait_until=max(earliest, self._services.clock.now() + _SWEEP_RETRY),
            )
        if self._active_sweeps is None:
            self._active_sweeps = {
                (t.intent_id, t.chain, t.token)
                for t in self._unit.outbound_txs.list_unsettled(list(self._intents))
                if t.kind in SWEEP_KINDS and t.amount is None and t.state is OutboundTxState.SIGNED
            }
        location = (tx.intent_id, tx.chain, tx.token)
        if location in self._active_sweeps:
            return Decision(wait_reason="Another transaction already moves the entire balance.")
        balance = self._balances.get(self._unit, location)
        return self._limits.wait_for_budget(tx, intent, balance.held + balance.dust) or SIGN

    def _reserve(self, tx: OutboundTx, intent: Intent, decision: Decision) -> None:
        bringing = self._funding.find_bringing(intent)
        if tx.kind is OutboundTxKind.START and intent.state is State.FUNDED:
            if intent.custody is Custody.OPERATOR:
                self._affordable_fills[intent.terms.destination_chain] -= 1
                if decision.funding is not None:
                    self._funding.reserve(intent)
                elif bringing is None:
                    self._inventory.commit(intent)
            if not tx.attempt_count:
                self._limits.earn(tx.chain)
        elif tx.kind is OutboundTxKind.FILL:
            self._inventory.pay(intent, bringing is None or not bringing.is_unsent)
        elif tx.kind in SWEEP_KINDS and tx.amount is None and self._active_sweeps is not None:
            self._active_sweeps.add((tx.intent_id, tx.chain, tx.token))
            self._limits.spend(tx)
