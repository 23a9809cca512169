"""Loading the part of a chain that some transactions touch, and storing what became of it."""

from collections.abc import Iterable, Sequence

from sqlalchemy import delete, select

from crossway.adapters.chains.simulated.blocks.execution import World
from crossway.adapters.chains.simulated.blocks.transactions import Transaction, read
from crossway.adapters.chains.simulated.identities import tag
from crossway.adapters.chains.simulated.network import Site
from crossway.adapters.chains.simulated.sets import among, put, run
from crossway.adapters.chains.simulated.tables import balances, markers, mempool, nonces, refusing

Holdings = dict[tuple[str, str], tuple[int, int]]


def load_world(site: Site, transactions: Sequence[Transaction]) -> World:
    """Balances, nonces and markers of everybody these transactions name."""
    db, chain = site.db, site.facts.id
    accounts = {tx.account for tx in transactions if tx.account}
    addresses = {party for tx in transactions for out in tx.outputs for party in out[:2] if party}
    used = {tx.mark for tx in transactions if tx.mark is not None}
    refusals = select(refusing.c.address).where(refusing.c.chain == chain)
    marked = select(markers.c.tag).where(among(db, markers.c.tag, used))
    held = load_balances(site, addresses | accounts)
    return World(
        site.facts.native,
        {key: units for key, (_, units) in held.items()},
        {key: row for key, (row, _) in held.items()},
        load_nonces(site, accounts),
        set(db.scalars(marked)) if used else set(),
        frozenset(db.scalars(refusals)),
    )


def load_balances(site: Site, addresses: Iterable[str]) -> Holdings:
    """Row and units by (address, token) of all that these addresses hold."""
    chain = site.facts.id
    tags = [tag(chain, address) for address in addresses]
    query = select(balances.c.address, balances.c.token, balances.c.id, balances.c.units).where(
        among(site.db, balances.c.tag, tags)
    )
    return {
        (address, token): (row, int(units)) for address, token, row, units in site.db.execute(query)
    }


def load_nonces(site: Site, accounts: Iterable[str]) -> dict[str, int]:
    """The next nonce of each account that has used one."""
    query = select(nonces.c.account, nonces.c.next).where(
        nonces.c.chain == site.facts.id, among(site.db, nonces.c.account, list(accounts))
    )
    return {account: int(following) for account, following in site.db.execute(query)}


def save_world(site: Site, world: World) -> None:
    """Store every difference from what was loaded; a balance of nothing has no row."""
    db, chain = site.db, site.facts.id
    new, changed, gone = [], [], []
    for key in world.changed:
        address, token = key
        units, row = world.balances[key], world.rows.get(key)
        if row is None and units:
            new.append((chain, address, tag(chain, address), token, str(units)))
        elif row is not None and units:
            changed.append((str(units), row))
        elif row is not None:
            gone.append((row,))
    put(db, balances, new)
    run(db, "UPDATE sim_balances SET units = ? WHERE id = ?", changed)
    run(db, "DELETE FROM sim_balances WHERE id = ?", gone)
    put(db, markers, [(one,) for one in world.markers - world.first_markers])
    freed = [(one,) for one in world.first_markers - world.markers]
    run(db, "DELETE FROM sim_markers WHERE tag = ?", freed)
    moved_on = [
        (chain, account, str(following))
        for account, following in world.nonces.items()
        if world.first_nonces.get(account) != following
    ]
    put(db, nonces, moved_on, fresh=False)


def load_mempool(site: Site) -> list[Transaction]:
    """Everything that waits, in the order it was heard."""
    if not site.state.waiting:
        return []
    query = select(mempool.c.tx_id, mempool.c.raw).where(mempool.c.chain == site.facts.id)
    return [
        read(site.facts.family, raw, tx_id)
        for tx_id, raw in site.db.execute(query.order_by(mempool.c.id))
    ]


def add_to_mempool(site: Site, transactions: Iterable[Transaction]) -> None:
    """Let transactions wait for a block."""
    rows = [(site.facts.id, tx.tx_id, tx.raw) for tx in transactions]
    put(site.db, mempool, rows)
    site.state.waiting += len(rows)


def remove_from_mempool(site: Site, transactions: Sequence[Transaction]) -> None:
    """Forget transactions that no longer wait."""
    if not transactions:
        return
    query = delete(mempool).where(mempool.c.chain == site.facts.id)
    if len(transactions) < site.state.waiting:
        query = query.where(among(site.db, mempool.c.tx_id, [tx.tx_id for tx in transactions]))
    site.db.execute(query)
    site.state.waiting -= len(transactions)
