"""A month as a whole: planned, played on a stage, and put in the place of what there was."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from random import Random

from crossway.demo.beside import finish, open_webhooks, ramp_orders
from crossway.demo.payments import Cast, carry_on, play
from crossway.demo.plan import Payment, first_moment, merchants, planned
from crossway.demo.stage import Now, Stage, stage
from crossway.domain.clients import Caller, Mode, Scope
from crossway.ports.demo import Filled, Tell
from crossway.ports.vault import Vault
from crossway.settings import Settings
from crossway.storage.exchange import holds_business, put_in_place
from crossway.storage.store import SqlStore
from crossway.usecases.developers import clients
from crossway.usecases.developers.clients import ClientChange
from crossway.usecases.money import stock

_SEED = 11


@dataclass(frozen=True)
class Month:
    """`ports.demo.Demo` for a service; `resting` keeps its engine still while tables are replaced,
    `vault` opens a database's encrypted values, `anew` is done once all is gone."""

    settings: Settings
    store: SqlStore
    vault: Callable[[SqlStore], Vault]
    resting: Callable[[], AbstractContextManager[None]]
    anew: Callable[[], None]
    days: int = 30

    def business(self) -> tuple[int, int]:
        held = holds_business(self.store.reader)
        return held["intents"], held["orders"]

    def fill(self, payments: int, tell: Tell) -> Filled:
        tell(0.0, "The month is planned")
        end = time.time()
        groups = planned(end, payments, self.days)
        with stage(self.settings, self.store, self.vault, first_moment(end, self.days)) as on:
            _play(on, groups, tell)
            tell(0.95, "The month is put in its place")
            held = holds_business(on.store.reader)
            with self.resting():
                records = put_in_place(on.store.reader, self.store.writer)
        tell(1.0, "The month is there")
        return Filled(held["intents"], held["orders"], records)

    def empty(self, keep_clients: bool) -> None:
        with (
            stage(self.settings, self.store, self.vault, time.time()) as on,
            self.resting(),
        ):
            put_in_place(on.store.reader, self.store.writer, keep_clients)
            if not keep_clients:
                self.anew()


def _play(on: Stage, groups: Sequence[Sequence[Payment]], tell: Tell) -> None:
    cast = _cast(on)
    open_webhooks(on, cast)
    on.engine.tick()
    stock.take_in(on.services, on.operator)
    total, done = sum(map(len, groups)), 0
    for group in groups:
        day = time.strftime("%d %B", time.gmtime(group[0].at))
        tell(0.02 + 0.9 * done / total, f"{day}: {done:,} of {total:,} payments")
        play(on, cast, group)
        ramp_orders(on, cast, len(group))
        done += len(group)
    tell(0.93, "The last hour")
    finish(on, cast)
    on.hand.to(time.time())
    on.awake.update(on.services.chains)
    carry_on(on, (0, 0))


def _cast(on: Stage) -> Cast:
    # Whoever was a client before stays the first one, for whom operators make payments.
    today = replace(on.services, clock=Now())
    callers: dict[str, Caller] = {}
    for merchant in merchants():
        client = clients.named(on.services, merchant.name) or clients.create(
            today, merchant.name, on.operator
        )
        look = ClientChange(display_name=merchant.name.partition(" (")[0], colour=merchant.colour)
        client = clients.change(on.services, client.id, look, on.operator)
        mode = Mode.TEST if merchant.test else Mode.LIVE
        callers[merchant.name] = Caller(client, mode, frozenset(Scope))
    return Cast(callers, {one.name: one for one in merchants()}, Random(_SEED))
