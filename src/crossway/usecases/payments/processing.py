"""What a person sets going: look for a deposit, refund, send elsewhere, look on other chains."""

from collections.abc import Sequence
from datetime import timedelta

from crossway.domain.clients import Caller, Scope
from crossway.domain.deposits import Deposit, DepositState, Incoming
from crossway.domain.errors import InvalidInput, NotFound, Unreachable, WrongState
from crossway.domain.intent import READ_VOCABULARY, Intent, State
from crossway.domain.money import format_units
from crossway.domain.roles import Right
from crossway.domain.transfers import Duty, Transfer, TransferEvent, TransferState, advance_transfer
from crossway.ports.records import Owed, TransferChange
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.fields import address_of
from crossway.usecases.money import confirmation
from crossway.usecases.money.confirmation import of_intent
from crossway.usecases.payments.intents import by_address, by_id
from crossway.usecases.payments.lifecycle import credit, foreign_return, owed

_WAIT_SECONDS = 10


def trigger(services: Services, caller: Caller, address: str) -> None:
    """Look for the deposit of an intent and start it when it is funded (service.md §7)."""
    caller.needs(Scope.WRITE)
    intent = by_address(services, caller, address)
    if intent.state not in (State.PENDING, State.FUNDED):
        raise WrongState(f"Intent has invalid status: {READ_VOCABULARY[intent.state]}")
    if intent.state is State.PENDING:
        intent = look(services, intent)
    if intent.state is State.PENDING:
        received = format_units(_seen_units(services, intent), intent.asset_decimals)
        total = format_units(intent.terms.total_units, intent.asset_decimals)
        raise WrongState(
            f"Intent is not funded: received {received} of {total} {intent.asset_symbol}"
        )
    services.wake()


def look(services: Services, intent: Intent) -> Intent:
    """Record what the source chain has for this address and credit what is deep enough."""
    chain = services.chains[intent.terms.source_chain]
    found, head = chain.incoming_to([intent.address], intent.created_at), chain.heads()
    standing = [i for i, there in zip(found, chain.still_there(found), strict=True) if there]

    def work(unit: Unit) -> Intent:
        record(unit, services, standing)
        now = services.clock.now()
        deep = unit.deposits.ready_of(intent.id, head.height)
        pinned = {(i.tx_hash, i.index) for i in standing}
        believed = [d for d in deep if (d.incoming.tx_hash, d.incoming.index) in pinned]
        credit(unit, services, believed, now)
        return unit.intents.of([intent.id])[intent.id]

    return services.store.write(work)


def record(unit: Unit, services: Services, incoming: Sequence[Incoming]) -> None:
    """Store transfers to deposit addresses with the depth that the intent's worth asks for."""
    owners = unit.intents.known({transfer.to for transfer in incoming})
    worths = unit.intents.worths(set(owners.values()))
    found = []
    for transfer in incoming:
        intent_id = owners.get(transfer.to)
        if intent_id is not None:
            chain = services.catalogue.chains[transfer.chain]
            # Test money is worth nothing: one block is enough.
            depth = 0 if chain.testnet else chain.confirmations.for_worth(worths[intent_id])
            found.append((intent_id, transfer, depth))
    unit.deposits.add(found)


def _seen_units(services: Services, intent: Intent) -> int:
    with services.store.read() as unit:
        deposits = unit.deposits.of([intent.id])
    terms = intent.terms
    return sum(
        d.incoming.units
        for d in deposits
        if d.state is not DepositState.ORPHANED
        and (d.incoming.chain, d.incoming.token) == (terms.source_chain, terms.token_in)
    )


def refund(services: Services, caller: Caller, address: str, typed: object = None) -> str:
    """Give back what an expired intent holds; answers the transaction (service.md §9).

    The engine pays it: this sets the duty due now and waits a moment for its transaction. Of a
    person, above a limit, `typed` must be the amount: else `NotConfirmed`.
    """
    caller.needs(Scope.REFUND)
    intent = by_address(services, caller, address)
    if intent.state in (State.EXPIRED, State.FAILED) and intent.held_units <= 0:
        intent = look(services, intent)
    _refuse_refund(services, intent)
    confirmation.check(services, caller, of_intent(intent, intent.held_units), typed)

    def work(unit: Unit) -> None:
        now = services.clock.now()
        current = unit.intents.lock([intent.id])[intent.id]
        unit.transfers.owe([owed(services, current, Duty.REFUND, "", now)], now)
        refunds = [t for t in unit.transfers.of([intent.id]) if t.duty is Duty.REFUND]
        unit.transfers.change([_now(t, services) for t in refunds if _idle(t)], now)
        told = {"intent": intent.id}
        unit.network.audit(caller.who, "refund", told, now, f"intent:{intent.id}")

    services.store.write(work)
    services.wake()
    return _transaction_of(services, intent.id)


def _refuse_refund(services: Services, intent: Intent) -> None:
    match intent.state:
        case State.REFUNDED:
            raise WrongState("Intent is already refunded")
        case State.EXPIRED | State.FAILED:
            if intent.state is State.EXPIRED and intent.held_units <= 0:
                raise WrongState("Nothing to refund: the intent holds no funds")
        case _:
            raise WrongState(
                f"Intent is not expired: its status is {READ_VOCABULARY[intent.state]}"
            )


def _idle(transfer: Transfer) -> bool:
    return transfer.state in (TransferState.DUE, TransferState.FAILED)


