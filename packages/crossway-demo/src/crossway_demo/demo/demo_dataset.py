"""The demo dataset as a whole: planned, played on a throwaway service, then swapped in."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from random import Random

from crossway.domain.clients import Mode, Principal, Scope
from crossway.ports.demo import DemoProgress, DemoSummary, OnReplaced, ReportProgress
from crossway.ports.store import UnitOfWork
from crossway.ports.vault import Vault
from crossway.settings import Settings
from crossway.storage.database_swap import holds_business, replace_data
from crossway.storage.store import SqlStore
from crossway.usecases.developers import clients
from crossway.usecases.developers.clients import ClientUpdate
from crossway.usecases.money import inventory_adjustments
from crossway_demo.demo import business
from crossway_demo.demo.demo_world import DemoWorld, MachineClock, open_demo_world
from crossway_demo.demo.payments import DemoActors, play_group, run_engine
from crossway_demo.demo.scenario_plan import Payment, list_merchants, plan_payments, start_time
from crossway_demo.demo.side_activity import create_ramp_orders, create_webhooks, finish

_SEED = 11
_MAX_AUDIT_ENTRIES = 500
# The shares of the work that are done once the planned payments, and all payments, are played.
_GROUPS_SHARE, _PLAYED_SHARE = 0.9, 0.97


@dataclass(frozen=True)
class DemoDataset:
    """`ports.demo.Demo` for a service.

    `open_vault` opens the encrypted values of a database, `pause_engine` stops this process's
    engine while tables are replaced, `on_emptied` runs after everything was removed.
    """

    settings: Settings
    store: SqlStore
    open_vault: Callable[[SqlStore], Vault]
    pause_engine: Callable[[], AbstractContextManager[None]]
    on_emptied: Callable[[], None]
    days: int = 30

    def count_records(self) -> tuple[int, int]:
        counts = holds_business(self.store.reader)
        return counts["intents"], counts["orders"]

    def generate(
        self, payments: int, on_progress: ReportProgress, on_replaced: OnReplaced
    ) -> DemoSummary:
        on_progress(DemoProgress(step="Planning the payments"))
        end = time.time()
        groups = plan_payments(end, payments, self.days)
        start = start_time(end, self.days)
        with open_demo_world(self.settings, self.store, self.open_vault, start) as world:
            _play(world, groups, start, on_progress)
            counts = holds_business(world.store.reader)
            total = sum(map(len, groups))
            with world.store.read() as unit:
                entries = unit.audit_log.list_after(0, _MAX_AUDIT_ENTRIES)

            def add_entries(unit: UnitOfWork) -> None:
                """What people of the demo month have done: the log itself is never replaced."""
                for e in entries:
                    unit.audit_log.record(
                        e.actor, e.action, e.detail, e.at, e.subject, e.before, e.after
                    )
                on_replaced(unit, counts["intents"])

            with self.pause_engine():
                # Last, as it may find what came while the engine was stopping.
                on_progress(DemoProgress(total, total, _PLAYED_SHARE, "Replacing the data"))
                records = replace_data(world.store.reader, self.store.writer, add_entries)
        return DemoSummary(counts["intents"], counts["orders"], records)

    def clear(self, keep_clients: bool, on_replaced: OnReplaced) -> None:
        world_of = (self.settings, self.store, self.open_vault, time.time())
        with open_demo_world(*world_of, stocked=False) as world, self.pause_engine():
            replace_data(
                world.store.reader,
                self.store.writer,
                lambda unit: on_replaced(unit, 0),
                keep_clients,
            )
            if not keep_clients:
                self.on_emptied()


def _play(
    world: DemoWorld,
    groups: Sequence[Sequence[Payment]],
    start: float,
    on_progress: ReportProgress,
) -> None:
    actors = _create_actors(world)
    create_webhooks(world, actors)
    world.tick(5)
    inventory_adjustments.book_opening_balances(world.services, business.person("treasurer"))
    business.set_up(world)
    business.plan_month(world, actors, start, groups[-1][0].at)
    total, done = sum(map(len, groups)), 0
    for group in groups:
        day = time.strftime("%d %B", time.gmtime(group[0].at))
        on_progress(DemoProgress(done, total, _GROUPS_SHARE * done / total, day))
        play_group(world, actors, group)
        create_ramp_orders(world, actors, len(group))
        done += len(group)
    on_progress(DemoProgress(done, total, _GROUPS_SHARE, "The last hour"))
    business.write_notes(world)
    finish(world, actors)
    world.clock.advance_to(time.time())
    world.active_chains.update(world.services.chains)
    run_engine(world, (0, 0))


def _create_actors(world: DemoWorld) -> DemoActors:
    # Created with today's date, so that existing clients stay older than the demo merchants.
    today = replace(world.services, clock=MachineClock())
    callers: dict[str, Principal] = {}
    for merchant in list_merchants():
        client = clients.find_client_by_name(
            world.services, merchant.name
        ) or clients.create_client(today, merchant.name, world.operator)
        display_name = merchant.name.partition(" (")[0]
        change = ClientUpdate(display_name=display_name, colour=merchant.colour)
        client = clients.update_client(world.services, client.id, change, world.operator)
        mode = Mode.TEST if merchant.test else Mode.LIVE
        callers[merchant.name] = Principal(client, mode, frozenset(Scope))
    merchants = {merchant.name: merchant for merchant in list_merchants()}
    return DemoActors(callers, merchants, Random(_SEED))
