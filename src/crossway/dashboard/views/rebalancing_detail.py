"""One rebalancing transfer on screen: its steps, facts, transactions and postings."""

from datetime import datetime

from crossway.dashboard.views import status_labels
from crossway.dashboard.views.cells import Cell, Detail, Row, Step
from crossway.dashboard.views.formatting import (
    bridge_cell,
    capitalize_first,
    format_approx_usd,
    format_bps,
    format_token_amount,
    format_usd,
    time_cell,
    to_millis,
    tx_cell,
)
from crossway.dashboard.views.intent_money import outbound_tx_row
from crossway.dashboard.views.links import is_record_id
from crossway.dashboard.views.rebalancing import STATES, describe_ends, format_arriving
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.errors import NotFound
from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.ledger import Account
from crossway.domain.rebalancing import Location, RebalancingState, RebalancingTransfer
from crossway.ports.services import Services
from crossway.usecases.money.rebalancing_records import TransferStory, get_story

_S = RebalancingState
_NEVER_STARTED = (_S.DECLINED, _S.LAPSED)
_FAILED = {
    _S.DECLINED: "Declined",
    _S.LAPSED: "Lapsed",
    _S.REFUSED: "Refused",
    _S.RETURNED: "Given back",
}


def load_story(services: Services, caller: Principal, typed_id: str) -> TransferStory:
    """The story of the transfer that a link names; raises `NotFound`."""
    if not is_record_id(typed_id):
        raise NotFound(
            f"There is no rebalancing transfer {typed_id}"
            if typed_id
            else "There is no ID of a rebalancing transfer in the link"
        )
    return get_story(services, caller, int(typed_id))


def build_steps(story: TransferStory) -> tuple[Step, ...]:
    """Planned, approved, agreed, sent and arrived, or where that ended."""
    transfer = story.record.transfer
    planned = f"by {transfer.proposed_by or 'Crossway'}"
    steps = [Step("Planned", "done", to_millis(transfer.created_at), planned)]
    if transfer.state is _S.PROPOSED:
        return (*steps, Step("Approved", "now", note="waits for a person"))
    if transfer.decided_by and transfer.state is not _S.DECLINED:
        steps.append(Step("Approved", "done", note=f"by {transfer.decided_by}"))
    has_failed = transfer.state in _FAILED
    for name, at, is_reached in _find_steps(story) if transfer.state not in _NEVER_STARTED else ():
        if is_reached:
            steps.append(Step(name, "done", None if at is None else to_millis(at)))
        elif not has_failed:
            is_next = steps[-1].status == "done"
            steps.append(Step(name, "now" if is_next else "todo"))
    return (*steps, _failed(transfer)) if has_failed else tuple(steps)


def _find_steps(story: TransferStory) -> list[tuple[str, datetime | None, bool]]:
    """The steps of a transfer that has started, when each was taken, and whether it was."""
    transfer, carried = story.record.transfer, story.record.carried
    sent_at = _time_of(story, transfer.source, Account.IN_TRANSIT, Account.INVENTORY)
    arrived_at = _time_of(story, transfer.destination, Account.INVENTORY, Account.CROSSED)
    has_left = sent_at is not None or arrived_at is not None
    has_agreed = has_left or (carried is not None and bool(carried.agreement))
    sent = [("Sent", sent_at, has_left)]
    if transfer.kind is InventoryTransferKind.MINT:
        # Nothing leaves a chain: the mint is the arrival.
        sent = []
    return [("Agreed", None, has_agreed), *sent, ("Arrived", arrived_at, arrived_at is not None)]


def _failed(transfer: RebalancingTransfer) -> Step:
    note = f"by {transfer.decided_by}" if transfer.state is _S.DECLINED else ""
    return Step(_FAILED[transfer.state], "failed", to_millis(transfer.updated_at), note)


def _time_of(
    story: TransferStory, location: Location, debit: Account, credit: Account
) -> datetime | None:
    """When this last was booked at a location; None where it was not, or was reversed."""
    there = [(at, p) for at, p in story.postings if (p.chain, p.token) == location]
    times = [at for at, p in there if (p.debit, p.credit) == (debit, credit)]
    undone = [at for at, p in there if (p.debit, p.credit) == (credit, debit)]
    return times[-1] if len(times) > len(undone) else None


def build_details(catalogue: Catalogue, story: TransferStory) -> tuple[Detail, ...]:
    """The facts: amounts, bridge, cost, who and why."""
    transfer, carried = story.record.transfer, story.record.carried
    source, destination = describe_ends(catalogue, transfer)
    most = format_token_amount(catalogue, *transfer.source, transfer.max_source_amount)
    bps = transfer.fee_micro_usd * 10_000 / transfer.micro_usd if transfer.micro_usd else 0
    leaves = "–"
    if carried is not None and carried.source_amount:
        leaves = format_token_amount(catalogue, *transfer.source, carried.source_amount)
    value = format_approx_usd(transfer.micro_usd)
    details = [
        Detail("Arrives", Cell(format_arriving(catalogue, transfer), sub=value)),
        Detail("From", Cell(source)),
        Detail("To", Cell(destination)),
        Detail("Bridge", bridge_cell(transfer.bridge)),
        Detail("Leaves", Cell(leaves, sub=f"at most {most}"), "Known once the bridge has agreed"),
        Detail(
            "Planned cost", Cell(format_usd(transfer.fee_micro_usd), sub=format_bps(bps)),
            "Bridge and network, as quoted when it was planned",
        ),
        Detail("Taken by the bridge", Cell(_taken(catalogue, story))),
        Detail("Why", Cell(transfer.reason, sub="Payouts wait." if transfer.is_urgent else "")),
        Detail("Planned by", Cell(transfer.proposed_by or "Crossway")),
        Detail("Decided by", Cell(transfer.decided_by or "–")),
    ]  # fmt: skip
    if carried is not None:
        chain = catalogue.chains.get(carried.chain)
        arrival = catalogue.chains.get(carried.arrival_chain)
        details += [
            Detail("Sent in", tx_cell(chain, carried.source_tx)),
            Detail("Arrived in", tx_cell(arrival, carried.destination_tx)),
            Detail("Due", time_cell(carried.expected_at, "exact")),
            Detail("ID at the bridge", Cell(carried.reference or "–", mono=True)),
        ]
    return tuple(details)


def _taken(catalogue: Catalogue, story: TransferStory) -> str:
    """What the bridge took by the books, in the token of the source."""
    fees = [p for _, p in story.postings if Account.BRIDGE_FEES in (p.debit, p.credit)]
    if not fees:
        arrived = story.record.transfer.state is _S.ARRIVED
        return "nothing" if arrived else "–"
    units = sum(p.amount if p.debit is Account.BRIDGE_FEES else -p.amount for p in fees)
    return format_token_amount(catalogue, fees[0].chain, fees[0].token, units)


def describe_state(story: TransferStory) -> str:
    """What it waits for or how it ended, in a sentence; empty where there is nothing to say."""
    transfer, carried = story.record.transfer, story.record.carried
    if transfer.note:
        return capitalize_first(transfer.note)
    if carried is not None and carried.reason:
        return capitalize_first(carried.reason)
    return STATES[transfer.state].hint


def build_tx_rows(catalogue: Catalogue, story: TransferStory) -> tuple[Row, ...]:
    """Rows of its transactions, oldest first."""
    txs = sorted(story.txs, key=lambda tx: tx.id)
    kinds = status_labels.OUTBOUND_TX_KINDS
    return tuple(outbound_tx_row(catalogue, tx, kinds[tx.kind]) for tx in txs)
