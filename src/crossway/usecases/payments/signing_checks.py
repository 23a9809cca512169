"""What a call must move to match its stored outbound transaction and the terms of its payment."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState, Custody
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTx, OutboundTxState
from crossway.domain.outbound import OutboundTxKind as K
from crossway.domain.outbound_call import (
    OutboundCall,
    Output,
    arrival_marker,
    fill_marker,
    release_marker,
    send_marker,
    settle_marker,
    start_marker,
    start_outputs,
)
from crossway.domain.quotes import BridgeName
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.logs import AuditFilter
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.manual_transfers import REDIRECTED

_MAX_REDIRECTS: Final = 100


@dataclass(frozen=True, slots=True)
class _Expected:
    """What the terms say of a call: its chain, token and amount, and whether it pays whom it
    should; its marker and its deadline."""

    location: tuple[str, str, int | None]
    is_right: bool
    marker: str | None = None
    not_after: datetime | None = None


def differences_of_call(
    tx: OutboundTx, intent: Intent, call: OutboundCall, accounts: ChainAddresses
) -> Iterator[str]:
    """Whether the call moves what the terms say, and nothing else."""
    check = _OVER_BRIDGES.get(tx.kind, _expect)
    expected = check(tx, intent, call, accounts)
    if (tx.chain, tx.token, tx.amount) != expected.location:
        yield "its chain, token or amount is not that of the terms"
    if not expected.is_right:
        yield "it does not pay what the terms say to whom they say"
    if (call.marker, call.not_after) != (expected.marker, expected.not_after):
        yield "its marker or its deadline is not that of the terms"


def differences_of_output(intent: Intent, call: OutboundCall) -> Iterator[str]:
    """Whether it asks a bridge that fills deposits for the recipient's amount at least."""
    if intent.custody is not Custody.BRIDGE or intent.terms.bridge != BridgeName.ACROSS:
        if call.bridge_output:
            yield "it names an output for a bridge that takes none"
    elif call.bridge_output < intent.terms.payout_amount:
        yield "it asks the bridge for less than the recipient's amount"


def differences_of_message(stored: BridgeTransfer | None, call: OutboundCall) -> Iterator[str]:
    """Whether it delivers the message that was verified and stored."""
    if stored is None or stored.state is not BridgeTransferState.CLAIMABLE:
        yield "the bridge has not attested to it"
    elif (call.message, call.attestation) != (stored.message, stored.attestation):
        yield "the message is not the one that was verified"


def differences_of_receiver(unit: UnitOfWork, tx: OutboundTx, intent: Intent) -> Iterator[str]:
    """Whether a refund or return may go where it goes: to the refund address, or to one that a
    person redirected it to, as the audit log says, and that is in the address book when it is
    signed first."""
    if tx.to_address == intent.terms.refund_address:
        return
    redirects = unit.audit_log.list_page(
        AuditFilter(action=REDIRECTED, subject=f"intent:{intent.id}"), _MAX_REDIRECTS
    )
    if not any(entry.detail.get("to") == tx.to_address for entry in redirects):
        yield f"{tx.to_address} is not the refund address, and nobody redirected the refund"
    elif tx.state is OutboundTxState.DUE:
        entry = unit.outgoing_controls.find_address(tx.chain, tx.to_address)
        if entry is None:
            yield f"{tx.to_address} is not in the address book any more"


