"""Loading and saving the part of a chain's state that transactions touch."""

from collections.abc import Iterable, Sequence

from sqlalchemy import bindparam, delete, select

from crossway.adapters.chains.simulated.blocks.bridge_events import load_contracts
from crossway.adapters.chains.simulated.blocks.bulk_sql import execute_many, insert_rows
from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.execution import ExecutionState
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.tables import (
    balances,
    markers,
    mempool,
    nonces,
    refusing_addresses,
)
from crossway.adapters.chains.simulated.blocks.transactions import Transaction, parse
from crossway.adapters.chains.simulated.contracts.reach import EXCHANGES
from crossway.sql.in_values import in_values, within

_BALANCES = select(balances.c.address, balances.c.token, balances.c.id, balances.c.units).where(
    within(balances.c.tag, "tags")
)
_NONCES = select(nonces.c.account, nonces.c.next).where(
    nonces.c.chain == bindparam("chain"), within(nonces.c.account, "accounts")
)
Holdings = dict[tuple[str, str], tuple[int, int]]


def load_execution_state(
    session: ChainSession, transactions: Sequence[Transaction]
) -> ExecutionState:
    """Load the balances, nonces and markers of every address in these transactions, and what
    bridges' contracts have of their payments."""
    db = session.db
    accounts = {tx.account for tx in transactions if tx.account}
    addresses = {party for tx in transactions for out in tx.outputs for party in out[:2] if party}
    marker_tags = {tx.marker_tag for tx in transactions if tx.marker_tag is not None}
    swaps = any(output[0] in EXCHANGES.values() for tx in transactions for output in tx.outputs)
    contracts = load_contracts(session, [tx.contract for tx in transactions if tx.contract], swaps)
    addresses |= contracts.parties
    marker_tags |= contracts.marker_tags
    markers_query = select(markers.c.tag).where(in_values(markers.c.tag, marker_tags))
    balances_by_owner = load_balances(session, addresses | accounts)
    return ExecutionState(
        session.facts.native,
        {key: units for key, (_, units) in balances_by_owner.items()},
        {key: row for key, (row, _) in balances_by_owner.items()},
        load_nonces(session, accounts),
        set(db.scalars(markers_query)) if marker_tags else set(),
        load_refusing(session),
        contracts.loaded,
    )


def load_refusing(session: ChainSession) -> frozenset[str]:
    """The addresses that accept no transfer."""
    query = select(refusing_addresses.c.address).where(
        refusing_addresses.c.chain == session.facts.id
    )
    return frozenset(session.db.scalars(query))


def load_balances(session: ChainSession, addresses: Iterable[str]) -> Holdings:
    """Row id and balance by (address, token) of these addresses."""
    chain = session.facts.id
    tags = [lookup_tag(chain, address) for address in addresses]
    rows = session.db.execute(_BALANCES, {"tags": tags}).all()
    return {(address, token): (row, int(units)) for address, token, row, units in rows}


def load_nonces(session: ChainSession, accounts: Iterable[str]) -> dict[str, int]:
    """The next nonce of each account that has used one."""
    parameters = {"chain": session.facts.id, "accounts": accounts}
    rows = session.db.execute(_NONCES, parameters).all()
    return {account: int(following) for account, following in rows}


def save_execution_state(session: ChainSession, world: ExecutionState) -> None:
    """Store every change since loading; a zero balance has no row."""
    db, chain = session.db, session.facts.id
    new, changed, removed = [], [], []
    for key in world.changed:
        address, token = key
        units, row = world.balances[key], world.rows.get(key)
        if row is None and units:
            new.append((chain, address, lookup_tag(chain, address), token, str(units)))
        elif row is not None and units:
            changed.append((str(units), row))
        elif row is not None:
            removed.append((row,))
    insert_rows(db, balances, new)
    execute_many(db, "UPDATE sim_balances SET units = ? WHERE id = ?", changed)
    execute_many(db, "DELETE FROM sim_balances WHERE id = ?", removed)
    insert_rows(db, markers, [(tag,) for tag in world.markers - world.first_markers])
    removed_tags = [(tag,) for tag in world.first_markers - world.markers]
    execute_many(db, "DELETE FROM sim_markers WHERE tag = ?", removed_tags)
    changed_nonces = [
        (chain, account, str(following))
        for account, following in world.nonces.items()
        if world.first_nonces.get(account) != following
    ]
    insert_rows(db, nonces, changed_nonces, fresh=False)


def load_mempool(session: ChainSession) -> list[Transaction]:
    """The mempool in order of arrival."""
    if not session.state.mempool_size:
        return []
    query = select(mempool.c.tx_id, mempool.c.raw).where(mempool.c.chain == session.facts.id)
    return [
        parse(session.facts.family, raw, tx_id)
        for tx_id, raw in session.db.execute(query.order_by(mempool.c.id))
    ]


def add_to_mempool(session: ChainSession, transactions: Iterable[Transaction]) -> None:
    """Add transactions to the mempool."""
    rows = [(session.facts.id, tx.tx_id, tx.raw) for tx in transactions]
    insert_rows(session.db, mempool, rows)
    session.state.mempool_size += len(rows)


def remove_from_mempool(session: ChainSession, transactions: Sequence[Transaction]) -> None:
    """Remove transactions from the mempool."""
    if not transactions:
        return
    query = delete(mempool).where(mempool.c.chain == session.facts.id)
    if len(transactions) < session.state.mempool_size:
        query = query.where(in_values(mempool.c.tx_id, [tx.tx_id for tx in transactions]))
    session.db.execute(query)
    session.state.mempool_size -= len(transactions)
