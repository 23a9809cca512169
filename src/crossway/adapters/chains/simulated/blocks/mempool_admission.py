"""Admission of signed transactions to the mempool, with a node's error messages."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import select

from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.dropped_txs import (
    dead_heights,
    forget_dropped,
    record_dropped,
)
from crossway.adapters.chains.simulated.blocks.network import ChainSession
from crossway.adapters.chains.simulated.blocks.state_store import (
    add_to_mempool,
    load_balances,
    load_mempool,
    load_nonces,
    remove_from_mempool,
)
from crossway.adapters.chains.simulated.blocks.tables import transactions
from crossway.adapters.chains.simulated.blocks.transactions import Transaction, parse_signed
from crossway.sql.in_values import in_values

DAMAGED = "the transaction is damaged or was made for another chain"


@dataclass(slots=True)
class MempoolAdmission:
    """The data that admission checks; `funds` is each account's balance for fees."""

    tip_at: float
    has_nonces: bool
    mined: set[str]
    nonces: dict[str, int]
    funds: dict[str, int]
    pool: dict[tuple[str, int], Transaction]
    taken: list[Transaction] = field(default_factory=list)
    replaced: list[Transaction] = field(default_factory=list)
    never: list[Transaction] = field(default_factory=list)

    def find_rejection_reason(self, tx: Transaction) -> str:
        """The reason to refuse a transaction; empty when it is admitted or known already."""
        competing_tx = self.pool.get((tx.account, tx.nonce))
        if tx.tx_id in self.mined or (competing_tx is not None and competing_tx.tx_id == tx.tx_id):
            return ""
        if self.has_nonces and tx.nonce < self.nonces.get(tx.account, 0):
            self.never.append(tx)
            return f"nonce {tx.nonce} of {tx.account} is used already"
        # Where transactions have nonces, one that comes too late is included and reverts.
        is_late = tx.not_after is not None and tx.not_after < self.tip_at
        if is_late and not self.has_nonces:
            self.never.append(tx)
            return "the time in which it could be mined is over"
        if competing_tx is not None and tx.fee_units <= competing_tx.fee_units:
            return (
                f"another transaction with nonce {tx.nonce} waits at the same fee or a higher one"
            )
        if tx.fee_units > (available_units := self.funds.get(tx.account, 0)):
            return f"{tx.account} has {available_units} units for a fee of {tx.fee_units}"
        self.funds[tx.account] = available_units - tx.fee_units
        self._add(tx, competing_tx)
        return ""

    def _add(self, tx: Transaction, rival: Transaction | None) -> None:
        if rival is not None:
            self.replaced.append(rival)
        self.pool[tx.account, tx.nonce] = tx
        self.taken.append(tx)


def accept(session: ChainSession, raws: Sequence[bytes]) -> list[str]:
    """Admit transactions; returns for each an empty string or the reason it was refused."""
    transactions = [parse_signed(session.facts.family, session.facts.id, raw) for raw in raws]
    readable = [tx for tx in transactions if tx is not None]
    admission = _load_admission(session, readable)
    objections = [
        DAMAGED if tx is None else admission.find_rejection_reason(tx) for tx in transactions
    ]
    forget_dropped(session, [tx.tx_id for tx in admission.taken])
    # A transaction that cannot land keeps the height at which that was decided.
    dead_at = dead_heights(session, [tx.tx_id for tx in admission.never])
    record_dropped(
        session,
        [tx for tx in admission.never if dead_at.get(tx.tx_id) is None],
        session.state.height,
    )
    admitted_ids = {tx.tx_id for tx in admission.taken}
    replaced = [tx for tx in admission.replaced if tx.tx_id not in admitted_ids]
    replaced_ids = {tx.tx_id for tx in admission.replaced}
    remove_from_mempool(session, replaced)
    add_to_mempool(session, [tx for tx in admission.taken if tx.tx_id not in replaced_ids])
    record_dropped(session, admission.replaced, None)
    return objections


def _load_admission(session: ChainSession, readable: Sequence[Transaction]) -> MempoolAdmission:
    db, facts = session.db, session.facts
    accounts = {tx.account for tx in readable}
    known_tx_ids = select(transactions.c.tx_id).where(
        in_values(transactions.c.tag, [lookup_tag(facts.id, tx.tx_id) for tx in readable])
    )
    waiting = load_mempool(session)
    funds = {
        address: units
        for (address, token), (_, units) in load_balances(session, accounts).items()
        if token == facts.native
    }
    for tx in waiting:
        if tx.account in funds:
            funds[tx.account] -= tx.fee_units
    return MempoolAdmission(
        session.state.time_of(session.state.height),
        facts.has_nonces,
        set(db.scalars(known_tx_ids)),
        load_nonces(session, accounts),
        funds,
        {(tx.account, tx.nonce): tx for tx in waiting if not tx.is_simulator_tx},
    )
