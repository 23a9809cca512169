"""A complete Crossway with standing addresses, whose engine can be killed at a step."""

from pathlib import Path
from typing import Any

from crossway.domain.intent import Intent
from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx
from crossway.domain.standing import StandingAddress, StandingDeposit, StandingState
from crossway.engine.loop import Engine
from crossway.ports.standing_repository import StandingDepositFilter
from crossway.usecases.standing import addresses
from crossway.usecases.standing.request import StandingRequest
from tests.harness import CATALOGUE, Harness

BASE, ARBITRUM, POLYGON = "BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET"
USDC, EURC = (CATALOGUE.tokens[BASE, symbol].address for symbol in ("USDC", "EURC"))
PAID = CATALOGUE.tokens[ARBITRUM, "USDC"].address


class Killed(BaseException):
    """The end of a process, which no handler catches."""


class StandingWorld(Harness):
    """Its engine is killed once, when it reaches a step for the n-th time."""

    def __init__(self, folder: Path, step: str = "", number: int = 1, **policy: Any) -> None:
        self.step, self.left = step, number
        url = f"sqlite:///{folder / 'crossway.db'}"
        super().__init__(url, self._reach, chains=(BASE, ARBITRUM, POLYGON), **policy)

    def _reach(self, step: str) -> None:
        if step == self.step and self.left > 0:
            self.left -= 1
            if not self.left:
                raise Killed(step)

    def run(self, seconds: int) -> None:
        """Let time pass; a killed engine is followed by another one."""
        for _ in range(seconds):
            try:
                self.pass_time(1)
            except Killed:
                self.engine = Engine(self.services, "another", sole=True)

    def create(self, **more: Any) -> StandingAddress:
        fields: dict[str, Any] = {
            "source_chain": BASE,
            "destination_chain": ARBITRUM,
            "recipient": self.wallet(ARBITRUM, "recipient"),
            "recovery_address": self.wallet(BASE, "recovery"),
        }
        return addresses.create(self.services, self.caller, StandingRequest(**(fields | more)))

    def change(self, address: StandingAddress, **more: Any) -> StandingAddress:
        request = StandingRequest(**more)
        return addresses.update(self.services, self.caller, address.id, request)

    def send(
        self, address: StandingAddress, units: int, token: str = USDC, chain: str = BASE
    ) -> str:
        return self.sandbox.deposit(chain, address.address, token, units, 1).tx_hash

    def deposits(self) -> list[StandingDeposit]:
        """Oldest first."""
        with self.store.read() as unit:
            return unit.standing.list_deposits(StandingDepositFilter(), 100)[::-1]

    def states(self) -> list[StandingState]:
        return [deposit.state for deposit in self.deposits()]

    def intents(self) -> list[Intent]:
        with self.store.read() as unit:
            newest = unit.intents.get_newest_id()
            return list(unit.intents.get_many(range(1, newest + 1)).values())

    def transactions(self) -> list[OutboundTx]:
        """Those that moved deposits from standing addresses."""
        with self.store.read() as unit:
            return unit.outbound_txs.list_by_intents([d.owner for d in self.deposits()])

    def balance(self, address: str, token: str = USDC, chain: str = BASE) -> int:
        return self.services.chains[chain].balances([address], token)[address]

    def paid(self) -> int:
        """What the recipient has got."""
        return self.balance(self.wallet(ARBITRUM, "recipient"), PAID, ARBITRUM)

    def recovered(self, token: str = USDC, chain: str = BASE) -> int:
        """What the recovery address has got."""
        return self.balance(self.wallet(BASE, "recovery"), token, chain)

    def booked(self, token: str = USDC, chain: str = BASE) -> int:
        """What the books have at standing addresses."""
        with self.store.read() as unit:
            return unit.ledger.get_balances().get((Account.STANDING, chain, token), 0)
