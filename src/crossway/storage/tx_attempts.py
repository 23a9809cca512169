"""Signed transactions, one row for each of the outbound transactions that they carry out."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import Connection, insert, select

from crossway.ports.records import TxAttempt
from crossway.sql.in_values import in_values
from crossway.storage.outbound_tx_rows import TX_ATTEMPTS
from crossway.storage.prepared import execute_each
from crossway.storage.tables import tx_attempts

_ADD_ATTEMPT = insert(tx_attempts)


class TxAttempts:
    """Part of `ports.outbound_tx_repository.OutboundTxRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def list_attempts(self, outbound_tx_ids: Collection[int]) -> list[TxAttempt]:
        if not outbound_tx_ids:
            return []
        query = select(tx_attempts).where(in_values(tx_attempts.c.outbound_tx_id, outbound_tx_ids))
        attempts = [
            TX_ATTEMPTS.decode(row) for row in self._db.execute(query.order_by(tx_attempts.c.id))
        ]
        without = {a.signed.tx_id for a in attempts if not a.signed.raw}
        raw = self._read_bytes(without) if without else {}
        return [
            a if a.signed.raw else replace(a, signed=replace(a.signed, raw=raw[a.signed.tx_id]))
            for a in attempts
        ]

    def _read_bytes(self, tx_ids: Collection[str]) -> dict[str, bytes]:
        query = select(tx_attempts.c.tx_id, tx_attempts.c.raw).where(
            in_values(tx_attempts.c.tx_id, tx_ids), tx_attempts.c.raw != b""
        )
        return {row.tx_id: row.raw for row in self._db.execute(query)}

    def add_attempts(self, attempts: Sequence[TxAttempt]) -> None:
        # The bytes of a transaction that carries out several are stored once, with the first.
        first = {a.signed.tx_id: a.outbound_tx_id for a in reversed(attempts)}
        rows = [
            a
            if first[a.signed.tx_id] == a.outbound_tx_id
            else replace(a, signed=replace(a.signed, raw=b""))
            for a in attempts
        ]
        if rows:
            execute_each(self._db, _ADD_ATTEMPT, [TX_ATTEMPTS.encode(row) for row in rows])

    def list_sharing(self, tx_ids: Collection[str]) -> dict[str, list[int]]:
        sharing: dict[str, list[int]] = {tx_id: [] for tx_id in tx_ids}
        query = select(tx_attempts.c.tx_id, tx_attempts.c.outbound_tx_id).where(
            in_values(tx_attempts.c.tx_id, tx_ids)
        )
        for tx_id, id in self._db.execute(query.order_by(tx_attempts.c.id)) if tx_ids else ():
            sharing[tx_id].append(id)
        return sharing

    def find_own_tx_ids(self, chain: str, tx_ids: Collection[str]) -> set[str]:
        query = select(tx_attempts.c.tx_id).where(
            tx_attempts.c.chain == chain, in_values(tx_attempts.c.tx_id, tx_ids)
        )
        return set(self._db.execute(query).scalars()) if tx_ids else set()