def _now(transfer: Transfer, services: Services) -> TransferChange:
    failed = transfer.state is TransferState.FAILED
    after = advance_transfer(transfer.state, TransferEvent.REVIVE) if failed else transfer.state
    now = services.clock.now()
    return TransferChange(
        transfer.id, transfer.state, after, 0 if failed else transfer.tries,
        transfer.reason, now, None, None,
    )  # fmt: skip


def _transaction_of(services: Services, intent_id: int) -> str:
    """The refund's transaction, once the engine has signed it."""
    end = services.clock.machine() + timedelta(seconds=_WAIT_SECONDS)
    while True:
        with services.store.read() as unit:
            refunds = unit.transfers.of([intent_id], Duty.REFUND)
        for transfer in refunds:
            sent = transfer.state not in (TransferState.DUE, TransferState.FAILED)
            if sent and transfer.tx_id is not None:
                return transfer.tx_id
        if services.clock.machine() >= end:
            why = refunds[0].reason if refunds else ""
            raise Unreachable(f"The refund is due and was not sent yet. {why}".strip())
        services.pause()


def redirect_refund(
    services: Services, caller: Caller, intent_id: int, address: str, typed: object = None
) -> None:
    """Send a refund that failed to another address; audited (outcomes.md 36). Above a limit
    `typed` must be the amount: else `NotConfirmed`."""
    intent = _operated(services, caller, intent_id, Right.TREASURE)

    def work(unit: Unit) -> None:
        now = services.clock.now()
        failed = [
            t
            for t in unit.transfers.of([intent.id])
            if t.state is TransferState.FAILED and t.duty in (Duty.REFUND, Duty.RETURN_EXCESS)
        ]
        if not failed:
            raise WrongState("No refund of this intent has failed")
        confirmation.check(services, caller, redirected(intent, failed), typed)
        for transfer in failed:
            chain = services.catalogue.chains[transfer.chain]
            to = address_of(services, chain, address, "address")
            unit.transfers.redirect(transfer.id, to)
            detail = {"intent": intent.id, "from": transfer.to_address, "to": to}
            subject = f"intent:{intent.id}"
            before, after = {"to": transfer.to_address}, {"to": to}
            what = "refund sent elsewhere"
            unit.network.audit(caller.who, what, detail, now, subject, before, after)
        unit.transfers.change([_now(t, services) for t in failed], now)
        unit.network.clear_alarms([f"transfer:{t.id}" for t in failed], now)

    services.store.write(work)
    services.wake()


def redirected(intent: Intent, failed: Sequence[Transfer]) -> confirmation.Sum:
    """What goes elsewhere when these refunds of an intent do."""
    units = sum(intent.held_units if one.units is None else one.units for one in failed)
    return of_intent(intent, units)


def _came(services: Services, deposit_id: int) -> confirmation.Sum | None:
    with services.store.read() as unit:
        deposit = unit.deposits.get(deposit_id)
    return None if deposit is None else confirmation.of_deposit(services, deposit)


def return_foreign(
    services: Services, caller: Caller, deposit_id: int, typed: object = None
) -> None:
    """Give back money of another token or chain before the intent ends (outcomes.md 12). Of a
    person, above a limit, `typed` must be the amount: else `NotConfirmed`."""
    caller.needs(Scope.REFUND)
    moved = _came(services, deposit_id) if caller.operator else None

    def work(unit: Unit) -> Owed:
        deposit = unit.deposits.get(deposit_id)
        intent = unit.intents.get(deposit.intent_id) if deposit else None
        if deposit is None or intent is None or not _may(caller, intent):
            raise NotFound("Deposit not found")
        if deposit.id not in {d.id for d in unit.deposits.open_foreign([intent.id])}:
            raise WrongState("This deposit has nothing to give back")
        if moved is not None:
            confirmation.check(services, caller, moved, typed)
        now = services.clock.now()
        due = foreign_return(intent, deposit, now)
        unit.transfers.owe([due], now)
        told, subject = {"deposit": deposit.id}, f"intent:{intent.id}"
        unit.network.audit(caller.who, "foreign deposit returned", told, now, subject)
        return due

    services.store.write(work)
    services.wake()


def look_elsewhere(services: Services, caller: Caller, intent_id: int) -> list[Deposit]:
    """Find money sent to the same address on the other chains of the family (outcomes.md 17)."""
    intent = _operated(services, caller, intent_id, Right.WORK)
    source = services.catalogue.chains[intent.terms.source_chain]
    found: list[Incoming] = []
    for chain in services.catalogue.chains.values():
        alike = chain.kind == source.kind and chain.testnet == source.testnet
        if alike and chain.id != source.id and chain.id in services.chains:
            try:
                found += services.chains[chain.id].incoming_to([intent.address], intent.created_at)
            except Unreachable:
                continue

    def work(unit: Unit) -> list[Deposit]:
        record(unit, services, found)
        return [d for d in unit.deposits.of([intent.id]) if d.incoming.chain != source.id]

    deposits = services.store.write(work)
    services.wake()
    return deposits


def _operated(services: Services, caller: Caller, intent_id: int, right: Right) -> Intent:
    caller.must(right)
    if intent_id <= 0:
        raise InvalidInput("intent must be a record number")
    return by_id(services, caller, intent_id)


def _may(caller: Caller, intent: Intent) -> bool:
    return caller.operator or intent.client_id == caller.client.id
