"""The engine is killed at every step of a payment over a bridge: a new one carries it on."""

from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.engine.loop import Engine
from tests.bridges.world import BridgeWorld
from tests.harness import CATALOGUE

STEPS = ("signed:START", "sent:START", "before-bridge-poll", "bridge-polled")
OVER_CCTP = (*STEPS, "signed:DELIVER", "sent:DELIVER")


class Killed(BaseException):
    """The end of a process, which no handler catches."""


class KilledWorld(BridgeWorld):
    """Its engine is killed once, when it reaches a step for the n-th time."""

    def __init__(self, folder: Path, bridge: str, step: str, number: int = 1) -> None:
        self.step, self.left = step, number
        super().__init__(folder, bridge, reached=self.reach)

    def reach(self, step: str) -> None:
        if step == self.step and self.left > 0:
            self.left -= 1
            if not self.left:
                raise Killed(step)

    def pay_to_the_end(self, **more: str) -> Intent:
        intent = self.pay(**more)
        for _ in range(90):
            try:
                self.pass_time(1)
            except Killed:
                self.engine = Engine(self.services, "another", sole=True)
        assert self.left == 0, f"{self.step} was not reached"
        return self.reload(intent)


@pytest.mark.parametrize("step", OVER_CCTP)
def test_a_payment_over_cctp_survives(tmp_path: Path, step: str) -> None:
    world = KilledWorld(tmp_path, "CCTP", step)
    intent = world.pay_to_the_end()
    assert intent.state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.transfer(intent).state == "CLOSED"


@pytest.mark.parametrize("step", ["signed:START", "sent:START"])
@pytest.mark.parametrize("bridge", ["CCTP", "GATEWAY"])
def test_a_payment_that_is_swapped_survives(tmp_path: Path, bridge: str, step: str) -> None:
    world = KilledWorld(tmp_path, bridge, step)
    intent = world.pay_to_the_end(token_in=CATALOGUE.tokens["BASE_MAINNET", "ETH"].address)
    assert intent.swap is not None
    assert intent.state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount
    assert world.refunded(intent) == intent.terms.deposit_amount - intent.swap.expected_input


@pytest.mark.parametrize("step", STEPS)
def test_a_payment_over_across_survives(tmp_path: Path, step: str) -> None:
    world = KilledWorld(tmp_path, "ACROSS", step)
    intent = world.pay_to_the_end()
    assert intent.state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount


def test_a_kill_at_the_second_poll_loses_nothing(tmp_path: Path) -> None:
    world = KilledWorld(tmp_path, "CCTP", "bridge-polled", 2)
    intent = world.pay_to_the_end()
    assert intent.state is State.COMPLETED
    assert world.paid(intent) == intent.terms.payout_amount
