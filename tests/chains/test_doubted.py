"""What was done stays done in the books when a node that is behind, or one of two, denies it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxState
from tests.chains.anvil import Anvil
from tests.chains.front import Front, asked_for
from tests.chains.live import ARBITRUM, BASE, LiveWorld, write_profile

DENYING, BEHIND = "denying", "behind"
_OF_TRANSACTIONS = ("eth_getTransactionReceipt", "eth_getTransactionByHash")


class Denier(Front):
    """Denies transactions; where it is behind, as of an older block in the same request."""

    def answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body)
        several = asked if isinstance(asked, list) else [asked]
        self._about = any(one["method"] in _OF_TRANSACTIONS for one in several)
        return super().answer(body)

    def _one(self, asked: dict[str, Any]) -> dict[str, Any]:
        if asked["method"] in _OF_TRANSACTIONS:
            return asked_for(asked, None)
        if self.mood == BEHIND and self._about and asked["params"][:1] == ["latest"]:
            asked = {**asked, "params": [hex(self.anvil.height - 3), *asked["params"][1:]]}
        return super()._one(asked)


@pytest.fixture
def denier(chains: dict[str, Anvil]) -> Iterator[Denier]:
    made = Denier(chains[ARBITRUM])
    yield made
    made.close()


@pytest.mark.parametrize("kind", [DENYING, BEHIND])
def test_a_payment_that_is_done_is_not_undone_by_a_node_that_denies_it(
    tmp_path: Path, chains: dict[str, Anvil], denier: Denier, kind: str
) -> None:
    of = {DENYING: [chains[ARBITRUM].url, denier.url], BEHIND: [denier.url]}[kind]
    urls = {BASE: [chains[BASE].url] * len(of), ARBITRUM: of}
    world = LiveWorld(tmp_path, chains, write_profile(tmp_path, urls, quorum=len(of)))
    intent = world.pay()
    world.step()
    world.deposit(intent)
    world.ends(intent, State.COMPLETED)
    denier.mood = kind
    world.step(20)
    assert world.now(intent).state is State.COMPLETED
    assert not [words for words in world.words() if "undone" in words]
    denier.mood = "honest"
    world.step(2)
    with world.services.store.read() as unit:
        found = {t.state for t in unit.outbound_txs.list_by_intents([intent.id])}
    assert found == {OutboundTxState.FINAL}
    world.close()
