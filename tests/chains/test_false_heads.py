"""One of two nodes reports a time or a height far ahead: nothing expires, and nothing is wedged."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import State
from tests.chains.anvil import Anvil
from tests.chains.front import HONEST, Front
from tests.chains.live import ARBITRUM, BASE, LiveWorld, paid, write_profile

TIME, HEIGHT, BOTH = "time", "height", "time and height"


class Liar(Front):
    """Reports a newest block that is far ahead."""

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        answer = super()._one(asked)
        if asked["method"] == "eth_getBlockByNumber" and asked["params"][0] == "latest":
            block = answer["result"]
            if self.mood in (TIME, BOTH):
                block["timestamp"] = hex(int(block["timestamp"], 16) + 86_400)
            if self.mood in (HEIGHT, BOTH):
                block["number"] = hex(int(block["number"], 16) + 1_000_000)
        return answer


@pytest.fixture
def liar(chains: dict[str, Anvil]) -> Iterator[Liar]:
    made = Liar(chains[BASE])
    yield made
    made.close()


def believing_clocks(profile: Path) -> Path:
    """The profile as an operator's, who leaves the clock's tolerance as it is."""
    profile.write_text(profile.read_text().replace("clock_seconds = 1e9\n", ""))
    return profile


@pytest.mark.parametrize("lie", [TIME, HEIGHT, BOTH])
def test_one_nodes_false_head_expires_nothing_and_is_told_without_its_key(
    tmp_path: Path, chains: dict[str, Anvil], liar: Liar, lie: str
) -> None:
    urls = {BASE: [liar.url, chains[BASE].url], ARBITRUM: [chains[ARBITRUM].url] * 2}
    profile = believing_clocks(write_profile(tmp_path, urls, quorum=2))
    world = LiveWorld(tmp_path, chains, profile)
    intent = world.pay()
    world.step()
    liar.mood = lie
    world.engine.tick()
    assert world.now(intent).state is State.PENDING
    (told,) = [words for words in world.words() if "reports" in words]
    assert told.startswith("Base: 127.0.0.1:")
    assert "a-secret-key" not in told
    liar.mood = HONEST
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent)
    world.close()
