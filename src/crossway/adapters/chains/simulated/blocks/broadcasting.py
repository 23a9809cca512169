"""Taking signed transactions into the mempool, or saying as a node would why not."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select

from crossway.adapters.chains.simulated.blocks.losses import deaths, find, lose
from crossway.adapters.chains.simulated.blocks.stored import (
    add_to_mempool,
    load_balances,
    load_mempool,
    load_nonces,
    remove_from_mempool,
)
from crossway.adapters.chains.simulated.blocks.transactions import Transaction, read_signed
from crossway.adapters.chains.simulated.identities import tag
from crossway.adapters.chains.simulated.network import Site
from crossway.adapters.chains.simulated.sets import among
from crossway.adapters.chains.simulated.tables import transactions

DAMAGED = "the transaction is damaged or was made for another chain"


@dataclass(slots=True)
class Gate:
    """What decides whether a transaction may wait: `funds` is what accounts have for fees."""

    tip_at: float
    mined: set[str]
    nonces: dict[str, int]
    funds: dict[str, int]
    pool: dict[tuple[str, int], Transaction]
    taken: list[Transaction] = field(default_factory=list)
    replaced: list[Transaction] = field(default_factory=list)
    never: list[Transaction] = field(default_factory=list)

    def objection(self, tx: Transaction) -> str:
        """Empty when the transaction is taken or known already."""
        rival = self.pool.get((tx.account, tx.nonce))
        if tx.tx_id in self.mined or (rival is not None and rival.tx_id == tx.tx_id):
            return ""
        if tx.nonce < self.nonces.get(tx.account, 0):
            self.never.append(tx)
            return f"nonce {tx.nonce} of {tx.account} is used already"
        if tx.not_after is not None and tx.not_after < self.tip_at:
            self.never.append(tx)
            return "the time in which it could be mined is over"
        if rival is not None and tx.fee_units <= rival.fee_units:
            return (
                f"another transaction with nonce {tx.nonce} waits at the same fee or a higher one"
            )
        if tx.fee_units > (left := self.funds.get(tx.account, 0)):
            return f"{tx.account} has {left} units for a fee of {tx.fee_units}"
        self.funds[tx.account] = left - tx.fee_units
        self._take(tx, rival)
        return ""

    def _take(self, tx: Transaction, rival: Transaction | None) -> None:
        if rival is not None:
            self.replaced.append(rival)
        self.pool[tx.account, tx.nonce] = tx
        self.taken.append(tx)


def accept(site: Site, raws: Sequence[bytes]) -> list[str]:
    """Per transaction an empty string or an objection; a known one is taken as it was."""
    heard = [read_signed(site.facts.family, site.facts.id, raw) for raw in raws]
    readable = [tx for tx in heard if tx is not None]
    gate = _gate(site, readable)
    objections = [DAMAGED if tx is None else gate.objection(tx) for tx in heard]
    find(site, [tx.tx_id for tx in gate.taken])
    # One that is dead already died then, not at each time it is sent again.
    died = deaths(site, [tx.tx_id for tx in gate.never])
    lose(site, [tx for tx in gate.never if died.get(tx.tx_id) is None], site.state.height)
    fresh = {tx.tx_id for tx in gate.taken}
    replaced = [tx for tx in gate.replaced if tx.tx_id not in fresh]
    overtaken = {tx.tx_id for tx in gate.replaced}
    remove_from_mempool(site, replaced)
    add_to_mempool(site, [tx for tx in gate.taken if tx.tx_id not in overtaken])
    lose(site, gate.replaced, None)
    return objections


def _gate(site: Site, readable: Sequence[Transaction]) -> Gate:
    db, facts = site.db, site.facts
    accounts = {tx.account for tx in readable}
    known = select(transactions.c.tx_id).where(
        among(db, transactions.c.tag, [tag(facts.id, tx.tx_id) for tx in readable])
    )
    waiting = load_mempool(site)
    funds = {
        address: units
        for (address, token), (_, units) in load_balances(site, accounts).items()
        if token == facts.native
    }
    for tx in waiting:
        if tx.account in funds:
            funds[tx.account] -= tx.fee_units
    return Gate(
        site.state.time_of(site.state.height),
        set(db.scalars(known)),
        load_nonces(site, accounts),
        funds,
        {(tx.account, tx.nonce): tx for tx in waiting if not tx.by_hand},
    )
