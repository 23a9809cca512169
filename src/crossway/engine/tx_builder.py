"""Builds the outputs, markers and deadline of each outbound transaction, and its ledger legs."""

from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.domain.intent import Intent
from crossway.domain.ledger import Account, Leg
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import (
    OutboundCall,
    Output,
    fill_marker,
    settle_marker,
    start_marker,
)
from crossway.ports.chain import ChainAddresses, TokenTransfer

SKIP_CAUSE: Final = "nonce:"


def nonce_to_skip(tx: OutboundTx) -> int:
    """The nonce that a SKIP_NONCE transaction uses, which is its cause."""
    return int(tx.cause.removeprefix(SKIP_CAUSE))


def build_outbound_call(tx: OutboundTx, intent: Intent, accounts: ChainAddresses) -> OutboundCall:
    """The call that executes this outbound transaction."""
    terms, token = intent.terms, tx.token
    marker, not_after = None, None
    outputs: tuple[Output, ...] = ()
    match tx.kind:
        case OutboundTxKind.START:
            # The contract returns any excess on a best-effort basis: a refund address that rejects
            # it must not block the start.
            outputs = (
                Output(intent.address, intent.bridger, token, terms.deposit_amount),
                Output(intent.address, terms.refund_address, token, None, required=False),
            )
            marker, not_after = start_marker(intent), terms.expires_at
        case OutboundTxKind.FILL:
            outputs = (Output(accounts.relayer, tx.to_address, token, terms.payout_amount),)
            marker = fill_marker(intent)
        case OutboundTxKind.REIMBURSE:
            outputs, marker = _reimbursement_outputs(intent, token, accounts), settle_marker(intent)
        case OutboundTxKind.REFUND if tx.amount is not None:
            # Shares its marker with REIMBURSE: a collected deposit leaves escrow only once.
            outputs = _settle_back_outputs(tx, tx.amount, intent, accounts)
            marker = settle_marker(intent)
        case OutboundTxKind.REFUND | OutboundTxKind.RETURN_EXCESS:
            outputs = (Output(intent.address, tx.to_address, token, None),)
    return OutboundCall(
        tx.kind,
        tx.chain,
        accounts.relayer,
        intent.intent_hash,
        outputs,
        marker,
        not_after,
        terms,
        intent.bridger,
        intent.coordinator,
    )


def build_payout_call(intent: Intent, accounts: ChainAddresses) -> OutboundCall:
    """The call that would pay the recipient, for a simulation before the start. `accounts` are
    those on the destination chain."""
    terms = intent.terms
    payout = Output(accounts.relayer, terms.recipient, terms.token_out, terms.payout_amount)
    return OutboundCall(
        OutboundTxKind.FILL,
        terms.destination_chain,
        accounts.relayer,
        intent.intent_hash,
        (payout,),
        fill_marker(intent),
        terms=terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
    )


def _settle_back_outputs(
    tx: OutboundTx, amount: int, intent: Intent, accounts: ChainAddresses
) -> tuple[Output, ...]:
    """The collected deposit to the payer; what it does not get back of it, to the relayer, who paid
    the network costs."""
    to_payer = Output(intent.bridger, tx.to_address, tx.token, amount)
    kept = intent.terms.deposit_amount - amount
    if not kept:
        return (to_payer,)
    return to_payer, Output(intent.bridger, accounts.relayer, tx.token, kept)


def _reimbursement_outputs(
    intent: Intent, token: str, accounts: ChainAddresses
) -> tuple[Output, ...]:
    """The collected deposit less all fees to the relayer, and the fees to the treasury."""
    to_treasury = intent.costs.treasury_units
    fees = intent.costs.fees_units + intent.costs.app_fee_units
    amount = intent.terms.deposit_amount - fees
    to_relayer = Output(intent.bridger, accounts.relayer, token, amount)
    if not to_treasury:
        return (to_relayer,)
    return to_relayer, Output(intent.bridger, accounts.treasury, token, to_treasury)


def earliest_sweep_time(
    tx: OutboundTx, intent: Intent, accounts: ChainAddresses
) -> tuple[str, datetime]:
    """The reason to wait and the chain time from which the contract permits the sweep."""
    expiry = intent.terms.expires_at
    if tx.to_address != intent.terms.refund_address and accounts.redirect_seconds:
        earliest = expiry + timedelta(seconds=accounts.redirect_seconds)
        reason = f"Another address is paid from {earliest:%Y-%m-%d %H:%M} UTC on, not before."
        return reason, earliest
    if tx.kind is OutboundTxKind.REFUND:
        return "The deposit address gives nothing back before its own expiry.", expiry
    return "", datetime.min.replace(tzinfo=UTC)


def build_ledger_legs(
    tx: OutboundTx, intent: Intent, accounts: ChainAddresses, transfer: TokenTransfer
) -> list[Leg]:
    """The ledger legs of one transfer that an included transaction made."""
    units = transfer.amount
    credit = {intent.address: Account.HELD, intent.bridger: Account.ESCROW}.get(
        transfer.source, Account.INVENTORY
    )
    if tx.kind is OutboundTxKind.START:
        debit = Account.ESCROW if transfer.to == intent.bridger else Account.PAYER
        return [(debit, credit, units)]
    if tx.kind is OutboundTxKind.FILL:
        return [(Account.RECIPIENT, credit, units)]
    if tx.kind is OutboundTxKind.REFUND and transfer.to == accounts.relayer:
        # Network costs, which a recipient's refusal caused.
        return [(Account.INVENTORY, credit, units)]
    if tx.kind is not OutboundTxKind.REIMBURSE:
        return [(Account.PAYER, credit, units)]
    # The relayer's account may be the treasury as well.
    is_share = transfer.to == accounts.treasury and units == intent.costs.treasury_units
    if transfer.to == accounts.relayer and not is_share:
        bridge_fee = intent.costs.fees_units - intent.costs.service_fee_units
        return [
            (Account.INVENTORY, credit, units),
            # The bridge keeps its fee: it is booked but never transferred.
            (Account.BRIDGE_FEES, Account.ESCROW, bridge_fee),
        ]
    app_fee = intent.costs.app_fee_units
    return [(Account.SERVICE_FEES, credit, units - app_fee), (Account.APP_FEES, credit, app_fee)]
