"""Claims: what a payer is owed at a deposit address and we do not send, which anyone may."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.ledger import Account, AddressBalance
from crossway.domain.outbound import (
    SWEEP_KINDS,
    OutboundTx,
    OutboundTxEvent,
    OutboundTxKind,
    OutboundTxState,
)
from crossway.domain.outbound_call import refund_call
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.chain_calls import PublicCall
from crossway.ports.records import OutboundTxChange
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.lifecycle import RETURNED_CAUSE, IntentBatch
from crossway.usecases.payments.redirects import is_left_to_coordinator

ANYONE_MAY = "Anyone may return the money on chain."
TOO_DEAR = (
    "Returning it costs more than it is worth at the network's fees now. It is tried again as they "
    f"change. {ANYONE_MAY}"
)
BUDGET_USED_UP = (
    "Refunds and returns on {} have used up what fees brought for them and their daily allowance. "
    f"They go on {{}}. {ANYONE_MAY}"
)
DAILY_LIMIT = (
    f"{{}} returns were sent within a day; the next one follows a day after them. {ANYONE_MAY}"
)
BY_HAND = "An operator asked for it, so it waits for no limit."
CARRIED_OUT = "It was sent to the refund address by somebody else."
CARRIED_OUT_BY_COORDINATOR = (
    "Somebody else sent it on chain: to the refund address, or its coordinator to another one."
)
_MOST = 20


class ClaimKind(StrEnum):
    """Why we do not send it: it is DUST, which only a further deposit makes worth sending; it is
    TOO_DEAR while the network's fees are as now; or it waits for a LIMIT of ours."""

    DUST = "dust"
    TOO_DEAR = "too_dear"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True)
class PayerClaim:
    """All of one token at a deposit address, in smallest units, and how anyone sends it to the
    refund address from `open_from` on; without a `call`, only we can."""

    chain: str
    token: str
    amount: int
    kind: ClaimKind
    open_from: datetime | None
    call: PublicCall | None


def list_claims(services: Services, unit: UnitOfWork, intent: Intent) -> list[PayerClaim]:
    """The claims of a payment, those in its own token first."""
    open_txs = unit.outbound_txs.list_unsettled([intent.id])
    waiting = {(t.chain, t.token): t for t in open_txs if _waits_as_claim(t)}
    claims = []
    for balance in unit.ledger.list_address_balances(intent.id, _MOST):
        tx = waiting.get((balance.chain, balance.token))
        is_sent = tx is None and (not balance.dust or balance.held != 0)
        if is_sent or balance.held < 0 or not balance.held + balance.dust:
            continue  # Nothing is owed, or it is being sent.
        claims.append(_new_claim(services, intent, balance, tx))
    return claims


def _waits_as_claim(tx: OutboundTx) -> bool:
    return (
        tx.kind in SWEEP_KINDS
        and tx.state is OutboundTxState.DUE
        and tx.amount is None
        and tx.reason.endswith(ANYONE_MAY)
    )


def _new_claim(
    services: Services, intent: Intent, balance: AddressBalance, tx: OutboundTx | None
) -> PayerClaim:
    terms = intent.terms
    started = intent.state in (State.INITIATED, State.COMPLETED, State.FAILED)
    own = not balance.misdirected and not started
    kind = ClaimKind.DUST
    if tx is not None:
        kind = ClaimKind.TOO_DEAR if tx.reason == TOO_DEAR else ClaimKind.LIMIT
    amount = balance.held + balance.dust
    open_from = terms.expires_at if own else None
    call = _public_call(services, intent, balance)
    return PayerClaim(balance.chain, balance.token, amount, kind, open_from, call)


