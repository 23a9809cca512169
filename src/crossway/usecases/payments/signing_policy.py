"""What may be signed: a call that matches its stored outbound transaction, the terms of its intent
and the books. It shares no code with what builds calls."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import SigningRefused
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account
from crossway.domain.outbound import (
    INVENTORY_KINDS,
    STANDING_KINDS,
    OutboundTx,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.domain.outbound_call import OutboundCall, is_open_to_anyone
from crossway.domain.owners import is_payment
from crossway.domain.quotes import BridgeName
from crossway.ports.chain import Chain, SignedTx, Slot
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.emergency_stop import describe_hold, find_stop, is_held
from crossway.usecases.payments.inventory_signing import differences_of_invocation
from crossway.usecases.payments.lifecycle import RETURNED_CAUSE
from crossway.usecases.payments.signature_checks import differences_of_pay_in
from crossway.usecases.payments.signing_checks import (
    differences_of_call,
    differences_of_message,
    differences_of_output,
    differences_of_receiver,
)
from crossway.usecases.payments.standing_calls import load_records
from crossway.usecases.payments.standing_signing import differences_of_standing

K, T = OutboundTxKind, OutboundTxState
_DONE: Final = (T.CONFIRMED, T.FINAL)
_SENT: Final = (T.SIGNED, *_DONE)
_FIRST_STATES: Final[Mapping[OutboundTxKind, tuple[State, ...]]] = {
    # After a reorg, a deposit is collected again even if its payout was sent.
    K.START: (State.FUNDED, State.INITIATED, State.COMPLETED, State.FAILED),
    K.FILL: (State.INITIATED,),
    K.REIMBURSE: (State.COMPLETED,),
    K.REFUND: (State.EXPIRED, State.FAILED),
    # Completed: somebody paid the recipient before and is to be repaid.
    K.DELIVER: (State.INITIATED, State.COMPLETED),
    K.GIVE_BACK: (State.FUNDED, State.EXPIRED),
    K.RELEASE: (State.FAILED,),
    K.PAY_IN: (State.PENDING,),
}
_CAUSES: Final[Mapping[OutboundTxKind, tuple[str, ...]]] = {
    # With any other cause, the database would take a second one.
    K.START: ("start",),
    K.FILL: ("fill",),
    K.REIMBURSE: ("reimburse",),
    K.REFUND: ("expiry", "failed", RETURNED_CAUSE),
    K.DELIVER: ("deliver",),
    K.GIVE_BACK: ("give_back",),
    K.RELEASE: ("release",),
}


class SigningPolicy:
    """Compares calls with what is stored about them, in the transaction that stores their bytes."""

    def __init__(
        self,
        unit: UnitOfWork,
        services: Services,
        chain: Chain,
        txs: Sequence[OutboundTx],
        authorized: Collection[str] = (),
    ) -> None:
        """Reads anew what is stored about these transactions, which must be locked. The chain said
        lately that the relayer is an agent of the `authorized` coordinators."""
        self._authorized = authorized
        self._unit, self._services, self._chain = unit, services, chain
        self._stored = unit.outbound_txs.lock([tx.id for tx in txs])
        self._intents = unit.intents.get_whole({tx.intent_id for tx in txs})
        delivered = {tx.intent_id for tx in txs if tx.kind is K.DELIVER}
        self._transfers = unit.bridge_transfers.get_many(delivered)
        self._stop = find_stop(unit)
        self._reserved: dict[str, tuple[int, int]] = {}
        signed = [tx.id for tx in self._stored.values() if tx.state is T.SIGNED]
        self._used_slots = {
            (attempt.outbound_tx_id, attempt.signed.slot)
            for attempt in unit.outbound_txs.list_attempts(signed)
        }
        ids_of_payouts = [tx.intent_id for tx in txs if tx.kind in (K.FILL, K.REIMBURSE, K.REFUND)]
        self._paid = unit.ledger.sum_by_intent(Account.RECIPIENT, ids_of_payouts)
        # What left the escrow again, such as a reimbursement before a reorg, does not count here.
        self._collected = unit.ledger.sum_by_intent(
            Account.ESCROW, ids_of_payouts, Account.HELD, Account.EXCHANGED
        )
        self._in_transit = unit.ledger.sum_by_intent(Account.IN_TRANSIT, ids_of_payouts)
        self._of_intent: dict[tuple[int, OutboundTxKind], list[OutboundTx]] = {}
        for kind in (K.START, K.FILL, K.REIMBURSE, K.REFUND) if ids_of_payouts else ():
            for tx in unit.outbound_txs.list_by_intents(ids_of_payouts, kind):
                self._of_intent.setdefault((tx.intent_id, kind), []).append(tx)

    def require_signable(
        self, tx: OutboundTx, call: OutboundCall, nonce: int | None = None
    ) -> None:
        """Raises `SigningRefused` with a sentence where the call must not be signed, with this
        nonce if one is given."""
        stored, intent = self._stored.get(tx.id), self._intents.get(tx.intent_id)
        if stored is None or (intent is None and is_payment(tx.intent_id)):
            raise SigningRefused("Not signed: its stored outbound transaction is gone.")
        if self._stop is not None and stored.state is not T.SIGNED and is_held(stored.kind):
            raise SigningRefused(f"Not signed: {describe_hold(self._stop)}")
        if stored.intent_id != tx.intent_id:
            raise SigningRefused("Not signed: it belongs to another payment.")
        if intent is not None:
            mismatches = self._find_mismatches(stored, intent, call)
        elif stored.kind in STANDING_KINDS:
            records = load_records(self._unit, [stored]).get(stored.id)
            mismatches = differences_of_standing(self._chain, stored, call, records)
        else:
            mismatches = self._differences_of_rebalancing(stored, call)
        if mismatch := next(mismatches, None):
            raise SigningRefused(f"Not signed: {mismatch}.")
        if nonce is not None and not self._is_own_nonce(stored, call.account, nonce):
            raise SigningRefused(f"Not signed: nonce {nonce} is not its own.")

    def sign(
        self, requests: Sequence[tuple[OutboundTx, OutboundCall, int]], fee_units: int
    ) -> Sequence[SignedTx]:
        """Sign calls with their nonces, all or none. Raises `SigningRefused`, and `Unreachable`
        where a signer does not answer."""
        nonces, senders = self._unit.account_nonces, {call.account for _, call, _ in requests}
        self._reserved = {a: nonces.get_range(self._chain.id, a) or (0, 0) for a in senders}
        for tx, call, nonce in requests:
            self.require_signable(tx, call, nonce)
        if not self._may_share_nonces(requests, fee_units):
            raise SigningRefused("Not signed: two transactions have the same nonce.")
        return self._chain.sign([(call, nonce) for _, call, nonce in requests], fee_units)

    def _may_share_nonces(
        self, requests: Sequence[tuple[OutboundTx, OutboundCall, int]], fee_units: int
    ) -> bool:
        """Whether those that share a nonce may share a transaction."""
        by_slot: dict[Slot, list[OutboundCall]] = {}
        for _, call, nonce in requests:
            by_slot.setdefault((call.account, nonce), []).append(call)
        shared = [calls for calls in by_slot.values() if len(calls) > 1]
        most = self._chain.calls_per_tx(fee_units) if shared else 1
        return all(len(calls) <= most and all(map(is_open_to_anyone, calls)) for calls in shared)

    def _is_own_nonce(self, tx: OutboundTx, account: str, nonce: int) -> bool:
        if tx.kind is K.SKIP_NONCE:
            is_relayer = account == self._chain.accounts.relayer
            return tx.cause == (f"nonce:{nonce}" if is_relayer else f"nonce:{nonce}:{account}")
        if tx.state is T.SIGNED:
            return (tx.id, (account, nonce)) in self._used_slots
        first, after_last = self._reserved[account]
        return first <= nonce < after_last

    def _foreign_account(self, tx: OutboundTx, call: OutboundCall) -> Iterator[str]:
        """Whether the call is made with an account that may not make it: whoever has the key of one
        that holds gas can have nothing else signed with it."""
        accounts, may_send = self._chain.accounts, call.account == self._chain.accounts.relayer
        if tx.kind is K.SKIP_NONCE:
            may_send = call.account == tx.to_address and call.account in accounts.senders
        elif call.account in accounts.gas_accounts:
            may_send = is_open_to_anyone(call)
        if call.chain != self._chain.id or not may_send:
            yield f"{call.account} on {call.chain} is not the relayer's account"

    def _find_mismatches(self, tx: OutboundTx, intent: Intent, call: OutboundCall) -> Iterator[str]:
        yield from self._differences_of_terms(tx, intent, call)
        if tx.state not in (T.DUE, T.SIGNED):
            yield f"it is {tx.state.lower()}"
        elif tx.state is T.DUE and intent.state not in _FIRST_STATES.get(tx.kind, tuple(State)):
            yield f"the payment is {intent.state.lower()}"
        if tx.cause not in _CAUSES.get(tx.kind, (tx.cause,)):
            yield f"its cause is {tx.cause!r}"
        if tx.kind in INVENTORY_KINDS:
            bridges = self._services.inventory_bridges
            yield from differences_of_invocation(self._unit, bridges, tx, intent, call)
            return
        if tx.kind is K.PAY_IN:
            yield from differences_of_pay_in(self._unit, tx, intent, call)
            return
        if call.contract or call.data or call.value or call.signature or call.standing:
            yield "it calls a contract of an inventory transfer"
        yield from differences_of_call(tx, intent, call, self._chain.accounts)
        if tx.kind is K.START:
            yield from differences_of_output(intent, call)
        if tx.kind is K.DELIVER:
            yield from differences_of_message(self._transfers.get(intent.id), call)
        if tx.kind in (K.REFUND, K.RETURN_EXCESS):
            yield from differences_of_receiver(self._unit, tx, intent)
        yield from self._missing_authority(tx, intent)
        yield from self._contradictions(tx, intent)

    def _differences_of_rebalancing(self, tx: OutboundTx, call: OutboundCall) -> Iterator[str]:
        """Whether a call belongs to a rebalancing transfer, or skips a nonce for one."""
        if (call.kind, call.chain) != (tx.kind, tx.chain) or call.chain != self._chain.id:
            yield "the call is that of another transaction"
        yield from self._foreign_account(tx, call)
        if call.terms is not None or call.intent_hash:
            yield "it belongs to a payment"
        if tx.state not in (T.DUE, T.SIGNED):
            yield f"it is {tx.state.lower()}"
        if tx.kind in INVENTORY_KINDS:
            bridges = self._services.inventory_bridges
            yield from differences_of_invocation(self._unit, bridges, tx, None, call)
        elif tx.kind is not K.SKIP_NONCE:
            yield "no rebalancing transfer has such a transaction"
        elif call.outputs or call.contract or call.data or call.value:
            yield "it moves more than a nonce"

    def _differences_of_terms(
        self, tx: OutboundTx, intent: Intent, call: OutboundCall
    ) -> Iterator[str]:
        """Whether the call is for this transaction, and the terms are those that the payer's
        address follows from."""
        terms = intent.terms
        if (call.kind, call.chain, call.intent_hash) != (tx.kind, tx.chain, intent.intent_hash):
            yield "the call is that of another transaction"
        yield from self._foreign_account(tx, call)
        if tx.kind is K.SKIP_NONCE:
            # It moves nothing, and all payments of the chain wait for it, not only this one.
            return
        of_intent = (terms, intent.bridger, intent.coordinator)
        if (call.terms, call.bridger, call.coordinator, call.custody) != (
            *of_intent,
            intent.custody,
        ):
            yield "the call has other terms than the payment"
        source = self._services.chains.get(terms.source_chain)
        if source is None:
            yield f"{terms.source_chain} is not configured, so its terms cannot be verified"
        elif source.intent_hash(*of_intent) != intent.intent_hash:
            yield "the terms of the payment are not those of its intent hash"
        elif (
            tx.kind in (K.START, K.PAY_IN) or tx.amount is None
        ) and not source.is_deposit_address(intent.address, intent.intent_hash):
            # What was collected is paid on even where the contracts have been replaced since.
            yield "the deposit address of the payment is not that of its intent hash"

    def _missing_authority(self, tx: OutboundTx, intent: Intent) -> Iterator[str]:
        """Whether the contracts would refuse it from the relayer. Replacing what was signed changes
        its fee alone, and must not keep its nonce waiting."""
        if self._chain.accounts.is_coordinator(intent.coordinator):
            return
        over_cctp = intent.custody is Custody.BRIDGE and intent.terms.bridge == BridgeName.CCTP
        open_to_all = over_cctp and intent.swap is None
        takes_out = tx.kind is K.REIMBURSE or (tx.kind is K.REFUND and tx.amount is not None)
        sweeps = tx.kind in (K.REFUND, K.RETURN_EXCESS) and tx.amount is None
        if sweeps and tx.to_address != intent.terms.refund_address:
            yield "only its coordinator can redirect a refund"
        elif tx.state is not T.DUE or intent.coordinator in self._authorized:
            return
        elif (
            takes_out
            or (sweeps and tx.chain != intent.terms.source_chain)
            or (tx.kind is K.START and intent.state is State.FUNDED and not open_to_all)
            or (tx.kind is K.GIVE_BACK and intent.state is State.FUNDED)
        ):
            yield f"the relayer is not an agent of its coordinator {intent.coordinator}"

    def _contradictions(self, tx: OutboundTx, intent: Intent) -> Iterator[str]:
        """What else was sent or booked for the payment that this must not follow."""
        if tx.kind not in (K.FILL, K.REIMBURSE) and (tx.kind is not K.REFUND or tx.amount is None):
            return
        paid, is_first = self._paid.get(intent.id, 0), tx.state is T.DUE
        if not self._has(intent, K.START, _DONE if is_first else (T.DUE, *_SENT)):
            yield "the deposit was not collected"
        elif is_first and self._booked(intent) != intent.collected.amount:
            yield "the books do not show that the deposit was collected"
        if tx.kind is K.REIMBURSE:
            # A reorg may have taken the payout back since the first one was signed.
            if is_first and not (
                paid == intent.terms.payout_amount and self._has(intent, K.FILL, _DONE)
            ):
                yield "the books show no payout"
        elif paid:
            yield "the recipient was paid already"
        if tx.kind is K.REFUND and (
            intent.relayer_claimed or self._has(intent, K.REIMBURSE, _SENT)
        ):
            yield "the relayer was repaid from this deposit"
        if tx.kind is K.REFUND and self._has(intent, K.FILL, _SENT):
            yield "the payout was sent and may still be included"
        if tx.kind is not K.REFUND and any(
            refund.amount is not None and refund.state in _SENT
            for refund in self._of_intent.get((intent.id, K.REFUND), ())
        ):
            yield "the collected deposit was refunded"

    def _booked(self, intent: Intent) -> int:
        """What the books have collected of the deposit, or sent over its bridge."""
        over_bridge = intent.custody is Custody.BRIDGE
        return (self._in_transit if over_bridge else self._collected).get(intent.id, 0)

    def _has(self, intent: Intent, kind: OutboundTxKind, states: Sequence[OutboundTxState]) -> bool:
        return any(tx.state in states for tx in self._of_intent.get((intent.id, kind), ()))
