"""A node leaves a transfer out of its logs for good: no deposit is lost by it."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import State
from crossway.usecases.money.reconciliation import reconcile
from tests.chains.anvil import Anvil
from tests.chains.front import HONEST, Front
from tests.chains.live import ARBITRUM, BASE, LiveWorld, given_back, paid, write_profile

HIDING = "hiding"


class Forgetful(Front):
    """Answers every question about logs as if there were none."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        answer = super()._one(asked)
        if asked["method"] == "eth_getLogs":
            answer["result"] = []
        return answer


@contextmanager
def a_world(
    folder: Path, chains: dict[str, Anvil], *of_base: str, quorum: int
) -> Iterator[LiveWorld]:
    urls = {BASE: of_base, ARBITRUM: [chains[ARBITRUM].url] * len(of_base)}
    world = LiveWorld(folder, chains, write_profile(folder, urls, quorum=quorum))
    yield world
    world.close()


@pytest.fixture
def forgetful(chains: dict[str, Anvil]) -> Iterator[list[Forgetful]]:
    with ExitStack() as stack:
        made = [Forgetful(chains[BASE]) for _ in range(2)]
        for one in made:
            stack.callback(one.close)
        yield made


@pytest.mark.parametrize("quorum", [1, 2])
def test_a_log_that_one_of_two_nodes_never_reports_is_credited_before_expiry(
    tmp_path: Path, chains: dict[str, Anvil], forgetful: list[Forgetful], quorum: int
) -> None:
    front = forgetful[0]
    with a_world(tmp_path, chains, front.url, chains[BASE].url, quorum=quorum) as world:
        intent = world.pay()
        world.step()
        front.mood = HIDING
        world.deposit(intent)
        world.ends(intent, State.COMPLETED)
        front.mood = HONEST
        world.settled(intent)
        assert world.held(intent) == paid(intent)


def test_logs_that_the_only_node_left_out_once_are_read_again(
    tmp_path: Path, chains: dict[str, Anvil], forgetful: list[Forgetful]
) -> None:
    front = forgetful[0]
    with a_world(tmp_path, chains, front.url, quorum=1) as world:
        intent = world.pay()
        world.step()
        front.mood = HIDING
        world.deposit(intent)
        world.step()
        assert front.methods["eth_getLogs"]
        front.mood = HONEST
        world.ends(intent, State.COMPLETED)


def test_money_that_no_node_shows_a_transfer_of_goes_back(
    tmp_path: Path, chains: dict[str, Anvil], forgetful: list[Forgetful]
) -> None:
    with a_world(tmp_path, chains, *(front.url for front in forgetful), quorum=2) as world:
        intent, empty = world.pay(), world.pay("two")
        world.step()
        for front in forgetful:
            front.mood = HIDING
        world.deposit(intent)
        world.step(3)
        assert world.now(intent).state is State.PENDING
        chains[BASE].rpc("evm_increaseTime", 4_000)
        world.until(lambda: world.now(intent).state is not State.PENDING)
        assert world.now(intent).state is State.EXPIRED
        assert any("in no transfer which a node of Base reports" in w for w in world.words())
        world.ends(intent, State.REFUNDED)
        assert world.now(empty).state is State.EXPIRED
        for front in forgetful:
            front.mood = HONEST
        world.settled(intent)
        assert world.held(intent) == given_back(intent.terms.deposit_amount)
        assert not reconcile(world.services, world.operator).differences


def test_a_transfer_that_is_found_by_the_balance_is_booked_as_what_it_is(
    tmp_path: Path, chains: dict[str, Anvil], forgetful: list[Forgetful]
) -> None:
    front = forgetful[0]
    with a_world(tmp_path, chains, front.url, quorum=1) as world:
        intent = world.pay()
        world.step()
        front.mood = HIDING
        world.deposit(intent)
        # So long that the blocks are not read again.
        world.step(40)
        chains[BASE].rpc("evm_increaseTime", 4_000)
        front.mood = HONEST
        world.ends(intent, State.REFUNDED)
        with world.services.store.read() as unit:
            (found,) = unit.deposits.list_by_intents([intent.id])
        assert found.incoming.amount == intent.terms.deposit_amount
        assert not [words for words in world.words() if "in no transfer" in words]
        world.settled(intent)
        assert world.held(intent) == given_back(intent.terms.deposit_amount)
