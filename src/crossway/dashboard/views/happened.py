"""All that happened to a payment: its moves, the deposits and transfers behind them, and notes."""

from dataclasses import replace

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Color, Item
from crossway.dashboard.views.figures import chain_name, millis, token_amount, tx_cell
from crossway.dashboard.views.story import raw, timeline
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositState, Purpose
from crossway.domain.intent import Event, Intent
from crossway.domain.transfers import Duty, Transfer, TransferState
from crossway.ports.finding_records import Note
from crossway.usecases.payments.tracking import Story

_STRANGE = (Purpose.FOREIGN, Purpose.ELSEWHERE, Purpose.NOTHING)


def everything(catalogue: Catalogue, story: Story) -> tuple[Item, ...]:
    """What happened, newest first: moves, what was seen and sent, and what people wrote."""
    intent = story.intent
    # Of one instant what was seen comes first, then what followed from it, then what was sent.
    ordered = [_seen(catalogue, deposit) for deposit in story.deposits if _tells(deposit)]
    ordered += [_said(story, item) for item in reversed(timeline(catalogue, intent, story.moves))]
    for transfer in story.transfers:
        if transfer.state is TransferState.FAILED:
            ordered.append(_failed(transfer, intent))
        ordered += _sent(catalogue, story, transfer)
    ordered += [_note(note) for note in story.notes]
    ordered.sort(key=lambda item: item.at)
    return tuple(ordered[::-1])


def _said(story: Story, item: Item) -> Item:
    """A move that only followed the books is called by the transfer that it followed."""
    if item.title != wording.event(Event.BOOKED)[0]:
        return item
    of = {transfer.tx_id: transfer for transfer in story.transfers if transfer.tx_id}
    transfer = of.get(item.tx.copy) if item.tx else None
    title = "Books corrected"
    if transfer is not None and transfer.duty is Duty.RETURN_EXCESS:
        title = "Went back to the payer"
    return replace(item, title=title)


def _tells(deposit: Deposit) -> bool:
    """Whether no move of the payment tells of this deposit."""
    return deposit.state is not DepositState.CREDITED or deposit.purpose in _STRANGE


def _seen(catalogue: Catalogue, deposit: Deposit) -> Item:
    money = deposit.incoming
    amount = token_amount(catalogue, money.chain, money.token, money.units)
    color: Color = "red" if deposit.purpose in _STRANGE else "orange"
    if deposit.state is DepositState.ORPHANED:
        title, note, icon = f"{amount} taken back by a reorganisation", deposit.note, "undo"
    elif deposit.state is DepositState.SEEN:
        where = chain_name(catalogue, money.chain)
        title, icon = f"{amount} seen on {where}", "visibility"
        note = "It waits for confirmations."
    else:
        purpose = deposit.purpose or Purpose.NOTHING
        chip = wording.PURPOSES[purpose]
        where = chain_name(catalogue, money.chain)
        title, icon = f"{chip.text}: {amount} on {where}", chip.icon
        note = deposit.note or chip.hint
    return Item(
        key=f"deposit-{deposit.id}",
        title=title,
        at=millis(money.at),
        note=note,
        icon=icon,
        color=color,
        tx=tx_cell(catalogue.chains.get(money.chain), money.tx_hash),
        raw=raw(deposit),
    )


def _failed(transfer: Transfer, intent: Intent) -> Item:
    return Item(
        key=f"failed-{transfer.id}",
        title=f"{wording.duty(transfer, intent)}: failed",
        at=millis(transfer.updated_at),
        note=transfer.reason,
        icon="error",
        color="red",
        raw=raw(transfer),
    )


def _sent(catalogue: Catalogue, story: Story, transfer: Transfer) -> list[Item]:
    """When a transaction was signed first, and how often it was signed anew."""
    tried = [one for one in story.attempts if one.transfer_id == transfer.id]
    if not tried:
        return []
    first = min(tried, key=lambda one: one.at)
    again = f"signed {len(tried)} times, for a higher fee or anew" if len(tried) > 1 else ""
    one = Item(
        key=f"sent-{transfer.id}",
        title=f"{wording.duty(transfer, story.intent)}: transaction sent",
        at=millis(first.at),
        note=again,
        icon="send",
        color="gray",
        tx=tx_cell(catalogue.chains.get(transfer.chain), transfer.tx_id or first.signed.tx_id),
        raw=raw(transfer),
    )
    return [one]


def _note(note: Note) -> Item:
    return Item(
        key=f"note-{note.id}",
        title=f"Note by {note.who}",
        at=millis(note.at),
        note=note.words,
        icon="edit_note",
        color="blue",
        raw=raw(note),
    )
