"""Thirty days of one-way flow over Gateway and out of inventory, with rebalancing on and off."""

import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from crossway.domain.intent import Intent, State
from crossway.domain.ledger import Account, is_unified
from crossway.domain.money import micro_usd_down
from crossway.domain.quotes import BridgeName
from crossway.domain.rebalancing import (
    Location,
    RebalancingMode,
    RebalancingPolicy,
    RebalancingSettings,
    RebalancingState,
)
from crossway.ports.services import Services
from crossway.usecases.money.inventory_adjustments import book_difference
from crossway.usecases.money.reconciliation import compare
from tests.engine.rebalancing_world import UNIFIED, RebalancingWorld, usdc
from tests.harness import CATALOGUE

PAYMENTS: Final = 5_000
DAYS: Final = 30
BURST: Final = 20
"""So many payments arrive at once: what they need together is what inventory has to have."""
SEED: Final = 19
BSC, BASE, ARBITRUM = "BSC_MAINNET", "BASE_MAINNET", "ARBITRUM_MAINNET"
CHAINS: Final = (ARBITRUM, BASE, BSC)
DOLLARS: Final = 20_000
"""What there is of USDC on each chain in the beginning."""
WAITED: Final = timedelta(seconds=60)
"""A payment whose start takes longer has waited; without a lack it takes some seconds."""
OFFERED: Final = (BridgeName.GATEWAY, BridgeName.INVENTORY)
# Minimum, target and maximum in dollars.
POLICIES: Final[dict[Location, tuple[int, int, int]]] = {
    usdc(ARBITRUM): (8_000, 20_000, 60_000),
    usdc(BASE): (0, 5_000, 30_000),
    usdc(BSC): (0, 2_000, 10_000),
    # A million is there in the beginning, of which rebalancing may use five thousand.
    UNIFIED: (995_000, 1_000_000, 5_000_000),
}
SETTINGS: Final = RebalancingSettings(
    mode=RebalancingMode.AUTOMATIC,
    max_cost_bps=25,
    max_cost_day_micro_usd=500_000_000,
    smallest_micro_usd=500_000_000,
    cool_down_seconds=300,
    approve_above_micro_usd=10**12,
)


@dataclass(frozen=True, slots=True)
class Month:
    """What became of a month: payments that waited for inventory, that were paid and that were
    refunded, transfers made and what they moved and cost in micro-USD, and in how many places books
    and chains differ in the end."""

    payments: int
    waited: int
    completed: int
    refunded: int
    transfers: int
    moved_micro_usd: int
    cost_micro_usd: int
    differences: int
    seconds: float

    @property
    def bps(self) -> float:
        """The cost of what was moved, in basis points."""
        return self.cost_micro_usd * 10_000 / self.moved_micro_usd if self.moved_micro_usd else 0.0

    @property
    def text(self) -> str:
        """The figures as text."""
        return (
            f"{self.waited} of {self.payments} waited, {self.completed} paid, "
            f"{self.refunded} refunded; {self.transfers} transfers of "
            f"{self.moved_micro_usd / 1e6:,.0f} USD at {self.bps:.1f} bps; "
            f"{self.differences} differences ({self.seconds:.0f} s)"
        )


def run(payments: int = PAYMENTS, days: int = DAYS) -> list[tuple[str, str, str, bool]]:
    """(name, figure, goal, met)."""
    off = play(payments, days, rebalances=False)
    on = play(payments, days, rebalances=True)
    failing = play(payments, days, rebalances=True, fails=True)
    name = f"{payments} payments one way in {days} days, rebalancing"
    return [
        (f"{name} off", off.text, "0 differences", off.differences == 0),
        (
            f"{name} by policy",
            on.text,
            "a tenth of those that waited, 25 bps, 0 differences",
            10 * on.waited <= off.waited and on.bps <= 25 and not on.differences,
        ),
        (f"{name}, bridges failing", failing.text, "0 differences", failing.differences == 0),
    ]