def _public_call(services: Services, intent: Intent, balance: AddressBalance) -> PublicCall | None:
    """How anyone returns what lies there; None on another chain than the payment's, where the
    refund address may be somebody else's and the contracts let us alone pay it."""
    terms, chain = intent.terms, services.chains.get(balance.chain)
    known = terms.destination_chain in services.catalogue.chains
    if chain is None or balance.chain != terms.source_chain or not known:
        return None
    call = refund_call(intent, balance.chain, balance.token, terms.refund_address)
    # The payment may have been created with contracts that have been replaced since.
    with suppress(ValueError):
        return chain.public_call(call)
    return None


def book_carried_out(
    unit: UnitOfWork, batch: IntentBatch, balance: AddressBalance, left: int
) -> None:
    """Book that somebody else sent what lay at an address to the refund address; `left` is there
    now. Not where a start or a sweep of ours may have moved it."""
    intent, key = batch.current[balance.intent_id], (balance.chain, balance.token)
    unsettled = unit.outbound_txs.list_unsettled([intent.id])
    if not balance.misdirected and any(_may_start(intent, tx) for tx in unsettled):
        return
    sweeps = [
        tx
        for tx in unsettled
        if tx.kind in SWEEP_KINDS and tx.amount is None and (tx.chain, tx.token) == key
    ]
    # Those that another engine has locked are left to it.
    locked = unit.outbound_txs.lock([tx.id for tx in sweeps])
    accounts = batch.services.chains[balance.chain].accounts
    if any(tx.id not in locked or _may_move(intent, locked[tx.id], accounts) for tx in sweeps):
        return
    from_held = min(balance.held, balance.held + balance.dust - left)
    from_dust = balance.held + balance.dust - left - from_held
    for account, amount in ((Account.HELD, from_held), (Account.DUST, from_dust)):
        if amount:
            batch.add_postings(intent.id, *key, "claimed", (Account.PAYER, account, amount))
    refunds = intent.state is State.EXPIRED or (
        # What the escrow returned; anything else there is no refund of a payment that was started.
        intent.state is State.FAILED and any(tx.cause == RETURNED_CAUSE for tx in locked.values())
    )
    returned = refunds and not balance.misdirected and not left
    event = IntentEvent.RETURNED if returned else IntentEvent.LEDGER_ONLY
    own = {} if balance.misdirected else {"balance_at_address": balance.held - from_held}
    alone = accounts.is_coordinator(intent.coordinator)
    note = CARRIED_OUT if alone else CARRIED_OUT_BY_COORDINATOR
    batch.apply_event(intent.id, event, "claim", note, **own)
    if not left:
        _close(unit, batch, balance, list(locked.values()), note)


def _may_start(intent: Intent, tx: OutboundTx) -> bool:
    """Whether this is a start that may have been executed and is not in the books; that of a
    payment which was never started failed."""
    failed = tx.state is OutboundTxState.FAILED and intent.state is State.EXPIRED
    return tx.kind is OutboundTxKind.START and not failed


def _may_move(intent: Intent, sweep: OutboundTx, accounts: ChainAddresses) -> bool:
    """Whether a sweep of ours may have taken what is gone: one that was signed and did not fail. A
    redirect that is left to the coordinator was not signed since its refund failed."""
    waits = sweep.state is OutboundTxState.DUE and is_left_to_coordinator(sweep, intent, accounts)
    return sweep.tx_id is not None and not waits and sweep.state is not OutboundTxState.FAILED


def _close(
    unit: UnitOfWork,
    batch: IntentBatch,
    balance: AddressBalance,
    sweeps: Sequence[OutboundTx],
    note: str,
) -> None:
    """Cancel the sweeps of an address that is empty now."""
    cancelled = [
        OutboundTxChange.after_event(tx, OutboundTxEvent.CANCEL, note, batch.now)
        for tx in sweeps
        if tx.state in (OutboundTxState.DUE, OutboundTxState.FAILED)
    ]
    unit.outbound_txs.update(cancelled, batch.now)
    if balance.misdirected and cancelled:
        unit.deposits.mark_returned({(balance.intent_id, balance.chain, balance.token)})
