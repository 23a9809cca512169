"""What the sweeps of a pass store together, and what by itself."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from crossway.engine.pass_writes import PassWrite, PassWrites
from crossway.ports.chain import Cursor
from tests.databases import new_postgres
from tests.harness import Harness

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET", "OPTIMISM_MAINNET")


class World(Harness):
    """A world that counts its commits."""

    def __init__(self, url: str) -> None:
        super().__init__(url, chains=CHAINS)
        self.writes, self.commits = PassWrites(self.services), 0
        event.listen(self.store.writer, "commit", self._count)

    def _count(self, _: object) -> None:
        self.commits += 1

    def add(self, chain: str, fails: bool = False, **more: Any) -> None:
        """A sweep that stores the cursor of a chain, with others only if it does not fail there."""

        def store(unit: Any, fails: bool) -> str:
            assert unit.cursors.save(chain, None, Cursor(1, "hash"))
            if fails:
                raise ValueError(chain)
            return chain

        def alone() -> str:
            return self.store.write(lambda unit: store(unit, False))

        work: Callable[[Any], str] = lambda unit: store(unit, fails)  # noqa: E731
        self.writes.add(PassWrite(work, alone, lambda stored: CHAINS.index(stored) + 1, **more))

    def stored(self) -> set[str]:
        with self.store.read() as unit:
            return set(unit.cursors.get_all())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    built = World(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield built
    built.store.close()


def test_all_that_sweeps_decide_is_one_transaction(world: World) -> None:
    for chain in CHAINS:
        world.add(chain)
    assert (world.stored(), world.commits) == (set(), 0)
    assert world.writes.commit() == 1 + 2 + 3
    assert (world.stored(), world.commits) == (set(CHAINS), 1)
    assert world.writes.commit() == 0, "nothing is stored twice"
    assert world.commits == 1


def test_where_one_fails_each_is_stored_by_itself(world: World) -> None:
    world.add(CHAINS[0])
    world.add(CHAINS[1], fails=True)
    world.add(CHAINS[2])
    assert world.writes.commit() == 1 + 2 + 3
    assert (world.stored(), world.commits) == (set(CHAINS), 3)


def test_one_that_cannot_be_stored_at_all_does_not_stop_those_after_it(world: World) -> None:
    world.add(CHAINS[0])
    world.add(CHAINS[0])  # It is stored already, so that this one fails together and alone.
    world.add(CHAINS[2])
    with pytest.raises(AssertionError):
        world.writes.commit()
    assert world.stored() == {CHAINS[0], CHAINS[2]}


def test_what_asks_outside_does_not_keep_the_others_waiting(world: World) -> None:
    world.add(CHAINS[0])
    world.add(CHAINS[1], fails=True, asks_outside=True)
    world.add(CHAINS[2])
    assert world.writes.commit() == 1 + 2 + 3
    assert (world.stored(), world.commits) == (set(CHAINS), 3)


def test_writers_that_wait_for_rows_of_each_other_are_short(postgres_url: str) -> None:
    with new_postgres(postgres_url) as url:
        world = World(url)
        for chain in CHAINS:
            world.add(chain, fails=True)
        assert world.writes.commit() == 1 + 2 + 3
        assert (world.stored(), world.commits) == (set(CHAINS), 3)
        world.store.close()
