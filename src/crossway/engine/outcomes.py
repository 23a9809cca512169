"""What a settled transaction means for its intent and the books, duty by duty."""

from collections.abc import Sequence
from datetime import datetime

from crossway.domain.intent import Event, Intent, State
from crossway.domain.ledger import Account
from crossway.domain.transfers import (
    Duty,
    Transfer,
    TransferEvent,
    TransferState,
    advance_transfer,
)
from crossway.engine.actions import action_of, legs_of
from crossway.engine.alarms import alarm
from crossway.engine.naming import called, chain_name
from crossway.ports.chain import ALREADY_DONE, NOTHING_LEFT, Chain, Heads, Mined, Moved
from crossway.ports.records import TransferChange
from crossway.ports.store import Unit
from crossway.usecases.payments.lifecycle import (
    KEPT,
    Step,
    held_by,
    in_books,
    kept_back,
    owed,
    return_foreign,
)

WORKED = ("", ALREADY_DONE, NOTHING_LEFT)
"""Reasons of a transaction after which its duty is done, by it or by one before it."""


def booked(
    unit: Unit, step: Step, chain: Chain, transfer: Transfer, tx_id: str, mined: Mined
) -> None:
    """A transaction worked: book what moved, move the intent, owe what follows."""
    intent = step.current[transfer.intent_id]
    moved = _moved(unit, step, chain, transfer, mined)
    for one in moved:
        step.post(intent, chain.id, one.token, tx_id, *legs_of(transfer, intent, chain.own, one))
    _book_fee(step, chain, intent, tx_id, mined)
    held = _held_after(unit, step, intent, transfer, tx_id, moved)
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


def _moved(
    unit: Unit, step: Step, chain: Chain, transfer: Transfer, mined: Mined
) -> tuple[Moved, ...]:
    """What a transaction moved, or what one before it moved that these books do not have."""
    intent = step.current[transfer.intent_id]
    if mined.reason == ALREADY_DONE:
        return tuple(
            Moved(o.source, o.to, o.token, o.units)
            for o in action_of(transfer, intent, chain.own).outputs
            if o.units is not None
        )
    if mined.reason == NOTHING_LEFT:
        # From a deposit address that was not started money can only have gone back.
        left = left_at(unit, step, transfer)
        return (Moved(intent.address, transfer.to_address, transfer.token, left),)
    return mined.moved


def left_at(unit: Unit, step: Step, transfer: Transfer) -> int:
    """Units that the books say lie where a transfer is to take all that lies there."""
    place = (transfer.chain, transfer.token)
    return in_books(unit, step.postings, transfer.intent_id, *place)[Account.HELD]


def _held_after(
    unit: Unit, step: Step, intent: Intent, transfer: Transfer, tx_id: str, moved: Sequence[Moved]
) -> int:
    """What the books hold of the intent's own token; dust that went along is kept no longer."""
    place = (transfer.chain, transfer.token)
    own = place == (intent.terms.source_chain, intent.terms.token_in)
    if transfer.duty not in (Duty.START, Duty.REFUND, Duty.RETURN_EXCESS):
        return intent.held_units
    left = sum(one.units for one in moved if one.source == intent.address)
    held = intent.held_units - left if own else left_at(unit, step, transfer)
    back = kept_back(unit, step, intent.id, place, held)
    if back:
        step.post(intent, *place, tx_id, (Account.HELD, Account.KEPT, back))
    return held + back if own else intent.held_units


def found_done(unit: Unit, step: Step, chain: Chain, transfer: Transfer, head: Heads) -> None:
    """The chain shows a duty done by a transaction that these books do not have."""
    mined = Mined(head.height, head.block_hash, head.time, (), 0, ALREADY_DONE)
    booked(unit, step, chain, transfer, f"found:{transfer.duty.lower()}", mined)


def dropped_duty(unit: Unit, step: Step, transfer: Transfer, fail: str, keep: bool) -> None:
    """What it means that a duty is let go of: given up, kept as dust, or done by a start."""
    intent = step.current[transfer.intent_id]
    if keep:
        place = (transfer.chain, transfer.token)
        step.post(intent, *place, "dust", (Account.KEPT, Account.HELD, intent.held_units))
        step.move(intent.id, Event.BOOKED, "dust", KEPT, held_units=0)
    elif fail and transfer.duty is Duty.FILL and intent.state is State.INITIATED:
        step.move(intent.id, Event.FILL_REFUSED, "failed", fail, needs_relay=False)
    elif not fail:
        starts = unit.transfers.of([intent.id], Duty.START)
        failed = [start for start in starts if start.state is TransferState.FAILED]
        unit.transfers.change([_revived(start, step.now) for start in failed], step.now)
        step.owed.append(owed(step.services, intent, Duty.START, "", step.now))


def _revived(transfer: Transfer, now: datetime) -> TransferChange:
    after = advance_transfer(transfer.state, TransferEvent.REVIVE)
    return TransferChange(transfer.id, transfer.state, after, 0, "", now, None, None)


def _started(step: Step, intent: Intent, transfer: Transfer, tx_id: str, held: int) -> None:
    fresh = intent.state in (State.FUNDED, State.PENDING, State.EXPIRED)
    relayer = step.services.chains[intent.terms.destination_chain].own.relayer
    step.move(
        intent.id,
        Event.STARTED if fresh else Event.BOOKED,
        "start",
        tx_id,
        tx_hash=tx_id if fresh and not tx_id.startswith("found:") else intent.tx_hash,
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
        f"{called(transfer.duty, intent.id)} failed for good: {mined.reason}",
    )  # fmt: skip


def undone(unit: Unit, step: Step, chain: Chain, transfer: Transfer) -> None:
    """A reorganisation took a confirmed transaction back: so do the books, and the state."""
    intent = step.current[transfer.intent_id]
    reversed_by = unit.books.of_tx([intent.id], {transfer.tx_id or ""})
    step.postings.extend(posting.reversed() for posting in reversed_by)
    place = (intent.terms.source_chain, intent.terms.token_in)
    own = [posting for posting in reversed_by if (posting.chain, posting.token) == place]
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
    after = step.move(
        intent.id, event, f"reorg:{transfer.id}", transfer.tx_id or "",
        held_units=intent.held_units - held_by(own), relayer_claimed=claimed,
    )  # fmt: skip
    if after.state is State.FUNDED and after.received_units < after.terms.total_units:
        note = "Its deposit was undone with it."
        step.move(intent.id, Event.DEPOSIT_REVERSED, f"reorg:{transfer.id}", note)
    alarm(
        unit, step.services, f"reorg:{transfer.id}", "reorg", str(intent.id),
        f"{called(transfer.duty, intent.id)} was undone on {chain_name(step.services, chain.id)}; "
        "the same transaction is sent again.",
    )  # fmt: skip


def _filling(unit: Unit, intent: Intent) -> bool:
    unsent = (TransferState.DUE, TransferState.CANCELLED)
    return any(t.state not in unsent for t in unit.transfers.of([intent.id], Duty.FILL))
