"""Money on the simulated network is neither made nor lost, whatever happens in whatever order."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from crossway.adapters.chains.simulated.blocks.tables import balances
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.outbound_call import Output
from crossway.ports.chain import IncludedTx
from crossway.ports.sandbox import Faults
from tests.simulation import BASE, Simulation, dollars, payout, sign, wallet

SMALL = st.integers(0, 4)
STEP = st.one_of(
    st.tuples(st.just("deposit"), SMALL, st.integers(0, 10**20)),
    st.tuples(st.just("pay"), SMALL, st.integers(0, 10**13)),
    st.tuples(st.just("sweep"), SMALL, SMALL),
    st.tuples(st.just("wait"), st.integers(1, 3), SMALL),
    st.tuples(st.just("reorganise"), st.integers(1, 6), SMALL),
    st.tuples(st.just("drop"), st.integers(1, 3), SMALL),
    st.tuples(st.just("revert"), st.integers(1, 3), SMALL),
    st.tuples(st.just("refuse"), SMALL, SMALL),
    st.tuples(st.just("take a nonce"), SMALL, SMALL),
)


class Books:
    """The same network kept by a second hand: what was sent, and what the chain says of it."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation, self.chain = simulation, simulation.chain()
        self.chain.heads()
        self.deposits: dict[str, int] = {}
        self.sent: set[str] = set()
        self.native = simulation.network.facts[BASE].native
        self.at_start = {token: self.supply(token) for token in (dollars(), self.native)}
        self.outsiders = 0

    def supply(self, token: str) -> int:
        query = select(balances.c.units).where(balances.c.chain == BASE, balances.c.token == token)
        with self.simulation.reading.connect() as db:
            units = [int(text) for text in db.scalars(query)]
        assert all(unit > 0 for unit in units)
        return sum(units)

    def take(self, step: tuple[str, int, int]) -> None:
        name, first, second = step
        chain, sandbox = self.chain, self.simulation.sandbox
        to = wallet(chain, str(first))
        match name:
            case "deposit":
                self.deposits[sandbox.deposit(BASE, to, dollars(), second).tx_hash] = second
            case "pay":
                self.send(chain, payout(chain, to, second, f"marker {second % 3}"))
            case "sweep":
                action = payout(chain, to, 0)
                output = Output(to, wallet(chain, str(second)), dollars(), None)
                object.__setattr__(action, "outputs", (output,))
                self.send(chain, action)
            case "wait":
                self.simulation.pass_time(first)
            case "reorganise":
                sandbox.inject_faults(BASE, Faults(reorg_depth=first))
            case "drop":
                sandbox.inject_faults(BASE, Faults(drop_next=first))
            case "revert":
                sandbox.inject_faults(BASE, Faults(revert_next=first))
            case "refuse":
                sandbox.inject_faults(
                    BASE, Faults(refuse=[to], accept=[wallet(chain, str(second))])
                )
            case "take a nonce":
                sandbox.inject_faults(BASE, Faults(take_nonce=True))

    def send(self, chain: SimulatedChain, *actions: object) -> None:
        [one] = sign(chain, *actions)  # type: ignore[arg-type]
        chain.broadcast([one])
        self.sent.add(one.tx_id)

    def check(self) -> None:
        mined = {
            tx_id: status
            for tx_id, status in self.chain.status([*self.deposits, *self.sent]).items()
            if isinstance(status, IncludedTx)
        }
        arrived = sum(
            units
            for tx_id, units in self.deposits.items()
            if tx_id in mined and not mined[tx_id].reason
        )
        used = self.chain.next_nonce(self.chain.accounts.relayer)
        assert self.supply(dollars()) == self.at_start[dollars()] + arrived
        # Each nonce of the relayer, its own or an outsider's, paid one fee.
        paid = used * self.chain.fee_units()
        assert self.supply(self.native) == self.at_start[self.native] - paid


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(st.lists(STEP, min_size=3, max_size=25))
def test_supply_changes_only_by_deposits_and_fees(steps: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(f"sqlite:///{Path(folder) / 'network.db'}")
        books = Books(simulation)
        for step in steps:
            books.take(step)
            books.check()
        simulation.close()
