"""The migration that recounts how payments ended finds what the engine counts."""

from typing import Any

from sqlalchemy import text

from crossway.domain.intent import State
from crossway.ports.sandbox import Faults, StrangerAction
from crossway.storage.migrate import upgrade
from crossway.storage.store import SqlStore
from tests.bridges.world import BridgeWorld
from tests.harness import Harness
from tests.storage.test_mode_migration import downgrade

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
BEFORE = "v1_0021"


class OnDatabase(BridgeWorld):
    """A `BridgeWorld` over CCTP on a database of the test's own."""

    def __init__(self, url: str) -> None:
        Harness.__init__(self, url, chains=(BASE, ARBITRUM), over_bridges=("CCTP",))


def statistics(store: SqlStore) -> list[tuple[Any, ...]]:
    with store.reader.connect() as db:
        rows = db.execute(text("SELECT * FROM corridor_stats WHERE payment_count <> 0"))
        return sorted(tuple(row) for row in rows)


def forget_and_recount(store: SqlStore) -> list[tuple[Any, ...]]:
    """The statistics after the migration, of which an earlier version had counted some wrongly."""
    with store.writer.begin() as db:
        db.execute(text("DELETE FROM corridor_stats WHERE outcome = 'failed'"))
        db.execute(text("UPDATE corridor_stats SET payment_count = 7, micro_usd = 1"))
    downgrade(store, BEFORE)
    upgrade(store.writer)
    return statistics(store)


def test_what_ended_out_of_inventory_is_recounted(url: str) -> None:
    world = Harness(url, chains=(BASE, ARBITRUM))
    paid, refused, short = (world.create_intent() for _ in range(3))
    world.deposit(paid)
    world.wait_for_state(paid, State.COMPLETED)
    world.deposit(refused)
    world.wait_for_state(refused, State.INITIATED)
    world.sandbox.inject_faults(ARBITRUM, Faults(refuse=[refused.terms.recipient]))
    world.wait_for_state(refused, State.REFUNDED, within=600)
    world.deposit(short, "short")
    world.create_intent()
    world.pass_time(3_800, step=100)
    before = statistics(world.store)
    assert len(before) == 4, "one paid and one failed, by hour and by day"
    assert forget_and_recount(world.store) == before
    world.store.close()


def test_what_bridges_delivered_parked_and_released_is_recounted(url: str) -> None:
    world = OnDatabase(url)
    delivered, released, parked = (
        world.create_intent(recipient=world.wallet(ARBITRUM, name)) for name in "abc"
    )
    recipients = [intent.terms.recipient for intent in (released, parked)]
    for intent in (delivered, released, parked):
        world.deposit(intent)
        world.wait_for(intent, "SEEN")
    world.sandbox.inject_faults(ARBITRUM, Faults(refuse=recipients))
    world.wait_for_state(delivered, State.COMPLETED)
    for intent in (released, parked):
        world.wait_for_state(intent, State.FAILED)
    world.sandbox.inject_faults(ARBITRUM, Faults(accept=[released.terms.recipient]))
    world.act(released, StrangerAction.RELEASE)
    world.wait_for_state(released, State.COMPLETED, within=4_000)
    before = statistics(world.store)
    counts = {(row[7], row[9]) for row in before if row[0] == "day"}
    assert counts == {("paid", 1), ("failed", 1)}
    assert forget_and_recount(world.store) == before
    world.store.close()


def test_a_new_database_has_nothing_to_recount(url: str) -> None:
    world = Harness(url, chains=(BASE,))
    assert statistics(world.store) == []
    assert forget_and_recount(world.store) == []
    world.store.close()
