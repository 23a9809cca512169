"""The ledger as stored: postings only ever added, and the balances they add up to."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from crossway.domain.ledger import Account, BalanceKey, Posting, balances
from crossway.storage.rows import instant, micros
from crossway.storage.sets import among, for_each_database, once_a_row
from crossway.storage.tables import book_balances, postings

_OPEN = for_each_database(lambda put: put(book_balances).on_conflict_do_nothing())
_CARRY = for_each_database(
    lambda put: put(book_balances).on_conflict_do_update(
        index_elements=["account", "chain", "token"],
        set_={"units": put(book_balances).excluded.units},
    )
)

_POST = insert(postings)


class Books:
    """`ports.store.BookRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def post(self, made: Sequence[Posting], at: datetime) -> None:
        made = [posting for posting in made if posting.units]
        if not made:
            return
        when = micros(at)
        once_a_row(
            self._db,
            _POST,
            [
                {
                    "intent_id": p.intent_id,
                    "chain": p.chain,
                    "token": p.token,
                    "debit": p.debit.value,
                    "credit": p.credit.value,
                    "units": str(p.units),
                    "tx": p.tx,
                    "at": when,
                }
                for p in made
            ],
        )
        self._carry(balances(made))

    def of(self, intent_id: int) -> list[tuple[datetime, Posting]]:
        query = select(postings).where(postings.c.intent_id == intent_id)
        rows = self._db.execute(query.order_by(postings.c.id))
        return [(instant(row.at), _posting(row)) for row in rows]

    def of_tx(self, intent_ids: Collection[int], txs: Collection[str]) -> list[Posting]:
        if not intent_ids:
            return []
        query = select(postings).where(among(self._db, postings.c.intent_id, intent_ids))
        rows = self._db.execute(query.order_by(postings.c.id))
        return [_posting(row) for row in rows if row.tx in txs]

    def balances(self) -> dict[BalanceKey, int]:
        rows = self._db.execute(select(book_balances))
        return {(Account(r.account), r.chain, r.token): int(r.units) for r in rows}

    def _carry(self, changed: dict[BalanceKey, int]) -> None:
        """Add to the stored balances, rows locked in one order so that writers never deadlock."""
        keys = sorted(key for key, units in changed.items() if units)
        if not keys:
            return
        self._db.execute(
            _OPEN[self._db.dialect.name],
            [{"account": a.value, "chain": c, "token": t, "units": "0"} for a, c, t in keys],
        )
        chains = {chain for _, chain, _ in keys}
        query = select(book_balances).where(among(self._db, book_balances.c.chain, chains))
        order = (book_balances.c.account, book_balances.c.chain, book_balances.c.token)
        rows = self._db.execute(query.order_by(*order).with_for_update())
        held = {(Account(r.account), r.chain, r.token): int(r.units) for r in rows}
        self._db.execute(
            _CARRY[self._db.dialect.name],
            [
                {
                    "account": k[0].value,
                    "chain": k[1],
                    "token": k[2],
                    "units": str(held[k] + changed[k]),
                }
                for k in keys
            ],
        )


def _posting(row: Any) -> Posting:
    return Posting(
        intent_id=row.intent_id,
        chain=row.chain,
        token=row.token,
        debit=Account(row.debit),
        credit=Account(row.credit),
        units=int(row.units),
        tx=row.tx,
    )
