"""The narrative of a scenario: what happened and when, and who acts next, as lines of text."""

from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import OwnerFilter, Principal
from crossway.domain.deposits import DepositState
from crossway.domain.intent import IntentEvent
from crossway.domain.money import format_units
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.services import Services
from crossway.usecases.payments import timeline

EVENTS = {
    IntentEvent.DEPOSIT_SHORT: "a deposit is credited, more is needed",
    IntentEvent.DEPOSIT_FULL: "the deposit is complete",
    IntentEvent.DEPOSIT_EXTRA: "more than the requested amount was paid",
    IntentEvent.DEPOSIT_LATE: "a deposit arrived after the payment ended",
    IntentEvent.DEPOSIT_REVERSED: "a reorg reversed a deposit",
    IntentEvent.STARTED: "the deposit is collected",
    IntentEvent.START_REVERSED: "a reorg reversed the collection of the deposit",
    IntentEvent.FILLED: "the recipient is paid",
    IntentEvent.FILL_REVERSED: "a reorg reversed the payout to the recipient",
    IntentEvent.FILL_REFUSED: "the recipient cannot be paid",
    IntentEvent.FILL_GIVEN_UP: "nothing was paid out in time; the deposit goes back",
    IntentEvent.SENT: "the deposit is on its way over the bridge",
    IntentEvent.DELIVERED: "the bridge's contract has paid the recipient",
    IntentEvent.DELIVERY_REVERSED: "a reorg reversed the delivery",
    IntentEvent.PREFILLED: "the recipient is paid in advance",
    IntentEvent.PARKED: "what arrived waits for the recipient",
    IntentEvent.PARKING_REVERSED: "a reorg reversed the arrival",
    IntentEvent.RELEASED: "what waited is paid to the recipient",
    IntentEvent.UNFILLED: "nobody paid the recipient in time",
    IntentEvent.BRIDGE_RETURNED: "the bridge returned the deposit",
    IntentEvent.REIMBURSED: "the relayer is reimbursed",
    IntentEvent.DEADLINE_EMPTY: "expired; nothing is held",
    IntentEvent.DEADLINE_HOLDING: "expired; the held amount is refunded",
    IntentEvent.CANCELLED_EMPTY: "cancelled; nothing is held",
    IntentEvent.CANCELLED_HOLDING: "cancelled; the held amount is refunded",
    IntentEvent.RETURNED: "the payment is refunded",
    IntentEvent.RETURN_REVERSED: "a reorg reversed the refund",
}
OUTBOUND_TX_KINDS = {
    OutboundTxKind.START: "collecting the deposit",
    OutboundTxKind.FILL: "paying the recipient",
    OutboundTxKind.REFUND: "the refund",
    OutboundTxKind.RETURN_EXCESS: "returning the excess",
    OutboundTxKind.REIMBURSE: "reimbursing the relayer",
    OutboundTxKind.DELIVER: "the delivery",
    OutboundTxKind.RELEASE: "releasing what is parked",
    OutboundTxKind.GIVE_BACK: "giving the deposit back",
    OutboundTxKind.PAY_IN: "carrying out the payer's signature",
    OutboundTxKind.SKIP_NONCE: "skipping an unused nonce",
    OutboundTxKind.INVENTORY_APPROVE: "approving an inventory transfer",
    OutboundTxKind.INVENTORY_SEND: "moving inventory",
    OutboundTxKind.FORWARD: "forwarding from a standing address",
    OutboundTxKind.RECOVER: "returning from a standing address",
}
DEPOSITS = {
    DepositState.SEEN: "is detected",
    DepositState.CREDITED: "is credited",
    DepositState.ORPHANED: "is orphaned",
}


@dataclass(frozen=True, slots=True)
class NarrativeLine:
    """One line of the narrative."""

    at: datetime
    text: str


class Narrative:
    """Compares the records with what it saw before, and adds a line for each change."""

    def __init__(self, services: Services, operator: Principal) -> None:
        self._services, self._operator = services, operator
        self.lines: list[NarrativeLine] = []
        self._last_transition = 0
        self._seen: dict[object, object] = {}
        # Of the database when it was read.
        self._version: object = None

    def add(self, text: str) -> None:
        """Add a line."""
        self.lines.append(NarrativeLine(self._services.clock.now(), text))

    def resync(self) -> None:
        """Take the current records as known, without adding lines about them."""
        lines = list(self.lines)
        self._last_transition, self._seen, self._version = 0, {}, None
        self.update()
        self.lines = lines

    def update(self) -> None:
        """Add a line for everything that has changed since the last call."""
        version = self._services.store.version()
        if version == self._version:
            return
        self._version = version
        with self._services.store.read() as unit:
            transitions = sorted(
                unit.intents.list_recent_transitions(OwnerFilter(), 1_000, self._last_transition)
            )
            ids = sorted({one.intent_id for _, one in transitions} | self._known_intents())
            deposits = unit.deposits.list_by_intents(ids)
            outbound_txs = unit.outbound_txs.list_by_intents(ids)
            alerts = unit.alerts.list_active()
        for deposit in deposits:
            if self._changed(("deposit", deposit.id), deposit.state):
                incoming = deposit.incoming
                amount = self._format_amount(incoming.chain, incoming.token, incoming.amount)
                state = DEPOSITS[deposit.state]
                line = f"    #{deposit.intent_id} the deposit of {amount} {state}. {deposit.note}"
                self.add(line.rstrip())
        for number, transition in transitions:
            self._last_transition = max(self._last_transition, number)
            if transition.event in EVENTS:
                note = f" ({transition.note})" if " " in transition.note else ""
                event = EVENTS[IntentEvent(transition.event)]
                self.add(f"    #{transition.intent_id} {transition.to_state}: {event}{note}")
        for tx in outbound_txs:
            if self._changed(("outbound tx", tx.id), (tx.state, tx.reason)):
                self._add_outbound_tx(tx)
        for alert in alerts:
            if self._changed(("alert", alert.key), alert.since):
                self.add(f"    alert: {alert.message}")
        self._add_next_actions(ids)

    def _known_intents(self) -> set[int]:
        return {key[1] for key in self._seen if isinstance(key, tuple) and key[0] == "next"}

    def _changed(self, key: object, value: object) -> bool:
        changed = self._seen.get(key) != value
        self._seen[key] = value
        return changed

    def _add_outbound_tx(self, tx: OutboundTx) -> None:
        if tx.state is OutboundTxState.DUE and not tx.reason:
            return
        reason = f": {tx.reason}" if tx.reason else ""
        kind = OUTBOUND_TX_KINDS[tx.kind]
        self.add(f"    #{tx.intent_id} {kind} is {tx.state.lower()}{reason}")

    def _add_next_actions(self, ids: list[int]) -> None:
        for intent_id in ids:
            payment_timeline = timeline.get_timeline(self._services, self._operator, intent_id)
            if self._changed(("next", intent_id), payment_timeline.next_action):
                due_at = payment_timeline.next_action_due_at
                due = f" (by {due_at:%H:%M:%S})" if due_at else ""
                self.add(f"    #{intent_id} next: {payment_timeline.next_action}{due}")

    def _format_amount(self, chain: str, address: str, amount: int) -> str:
        token = self._services.catalogue.by_address.get((chain, address))
        if token is None:
            return f"{amount} units of {address}"
        return f"{format_units(amount, token.decimals)} {token.symbol}"
