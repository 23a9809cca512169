"""Book opening balances of the unified balance, and what the operator adds to it or takes."""

from collections.abc import Mapping, Sequence

from crossway.domain.clients import Principal
from crossway.domain.errors import Conflict, Unreachable
from crossway.domain.ledger import (
    NO_INTENT,
    UNIFIED_TOKEN,
    Account,
    Posting,
    unified_location,
    unified_title,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.books import get_denomination
from crossway.usecases.money.own_accounts import ADDED, OPENING, WITHDRAWN
from crossway.usecases.money.unified_balance import UnifiedBalance, read_unified_balances


def book_openings(services: Services, caller: Principal) -> list[str]:
    """Book what was there before the books began, as equity of the operator; one message for each.
    The caller has checked that this one may."""
    try:
        balances = read_unified_balances(services)
    except Unreachable as error:
        return [f"{unified_title(unified_location(testnet=False))} did not respond: {error}."]
    new = [b for b in balances if not b.is_opened and b.difference > 0]
    for balance in new:
        posting = _equity_posting(balance, balance.difference, OPENING)
        detail = {UNIFIED_TOKEN: str(balance.difference)}
        _post(services, caller, balance, [posting], "opening balances booked", detail)
    return [f"{unified_title(balance.location)}: opening balance booked." for balance in new]


def book_difference(
    services: Services, caller: Principal, location: str, difference: int, reason: str
) -> str:
    """Book what the service has more than the books, or less, as added or withdrawn by the
    operator; the caller has checked that this one may. Raises `Conflict` where it has changed, and
    `Unreachable`."""
    found = [b for b in read_unified_balances(services) if b.location == location]
    if not found or found[0].difference != difference:
        raise Conflict("The difference has changed: reconcile again before booking it")
    balance, direction = found[0], "added" if difference > 0 else "withdrawn"
    tx = ADDED if difference > 0 else WITHDRAWN
    postings = [_equity_posting(balance, difference, tx)]
    if balance.known_opening:
        # From now on, the books have all that is there.
        postings.append(_equity_posting(balance, balance.known_opening, OPENING))
    detail = {UNIFIED_TOKEN: str(difference), "reason": reason.strip()}
    _post(services, caller, balance, postings, "inventory adjustment booked", detail)
    money = get_denomination(services, location, UNIFIED_TOKEN)
    amount = f"{money.format(abs(difference))} {money.symbol}"
    return f"{unified_title(location)}: {amount} booked as {direction}."


def _equity_posting(balance: UnifiedBalance, units: int, tx: str) -> Posting:
    accounts = (Account.INVENTORY, Account.EQUITY)
    posting = Posting(NO_INTENT, balance.location, UNIFIED_TOKEN, *accounts, abs(units), tx)
    return posting if units > 0 else posting.reversed()


def _post(
    services: Services,
    caller: Principal,
    balance: UnifiedBalance,
    postings: Sequence[Posting],
    action: str,
    detail: Mapping[str, str],
) -> None:
    """Post if the books are as they were compared, and nothing is under way. Audited."""
    now = services.clock.now()

    def work(unit: UnitOfWork) -> None:
        unit.leases.lock("inventory")
        key = (Account.INVENTORY, balance.location, UNIFIED_TOKEN)
        booked = unit.ledger.get_balances(key[1], key[:1]).get(key, 0) + balance.known_opening
        opens = any(posting.tx == OPENING for posting in postings)
        if booked != balance.booked or (opens and key in unit.ledger.list_opened_accounts()):
            raise Conflict("The books have changed: try again")
        if unit.inventory_transfers.list_open(1):
            raise Conflict("Bridges are moving inventory: try again later")
        unit.ledger.post(postings, now)
        unit.audit_log.record(caller.actor_name, action, detail, now, f"place:{balance.location}")

    services.store.write(work)
