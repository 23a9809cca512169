"""All that happened to a payment: its moves, the deposits and transfers behind them, and notes."""

from crossway.dashboard.views import wording
from crossway.dashboard.views.cells import Color, Item
from crossway.dashboard.views.figures import chain_name, millis, token_amount, tx_cell
from crossway.dashboard.views.story import raw, timeline
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositState, Purpose
from crossway.domain.transfers import Transfer, TransferState
from crossway.ports.finding_records import Note
from crossway.usecases.tracking import Story

_STRANGE = (Purpose.FOREIGN, Purpose.ELSEWHERE, Purpose.NOTHING)


def everything(catalogue: Catalogue, story: Story) -> tuple[Item, ...]:
    """What happened, newest first: moves, what was seen and sent, and what people wrote."""
    found = list(timeline(catalogue, story.intent, story.moves))
    found += [_seen(catalogue, deposit) for deposit in story.deposits if _tells(deposit)]
    found += [_failed(catalogue, t) for t in story.transfers if t.state is TransferState.FAILED]
    found += [_sent(catalogue, story, transfer) for transfer in story.transfers]
    found += [_note(note) for note in story.notes]
    return tuple(sorted((item for item in found if item.title), key=lambda item: -item.at))


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


def _failed(catalogue: Catalogue, transfer: Transfer) -> Item:
    return Item(
        key=f"failed-{transfer.id}",
        title=f"{wording.DUTIES[transfer.duty]}: failed",
        at=millis(transfer.updated_at),
        note=transfer.reason,
        icon="error",
        color="red",
        raw=raw(transfer),
    )


def _sent(catalogue: Catalogue, story: Story, transfer: Transfer) -> Item:
    """When a transaction was signed first, and how often it was signed anew."""
    tried = [one for one in story.attempts if one.transfer_id == transfer.id]
    if not tried:
        return Item(key="", title="", at=0)
    first = min(tried, key=lambda one: one.at)
    again = f"signed {len(tried)} times, for a higher fee or anew" if len(tried) > 1 else ""
    return Item(
        key=f"sent-{transfer.id}",
        title=f"{wording.DUTIES[transfer.duty]}: transaction sent",
        at=millis(first.at),
        note=again,
        icon="send",
        color="gray",
        tx=tx_cell(catalogue.chains.get(transfer.chain), transfer.tx_id or first.signed.tx_id),
        raw=raw(transfer),
    )


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
