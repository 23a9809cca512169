"""Fee bumping on a chain whose nodes reject underpriced transactions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import State
from crossway.engine.loop import Engine
from crossway.ports.chain import Chain, SignedTx
from tests.harness import Harness

BASE = "BASE_MAINNET"


class MinimumFeeChain:
    """A simulated chain that rejects transactions below the current fee."""

    def __init__(self, chain: Chain) -> None:
        self._chain, self.fee_factor = chain, 1
        self.rejected: list[SignedTx] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def fee_units(self) -> int:
        return self._chain.fee_units() * self.fee_factor

    def broadcast(self, signed: Sequence[SignedTx]) -> Sequence[str]:
        underpriced = [item for item in signed if item.fee_units < self.fee_units()]
        self.rejected += underpriced
        accepted = [item for item in signed if item not in underpriced]
        answers = dict(
            zip([r.tx_id for r in accepted], self._chain.broadcast(accepted), strict=True)
        )
        return [answers.get(item.tx_id, "underpriced") for item in signed]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield built
    built.store.close()


@pytest.fixture
def base(world: Harness) -> MinimumFeeChain:
    chain = MinimumFeeChain(world.services.chains[BASE])
    chains = {**world.services.chains, BASE: chain}
    world.services = replace(world.services, chains=chains)
    return chain


def test_an_underpriced_transaction_is_replaced_with_the_same_nonce(
    world: Harness, base: MinimumFeeChain
) -> None:
    intent = world.create_intent(BASE)

    def raise_fee(step: str) -> None:
        if step == "signed:START":
            base.fee_factor = 3

    world.engine = Engine(
        replace(world.services, process=replace(world.services.process, failpoint=raise_fee)),
        "test",
        sole=True,
    )
    world.deposit(intent)
    assert world.wait_for_state(intent, State.COMPLETED, within=200).state is State.COMPLETED
    assert len({item.nonce for item in base.rejected}) == 1
    assert {item.fee_units for item in base.rejected} == {base.fee_units() // 3}
