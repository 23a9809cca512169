"""The audit log for operators: filters, pages, and verification."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import update

from crossway.domain.clients import staff_principal
from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.intent import State
from crossway.ports.logs import AuditFilter
from crossway.storage.service_tables import audit_log as table
from crossway.usecases.chains import kill_switches
from crossway.usecases.developers import clients
from crossway.usecases.payments import manual_refunds
from crossway.usecases.staff import audit
from tests.databases import new_sqlite
from tests.harness import Harness

BASE = "BASE_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path))
    yield world
    world.store.close()


def test_every_change_records_actor_action_and_previous_values(world: Harness) -> None:
    services = world.services
    kill_switches.set_kill_switch(services, world.operator, f"chain:{BASE}", True, "node is down")
    kill_switches.set_kill_switch(services, world.operator, f"chain:{BASE}", False, "")
    on, off = audit.list_entries(services, world.operator, AuditFilter(subject=""), 10)[:2]
    assert (off.actor, off.action, off.detail["subject"]) == (
        "A shop",
        "disabled",
        f"chain:{BASE}",
    )
    assert off.before == {"off": False, "reason": ""}
    assert off.after == {"off": True, "reason": "node is down"}
    assert (on.before, on.after) == (off.after, off.before)
    assert {on.subject, off.subject} == {f"chain:{BASE}"}


def test_a_manual_refund_is_audited_under_its_intent(world: Harness) -> None:
    services = world.services
    intent = world.create_intent()
    world.deposit(intent, "short")
    world.pass_time(20)
    world.machine.seconds += 3700
    tx = []

    for _ in range(20):
        world.engine.tick()
        if world.reload(intent).state is State.EXPIRED:
            ticking = replace(services, process=replace(services.process, pause=world.engine.tick))
            tx.append(manual_refunds.refund(ticking, world.caller, intent.address))
            break
        world.machine.seconds += 1
    assert tx
    (entry,) = audit.list_entries(
        services, world.operator, AuditFilter(subject=f"intent:{intent.id}"), 10
    )
    assert (entry.actor, entry.action) == ("A shop", "refund")


def test_only_operators_see_the_log(world: Harness) -> None:
    for ask in (
        lambda: audit.list_entries(world.services, world.caller, AuditFilter(), 10),
        lambda: audit.verify_log(world.services, world.caller),
        lambda: audit.list_actors_and_actions(world.services, world.caller),
    ):
        with pytest.raises(Forbidden):
            ask()
    with pytest.raises(InvalidInput, match="limit must be from 1 to 200"):
        audit.list_entries(world.services, world.operator, AuditFilter(), 0)


def test_the_log_is_paged(world: Harness) -> None:
    for number in range(5):
        clients.create_client(
            world.services, f"Shop {number}", staff_principal("Ada" if number % 2 else "Bob")
        )
    first = audit.list_entries(world.services, world.operator, AuditFilter(), 2)
    rest = audit.list_entries(
        world.services, world.operator, AuditFilter(before_id=first[-1].id), 10
    )
    assert [entry.detail["client"] for entry in first + rest] == [
        f"Shop {number}" for number in (4, 3, 2, 1, 0)
    ]
    assert audit.list_actors_and_actions(world.services, world.operator) == (
        ["Ada", "Bob"],
        ["client created"],
    )


def test_tampering_with_the_log_is_detected(world: Harness) -> None:
    services, operator = world.services, world.operator
    empty = audit.verify_log(services, operator)
    assert (empty.entries, empty.intact) == (0, True)
    for number in range(3):
        clients.create_client(services, f"Shop {number}", staff_principal("Ada"))
    good = audit.verify_log(services, operator)
    assert (good.entries, good.broken, good.intact) == (3, (), True)
    clients.create_client(services, "Later", staff_principal("Ada"))
    assert audit.verify_log(services, operator, good.newest).intact
    (second,) = [e.id for e in audit.list_entries(services, operator, AuditFilter(), 10)][2:3]
    with world.store.writer.begin() as db:
        db.execute(update(table).where(table.c.id == second).values(actor="Eve"))
    bad = audit.verify_log(services, operator)
    assert (bad.broken, bad.intact) == ((second,), False)


def test_a_truncated_or_rewritten_log_lacks_an_exported_hash(
    world: Harness,
) -> None:
    services, operator = world.services, world.operator
    for number in range(3):
        clients.create_client(services, f"Shop {number}", staff_principal("Ada"))
    stored = audit.verify_log(services, operator).newest
    newest = audit.list_entries(services, operator, AuditFilter(), 1)[0].id
    with world.store.writer.begin() as db:
        db.execute(table.delete().where(table.c.id == newest))
    assert audit.verify_log(services, operator).intact, (
        "by itself a chain cannot tell that it was cut"
    )
    assert not audit.verify_log(services, operator, stored).intact


def test_entries_without_hashes_are_counted_separately(world: Harness) -> None:
    with world.store.writer.begin() as db:
        old = {"at": 1, "actor": "Ada", "action": "refund", "detail": "{}"}
        db.execute(table.insert(), [old, old])
    clients.create_client(world.services, "Shop", staff_principal("Ada"))
    result = audit.verify_log(world.services, world.operator)
    assert (result.entries, result.unhashed_entries, result.intact) == (3, 2, True)


def test_a_log_with_all_hashes_removed_is_not_verified(world: Harness) -> None:
    clients.create_client(world.services, "Shop", staff_principal("Ada"))
    assert audit.verify_log(world.services, world.operator).intact
    with world.store.writer.begin() as db:
        db.execute(update(table).values(hash="", actor="Eve"))
    result = audit.verify_log(world.services, world.operator)
    assert (result.unhashed, result.intact) == (True, False)
