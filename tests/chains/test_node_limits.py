"""Nodes that take only small batches, or few calls a minute: slower, but everything is paid."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.chains.evm.family import EvmFamily
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from tests.chains.anvil import RELAYER_KEY, TREASURY, Anvil
from tests.chains.front import Front
from tests.chains.live import ARBITRUM, BASE, LiveWorld, paid, write_profile
from tests.conformance.networks import open_evm, settings

OBJECT, ARRAY, STATUS, CLOSED, EACH = "an object", "an array", "a status", "closed", "each"


class Small(Front):
    """Refuses batches of more than `limit` calls, as its mood says; `largest` is what it took."""

    limit, largest, refusals = 10, 0, 0

    def answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body)
        size = len(asked) if isinstance(asked, list) else 1
        if size <= self.limit or self.mood not in (OBJECT, ARRAY, STATUS, CLOSED, EACH):
            self.largest = max(self.largest, size)
            return super().answer(body)
        self.refusals += 1
        error = {"code": -32000, "message": "batch limit 10 exceeded"}
        refusal: dict[str, Any] = {
            "jsonrpc": "2.0",
            "id": asked[0]["id"] if size > 1 else asked["id"],
            "error": error,
        }
        match str(self.mood):
            case "an object":
                answered: Any = refusal | {"id": None}
            case "an array":
                answered = [refusal]
            case "each":
                answered = [refusal | {"id": one["id"]} for one in asked]
            case "a status":
                return 400, {}, b"Batch of more than 10 requests are not allowed"
            case _:
                raise ConnectionAbortedError
        return 200, {}, json.dumps(answered).encode()


@pytest.fixture
def small(chains: dict[str, Anvil]) -> Iterator[Small]:
    made = Small(chains[BASE])
    yield made
    made.close()


@pytest.mark.parametrize("mood", [OBJECT, ARRAY, STATUS, CLOSED, EACH])
@pytest.mark.parametrize("limit", [10, 1])
def test_a_batch_that_a_node_refuses_is_halved_and_it_is_remembered(
    chains: dict[str, Anvil], small: Small, mood: str, limit: int
) -> None:
    chain = open_evm(chains[BASE], small.url)
    small.mood, small.limit = mood, limit
    wallets = [chains[BASE].wallet(f"wallet {n}") for n in range(3)]
    chains[BASE].pay(wallets[1], 7)
    refusals = []
    for _ in range(2):
        found = chain.balances(wallets, chains[BASE].token)
        assert found == {wallets[0]: 0, wallets[1]: 7, wallets[2]: 0}
        statuses = chain.status([f"0x{n:064x}" for n in range(30)])
        assert len(statuses) == 30
        refusals.append(small.refusals)
    assert refusals[0] == refusals[1] > 0
    assert small.largest <= limit
    chain.close()


@pytest.mark.parametrize("limit", [10, 1])
def test_a_payment_over_a_node_of_small_batches_is_paid(
    tmp_path: Path, chains: dict[str, Anvil], small: Small, limit: int
) -> None:
    profile = write_profile(tmp_path, {BASE: [small.url], ARBITRUM: [chains[ARBITRUM].url]})
    small.mood, small.limit = OBJECT, limit
    world = LiveWorld(tmp_path, chains, profile)
    intent = world.pay()
    world.step()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent)
    world.close()


def test_an_error_that_is_not_about_the_batch_is_not_asked_for_each_call(
    chains: dict[str, Anvil], small: Small
) -> None:
    chain = open_evm(chains[BASE], small.url)
    chain.heads()
    small.mood, small.limit = OBJECT, 0
    small.refusals = 0
    with pytest.raises(Unreachable, match="batch limit"):
        chain.status([f"0x{n:064x}" for n in range(60)])
    assert small.refusals < 10
    chain.close()


def test_no_more_calls_are_sent_than_the_budget_allows(
    tmp_path: Path, chains: dict[str, Anvil], small: Small
) -> None:
    profile = write_profile(tmp_path, {BASE: [small.url], ARBITRUM: [chains[ARBITRUM].url]})
    text = profile.read_text().replace(
        "[chains.BASE_MAINNET]", "[chains.BASE_MAINNET]\ncalls_per_minute = 60\nbatch_size = 5"
    )
    profile.write_text(text)
    world = LiveWorld(tmp_path, chains, profile)
    world.pay()
    for _ in range(30):
        world.step()
    assert sum(small.methods.values()) <= 60
    assert small.largest <= 5
    assert not [words for words in world.words() if "budget" in words]
    world.close()


@pytest.mark.parametrize(("budget", "slow"), [(None, False), (600, False), (20, True)])
def test_doctor_tells_what_watching_costs_and_where_a_budget_makes_it_slow(
    chains: dict[str, Anvil], small: Small, budget: int | None, slow: bool
) -> None:
    profile = ChainProfile(
        rpc=[small.url],
        key="env:KEY",
        treasury=TREASURY,
        poll_seconds=1,
        calls_per_minute=budget,
    )
    operator = EvmFamily().open_chain(settings(BASE, profile, KEY=RELAYER_KEY))
    chain = operator.chain
    (found,) = [one for one in operator.diagnose() if one.subject == "watching"]
    # The head, its block and the one before, the logs, balances and what our contracts took out.
    calls = 2 + 2 + 1 + 2
    seconds = max(1.0, calls * 60 / budget if budget else 0.0)
    message = f"{calls} calls a look at 100 open payments, every {seconds:.1f} s: "
    assert found.message.startswith(message)
    assert f"{calls * 60 / seconds:,.0f} calls a minute" in found.message
    assert found.ok is not slow
    chain.close()
