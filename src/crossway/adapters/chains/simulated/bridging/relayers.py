"""The relayers of the simulated Across, who fill deposits, and its pool, which returns others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson
from sqlalchemy import Row, select, update

from crossway.adapters.chains.simulated.blocks.bridge_events import load_by_payment
from crossway.adapters.chains.simulated.blocks.bridge_faults import load_faults
from crossway.adapters.chains.simulated.blocks.mining import catch_up, mine_now
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.state_store import load_refusing
from crossway.adapters.chains.simulated.blocks.tables import across_deposits, blocks
from crossway.adapters.chains.simulated.blocks.transactions import (
    STRANGER,
    OutputRow,
    Transaction,
    simulator_tx,
)
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall
from crossway.adapters.chains.simulated.contracts.events import EventKind
from crossway.adapters.chains.simulated.contracts.reach import POOL
from crossway.adapters.chains.simulated.contracts.timing import (
    ACROSS_REFUND_SECONDS,
    ACROSS_RETRY_SECONDS,
)
from crossway.domain.quotes import BridgeName

BATCH: Final = 100


def act_if_due(network: SimulatedNetwork) -> None:
    """Let relayers fill the deposits that are due, and the pool return those that nobody filled."""
    now = network.clock.seconds()
    if network.outsiders_due_at() > now:
        return
    query = (
        select(across_deposits)
        .where(across_deposits.c.due_at <= now)
        .order_by(across_deposits.c.due_at)
        .limit(BATCH)
    )
    with network.read_all() as db:
        due = db.execute(query).all()
    for row in due:
        if now < row.fill_deadline + ACROSS_REFUND_SECONDS or _is_filled(network, row):
            with network.locked(row.destination) as session:
                _fill(session, row.id)
        else:
            with network.locked(row.chain) as session:
                _return_deposit(session, row.id)


def _is_filled(network: SimulatedNetwork, row: Row[Any]) -> bool:
    with network.reading(row.destination) as session:
        return _find_fill_height(session, row.intent_hash) is not None


def _fill(session: ChainSession, deposit_id: int) -> None:
    """Fill a deposit, or look at it again later: its fill may be undone until it is final."""
    catch_up(session)
    row = _load_due(session, deposit_id)
    if row is None:
        return
    filled_at = _find_fill_height(session, row.intent_hash)
    final = session.state.height - session.facts.finalized_blocks
    due_at: float | None = session.now + ACROSS_RETRY_SECONDS
    if filled_at is not None:
        due_at = None if filled_at <= final else due_at
    elif session.now > row.fill_deadline:
        due_at = row.fill_deadline + ACROSS_REFUND_SECONDS
    elif _can_fill(session, call := _parse_call(row)):
        fill = replace(call, expiry=row.fill_deadline)
        mine_now(session, [_build_tx(session, (), fill)])
    _update(session, deposit_id, due_at=due_at)


def _return_deposit(session: ChainSession, deposit_id: int) -> None:
    """Return what nobody filled from the pool to the deposit address."""
    catch_up(session)
    row = _load_due(session, deposit_id)
    if row is None or row.refunded:
        return
    call = _parse_call(row)
    output: OutputRow = (POOL, call.deposit, call.token, call.total, True)
    mine_now(session, [_build_tx(session, [output])])
    _update(session, deposit_id, due_at=None, refunded=True)


@dataclass(frozen=True, slots=True)
class PoolDeposit:
    """A deposit in the pool: its number, its bytes, and until when it can be filled."""

    number: int
    record: bytes
    fill_deadline: float


def find_deposit(session: ChainSession, intent_hash: str) -> PoolDeposit | None:
    """The deposit of a payment; None where there is none in a block."""
    query = select(across_deposits).where(
        across_deposits.c.chain == session.facts.id, across_deposits.c.intent_hash == intent_hash
    )
    row = session.db.execute(query).first()
    return None if row is None else PoolDeposit(row.id, row.call, row.fill_deadline)


def final_time(session: ChainSession, height: int) -> float:
    """The time of the newest final block, where the newest block has this height."""
    return time_at(
        session, max(height - session.facts.finalized_blocks, session.state.first_height)
    )


def time_at(session: ChainSession, height: int) -> float:
    """The time of the block of this height."""
    query = select(blocks.c.at).where(blocks.c.chain == session.facts.id, blocks.c.height == height)
    at = session.db.scalars(query).first()
    return session.state.scheduled(height) if at is None else at


def _load_due(session: ChainSession, deposit_id: int) -> Row[Any] | None:
    """The deposit, unless another process has acted on it or a reorganisation undid it."""
    query = select(across_deposits).where(
        across_deposits.c.id == deposit_id, across_deposits.c.due_at <= session.now
    )
    return session.db.execute(query).one_or_none()


def _can_fill(session: ChainSession, call: ContractCall) -> bool:
    """Whether a relayer would fill: its own simulation shows a recipient that refuses."""
    faults = load_faults(session.db, BridgeName.ACROSS)
    stopped = faults.unfilled_deposits or faults.paused
    return not stopped and call.recipient not in load_refusing(session)


def _find_fill_height(session: ChainSession, intent_hash: str) -> int | None:
    stored = load_by_payment(session, [intent_hash]).get(intent_hash, [])
    heights = (each.height for each in stored if each.event.kind is EventKind.ARRIVED)
    return next(heights, None)


def _parse_call(row: Row[Any]) -> ContractCall:
    return ContractCall.of_body(orjson.loads(row.call))


def _update(session: ChainSession, deposit_id: int, **values: Any) -> None:
    statement = update(across_deposits).where(across_deposits.c.id == deposit_id)
    session.db.execute(statement.values(**values))


def _build_tx(
    session: ChainSession, outputs: Sequence[OutputRow], call: ContractCall | None = None
) -> Transaction:
    session.state.simulator_tx_count += 1
    number = session.state.simulator_tx_count
    facts = session.facts
    return simulator_tx(facts.family, facts.id, STRANGER, outputs, number, call)
