"""The database and chains that all sandbox providers share, and the processing of due orders."""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import OperationalError, TimeoutError

from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.mining import mine_now
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.blocks.tables import blocks, incoming_transfers
from crossway.adapters.chains.simulated.blocks.transactions import DEPOSIT, simulator_tx
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.ramps.sandbox import orders
from crossway.adapters.ramps.sandbox.behaviour import Behaviour, load_behaviour
from crossway.adapters.ramps.sandbox.order_progress import (
    ChainObservation,
    build_report,
    next_status,
    sends_crypto,
    sent_amount,
)
from crossway.adapters.ramps.sandbox.orders import History, Order, StatusReport
from crossway.domain.errors import Unreachable
from crossway.domain.ramps import Direction
from crossway.ports.ramps import ProviderOrderStatus

NO_OBSERVATION = ChainObservation()


# Decides the next status of an order, if any, by its history, the provider's behaviour and the
# time; may raise to refuse.
DecideStatus = Callable[[History, Behaviour, float], ProviderOrderStatus | None]


@dataclass(frozen=True)
class SandboxBackend:
    """The orders of all sandbox providers, in the database of the simulated chains.

    `write` begins transactions that may write (on SQLite with BEGIN IMMEDIATE), `read` read-only
    ones. A payment on chain and the report of it are one transaction.
    """

    network: SimulatedNetwork
    write: Engine
    read: Engine

    @contextmanager
    def open_write(self) -> Iterator[Connection]:
        """A write transaction; a busy database raises `Unreachable`."""
        with _as_unreachable(), self.write.begin() as db:
            yield db

    @contextmanager
    def open_read(self) -> Iterator[Connection]:
        """A read-only connection; a busy database raises `Unreachable`."""
        with _as_unreachable(), self.read.connect() as db:
            yield db

    def now(self) -> float:
        """Epoch seconds of the service's clock."""
        return self.network.clock.seconds()

    def process_due(self, provider: str, references: Collection[str]) -> None:
        """Advance these orders as far as is due."""
        with self.open_read() as db:
            orders_by_reference = orders.find_orders(db, provider, references)
            histories = orders.load_histories(db, list(orders_by_reference))
            behaviour = load_behaviour(db, provider)
        observations = self._observe(
            [
                (order, histories[order.reference])
                for order in orders_by_reference.values()
                if not order.refusal_reason
            ]
        )
        for order in orders_by_reference.values():
            if not order.refusal_reason:
                observation = observations.get(order.reference, NO_OBSERVATION)
                self._process_order(
                    order,
                    histories[order.reference],
                    partial(next_status, order, observation),
                    behaviour,
                )

    def _process_order(
        self, order: Order, history: History, decide: DecideStatus, behaviour: Behaviour
    ) -> None:
        now = self.now()
        while (status := decide(history, behaviour, now)) is not None:
            updated = self.report_status(order, status, decide)
            if updated is None:
                return
            history = updated

    def report_status(
        self, order: Order, expected: ProviderOrderStatus, decide: DecideStatus
    ) -> History | None:
        """Lock an order and report the status that `decide` returns, with its payment on chain.
        Returns the new history, or None when the status is not the `expected` one any more."""
        with self._transaction(order, sends_crypto(order, expected)) as (db, session):
            orders.lock_order(db, order.reference)
            history = orders.load_histories(db, [order.reference])[order.reference]
            behaviour, now = load_behaviour(db, order.provider), self.network.clock.read(db)
            status = decide(history, behaviour, now)
            if status is not expected:
                return None
            tx_hash = ""
            if session is not None:
                tx_hash = _send_crypto(session, order, sent_amount(order, status, behaviour))
            report = build_report(order, history, status, behaviour, now, tx_hash)
            orders.add_report(db, order.reference, report)
            return {**history, status: report}

    @contextmanager
    def _transaction(
        self, order: Order, with_chain: bool
    ) -> Iterator[tuple[Connection, ChainSession | None]]:
        """A write transaction; `with_chain` also locks the order's chain to send on it."""
        if with_chain:
            with self.network.locked(order.chain) as session:
                yield session.db, session
        else:
            with self.open_write() as db:
                yield db, None

    def _observe(
        self, pairs: Collection[tuple[Order, Mapping[ProviderOrderStatus, StatusReport]]]
    ) -> dict[str, ChainObservation]:
        """The on-chain balances and returns of the orders that wait for them. Orders on a chain
        that does not respond are left out."""
        waiting = sorted(
            (order for order, history in pairs if _is_waiting_for_chain(order, history)),
            key=lambda order: (order.chain, order.token, order.reference),
        )
        observations: dict[str, ChainObservation] = {}
        for (chain, token), group in groupby(waiting, key=lambda order: (order.chain, order.token)):
            try:
                observations |= self._observe_chain(
                    SimulatedChain(self.network, chain), token, list(group)
                )
            except Unreachable:
                continue
        return observations

    def _observe_chain(
        self, chain: SimulatedChain, token: str, waiting: list[Order]
    ) -> Mapping[str, ChainObservation]:
        addresses = [order.pay_to for order in waiting if order.direction is Direction.OFF]
        chain.heads()
        balances = chain.balances(addresses, token) if addresses else {}
        observations = {
            order.reference: ChainObservation(balances.get(order.pay_to, 0)) for order in waiting
        }
        if on_ramp_orders := [order for order in waiting if order.direction is Direction.ON]:
            with self.network.reading(chain.id) as session:
                observations |= {
                    order.reference: _observe_returns(session, order) for order in on_ramp_orders
                }
        return observations