def _expect(
    tx: OutboundTx, intent: Intent, call: OutboundCall, accounts: ChainAddresses
) -> _Expected:
    terms = intent.terms
    at_source = (terms.source_chain, terms.token_in)
    match tx.kind:
        case K.START:
            is_right = call.outputs == start_outputs(intent, accounts.exchange)
            is_right = is_right and (tx.to_address, call.swap) == (intent.bridger, intent.swap)
            over_bridge = intent.custody is Custody.BRIDGE
            marker = send_marker(intent) if over_bridge else start_marker(intent)
            return _Expected((*at_source, terms.deposit_amount), is_right, marker, terms.expires_at)
        case K.FILL:
            location = (terms.destination_chain, terms.token_out, terms.payout_amount)
            payout = Output(accounts.relayer, terms.recipient, terms.token_out, terms.payout_amount)
            is_right = call.outputs == (payout,) and tx.to_address == terms.recipient
            return _Expected(location, is_right, fill_marker(intent))
        case K.REIMBURSE:
            is_right, marker = _repays(intent, call, accounts), settle_marker(intent)
            location = (terms.source_chain, intent.collected.token, intent.collected.amount)
            return _Expected(location, is_right, marker)
        case K.REFUND if tx.amount is not None:
            is_right, marker = _settles_back(tx, intent, call, accounts), settle_marker(intent)
            location = (terms.source_chain, intent.collected.token, tx.amount)
            return _Expected(location, is_right, marker)
        case K.REFUND | K.RETURN_EXCESS:
            swept = at_source if tx.kind is K.REFUND else (tx.chain, tx.token)
            is_right = call.outputs == (Output(intent.address, tx.to_address, tx.token, None),)
            return _Expected((*swept, None), is_right)
    return _Expected((tx.chain, tx.token, tx.amount), tx.kind is K.SKIP_NONCE and not call.outputs)


def _expect_payout_by_bridge(
    tx: OutboundTx, intent: Intent, call: OutboundCall, accounts: ChainAddresses
) -> _Expected:
    """A delivery or a release: the bridge's contract pays the recipient."""
    del accounts
    terms = intent.terms
    paid = Output(intent.bridger, terms.recipient, terms.token_out, terms.payout_amount)
    return _Expected(
        (terms.destination_chain, terms.token_out, terms.payout_amount),
        call.outputs == (paid,) and tx.to_address == terms.recipient,
        arrival_marker(intent) if tx.kind is K.DELIVER else release_marker(intent),
    )


def _expect_give_back(
    tx: OutboundTx, intent: Intent, call: OutboundCall, accounts: ChainAddresses
) -> _Expected:
    """What the bridge's contract collected returns to the deposit address."""
    del accounts
    terms = intent.terms
    back = Output(intent.bridger, intent.address, terms.token_in, terms.deposit_amount)
    return _Expected(
        (terms.source_chain, terms.token_in, terms.deposit_amount),
        call.outputs == (back,) and tx.to_address == intent.address,
        send_marker(intent),
    )


_OVER_BRIDGES: Final = {
    K.DELIVER: _expect_payout_by_bridge,
    K.RELEASE: _expect_payout_by_bridge,
    K.GIVE_BACK: _expect_give_back,
}


def _repays(intent: Intent, call: OutboundCall, accounts: ChainAddresses) -> bool:
    """Whether a collected deposit goes to the relayer less all fees, and to the treasury what it
    gets of these; the bridge's fee stays in the escrow."""
    costs = intent.collected.costs
    kept = costs.fees_units + costs.app_fee_units
    wanted = [(accounts.relayer, intent.collected.amount - kept)]
    wanted += [(accounts.treasury, costs.treasury_units)] if costs.treasury_units else []
    return _leaves_escrow(intent, call, wanted)


def _settles_back(
    tx: OutboundTx, intent: Intent, call: OutboundCall, accounts: ChainAddresses
) -> bool:
    """Whether a collected deposit goes back, whole or less the network costs, which go to the
    relayer: to the payer, or to its deposit address where an agent can pay no other of theirs."""
    restricted = accounts.is_reclaimable(intent.bridger) and accounts.relayer != intent.coordinator
    amount, collected = tx.amount or 0, intent.collected
    kept = collected.amount - amount
    payer = intent.address if restricted else tx.to_address
    wanted = [(payer, amount)] + ([(accounts.relayer, kept)] if kept else [])
    right = kept in (0, collected.costs.network_fee_units)
    return right and _leaves_escrow(intent, call, wanted)


def _leaves_escrow(intent: Intent, call: OutboundCall, wanted: list[tuple[str, int]]) -> bool:
    token = intent.collected.token
    return call.outputs == tuple(Output(intent.bridger, to, token, units) for to, units in wanted)
