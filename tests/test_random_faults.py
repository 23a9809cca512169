"""In any order of events and faults, the books balance and nobody is paid twice."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent, State
from crossway.engine.loop import Engine
from crossway.ports.sandbox import Faults
from tests.harness import Harness
from tests.invariants import check_invariants, nothing_outstanding

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET", "SOLANA_MAINNET")
SECONDS = st.sampled_from([1, 2, 3, 7, 30, 300, 1500])
CHAIN = st.sampled_from(CHAINS)
STEP = st.one_of(
    st.tuples(st.just("pay"), CHAIN, CHAIN),
    st.tuples(st.just("deposit"), st.integers(0, 4), st.sampled_from(["exact", "short", "over"])),
    st.tuples(st.just("deposit"), st.integers(0, 4), st.sampled_from(["exact", "short", "over"])),
    st.tuples(st.just("pass"), SECONDS),
    st.tuples(st.just("pass"), SECONDS),
    st.tuples(st.just("reorg"), CHAIN, st.integers(1, 6), st.integers(0, 2)),
    st.tuples(st.just("revert"), CHAIN, st.integers(1, 2)),
    st.tuples(st.just("outage"), CHAIN, st.sampled_from([2, 20, 200])),
    st.tuples(st.just("nonce"), CHAIN),
    st.tuples(st.just("fees"), CHAIN, st.sampled_from([1, 3])),
    st.tuples(st.just("slow"), CHAIN, st.sampled_from([0, 5])),
    st.tuples(st.just("restart")),
    st.tuples(st.just("two engines")),
)


class FaultRun:
    """A world with random payments, deposits and faults."""

    def __init__(self, url: str) -> None:
        self.world = Harness(url, chains=CHAINS)
        self.made: list[Intent] = []
        self.world.pass_time(2)

    def do(self, step: tuple[Any, ...]) -> None:
        world, (kind, *rest) = self.world, step
        match kind:
            case "pay" if rest[0] != rest[1]:
                self.pay(*rest)
            case "deposit" if self.made:
                self.deposit(self.made[rest[0] % len(self.made)], rest[1])
            case "pass":
                world.pass_time(rest[0], step=max(1, rest[0] / 10))
            case "reorg":
                self.fault(rest[0], reorg_depth=rest[1], drop_next=rest[2])
            case "revert":
                self.fault(rest[0], revert_next=rest[1])
            case "outage":
                self.fault(rest[0], outage_seconds=rest[1])
            case "nonce":
                self.fault(rest[0], take_nonce=True)
            case "fees":
                self.fault(rest[0], fee_factor=rest[1])
            case "slow":
                self.fault(rest[0], slow_blocks=rest[1])
            case "restart":
                world.engine = Engine(world.services, "another", sole=True)
            case "two engines":
                Engine(world.services, "second").tick()

    def pay(self, source: str, to: str) -> None:
        name = f"recipient {len(self.made)}"
        recipient = self.world.wallet(to, name)
        self.made.append(self.world.create_intent(source, to, recipient=recipient))

    def deposit(self, intent: Intent, amount: str) -> None:
        try:
            self.world.deposit(intent, amount)
        except Unreachable:
            return

    def fault(self, chain: str, **faults: Any) -> None:
        try:
            self.world.sandbox.inject_faults(chain, Faults(**faults))
        except Unreachable:
            return

    def end_well(self) -> None:
        """The faults end, and time passes until nothing is owed."""
        self.world.pass_time(210, step=15)
        calm = Faults(0, 0, 0, 0, 0, 1)
        for chain in CHAINS:
            self.world.sandbox.inject_faults(chain, calm)
        for _ in range(40):
            self.world.pass_time(100, step=5)
            if nothing_outstanding(self.world):
                break
            self.world.pass_time(900, step=90)
        self.world.pass_time(60, step=5)


@pytest.mark.timeout(900)
# Shrinking would run hundreds of whole worlds; the steps are printed as they were.
@settings(
    max_examples=settings.default.max_examples // 5,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=[Phase.generate],
)
@given(st.lists(STEP, min_size=4, max_size=25))
def test_books_balance_and_nobody_is_paid_twice(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        drama = FaultRun(f"sqlite:///{Path(folder) / 'crossway.db'}")
        drama.pay("BASE_MAINNET", "ARBITRUM_MAINNET")
        for step in steps:
            drama.do(step)
        drama.end_well()
        assert nothing_outstanding(drama.world)
        check_invariants(drama.world, reorged=True, outsiders=any(s[0] == "nonce" for s in steps))
        for intent in drama.made:
            end = drama.world.reload(intent)
            assert end.state in (State.COMPLETED, State.REFUNDED, State.EXPIRED), end
        drama.world.store.close()
