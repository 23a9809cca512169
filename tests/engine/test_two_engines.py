"""Two engines on one SQLite database: every effect happens exactly once."""

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

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET", "POLYGON_MAINNET", "OPTIMISM_MAINNET")
PAYMENTS = 24
ONCE = ["intent_completed", "intent_created", "intent_funded", "intent_initiated"]


@contextmanager
def ticking(engines: list[Engine]) -> Iterator[list[BaseException]]:
    """Run every engine in a loop in its own thread; yields the errors they raise."""
    over = threading.Event()
    raised: list[BaseException] = []

    def run(engine: Engine) -> None:
        while not over.is_set():
            try:
                engine.tick()
            except BaseException as error:
                raised.append(error)
                return

    threads = [threading.Thread(target=run, args=(engine,)) for engine in engines]
    for thread in threads:
        thread.start()
    try:
        yield raised
    finally:
        over.set()
        for thread in threads:
            thread.join()


def pass_time(worlds: list[Harness], seconds: float) -> None:
    for world in worlds:
        world.machine.seconds += seconds
    # Not a wait for a result: the engines must observe every second.
    threading.Event().wait(0.05)


@pytest.mark.parametrize(
    "owners",
    [("first", "second"), ("the same", "the same")],
    ids=["each works its share", "both believe that all is theirs"],
)
def test_two_engines_execute_everything_once(owners: tuple[str, str], tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    worlds = [Harness(url, chains=CHAINS), Harness(url, chains=CHAINS)]
    engines = [Engine(world.services, owner) for world, owner in zip(worlds, owners, strict=True)]
    world = worlds[0]
    with ticking(engines) as raised:
        for _ in range(12):
            pass_time(worlds, 1)
        for number in range(PAYMENTS):
            source, to = CHAINS[number % 4], CHAINS[(number + 1) % 4]
            recipient = world.wallet(to, f"recipient {number}")
            made = world.create_intent(source, to, recipient=recipient)
            world.deposit(made, "over" if number % 3 == 0 else "exact")
            pass_time(worlds, 0.5)
        for _ in range(400):
            pass_time(worlds, 1)
            if raised or nothing_outstanding(world):
                break
    assert raised == []
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
