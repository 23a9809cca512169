"""The timeline of a payment: its transitions, deposits, outbound transactions and notes."""

from dataclasses import replace

from crossway.dashboard.views import status_labels
from crossway.dashboard.views.bridge_steps import build_bridge_entries
from crossway.dashboard.views.cells import Color, TimelineEntry
from crossway.dashboard.views.formatting import (
    capitalize_first,
    chain_name,
    format_token_amount,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.intent_detail import build_transition_entries, to_raw_json
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositPurpose, DepositState
from crossway.domain.intent import Intent, IntentEvent
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.ports.search_repository import Note
from crossway.usecases.payments.refund_reasons import is_reason
from crossway.usecases.payments.timeline import IntentTimeline

_MISDIRECTED = (DepositPurpose.WRONG_TOKEN, DepositPurpose.WRONG_CHAIN, DepositPurpose.ZERO_VALUE)


def build_timeline(catalogue: Catalogue, timeline: IntentTimeline) -> tuple[TimelineEntry, ...]:
    """All entries of the timeline, newest first."""
    intent = timeline.intent
    # Entries of the same time are ordered: deposits, transitions, sent transactions, notes.
    ordered = [
        _deposit_entry(catalogue, deposit) for deposit in timeline.deposits if _needs_entry(deposit)
    ]
    ordered += [
        _retitle_ledger_entry(timeline, entry)
        for entry in reversed(build_transition_entries(catalogue, intent, timeline.transitions))
    ]
    for outbound_tx in timeline.outbound_txs:
        if outbound_tx.state is OutboundTxState.FAILED:
            ordered.append(_failed_entry(outbound_tx, intent))
        ordered += _sent_entries(catalogue, timeline, outbound_tx)
    if timeline.progress is not None:
        ordered += build_bridge_entries(catalogue, intent, timeline.progress)
    ordered += [_note_entry(note) for note in timeline.notes]
    ordered.sort(key=lambda entry: entry.at)
    return tuple(ordered[::-1])


def _retitle_ledger_entry(timeline: IntentTimeline, entry: TimelineEntry) -> TimelineEntry:
    """A ledger-only transition takes its title from the transaction it books."""
    if entry.title != status_labels.describe_event(IntentEvent.LEDGER_ONLY)[0]:
        return entry
    by_tx_id = {
        outbound_tx.tx_id: outbound_tx for outbound_tx in timeline.outbound_txs if outbound_tx.tx_id
    }
    outbound_tx = by_tx_id.get(entry.tx.copy) if entry.tx else None
    title = "Ledger adjusted"
    if outbound_tx is not None and outbound_tx.kind is OutboundTxKind.RETURN_EXCESS:
        title = "Returned to the payer"
    return replace(entry, title=title)


def _needs_entry(deposit: Deposit) -> bool:
    """Whether the deposit needs an entry of its own because no transition reports it."""
    return deposit.state is not DepositState.CREDITED or deposit.purpose in _MISDIRECTED


def _deposit_entry(catalogue: Catalogue, deposit: Deposit) -> TimelineEntry:
    incoming = deposit.incoming
    amount = format_token_amount(catalogue, incoming.chain, incoming.token, incoming.amount)
    color: Color = "red" if deposit.purpose in _MISDIRECTED else "orange"
    if deposit.state is DepositState.ORPHANED:
        title, note, icon = f"{amount} reversed by a chain reorganization", deposit.note, "undo"
    elif deposit.state is DepositState.SEEN:
        chain = chain_name(catalogue, incoming.chain)
        title, icon = f"{amount} detected on {chain}", "visibility"
        note = "Waiting for confirmations."
    else:
        purpose = deposit.purpose or DepositPurpose.ZERO_VALUE
        badge = status_labels.DEPOSIT_PURPOSES[purpose]
        chain = chain_name(catalogue, incoming.chain)
        title, icon = f"{badge.text}: {amount} on {chain}", badge.icon
        note = deposit.note or badge.hint
    return TimelineEntry(
        key=f"deposit-{deposit.id}",
        title=title,
        at=to_millis(incoming.at),
        note=note,
        icon=icon,
        color=color,
        tx=tx_cell(catalogue.chains.get(incoming.chain), incoming.tx_hash),
        raw=to_raw_json(deposit),
    )


def _failed_entry(outbound_tx: OutboundTx, intent: Intent) -> TimelineEntry:
    return TimelineEntry(
        key=f"failed-{outbound_tx.id}",
        title=f"{status_labels.describe_outbound_tx(outbound_tx, intent)} failed",
        at=to_millis(outbound_tx.updated_at),
        note=capitalize_first(outbound_tx.reason),
        icon="error",
        color="red",
        raw=to_raw_json(outbound_tx),
    )


def _sent_entries(
    catalogue: Catalogue, timeline: IntentTimeline, outbound_tx: OutboundTx
) -> list[TimelineEntry]:
    """The entry of a transaction's first signing; notes how often it was signed again."""
    attempts = [
        attempt for attempt in timeline.attempts if attempt.outbound_tx_id == outbound_tx.id
    ]
    if not attempts:
        return []
    first = min(attempts, key=lambda attempt: attempt.at)
    note = (
        f"Signed {len(attempts)} times (fee increases or replacements)" if len(attempts) > 1 else ""
    )
    attempt = TimelineEntry(
        key=f"sent-{outbound_tx.id}",
        title=f"{status_labels.describe_outbound_tx(outbound_tx, timeline.intent)} submitted",
        at=to_millis(first.at),
        note=note,
        icon="send",
        color="gray",
        tx=tx_cell(
            catalogue.chains.get(outbound_tx.chain), outbound_tx.tx_id or first.signed.tx_id
        ),
        raw=to_raw_json(outbound_tx),
    )
    return [attempt]


def _note_entry(note: Note) -> TimelineEntry:
    kind = "Told to the payer" if is_reason(note) else "Note"
    return TimelineEntry(
        key=f"note-{note.id}",
        title=f"{kind} by {note.author}",
        at=to_millis(note.at),
        note=note.text,
        icon="edit_note",
        color="blue",
        raw=to_raw_json(note),
    )