def play(payments: int, days: int, rebalances: bool, fails: bool = False) -> Month:
    """Play a month; `fails`: bridges are silent, refuse or give back at random."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as folder:
        month = _Played(Path(folder), rebalances, fails)
        month.play(payments, days)
        return month.result(time.perf_counter() - began)


class _Played:
    def __init__(self, folder: Path, rebalances: bool, fails: bool) -> None:
        self.random, self.fails = random.Random(SEED), fails
        bridges = (*OFFERED, BridgeName.RHINOFI, BridgeName.ACROSS)
        self.world = RebalancingWorld(folder, *bridges, chains=CHAINS)
        services = self.world.services
        offered = [bridge for bridge in services.bridges if bridge.name in OFFERED]
        # Payers are offered two; inventory may be moved over all.
        self.offering: Services = replace(services, bridges=offered)
        for chain in CHAINS:
            decimals = CATALOGUE.tokens[chain, "USDC"].decimals
            self.world.set_inventory(chain, DOLLARS * 10**decimals)
        self._book_what_was_set()
        if rebalances:
            self.world.store.write(lambda unit: unit.rebalancing.save_settings(SETTINGS))
            for location, dollars in POLICIES.items():
                self._set_policy(location, dollars)
        self.made: list[Intent] = []

    def _book_what_was_set(self) -> None:
        """Book as withdrawn what the simulated network had on these chains before."""
        services, operator = self.world.services, self.world.operator
        for found in compare(services).differences:
            difference = found.chain_amount - found.ledger_amount
            reason = "A small inventory to begin with."
            book_difference(services, operator, found.chain, found.token, difference, reason)

    def _set_policy(self, location: Location, dollars: Sequence[int]) -> None:
        chain = location[0]
        decimals = 6 if is_unified(chain) else CATALOGUE.tokens[chain, "USDC"].decimals
        minimum, target, maximum = (amount * 10**decimals for amount in dollars)
        now = self.world.services.clock.now()
        policy = RebalancingPolicy(*location, minimum, target, maximum, 1, "benchmark", now)
        self.world.store.write(lambda unit: unit.rebalancing.set_policy(policy))

    def play(self, payments: int, days: int) -> None:
        """Bursts at random times; passes every two seconds after one, then every ten minutes."""
        bursts = -(-payments // BURST)
        times = sorted(self.random.uniform(0, days * 86_400) for _ in range(bursts))
        start = self.world.machine.seconds
        for number, at in enumerate(times):
            self._wait_until(start + at)
            if self.fails:
                self._fail_at_random()
            for _ in range(min(BURST, payments - number * BURST)):
                self._pay()
            self.world.pass_time(40, 2)
        for bridge in (BridgeName.RHINOFI, BridgeName.ACROSS, BridgeName.GATEWAY):
            self.world.set_faults(bridge, silent=False, refused=False, returned=False)
        # Until all is over: expiry, the last refund, and the last block is final.
        self.world.pass_time(4 * 3_600, 60)

    def _wait_until(self, seconds: float) -> None:
        if (left := seconds - self.world.machine.seconds) > 0:
            self.world.pass_time(left, 600)

    def _fail_at_random(self) -> None:
        bridge = self.random.choice((BridgeName.RHINOFI, BridgeName.ACROSS, BridgeName.GATEWAY))
        faults = {name: self.random.random() < 0.15 for name in ("silent", "refused")}
        if bridge is not BridgeName.GATEWAY:
            faults["returned"] = self.random.random() < 0.1
        self.world.set_faults(bridge, **faults)

    def _pay(self) -> None:
        dollars = self.random.randint(50, 500)
        source = self.random.choice((BASE, BSC))
        own, self.world.services = self.world.services, self.offering
        intent = self.world.create_intent(source, ARBITRUM, amount=str(dollars * 10**6))
        self.world.services = own
        self.world.deposit(intent)
        self.made.append(intent)

    def result(self, seconds: float) -> Month:
        """What became of it, by the database and the chains."""
        ids = [intent.id for intent in self.made]
        with self.world.store.read() as unit:
            stored = unit.intents.get_many(ids)
            transfers = unit.rebalancing.list_page(100_000)
            postings = [p for t in transfers for _, p in unit.ledger.list_by_intent(t.owner)]
        arrived = [t for t in transfers if t.state is RebalancingState.ARRIVED]
        cost = sum(
            self._value(p.chain, p.token, p.amount)
            for p in postings
            if p.debit in (Account.BRIDGE_FEES, Account.NETWORK_FEES)
        )
        states = [intent.state for intent in stored.values()]
        report = compare(self.world.services)
        return Month(
            len(ids),
            self._count_waited(ids),
            states.count(State.COMPLETED),
            states.count(State.REFUNDED),
            len(arrived),
            sum(t.micro_usd for t in arrived),
            cost,
            len(report.differences),
            seconds,
        )

    def _count_waited(self, ids: Sequence[int]) -> int:
        """The payments that were not started within a minute of being funded."""
        with self.world.store.read() as unit:
            records = unit.intents.list_transitions(ids)
        funded: dict[int, datetime] = {}
        started: dict[int, datetime] = {}
        for record in records:
            if record.to_state is State.FUNDED:
                funded.setdefault(record.intent_id, record.at)
            elif record.to_state is State.INITIATED:
                started.setdefault(record.intent_id, record.at)
        return sum(i not in started or started[i] - at > WAITED for i, at in funded.items())

    def _value(self, chain: str, token: str, units: int) -> int:
        if is_unified(chain):
            return units
        found = CATALOGUE.by_address[chain, token]
        price = self.world.services.prices.get_usd_prices([found.symbol])[found.symbol]
        return micro_usd_down(units, found.decimals, price.pico_usd)
