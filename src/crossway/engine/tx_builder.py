"""Builds the outputs, markers and deadline of each outbound transaction, and its ledger legs."""

from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.domain.bridge_amounts import bridge_output
from crossway.domain.bridge_transfer import BridgeTransfer, Custody
from crossway.domain.intent import Intent
from crossway.domain.ledger import Account, Leg
from crossway.domain.outbound import OutboundTx, OutboundTxKind
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
from crossway.ports.chain import TokenTransfer
from crossway.ports.chain_addresses import ChainAddresses
from crossway.usecases.payments.lifecycle import RETURNED_CAUSE

SKIP_CAUSE: Final = "nonce:"


def skip_cause(nonce: int, account: str, relayer: str) -> str:
    """The cause of a SKIP_NONCE transaction, of which a payment has one for each nonce."""
    return f"{SKIP_CAUSE}{nonce}" + ("" if account == relayer else f":{account}")


def nonce_to_skip(tx: OutboundTx) -> int:
    """The nonce that a SKIP_NONCE transaction uses, which is in its cause; its account is the one
    that it names as receiver."""
    return int(tx.cause.removeprefix(SKIP_CAUSE).partition(":")[0])


def build_outbound_call(
    tx: OutboundTx,
    intent: Intent,
    accounts: ChainAddresses,
    transfer: BridgeTransfer | None = None,
) -> OutboundCall:
    """The call that executes this outbound transaction; a delivery needs its bridge transfer."""
    message = attestation = b""
    fills = intent.custody is Custody.BRIDGE and intent.terms.bridge == BridgeName.ACROSS
    if transfer is not None and tx.kind is OutboundTxKind.DELIVER:
        message, attestation = transfer.message, transfer.attestation
    return OutboundCall(
        tx.kind,
        tx.chain,
        tx.to_address if tx.kind is OutboundTxKind.SKIP_NONCE else accounts.relayer,
        intent.intent_hash,
        _outputs(tx, intent, accounts),
        _marker(tx, intent),
        intent.terms.expires_at if tx.kind is OutboundTxKind.START else None,
        intent.terms,
        intent.bridger,
        intent.coordinator,
        intent.custody,
        message,
        attestation,
        bridge_output(intent) if tx.kind is OutboundTxKind.START and fills else 0,
        intent.swap if tx.kind is OutboundTxKind.START else None,
    )


def _outputs(tx: OutboundTx, intent: Intent, accounts: ChainAddresses) -> tuple[Output, ...]:
    terms, token = intent.terms, tx.token
    match tx.kind:
        case OutboundTxKind.START:
            return start_outputs(intent, accounts.exchange)
        case OutboundTxKind.FILL:
            return (Output(accounts.relayer, tx.to_address, token, terms.payout_amount),)
        case OutboundTxKind.REIMBURSE:
            return _reimbursement_outputs(intent, token, accounts)
        case OutboundTxKind.REFUND if tx.amount is not None:
            return _settle_back_outputs(tx, tx.amount, intent, accounts)
        case OutboundTxKind.REFUND | OutboundTxKind.RETURN_EXCESS:
            return (Output(intent.address, tx.to_address, token, None),)
        case OutboundTxKind.DELIVER | OutboundTxKind.RELEASE:
            return (Output(intent.bridger, tx.to_address, token, terms.payout_amount),)
        case OutboundTxKind.GIVE_BACK:
            return (Output(intent.bridger, intent.address, token, terms.deposit_amount),)
    return ()


