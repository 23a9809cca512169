"""What a settled transaction means for its intent and the books, duty by duty."""

from collections.abc import Sequence

from crossway.domain.intent import Event, Intent, State
from crossway.domain.ledger import Account
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.engine.actions import action_of, legs_of
from crossway.engine.alarms import alarm
from crossway.ports.chain import ALREADY_DONE, Chain, Mined, Moved
from crossway.ports.store import Unit
from crossway.usecases.lifecycle import Step, owed, return_foreign


def booked(step: Step, chain: Chain, transfer: Transfer, tx_id: str, mined: Mined) -> None:
    """A transaction worked: book what moved, move the intent, owe what follows."""
    intent = step.current[transfer.intent_id]
    moved = mined.moved
    if mined.reason == ALREADY_DONE:
        # The chain did it before, by a transaction that the books lost: it moved what it had to.
        moved = tuple(
            Moved(o.source, o.to, o.token, o.units)
            for o in action_of(transfer, intent, chain.own).outputs
            if o.units is not None
        )
    for one in moved:
        step.post(intent, chain.id, one.token, tx_id, *legs_of(transfer, intent, chain.own, one))
    _book_fee(step, chain, intent, tx_id, mined)
    held = intent.held_units - _from_address(intent, transfer, moved)
    match transfer.duty:
        case Duty.START:
            _started(step, intent, transfer, tx_id, held)
        case Duty.FILL:
            event = Event.FILLED if intent.state is State.INITIATED else Event.BOOKED
            step.move(intent.id, event, "fill", tx_id, tx_hash=tx_id)
        case Duty.REIMBURSE:
            done = intent.state is State.COMPLETED
            event = Event.REIMBURSED if done else Event.BOOKED
            step.move(intent.id, event, "reimburse", tx_id, relayer_claimed=True)
        case Duty.REFUND:
            over = intent.state in (State.EXPIRED, State.FAILED)
            event = Event.RETURNED if over else Event.BOOKED
            step.move(intent.id, event, "refund", tx_id, tx_hash=tx_id, held_units=held)
            _owe_rest(step, intent.id, transfer)
        case Duty.RETURN_EXCESS:
            step.move(intent.id, Event.BOOKED, "return", tx_id, held_units=held)


def _started(step: Step, intent: Intent, transfer: Transfer, tx_id: str, held: int) -> None:
    fresh = intent.state in (State.FUNDED, State.PENDING)
    relayer = step.services.chains[intent.terms.destination_chain].own.relayer
    step.move(
        intent.id,
        Event.STARTED if fresh else Event.BOOKED,
        "start",
        tx_id,
        tx_hash=tx_id if fresh else intent.tx_hash,
        held_units=held,
        relayer=relayer,
        needs_relay=True,
    )
    _owe_rest(step, intent.id, transfer)


def foreign_after(
    unit: Unit, step: Step, chain: Chain, settled: Sequence[tuple[Transfer, bool]]
) -> None:
    """Foreign money once transfers are settled (True: they worked): what went back is closed,
    what lies at intents that have just started is owed back."""
    returned = {
        (t.intent_id, t.token) for t, worked in settled if worked and t.duty is Duty.RETURN_EXCESS
    }
    if returned:
        deposits = unit.deposits.open_foreign({intent_id for intent_id, _ in returned})
        unit.deposits.close_foreign(
            [
                d.id
                for d in deposits
                if d.incoming.chain == chain.id and (d.intent_id, d.incoming.token) in returned
            ]
        )
    started = [t.intent_id for t, worked in settled if worked and t.duty is Duty.START]
    if started:
        return_foreign(unit, step, started)


def _owe_rest(step: Step, intent_id: int, transfer: Transfer) -> None:
    """Money that came in while this transaction was under way is owed back too."""
    intent = step.current[intent_id]
    if intent.held_units > 0:
        cause = f"after:{transfer.id}"
        step.owed.append(owed(step.services, intent, Duty.RETURN_EXCESS, cause, step.now))


def _from_address(intent: Intent, transfer: Transfer, moved: tuple[Moved, ...]) -> int:
    """Units of the intent's own token that left its deposit address."""
    terms = intent.terms
    if (transfer.chain, transfer.token) != (terms.source_chain, terms.token_in):
        return 0
    return sum(one.units for one in moved if one.source == intent.address)


def _book_fee(step: Step, chain: Chain, intent: Intent, tx_id: str, mined: Mined) -> None:
    if mined.fee_units:
        native = step.services.catalogue.native_token(chain.id)
        leg = (Account.NETWORK_FEES, Account.INVENTORY, mined.fee_units)
        step.post(intent, chain.id, native, tx_id, leg)


def failed(
    unit: Unit,
    step: Step,
    chain: Chain,
    transfer: Transfer,
    tx_id: str,
    mined: Mined,
    for_good: bool = True,
) -> None:
    """A transaction reverted: its fee is paid all the same; for good, its intent is told."""
    intent = step.current[transfer.intent_id]
    _book_fee(step, chain, intent, tx_id, mined)
    if not for_good:
        return
    if transfer.duty is Duty.FILL and intent.state is State.INITIATED:
        step.move(intent.id, Event.FILL_REFUSED, "failed", mined.reason, needs_relay=False)
    alarm(
        unit, step.services, f"transfer:{transfer.id}", "transfer", str(intent.id),
        f"{transfer.duty} of intent {intent.id} failed for good: {mined.reason}",
    )  # fmt: skip


def undone(unit: Unit, step: Step, chain: Chain, transfer: Transfer) -> None:
    """A reorganisation took a confirmed transaction back: so do the books, and the state."""
    intent = step.current[transfer.intent_id]
    booked_by_it = unit.books.of_tx([intent.id], {transfer.tx_id or ""})
    step.postings.extend(posting.reversed() for posting in booked_by_it)
    held = intent.held_units + sum(
        posting.units * ((posting.credit is Account.HELD) - (posting.debit is Account.HELD))
        for posting in booked_by_it
        if posting.token == intent.terms.token_in and posting.chain == intent.terms.source_chain
    )
    event = Event.BOOKED
    if transfer.duty is Duty.FILL and intent.state is State.COMPLETED:
        event = Event.FILL_REVERSED
    elif transfer.duty is Duty.REFUND and intent.state is State.REFUNDED:
        event = Event.RETURN_REVERSED
    elif (
        transfer.duty is Duty.START
        and intent.state is State.INITIATED
        and not _filling(unit, intent)
    ):
        event = Event.START_REVERSED
    claimed = intent.relayer_claimed and transfer.duty is not Duty.REIMBURSE
    step.move(
        intent.id, event, f"reorg:{transfer.id}", transfer.tx_id or "",
        held_units=held, relayer_claimed=claimed,
    )  # fmt: skip
    alarm(
        unit, step.services, f"reorg:{transfer.id}", "reorg", str(intent.id),
        f"{transfer.duty} of intent {intent.id} was undone on {chain.id}; its bytes go out again.",
    )  # fmt: skip


def _filling(unit: Unit, intent: Intent) -> bool:
    unsent = (TransferState.DUE, TransferState.CANCELLED)
    return any(t.state not in unsent for t in unit.transfers.of([intent.id], Duty.FILL))
