"""Two engines on one SQLite database: every effect happens exactly once."""

import operator
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.engine.loop import Engine
from crossway.ports.alert_repository import AlertFilter
from tests.harness import Harness
from tests.invariants import check_invariants, list_intents, nothing_outstanding
from tests.processes import PATIENCE_SECONDS

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET", "OPTIMISM_MAINNET")
PAYMENTS = 24
ONCE = ["intent_completed", "intent_created", "intent_funded", "intent_initiated"]


class Passes:
    """The passes of engines that run in threads of their own, and the errors they raised."""

    def __init__(self, engines: int) -> None:
        self.raised: list[BaseException] = []
        self._ended, self._changed = [0] * engines, threading.Condition()

    def record(self, engine: int, error: BaseException | None) -> None:
        with self._changed:
            self._ended[engine] += 1
            self.raised += [error] if error is not None else []
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until every engine has begun and ended a pass, or one has failed."""
        with self._changed:
            # The one that runs now began earlier.
            enough = [ended + 2 for ended in self._ended]
            assert self._changed.wait_for(
                lambda: self.raised or all(map(operator.ge, self._ended, enough)), PATIENCE_SECONDS
            )


@contextmanager
def ticking(engines: list[Engine]) -> Iterator[Passes]:
    """Run every engine in a loop in its own thread."""
    over, passes = threading.Event(), Passes(len(engines))

    def run(number: int) -> None:
        while not over.is_set():
            try:
                engines[number].tick()
            except BaseException as error:
                passes.record(number, error)
                return
            passes.record(number, None)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(engines))]
    for thread in threads:
        thread.start()
    try:
        yield passes
    finally:
        over.set()
        for thread in threads:
            thread.join()


def pass_time(worlds: list[Harness], passes: Passes, seconds: float) -> None:
    """Let time pass, which every engine observes."""
    for world in worlds:
        world.machine.seconds += seconds
    passes.wait()


@pytest.mark.parametrize(
    "owners",
    [("first", "second"), ("the same", "the same")],
    ids=["each works its share", "both believe that all is theirs"],
)
def test_two_engines_execute_everything_once(owners: tuple[str, str], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    worlds = [Harness(url, chains=CHAINS), Harness(url, chains=CHAINS)]
    engines = [
        Engine(world.services, owner, monotonic_seconds=world.machine)
        for world, owner in zip(worlds, owners, strict=True)
    ]
    world = worlds[0]
    with ticking(engines) as passes:
        for _ in range(12):
            pass_time(worlds, passes, 1)
        for number in range(PAYMENTS):
            source, to = CHAINS[number % 4], CHAINS[(number + 1) % 4]
            recipient = world.wallet(to, f"recipient {number}")
            made = world.create_intent(source, to, recipient=recipient)
            world.deposit(made, "over" if number % 3 == 0 else "exact")
            pass_time(worlds, passes, 0.5)
        for _ in range(400):
            pass_time(worlds, passes, 1)
            if passes.raised or nothing_outstanding(world):
                break
    assert passes.raised == []
    assert nothing_outstanding(world)
    check_invariants(world)
    made_intents = list_intents(world)
    assert [intent.state for intent in made_intents] == [State.COMPLETED] * PAYMENTS
    with world.store.read() as unit:
        history = unit.intents.list_transitions([intent.id for intent in made_intents])
        assert unit.alerts.list_active() == []
        assert unit.alerts.list_resolved(AlertFilter(), 10) == []
    event_counts = Counter((move.intent_id, move.event_type) for move in history if move.event_type)
    assert event_counts == {(intent.id, kind): 1 for intent in made_intents for kind in ONCE}
    for one in worlds:
        one.store.close()
