"""How much inventory the transfers take that have not left yet, and what has left meanwhile."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.inventory_transfer import InventoryTransfer, InventoryTransferState
from crossway.domain.ledger import Account
from crossway.domain.rebalancing import is_rebalancing, rebalancing_id
from crossway.ports.store import UnitOfWork


def most_leaving(unit: UnitOfWork, transfers: Collection[InventoryTransfer]) -> dict[int, int]:
    """By the id of each inventory transfer, the most that may leave for it, in units of the source:
    what was agreed on, before that the payment's deposit or what was planned to rebalance."""
    owners = {transfer.intent_id for transfer in transfers}
    payments = unit.intents.get_many({owner for owner in owners if not is_rebalancing(owner)})
    ids = {rebalancing_id(owner) for owner in owners if is_rebalancing(owner)}
    most = {owner: payment.collected.amount for owner, payment in payments.items()}
    most |= {t.owner: t.max_source_amount for t in unit.rebalancing.get_many(ids).values()}
    return {t.id: t.source_amount or most[t.intent_id] for t in transfers}


def sum_sending(unit: UnitOfWork, chain: str, token: str) -> int:
    """What bridges take of a token on a chain by transactions that are signed, in its smallest
    units: the relayer's balance may still include it, and nothing else can count on it."""
    return sum(
        transfer.source_amount
        for transfer in unit.inventory_transfers.list_reserving(source_chain=chain)
        if transfer.source_token == token and transfer.state is InventoryTransferState.SENDING
    )


@dataclass(frozen=True, slots=True)
class Spent:
    """What the books have taken from the inventory of a token on a chain since a day, in its
    smallest units."""

    first_day: int
    units: int


def read_spent(unit: UnitOfWork, chain: str, token: str, now: datetime) -> Spent:
    """To be read before the relayer's balance is. The day before counts as well: other processes
    may book by another clock."""
    first_day = int(now.timestamp()) // 86_400 - 1
    return Spent(first_day, _sum_credits(unit, chain, token, first_day))


def sum_spent_since(unit: UnitOfWork, chain: str, token: str, before: Spent) -> int:
    """What has been booked as taken since, by other engines. A balance that was read in between
    may include it, and nothing in the books does any more: it must not be promised again."""
    return _sum_credits(unit, chain, token, before.first_day) - before.units


def _sum_credits(unit: UnitOfWork, chain: str, token: str, first_day: int) -> int:
    return unit.ledger.sum_credits(Account.INVENTORY, chain, token, first_day)