def _is_waiting_for_chain(
    order: Order, history: Mapping[ProviderOrderStatus, StatusReport]
) -> bool:
    """Whether the order still depends on anything on chain."""
    if ProviderOrderStatus.REFUNDED in history:
        return False
    if order.direction is Direction.ON:
        return ProviderOrderStatus.DELIVERED in history
    return not history.keys() & {
        ProviderOrderStatus.PAID,
        ProviderOrderStatus.DELIVERED,
        ProviderOrderStatus.FAILED,
    }


def _send_crypto(session: ChainSession, order: Order, amount: int) -> str:
    """Send crypto in a block of its own and return the transaction id."""
    is_on_ramp = order.direction is Direction.ON
    payer, to = order.refund_address, order.to_address
    if not is_on_ramp:
        payer, to = order.pay_to, order.refund_address
    output = (payer, to, order.token, amount, True)
    session.state.simulator_tx_count += 1
    sent = simulator_tx(
        session.facts.family, session.facts.id, DEPOSIT, [output], session.state.simulator_tx_count
    )
    mine_now(session, [sent])
    return sent.tx_id


def _observe_returns(session: ChainSession, order: Order) -> ChainObservation:
    """What the order's intent sent back to the provider's refund address."""
    query = (
        select(incoming_transfers.c.units, blocks.c.at)
        .join(
            blocks,
            (blocks.c.chain == incoming_transfers.c.chain)
            & (blocks.c.height == incoming_transfers.c.block_height),
        )
        .where(
            incoming_transfers.c.tag == lookup_tag(order.chain, order.refund_address),
            incoming_transfers.c.receiver == order.refund_address,
            incoming_transfers.c.sender == order.to_address,
            incoming_transfers.c.token == order.token,
        )
    )
    rows = session.db.execute(query).all()
    if not rows:
        return NO_OBSERVATION
    return ChainObservation(
        returned=sum(int(amount) for amount, _ in rows), returned_at=max(at for _, at in rows)
    )


@contextmanager
def _as_unreachable() -> Iterator[None]:
    try:
        yield
    except (OperationalError, TimeoutError) as error:
        raise Unreachable(f"the sandbox does not respond: {type(error).__name__}") from error
