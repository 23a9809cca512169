"""The actions an operator can take on a payment, and the reasons why some are disabled."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.available_actions import AvailableAction
from crossway.dashboard.views.formatting import (
    chain_name,
    format_amount,
    format_duration,
    format_token_amount,
    shorten,
)
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue
from crossway.domain.deposits import Deposit, DepositState
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import FINAL_STATES, Intent, State
from crossway.domain.ledger import AddressBalance
from crossway.domain.money import Token
from crossway.domain.outbound import OPEN_STATES, OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.quotes import bridge_title
from crossway.domain.roles import Permission
from crossway.usecases.payments.bridge_progress import is_held_by_contract, is_with_bridge
from crossway.usecases.payments.redirects import can_redirect

REQUIRED_PERMISSIONS: Final[Mapping[str, Permission]] = MappingProxyType(
    {
        "check": Permission.OPERATE,
        "elsewhere": Permission.OPERATE,
        "refund": Permission.REFUND,
        "foreign": Permission.REFUND,
        "redirect": Permission.MOVE_FUNDS,
        "give_up": Permission.MOVE_FUNDS,
    }
)


def list_actions(
    catalogue: Catalogue,
    intent: Intent,
    deposits: Sequence[Deposit],
    outbound_txs: Sequence[OutboundTx],
    misdirected: Sequence[AddressBalance],
    now: datetime,
) -> list[AvailableAction]:
    """All actions of a payment's page; labels state the amount and the destination."""
    failed_txs = [t for t in outbound_txs if can_redirect(t, intent)]
    actions = [_check_action(intent), _refund_action(catalogue, intent, now)]
    is_settled_by_us = intent.custody is Custody.OPERATOR
    if intent.state is State.INITIATED and is_settled_by_us and _payout_waits(outbound_txs):
        actions.append(_give_up_action(catalogue, intent))
    actions += _return_actions(catalogue, intent, deposits, outbound_txs, misdirected)
    if failed_txs:
        description = " and ".join(
            _describe_failed_return(catalogue, outbound_tx, intent) for outbound_tx in failed_txs
        )
        confirm_text = (
            f"{description}: {intent.terms.refund_address} rejected it. It is sent to the address "
            "you enter instead and cannot be reversed. The change is recorded in the audit log."
        )
        actions.append(
            AvailableAction(
                "redirect",
                "Send the failed refund to another address",
                "alt_route",
                confirm_text=confirm_text,
            )
        )
    actions.append(AvailableAction("elsewhere", "Check other chains", "travel_explore"))
    return actions


def list_simulated_actions(intent: Intent) -> list[AvailableAction]:
    """Deposits an operator can simulate; available in the simulated environment only."""
    missing = max(intent.terms.deposit_amount - intent.received_amount, 0)
    exact = format_amount(
        missing or intent.terms.deposit_amount, intent.asset_decimals, intent.asset_symbol
    )
    open_still = intent.state is State.PENDING
    label = f"Deposit {exact}" if open_still else f"Deposit {exact} again"
    return [
        AvailableAction("exact", label, "payments", primary=open_still),
        AvailableAction("short", "Deposit too little", "remove"),
        AvailableAction("over", "Deposit too much", "add"),
        AvailableAction("other", "Deposit another token", "token"),
    ]


def _check_action(intent: Intent) -> AvailableAction:
    reason = ""
    if intent.state not in (State.PENDING, State.FUNDED):
        reason = f"Nothing to check: the payment is {intent.state.lower()}."
    return AvailableAction(
        "check", "Check for deposit", "search", disabled_reason=reason, primary=True
    )


def _refund_action(catalogue: Catalogue, intent: Intent, now: datetime) -> AvailableAction:
    if is_held_by_contract(intent):
        return _give_back_action(catalogue, intent)
    balance = format_amount(intent.balance_at_address, intent.asset_decimals, intent.asset_symbol)
    address = intent.terms.refund_address
    label = f"Refund {balance} to {shorten(address)}" if intent.balance_at_address else "Refund"
    chain = chain_name(catalogue, intent.terms.source_chain)
    confirm_text = f"{balance} on {chain} will be refunded to {address}. This cannot be undone."
    if intent.state is State.EXPIRED and not intent.balance_at_address:
        label, confirm_text = (
            "Check for a late deposit",
            f"Any deposit found is refunded to {address}.",
        )
    reason = _refund_disabled_reason(intent, now)
    return AvailableAction(
        "refund",
        label,
        "undo",
        confirm_text=confirm_text,
        disabled_reason=reason,
        primary=bool(intent.balance_at_address),
    )


def _give_back_action(catalogue: Catalogue, intent: Intent) -> AvailableAction:
    terms = intent.terms
    amount = format_amount(terms.deposit_amount, intent.asset_decimals, intent.asset_symbol)
    chain = chain_name(catalogue, terms.source_chain)
    confirm_text = (
        f"The contract of {bridge_title(terms.bridge)} holds {amount} on {chain} and has not sent "
        f"it. It gives it back to {terms.refund_address}, and the recipient is not paid. This "
        "cannot be undone."
    )
    return AvailableAction("refund", f"Take {amount} back", "undo", confirm_text=confirm_text)


