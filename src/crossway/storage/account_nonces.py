"""The nonces of our accounts: which are reserved, and which are still pending."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, bindparam, func, select, text, union_all, update

from crossway.domain.outbound import OutboundTxKind
from crossway.ports.records import PendingNonce
from crossway.sql.in_values import in_values
from crossway.storage.bulk_sql import per_dialect
from crossway.storage.prepared import execute, fetch
from crossway.storage.row_mapper import from_micros, to_micros
from crossway.storage.tables import account_nonces, outbound_txs, tx_attempts

_ADD_ACCOUNT = per_dialect(lambda insert_into: insert_into(account_nonces).on_conflict_do_nothing())
_OF_ACCOUNT = (
    account_nonces.c.chain == bindparam("of_chain"),
    account_nonces.c.account == bindparam("of_account"),
)
_RANGE = select(account_nonces.c.first, account_nonces.c.next).where(*_OF_ACCOUNT)
_SET_NEXT = update(account_nonces).where(*_OF_ACCOUNT).values(next=bindparam("new_next"))
_LOCK_NEXT = select(account_nonces.c.next).where(*_OF_ACCOUNT).with_for_update()


class SqlAccountNonces:
    """`ports.outbound_tx_repository.AccountNonceRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def reserve(self, chain: str, account: str, count: int, at_least: int) -> int:
        of_account = {"of_chain": chain, "of_account": account}
        add = {"chain": chain, "account": account, "first": at_least, "next": at_least}
        execute(self._db, _ADD_ACCOUNT[self._db.dialect.name], add)
        [[next_nonce]] = fetch(self._db, _LOCK_NEXT, of_account)
        first = max(int(next_nonce), at_least)
        execute(self._db, _SET_NEXT, {**of_account, "new_next": first + count})
        return first

    def get_range(self, chain: str, account: str) -> tuple[int, int] | None:
        rows = fetch(self._db, _RANGE, {"of_chain": chain, "of_account": account})
        return (rows[0][0], rows[0][1]) if rows else None

    def find_waiting_chains(self, chains: Collection[str], since: datetime) -> set[str]:
        oldest = (
            select(func.min(outbound_txs.c.id))
            # A literal, so that the planner uses the partial index; so below.
            .where(text("state = 'SIGNED'"), outbound_txs.c.chain.in_(list(chains)))
            .group_by(outbound_txs.c.chain)
        )
        attempts = (
            select(tx_attempts.c.chain)
            .where(in_values(tx_attempts.c.outbound_tx_id, self._ids(oldest)))
            .group_by(tx_attempts.c.chain)
            .having(func.min(tx_attempts.c.at) <= to_micros(since))
        )
        return set(self._db.execute(attempts).scalars())

    def _ids(self, query: object) -> list[int]:
        return list(self._db.execute(query).scalars())  # type: ignore[call-overload]

    def list_pending(self, chain: str) -> list[PendingNonce]:
        columns = (
            tx_attempts.c.account,
            tx_attempts.c.nonce,
            outbound_txs.c.id,
            outbound_txs.c.intent_id,
            outbound_txs.c.kind,
            tx_attempts.c.tx_id,
            tx_attempts.c.at,
        )
        newest = (
            tx_attempts.c.outbound_tx_id == outbound_txs.c.id,
            tx_attempts.c.tx_id == outbound_txs.c.tx_id,
        )
        in_state = (
            select(*columns).where(
                *newest, text(f"state = '{state}'"), outbound_txs.c.chain == chain
            )
            for state in ("SIGNED", "CONFIRMED")
        )
        return [
            PendingNonce(
                account, int(nonce), id, intent_id, OutboundTxKind(kind), tx_id, from_micros(at)
            )
            for account, nonce, id, intent_id, kind, tx_id, at in self._db.execute(
                union_all(*in_state)
            )
        ]
