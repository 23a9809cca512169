"""What each duty asks of its chain: the outputs, markers and deadlines of one transaction."""

from datetime import UTC, datetime, timedelta

from crossway.domain.actions import Action, Output
from crossway.domain.intent import Intent
from crossway.domain.ledger import Account, Leg
from crossway.domain.transfers import Duty, Transfer
from crossway.ports.chain import ChainAddresses, Moved


def start_marker(intent: Intent) -> str:
    """Collecting the deposit happens once on the source chain."""
    return f"start:{intent.key}"


def fill_marker(intent: Intent) -> str:
    """Paying the recipient happens once on the destination chain."""
    return f"fill:{intent.key}"


def settle_marker(intent: Intent) -> str:
    """What was collected leaves once: to the relayer, or back to the payer."""
    return f"settle:{intent.key}"


def action_of(transfer: Transfer, intent: Intent, own: ChainAddresses) -> Action:
    """The transaction that pays this transfer."""
    terms, token = intent.terms, transfer.token
    marker, not_after = None, None
    outputs: tuple[Output, ...] = ()
    match transfer.duty:
        case Duty.START:
            # The contract sends on what is over, best effort: a refund address that refuses it
            # must not block the start.
            outputs = (
                Output(intent.address, intent.bridger, token, terms.total_units),
                Output(intent.address, terms.refund_address, token, None, required=False),
            )
            marker, not_after = start_marker(intent), terms.expires_at
        case Duty.FILL:
            outputs = (Output(own.relayer, transfer.to_address, token, terms.out_units),)
            marker = fill_marker(intent)
        case Duty.REIMBURSE:
            to_treasury = treasury_units(intent)
            kept = intent.costs.fees_units + intent.costs.app_fee_units
            outputs = (Output(intent.bridger, own.relayer, token, terms.total_units - kept),)
            if to_treasury:
                outputs += (Output(intent.bridger, own.treasury, token, to_treasury),)
            marker = settle_marker(intent)
        case Duty.REFUND if transfer.units is not None:
            # Shares its marker with REIMBURSE: what was collected leaves once, either way.
            outputs = (Output(intent.bridger, transfer.to_address, token, transfer.units),)
            marker = settle_marker(intent)
        case Duty.REFUND | Duty.RETURN_EXCESS:
            outputs = (Output(intent.address, transfer.to_address, token, None),)
    return Action(
        transfer.duty, transfer.chain, own.relayer, intent.key, outputs, marker, not_after,
        terms, intent.bridger, intent.coordinator,
    )  # fmt: skip


def earliest(transfer: Transfer, intent: Intent, own: ChainAddresses) -> tuple[str, datetime]:
    """From when on, by the chain's clock, all that lies at a deposit address may be sent on, and
    what is waited for until then. The contract refuses it before."""
    expiry = intent.terms.expires_at
    if transfer.to_address != intent.terms.refund_address and own.redirect_seconds:
        over = expiry + timedelta(seconds=own.redirect_seconds)
        return f"Another address is paid from {over:%Y-%m-%d %H:%M} UTC on, not before.", over
    if transfer.duty is Duty.REFUND:
        return "The deposit address gives nothing back before its own expiry.", expiry
    return "", datetime.min.replace(tzinfo=UTC)


def treasury_units(intent: Intent) -> int:
    """The operator's and the client's fees, in units of the asset token."""
    return service_units(intent) + intent.costs.app_fee_units


def service_units(intent: Intent) -> int:
    """The service fee's part of the fees, in units of the asset token, rounded down."""
    costs = intent.costs
    both = costs.service_micro_usd + costs.bridge_micro_usd
    return costs.fees_units * costs.service_micro_usd // both if both else 0


def legs_of(transfer: Transfer, intent: Intent, own: ChainAddresses, moved: Moved) -> list[Leg]:
    """How the books see one payment that a mined transaction of ours made."""
    units = moved.units
    credit = {intent.address: Account.HELD, intent.bridger: Account.ESCROW}.get(
        moved.source, Account.INVENTORY
    )
    if transfer.duty is Duty.START:
        to = Account.ESCROW if moved.to == intent.bridger else Account.PAYER
        return [(to, credit, units)]
    if transfer.duty is Duty.FILL:
        return [(Account.RECIPIENT, credit, units)]
    if transfer.duty is not Duty.REIMBURSE:
        return [(Account.PAYER, credit, units)]
    if moved.to == own.relayer:
        bridge = intent.costs.fees_units - service_units(intent)
        return [
            (Account.INVENTORY, credit, units),
            # What the bridge keeps for its service stays with it: booked, never moved.
            (Account.BRIDGE_FEES, Account.ESCROW, bridge),
        ]
    app = intent.costs.app_fee_units
    return [(Account.SERVICE_FEES, credit, units - app), (Account.APP_FEES, credit, app)]
