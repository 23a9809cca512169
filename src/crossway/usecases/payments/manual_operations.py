"""Manual operations on one intent: check for deposits, redirect refunds, scan other chains."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.deposits import Deposit, DepositState, IncomingTransfer
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound, Unreachable
from crossway.domain.intent import READ_VOCABULARY, Intent, State
from crossway.domain.money import format_units
from crossway.domain.outbound import (
    OutboundTx,
)
from crossway.domain.roles import Permission
from crossway.ports.records import NewOutboundTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.money import amount_confirmation
from crossway.usecases.money.amount_confirmation import amount_of_collected, amount_of_intent
from crossway.usecases.payments.deposits import check_deposits, record_deposits
from crossway.usecases.payments.intents import get_by_address, get_by_id
from crossway.usecases.payments.lifecycle import (
    one_return_for_each_address,
)
from crossway.usecases.payments.manual_refunds import is_unsigned, make_due
from crossway.usecases.payments.redirects import can_redirect
from crossway.usecases.payments.returns import new_deposit_return
from crossway.usecases.staff.step_up import require_step_up

REDIRECTED: Final = "refund redirected"
"""The action under which the audit log has the address of a redirected refund."""

_NEWEST_DEPOSITS = 500


def trigger(services: Services, caller: Principal, address: str) -> None:
    """Check for the deposit of an intent and start the intent if it is funded.

    Raises `InvalidStatus` when it is not funded, or is past its start.
    """
    caller.require_scope(Scope.WRITE)
    intent = get_by_address(services, caller, address)
    if intent.state not in (State.PENDING, State.FUNDED):
        raise InvalidStatus(f"Intent has invalid status: {READ_VOCABULARY[intent.state]}")
    if intent.state is State.PENDING:
        intent = check_deposits(services, intent)
    if intent.state is State.PENDING:
        received = format_units(_seen_amount(services, intent), intent.asset_decimals)
        total = format_units(intent.terms.deposit_amount, intent.asset_decimals)
        raise InvalidStatus(
            f"Intent is not funded: received {received} of {total} {intent.asset_symbol}"
        )
    services.process.wake()


def _seen_amount(services: Services, intent: Intent) -> int:
    """What is credited and, of the newest deposits, what still waits for confirmations."""
    with services.store.read() as unit:
        deposits = unit.deposits.list_by_intents([intent.id], _NEWEST_DEPOSITS)
    terms = intent.terms
    return intent.received_amount + sum(
        d.incoming.amount
        for d in deposits
        if d.state is DepositState.SEEN
        and (d.incoming.chain, d.incoming.token) == (terms.source_chain, terms.token_in)
    )


def redirect_refund(
    services: Services, caller: Principal, intent_id: int, address: str, typed_amount: object = None
) -> None:
    """Redirect refunds and returns of an intent to another address that failed, or wait redirected.

    Audited. Above a limit `typed_amount` must repeat the amount, else `AmountNotConfirmed`. Raises
    `InvalidInput` where the address cannot be paid, and `InvalidStatus` if nothing failed.
    """
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    intent = _get_for_operator(services, caller, intent_id, Permission.MOVE_FUNDS)
    with services.store.read() as reading:
        chains = {tx.chain for tx in _list_failed_returns(reading, intent)}
    addresses = {
        chain: parse_payable_address(services, services.catalogue.chains[chain], address, "address")
        for chain in chains
    }

    def work(unit: UnitOfWork) -> None:
        now = services.clock.now()
        failed = [tx for tx in _list_failed_returns(unit, intent) if tx.chain in addresses]
        if not failed:
            raise InvalidStatus("No refund of this intent has failed")
        amount_confirmation.require_confirmation(
            services, caller, redirected_amount(intent, failed), typed_amount
        )
        for tx in failed:
            to_address = addresses[tx.chain]
            unit.outbound_txs.redirect(tx.id, to_address)
            detail = {"intent": intent.id, "from": tx.to_address, "to": to_address}
            subject = f"intent:{intent.id}"
            before, after = {"to": tx.to_address}, {"to": to_address}
            unit.audit_log.record(
                caller.actor_name, REDIRECTED, detail, now, subject, before, after
            )
        unit.outbound_txs.update([make_due(t, services, caller) for t in failed], now)
        unit.alerts.resolve([f"transfer:{t.id}" for t in failed], now)

    services.store.write(work)
    services.process.wake()


def _list_failed_returns(unit: UnitOfWork, intent: Intent) -> list[OutboundTx]:
    return [tx for tx in unit.outbound_txs.list_unsettled([intent.id]) if can_redirect(tx, intent)]


def redirected_amount(
    intent: Intent, failed: Sequence[OutboundTx]
) -> amount_confirmation.TransferAmount:
    """The total amount that these failed refunds of an intent send. Where the deposit was swapped,
    it is told by what was collected, if that is sent, at the value of all."""
    at_address = amount_of_intent(
        intent, sum(intent.balance_at_address for tx in failed if tx.amount is None)
    )
    collected = amount_of_collected(intent, sum(tx.amount or 0 for tx in failed))
    if not collected.amount:
        return at_address
    values = at_address.micro_usd, collected.micro_usd
    total = None if None in values else sum(value or 0 for value in values)
    together = at_address.amount if intent.swap is None else 0
    return replace(collected, amount=collected.amount + together, micro_usd=total)


def _amount_to_return(
    services: Services, deposit_id: int
) -> amount_confirmation.TransferAmount | None:
    """All that is held where a deposit arrived: a return moves it together."""
    with services.store.read() as unit:
        deposit = unit.deposits.get(deposit_id)
        if deposit is None:
            return None
        key = (deposit.intent_id, deposit.incoming.chain, deposit.incoming.token)
        balance = unit.ledger.get_address_balances([key]).get(key)
    return None if balance is None else amount_confirmation.amount_at_address(services, balance)


def return_deposit(
    services: Services, caller: Principal, deposit_id: int, typed_amount: object = None
) -> None:
    """Return a wrong-token or wrong-chain deposit before the intent ends, with all others of its
    token on its chain.

    Audited. Above a limit operators must repeat the amount in `typed_amount`, else
    `AmountNotConfirmed`.
    """
    caller.require_scope(Scope.REFUND)
    require_step_up(services, caller.session)
    amount = _amount_to_return(services, deposit_id) if caller.is_staff else None

    def work(unit: UnitOfWork) -> NewOutboundTx:
        deposit = unit.deposits.get(deposit_id)
        intent = unit.intents.get(deposit.intent_id) if deposit else None
        if deposit is None or intent is None or not caller.can_access(intent):
            raise NotFound("Deposit not found")
        if not unit.deposits.is_unreturned(deposit.id):
            raise InvalidStatus("This deposit has nothing to return")
        if amount is not None:
            amount_confirmation.require_confirmation(services, caller, amount, typed_amount)
        now = services.clock.now()
        outbound_tx = new_deposit_return(intent, deposit, now)
        unit.outbound_txs.enqueue(one_return_for_each_address(unit, [outbound_tx]), now)
        place = (outbound_tx.chain, outbound_tx.token)
        waiting = [t for t in unit.outbound_txs.list_unsettled([intent.id]) if is_unsigned(t)]
        returns = [t for t in waiting if t.kind is outbound_tx.kind and (t.chain, t.token) == place]
        unit.outbound_txs.update([make_due(t, services, caller) for t in returns], now)
        detail, subject = {"deposit": deposit.id}, f"intent:{intent.id}"
        unit.audit_log.record(caller.actor_name, "deposit returned", detail, now, subject)
        return outbound_tx

    services.store.write(work)
    services.process.wake()


def scan_other_chains(services: Services, caller: Principal, intent_id: int) -> list[Deposit]:
    """Record transfers to the same address on other chains of the family."""
    intent = _get_for_operator(services, caller, intent_id, Permission.OPERATE)
    source = services.catalogue.chains[intent.terms.source_chain]
    transfers: list[IncomingTransfer] = []
    for chain in services.catalogue.chains.values():
        same_family = chain.kind == source.kind and chain.testnet == source.testnet
        if same_family and chain.id != source.id and chain.id in services.chains:
            try:
                transfers += services.chains[chain.id].transfers_to(
                    [intent.address], intent.created_at
                )
            except Unreachable:
                continue

    def work(unit: UnitOfWork) -> list[Deposit]:
        record_deposits(unit, services, transfers)
        return [
            d
            for d in unit.deposits.list_by_intents([intent.id], _NEWEST_DEPOSITS)
            if d.incoming.chain != source.id
        ]

    deposits = services.store.write(work)
    services.process.wake()
    return deposits


def _get_for_operator(
    services: Services, caller: Principal, intent_id: int, permission: Permission
) -> Intent:
    caller.require_permission(permission)
    if intent_id <= 0:
        raise InvalidInput("intent must be a record number")
    return get_by_id(services, caller, intent_id)