def _refund_disabled_reason(intent: Intent, now: datetime) -> str:
    if intent.state is State.REFUNDED:
        return "Already refunded."
    if intent.state is State.COMPLETED and intent.balance_at_address:
        return (
            "The overpayment is returned automatically; if that failed, send it to another address."
        )
    if intent.state is State.COMPLETED:
        return "Nothing to refund: the recipient has been paid."
    if intent.state not in FINAL_STATES:
        seconds_left = (intent.terms.expires_at - now).total_seconds()
        if intent.state is State.INITIATED and intent.custody is Custody.BRIDGE:
            bridge = bridge_title(intent.terms.bridge)
            return f"It was sent over {bridge}, which alone can deliver or return it."
        if intent.state is State.INITIATED:
            return "A refund is not possible while the payout is in progress."
        time_left = format_duration(max(seconds_left, 0))
        return f"A refund is possible once the payment has expired, in {time_left}."
    if is_with_bridge(intent):
        return f"The contract of {bridge_title(intent.terms.bridge)} has the money."
    return ""


def _payout_waits(outbound_txs: Sequence[OutboundTx]) -> bool:
    return any(
        t.kind is OutboundTxKind.FILL and t.state is OutboundTxState.DUE for t in outbound_txs
    )


def _give_up_action(catalogue: Catalogue, intent: Intent) -> AvailableAction:
    terms, collected = intent.terms, intent.collected
    amount = format_amount(collected.amount, collected.decimals, collected.symbol)
    source, to = (chain_name(catalogue, c) for c in (terms.source_chain, terms.destination_chain))
    confirm_text = (
        f"The recipient on {to} is not paid, and {amount} on {source} goes back to "
        f"{terms.refund_address}. If {to} answers, it is first asked whether anything was paid. "
        "This cannot be undone and is recorded in the audit log."
    )
    return AvailableAction("give_up", "Give up the payout and refund", "undo", confirm_text)


def _return_actions(
    catalogue: Catalogue,
    intent: Intent,
    deposits: Sequence[Deposit],
    outbound_txs: Sequence[OutboundTx],
    misdirected: Sequence[AddressBalance],
) -> list[AvailableAction]:
    """One action for each token and chain from which nothing is being returned yet."""
    going_back = {
        (outbound_tx.chain, outbound_tx.token)
        for outbound_tx in outbound_txs
        if outbound_tx.kind is OutboundTxKind.RETURN_EXCESS and outbound_tx.state in OPEN_STATES
    }
    returnable = [b for b in misdirected if (b.chain, b.token) not in going_back]
    return [
        _return_deposit_action(catalogue, intent, balance, newest)
        for balance in returnable
        if (newest := _newest_deposit(deposits, balance)) is not None
    ]


def _newest_deposit(deposits: Sequence[Deposit], balance: AddressBalance) -> Deposit | None:
    """The newest credited deposit of a token on a chain that is not the payment's own."""
    location = (balance.chain, balance.token)
    return max(
        (
            deposit
            for deposit in deposits
            if deposit.state is DepositState.CREDITED
            and (deposit.incoming.chain, deposit.incoming.token) == location
        ),
        key=lambda deposit: deposit.id,
        default=None,
    )


def _describe_failed_return(catalogue: Catalogue, outbound_tx: OutboundTx, intent: Intent) -> str:
    chain = chain_name(catalogue, outbound_tx.chain)
    amount = outbound_tx.amount
    if amount is None and outbound_tx.kind is OutboundTxKind.REFUND and intent.balance_at_address:
        amount = intent.balance_at_address
    if amount is None:
        return f"The entire balance of the deposit address on {chain}"
    return (
        f"{format_token_amount(catalogue, outbound_tx.chain, outbound_tx.token, amount)} on {chain}"
    )


def _return_deposit_action(
    catalogue: Catalogue, intent: Intent, balance: AddressBalance, newest: Deposit
) -> AvailableAction:
    """Returns all that is held of a token on a chain; `newest` is one of its deposits."""
    address = shorten(intent.terms.refund_address)
    amount = format_token_amount(catalogue, balance.chain, balance.token, balance.held)
    chain = chain_name(catalogue, balance.chain)
    return AvailableAction(
        "foreign",
        f"Return unexpected deposit of {amount} to {address}",
        "undo",
        confirm_text=f"{amount} on {chain}, all that arrived of this token, will be returned to "
        f"{intent.terms.refund_address}. This cannot be undone.",
        target_id=newest.id,
    )


def pick_other_token(catalogue: Catalogue, intent: Intent) -> Token:
    """A token of the source chain other than the requested one."""
    terms = intent.terms
    tokens = [t for t in catalogue.by_chain[terms.source_chain] if t.address != terms.token_in]
    if not tokens:
        raise InvalidInput("No other token is configured on this chain")
    return next((token for token in tokens if token.enabled and not token.native), tokens[0])
