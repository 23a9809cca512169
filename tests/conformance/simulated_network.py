"""The simulated chains under conformance test."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from crossway.ports.chain_calls import PublicCall
from crossway.ports.sandbox import Faults
from tests.simulation import START, Simulation, dollars, wallet


class SimulatedNetwork:
    """The simulated chain of a family."""

    def __init__(self, folder: Path, name: str) -> None:
        self.simulation = Simulation(f"sqlite:///{folder / 'network.db'}")
        self.chain = self.simulation.chain(name)
        facts = self.simulation.network.facts[name]
        seconds = facts.tx_life_seconds or 0
        self.life = int(seconds / facts.block_seconds) + 2 if seconds else 0
        self.token = dollars(name)
        tokens = self.simulation.network.facts[name].tokens.values()
        self.foreign_token = next(t.address for t in tokens if t.address != self.token)

    def wallet(self, name: str) -> str:
        return wallet(self.chain, name)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        return self.simulation.sandbox.deposit(
            self.chain.id, to, token or self.token, units
        ).tx_hash

    def mine(self, blocks: int = 1) -> None:
        self.simulation.pass_time(
            blocks * self.simulation.network.facts[self.chain.id].block_seconds
        )

    def reorganise(self, depth: int) -> None:
        self.simulation.sandbox.inject_faults(self.chain.id, Faults(reorg_depth=depth))

    def refuse(self, address: str) -> None:
        self.simulation.sandbox.inject_faults(self.chain.id, Faults(refuse=[address]))

    def expiry(self, seconds: float) -> datetime:
        return datetime.fromtimestamp(START, UTC) + timedelta(seconds=seconds)

    def carry_out(self, call: PublicCall) -> None:
        raise AssertionError("the simulated network has no contracts to call")
