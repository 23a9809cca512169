"""What the database of a finished run holds, read with SQL of its own and as plain integers.

Nothing of the service is imported here: what checks must not share the mistakes of what is checked.
"""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import psycopg
from psycopg.rows import dict_row

Row = dict[str, Any]
Holding = tuple[str, str, str]  # chain, address, token
CALL, OUTSIDE, DEPOSIT, SET_BALANCE = "call", "outside", "deposit", "own"


class Moved(NamedTuple):
    """A transfer inside a transaction; the empty address mints and burns."""

    source: str
    to: str
    token: str
    units: int


@dataclass(frozen=True, slots=True)
class ChainTx:
    """A transaction in a block. `purpose` and `intent_hash` say what the operator sent it for.
    `refused`: it reverted, and always would."""

    chain: str
    tx_id: str
    kind: str
    account: str
    purpose: str
    intent_hash: str
    fee: int
    moved: tuple[Moved, ...]
    refused: bool = False


@contextmanager
def reading(url: str) -> Iterator["Database"]:
    """The database behind a SQLAlchemy URL, for reading."""
    if url.startswith("sqlite"):
        connection: Any = sqlite3.connect(url.removeprefix("sqlite:///"), timeout=60)
        connection.row_factory = sqlite3.Row
    else:
        connection = psycopg.connect(
            url.replace("postgresql+psycopg", "postgresql"), row_factory=dict_row, autocommit=True
        )
    with closing(connection):
        yield Database(connection)


class Database:
    """Queries that return rows as dictionaries."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def rows(self, sql: str) -> list[Row]:
        """The rows of a query without parameters."""
        return [dict(row) for row in self._connection.execute(sql).fetchall()]

    def count(self, sql: str) -> int:
        """How many rows a table and its condition have."""
        [row] = self.rows(f"SELECT count(*) AS n FROM {sql}")
        return int(row["n"])

    def holdings(self) -> dict[Holding, int]:
        """The balances on all simulated chains."""
        rows = self.rows("SELECT chain, address, token, units FROM sim_balances")
        return {(r["chain"], r["address"], r["token"]): int(r["units"]) for r in rows}

    def transactions(self) -> list[ChainTx]:
        """The transactions in the blocks of all simulated chains."""
        rows = self.rows("SELECT * FROM sim_transactions")
        return [_parse(row) for row in rows]


def _parse(row: Row) -> ChainTx:
    body = json.loads(bytes(row["raw"]).rpartition(b"\n")[0])
    moved = json.loads(bytes(row["moved"]))
    return ChainTx(
        row["chain"],
        row["tx_id"],
        body["kind"],
        body["account"],
        body.get("duty", ""),
        body.get("key", ""),
        int(row["fee_units"]),
        tuple(Moved(source, to, token, int(units)) for source, to, token, units in moved),
        bool(row["permanent"]),
    )


class Facts:
    """Chains, books and records at the end of a run; `opening` are the balances at its start."""

    def __init__(self, database: Database, opening: Mapping[Holding, int]) -> None:
        self.opening, self.holdings = dict(opening), database.holdings()
        self.transactions = database.transactions()
        self.intents = database.rows("SELECT * FROM intents ORDER BY id")
        self.postings = database.rows("SELECT * FROM postings")
        self.deposits = database.rows("SELECT * FROM deposits")
        self.outbound_txs = database.rows("SELECT * FROM outbound_txs")
        self.kept_balances = {
            (row["account"], row["chain"], row["token"]): int(row["balance"])
            for row in database.rows("SELECT * FROM account_balances")
        }
        self.balances = sum_postings(self.postings)
        by_intent: dict[int, list[Row]] = defaultdict(list)
        for posting in self.postings:
            by_intent[posting["intent_id"]].append(posting)
        self.balances_by_intent = {number: sum_postings(rows) for number, rows in by_intent.items()}
        self.address_balances = database.rows("SELECT * FROM address_balances")
        self.transfer_states = {
            row["intent_id"]: row["state"]
            for row in database.rows("SELECT intent_id, state FROM bridge_transfers")
        }
        self.inventory_transfers: dict[int, list[Row]] = defaultdict(list)
        for row in database.rows("SELECT * FROM inventory_transfers"):
            self.inventory_transfers[row["intent_id"]].append(row)
        self.outbox = database.rows("SELECT * FROM outbox ORDER BY position")
        self.deliveries = database.rows(
            "SELECT state, count(*) AS n FROM deliveries GROUP BY state"
        )
        self.alerts = database.rows("SELECT kind, subject, message FROM alerts")
        self.orders = database.rows("SELECT id, state, intent_id FROM orders")
        self.lease_changes = sum(int(r["epoch"]) for r in database.rows("SELECT epoch FROM leases"))
        self.mempool = database.count("sim_mempool")

    def natives(self) -> dict[str, str]:
        """The token of fees by chain: the only one that accounts without inventory began with."""
        tokens: dict[tuple[str, str], set[str]] = defaultdict(set)
        for chain, address, token in self.opening:
            tokens[chain, address].add(token)
        return {chain: min(t) for (chain, _), t in tokens.items() if len(t) == 1}


def sum_postings(postings: list[Row]) -> dict[tuple[str, str, str], int]:
    """Debits minus credits by account, chain and token."""
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in postings:
        sums[row["debit"], row["chain"], row["token"]] += int(row["amount"])
        sums[row["credit"], row["chain"], row["token"]] -= int(row["amount"])
    return {key: units for key, units in sums.items() if units}
