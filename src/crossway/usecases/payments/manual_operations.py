"""Manual operations on one intent: check for deposits, redirect refunds, scan other chains."""

from crossway.domain.approvals import Approval
from crossway.domain.clients import Principal, Scope
from crossway.domain.deposits import Deposit, DepositState, IncomingTransfer
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound, Unreachable
from crossway.domain.intent import READ_VOCABULARY, Intent, State
from crossway.domain.money import format_units
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.money import amount_confirmation
from crossway.usecases.money.approvals import needs_second_person
from crossway.usecases.payments.deposits import check_deposits, record_deposits
from crossway.usecases.payments.intents import get_by_address, get_by_id
from crossway.usecases.payments.manual_transfers import (
    list_failed_returns,
    redirect,
    redirected_amount,
    request_redirect,
    request_return,
    return_now,
)
from crossway.usecases.staff.step_up import require_step_up

_NEWEST_DEPOSITS = 500


def trigger(services: Services, caller: Principal, address: str, is_repeat: bool = False) -> None:
    """Check for the deposit of an intent and start the intent if it is funded.

    Raises `InvalidStatus` when it is not funded, or is past its start, unless `is_repeat`: the
    start was asked for before and the answer is not known.
    """
    caller.require_scope(Scope.WRITE)
    intent = get_by_address(services, caller, address)
    if is_repeat and intent.state in (State.INITIATED, State.COMPLETED):
        return
    if intent.state not in (State.PENDING, State.FUNDED):
        raise InvalidStatus(f"Intent has invalid status: {READ_VOCABULARY[intent.state]}")
    if intent.state is State.PENDING:
        intent = check_deposits(services, intent)
    if intent.state is State.PENDING:
        received = format_units(_seen_amount(services, intent), intent.asset_decimals)
        total = format_units(intent.terms.deposit_amount, intent.asset_decimals)
        raise InvalidStatus(
            f"Intent is not funded: received {received} of {total} {intent.asset_symbol}",
            ErrorCode.INTENT_NOT_FUNDED,
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
) -> Approval | None:
    """Redirect refunds and returns of an intent to another address that failed, or wait redirected.

    Audited. Above a limit `typed_amount` must repeat the amount, else `AmountNotConfirmed`, and
    above another a second person has to agree: then their approval is returned. Raises
    `InvalidInput` where the address cannot be paid or is not in the address book, and
    `InvalidStatus` if nothing failed, or above a daily cap.
    """
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    intent = _get_for_operator(services, caller, intent_id, Permission.MOVE_FUNDS)
    with services.store.read() as reading:
        chains = {tx.chain for tx in list_failed_returns(reading, intent)}
    addresses = {
        chain: parse_payable_address(services, services.catalogue.chains[chain], address, "address")
        for chain in chains
    }

    def work(unit: UnitOfWork) -> Approval | None:
        failed = [tx for tx in list_failed_returns(unit, intent) if tx.chain in addresses]
        if not failed:
            raise InvalidStatus("No refund of this intent has failed")
        amount = redirected_amount(intent, failed)
        amount_confirmation.require_confirmation(services, caller, amount, typed_amount)
        leaves = any(a != intent.terms.refund_address for a in addresses.values())
        if leaves and needs_second_person(services, amount.micro_usd):
            return request_redirect(unit, services, caller, intent, failed, addresses)
        redirect(unit, services, caller, intent, failed, addresses)
        return None

    approval = services.store.write(work)
    services.process.wake()
    return approval


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
) -> Approval | None:
    """Return a wrong-token or wrong-chain deposit before the intent ends, with all others of its
    token on its chain.

    Audited. Above a limit operators must repeat the amount in `typed_amount`, else
    `AmountNotConfirmed`, and above another a second person has to agree: then their approval is
    returned. Raises `InvalidStatus` for operators above a daily cap.
    """
    caller.require_scope(Scope.REFUND)
    require_step_up(services, caller.session)
    amount = _amount_to_return(services, deposit_id) if caller.is_staff else None

    def work(unit: UnitOfWork) -> Approval | None:
        deposit = unit.deposits.get(deposit_id)
        intent = unit.intents.get(deposit.intent_id) if deposit else None
        if deposit is None or intent is None or not caller.can_access(intent):
            raise NotFound("Deposit not found")
        if not unit.deposits.is_unreturned(deposit.id):
            raise InvalidStatus("This deposit has nothing to return")
        if amount is not None:
            amount_confirmation.require_confirmation(services, caller, amount, typed_amount)
            if needs_second_person(services, amount.micro_usd):
                return request_return(unit, services, caller, deposit_id, amount)
        return_now(unit, services, caller, deposit_id)
        return None

    approval = services.store.write(work)
    services.process.wake()
    return approval


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
