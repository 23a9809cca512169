"""What an operator may do to one payment now, named by its effect, or why not yet."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.figures import (
    amount,
    chain_name,
    duration,
    short,
    token_amount,
)
from crossway.dashboard.views.offers import Offer
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositState, Purpose
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import ENDED, Intent, State
from crossway.domain.money import Token
from crossway.domain.roles import Right
from crossway.domain.transfers import Duty, Transfer, TransferState

_BACK = (Duty.REFUND, Duty.RETURN_EXCESS)


RIGHTS: Final[Mapping[str, Right]] = MappingProxyType(
    {
        "check": Right.WORK,
        "elsewhere": Right.WORK,
        "refund": Right.REFUND,
        "foreign": Right.REFUND,
        "redirect": Right.TREASURE,
    }
)


def offers(
    catalogue: Catalogue,
    intent: Intent,
    deposits: Sequence[Deposit],
    transfers: Sequence[Transfer],
    now: datetime,
) -> list[Offer]:
    """Every button of one payment's screen, each with what it sends where."""
    going_back = {transfer.cause for transfer in transfers if transfer.duty is Duty.RETURN_EXCESS}
    foreign = [d for d in deposits if _is_foreign(d) and f"deposit:{d.id}" not in going_back]
    failed = [t for t in transfers if t.duty in _BACK and t.state is TransferState.FAILED]
    found = [_check(intent), _refund(catalogue, intent, now)]
    found += [_foreign(catalogue, intent, deposit) for deposit in foreign]
    if failed:
        what = " and ".join(_returned(catalogue, transfer, intent) for transfer in failed)
        asks = (
            f"{what}: {intent.terms.refund_address} refused it. It is sent to the address that "
            "you type instead, and cannot be called back. The change is in the audit log."
        )
        found.append(Offer("redirect", "Send the failed refund elsewhere", "alt_route", asks=asks))
    found.append(Offer("elsewhere", "Look on other chains", "travel_explore"))
    return found


def simulated_offers(intent: Intent) -> list[Offer]:
    """Deposits that a person can make by hand, on the simulated network alone."""
    missing = max(intent.terms.total_units - intent.received_units, 0)
    exact = amount(missing or intent.terms.total_units, intent.asset_decimals, intent.asset_symbol)
    open_still = intent.state is State.PENDING
    label = f"Deposit {exact}" if open_still else f"Deposit {exact} again"
    return [
        Offer("exact", label, "payments", main=open_still),
        Offer("short", "Deposit too little", "remove"),
        Offer("over", "Deposit too much", "add"),
        Offer("other", "Deposit another token", "token"),
    ]


def _check(intent: Intent) -> Offer:
    why = ""
    if intent.state not in (State.PENDING, State.FUNDED):
        why = f"Nothing to check: the payment is {intent.state.lower()}."
    return Offer("check", "Check for deposit", "search", why_not=why, main=True)


def _refund(catalogue: Catalogue, intent: Intent, now: datetime) -> Offer:
    held = amount(intent.held_units, intent.asset_decimals, intent.asset_symbol)
    to = intent.terms.refund_address
    label = f"Refund {held} to {short(to)}" if intent.held_units else "Refund"
    where = chain_name(catalogue, intent.terms.source_chain)
    asks = f"{held} on {where} go back to {to}. This cannot be undone."
    if intent.state is State.EXPIRED and not intent.held_units:
        label, asks = "Look for a late deposit", f"What is found goes back to {to}."
    why = _why_no_refund(intent, now)
    return Offer("refund", label, "undo", asks=asks, why_not=why, main=bool(intent.held_units))


def _why_no_refund(intent: Intent, now: datetime) -> str:
    if intent.state is State.REFUNDED:
        return "Refunded already."
    if intent.state is State.COMPLETED and intent.held_units:
        return "What was too much goes back by itself; where that failed, send it elsewhere."
    if intent.state is State.COMPLETED:
        return "Nothing to refund: the recipient has been paid."
    if intent.state not in ENDED:
        left = (intent.terms.expires_at - now).total_seconds()
        if intent.state is State.INITIATED:
            return "A refund is not possible while the payment is on its way."
        return f"A refund is possible once the payment has expired, in {duration(max(left, 0))}."
    return ""


def _is_foreign(deposit: Deposit) -> bool:
    return deposit.state is DepositState.CREDITED and deposit.purpose in (
        Purpose.FOREIGN,
        Purpose.ELSEWHERE,
    )


def _returned(catalogue: Catalogue, transfer: Transfer, intent: Intent) -> str:
    where = chain_name(catalogue, transfer.chain)
    units = transfer.units
    if units is None and transfer.duty is Duty.REFUND and intent.held_units:
        units = intent.held_units
    if units is None:
        return f"All that lies at the deposit address on {where}"
    return f"{token_amount(catalogue, transfer.chain, transfer.token, units)} on {where}"


def _foreign(catalogue: Catalogue, intent: Intent, deposit: Deposit) -> Offer:
    to, money = short(intent.terms.refund_address), deposit.incoming
    what = token_amount(catalogue, money.chain, money.token, money.units)
    where = chain_name(catalogue, money.chain)
    return Offer(
        "foreign",
        f"Return foreign deposit {deposit.id} to {to}",
        "undo",
        asks=f"{what} on {where} (deposit {deposit.id}) go back to "
        f"{intent.terms.refund_address}. This cannot be undone.",
        subject=deposit.id,
    )


def other_token(catalogue: Catalogue, intent: Intent) -> Token:
    """A token of the source chain that is not the one asked for."""
    terms = intent.terms
    here = [t for t in catalogue.by_chain[terms.source_chain] if t.address != terms.token_in]
    if not here:
        raise InvalidInput("No other token is known on this chain")
    return next((token for token in here if token.enabled and not token.native), here[0])
