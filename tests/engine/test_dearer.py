"""A chain whose nodes refuse what offers less than they ask for, and become dearer."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.intent import State
from crossway.engine.loop import Engine
from crossway.ports.chain import Chain, Signed
from tests.world import World

BASE = "BASE_MAINNET"


class Refusing:
    """A chain of the simulated network that lets nothing wait that offers too little."""

    def __init__(self, chain: Chain) -> None:
        self._chain, self.dearer = chain, 1
        self.refused: list[Signed] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._chain, name)

    def fee_units(self) -> int:
        return self._chain.fee_units() * self.dearer

    def broadcast(self, signed: Sequence[Signed]) -> Sequence[str]:
        poor = [one for one in signed if one.fee_units < self.fee_units()]
        self.refused += poor
        rich = [one for one in signed if one not in poor]
        said = dict(zip([r.tx_id for r in rich], self._chain.broadcast(rich), strict=True))
        return [said.get(one.tx_id, "offers less than is asked for") for one in signed]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield made
    made.store.close()


@pytest.fixture
def base(world: World) -> Refusing:
    made = Refusing(world.services.chains[BASE])
    chains = {**world.services.chains, BASE: made}
    world.services = replace(world.services, chains=chains)
    return made


def test_what_was_refused_for_its_price_is_offered_more_with_the_same_nonce(
    world: World, base: Refusing
) -> None:
    intent = world.pay(BASE)

    def dearer(step: str) -> None:
        if step == "signed:START":
            base.dearer = 3

    world.engine = Engine(replace(world.services, reached=dearer), "test", sole=True)
    world.deposit(intent)
    assert world.until(intent, State.COMPLETED, within=200).state is State.COMPLETED
    assert len({one.nonce for one in base.refused}) == 1
    assert {one.fee_units for one in base.refused} == {base.fee_units() // 3}