def _marker(tx: OutboundTx, intent: Intent) -> str | None:
    """What lets the call of a transaction execute once. A collected deposit leaves escrow once,
    for the relayer or for the payer, and a bridge's contract once, into the bridge or back."""
    is_sent = intent.custody is Custody.BRIDGE
    match tx.kind:
        case OutboundTxKind.START:
            return send_marker(intent) if is_sent else start_marker(intent)
        case OutboundTxKind.GIVE_BACK:
            return send_marker(intent)
        case OutboundTxKind.FILL:
            return fill_marker(intent)
        case OutboundTxKind.REIMBURSE:
            return settle_marker(intent)
        case OutboundTxKind.REFUND if tx.amount is not None:
            return settle_marker(intent)
        case OutboundTxKind.DELIVER:
            return arrival_marker(intent)
        case OutboundTxKind.RELEASE:
            return release_marker(intent)
    return None


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
    the network costs. Where contracts let agents pay payees alone, it goes to the deposit address,
    from which it is refunded."""
    for_payees = accounts.is_reclaimable(intent.bridger)
    by_agent = for_payees and not accounts.is_coordinator(intent.coordinator)
    to = intent.address if by_agent else tx.to_address
    to_payer = Output(intent.bridger, to, tx.token, amount)
    kept = intent.collected.amount - amount
    if not kept:
        return (to_payer,)
    return to_payer, Output(intent.bridger, accounts.relayer, tx.token, kept)


def _reimbursement_outputs(
    intent: Intent, token: str, accounts: ChainAddresses
) -> tuple[Output, ...]:
    """The collected deposit less all fees to the relayer, and the fees to the treasury."""
    costs, to_treasury = intent.collected.costs, intent.collected.costs.treasury_units
    amount = intent.collected.amount - costs.fees_units - costs.app_fee_units
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
    if tx.kind is OutboundTxKind.REFUND and tx.cause != RETURNED_CAUSE:
        return "The deposit address gives nothing back before its own expiry.", expiry
    return "", datetime.min.replace(tzinfo=UTC)


def build_ledger_legs(
    tx: OutboundTx, intent: Intent, accounts: ChainAddresses, transfer: TokenTransfer
) -> list[Leg]:
    """The ledger legs of one transfer that an included transaction made."""
    units = transfer.amount
    of_payment = {
        intent.address: Account.HELD,
        intent.bridger: Account.ESCROW,
        accounts.exchange: Account.EXCHANGED,
    }
    credit = of_payment.get(transfer.source, Account.INVENTORY)
    if tx.kind is OutboundTxKind.START and intent.custody is Custody.BRIDGE:
        # What goes through the bridge's contract is booked with its send.
        return [(Account.PAYER, credit, units)] if _is_excess(intent, transfer) else []
    if tx.kind in (OutboundTxKind.DELIVER, OutboundTxKind.RELEASE):
        return []  # Booked as the contract reports its arrival.
    if (transfer.source, transfer.to) == (intent.bridger, intent.address):
        return [(Account.HELD, Account.ESCROW, units)]
    if tx.kind is OutboundTxKind.START:
        payees = {intent.bridger: Account.ESCROW, accounts.exchange: Account.EXCHANGED}
        return [(payees.get(transfer.to, Account.PAYER), credit, units)]
    if tx.kind is OutboundTxKind.FILL:
        return [(Account.RECIPIENT, credit, units)]
    if tx.kind is OutboundTxKind.REFUND and transfer.to == accounts.relayer:
        # Network costs, which a recipient's refusal caused.
        return [(Account.INVENTORY, credit, units)]
    if tx.kind is not OutboundTxKind.REIMBURSE or transfer.source == intent.address:
        return [(Account.PAYER, credit, units)]
    # The relayer's account may be the treasury as well.
    costs = intent.collected.costs
    is_share = transfer.to == accounts.treasury and units == costs.treasury_units
    if transfer.to == accounts.relayer and not is_share:
        spread = costs.fees_units - costs.service_fee_units
        return [
            (Account.INVENTORY, credit, units),
            # The escrow retains it for the coordinator, who withdraws it.
            (Account.SPREAD, Account.ESCROW, spread),
        ]
    app_fee = costs.app_fee_units
    return [(Account.SERVICE_FEES, credit, units - app_fee), (Account.APP_FEES, credit, app_fee)]


def _is_excess(intent: Intent, transfer: TokenTransfer) -> bool:
    return transfer.source == intent.address and transfer.to != intent.bridger
