"""The ledger legs of an arrival: what left the source chain, and who got what on the other."""

from crossway.domain.bridge_amounts import in_deposit_units, in_payout_units
from crossway.domain.bridge_transfer import Arrival, ArrivalOutcome
from crossway.domain.intent import Intent
from crossway.domain.ledger import Account, Leg


def source_legs(intent: Intent, arrival: Arrival) -> list[Leg]:
    """What has left the source chain for good: the bridge's own fee, and what crossed, at par."""
    sent = intent.collected.amount
    crossed = min(in_deposit_units(intent, arrival.got), sent)
    fee = sent - crossed
    legs = [(Account.CROSSED, Account.IN_TRANSIT, crossed)]
    return [*legs, (Account.BRIDGE_FEES, Account.IN_TRANSIT, fee)] if fee else legs


def destination_legs(intent: Intent, arrival: Arrival) -> list[Leg]:
    if arrival.outcome is ArrivalOutcome.PARKED:
        return [(Account.PARKED, Account.CROSSED, arrival.got)]
    legs: list[Leg] = []
    if arrival.paid:
        repaid = arrival.outcome is ArrivalOutcome.REPAID and bool(intent.relayer)
        payee = Account.INVENTORY if repaid else Account.RECIPIENT
        legs.append((payee, Account.CROSSED, arrival.paid))
    if arrival.outcome is ArrivalOutcome.REPEATED:
        return [*legs, *_owed(Account.CROSSED, (Account.UNCLAIMED, arrival.credited))]
    return [*legs, *_income_legs(intent, Account.CROSSED, arrival.credited)]


def release_legs(intent: Intent, arrival: Arrival, parked: int) -> list[Leg]:
    """What left the contract after it had been parked; what its caller added is not ours."""
    if arrival.outcome is ArrivalOutcome.UNPARKED:
        return _owed(Account.PARKED, (Account.UNCLAIMED, parked))
    paid = min(parked, arrival.paid)
    legs: list[Leg] = [(Account.RECIPIENT, Account.PARKED, paid)] if paid else []
    return [*legs, *_income_legs(intent, Account.PARKED, parked - paid)]


def _income_legs(intent: Intent, credit: Account, rest: int) -> list[Leg]:
    """What is left of an arrival: the client's fee first, then the operator's, and the rest."""
    parts, costs = [], intent.collected.costs
    for account, most in (
        (Account.APP_FEES, in_payout_units(intent, costs.app_fee_units)),
        (Account.SERVICE_FEES, in_payout_units(intent, costs.service_fee_units)),
        (Account.BRIDGE_SURPLUS, rest),
    ):
        units = min(rest, most)
        parts.append((account, units))
        rest -= units
    return _owed(credit, *parts)


def _owed(credit: Account, *parts: tuple[Account, int]) -> list[Leg]:
    """Income that is the operator's and lies in the bridge's contract instead of at the
    treasury."""
    legs: list[Leg] = [(account, credit, units) for account, units in parts if units]
    total = sum(units for _, units in parts)
    return [*legs, (Account.OWED, Account.TREASURY, total)] if total else legs
