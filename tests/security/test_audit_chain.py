"""Attacks on the audit log by somebody who can write the database and lacks the secret key."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import delete, insert, select, update

from crossway.adapters.vault import open_vault
from crossway.storage import backup
from crossway.storage.service_tables import audit_log
from crossway.usecases.operating.key_rotation import rotate_encryption
from crossway.usecases.staff import audit
from tests.harness import SECRET_KEY, Harness


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    """A log of four entries."""
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    for number in range(4):
        record(built, f"action {number}")
    yield built
    built.store.close()


def record(world: Harness, action: str) -> None:
    at = world.services.clock.now()
    world.store.write(lambda unit: unit.audit_log.record("Ada", action, {"n": 1}, at))


def verify(world: Harness, known: str = "") -> audit.AuditVerification:
    return audit.verify_log(world.services, world.operator, known)


def rewrite_chain(world: Harness, **changes: Any) -> None:
    """Change every entry and recompute all hashes, as anybody can who knows how they are made."""
    with world.store.read() as unit:
        entries = unit.audit_log.list_after(0, 100)
        previous, rows = "", []
        for entry in entries:
            changed = replace(entry, **changes)
            previous = unit.audit_log.compute_hash(previous, changed)
            rows.append((entry.id, previous))
    with world.store.writer.begin() as db:
        for row_id, digest in rows:
            values = {"hash": digest, **changes}
            db.execute(update(audit_log).where(audit_log.c.id == row_id).values(values))


def test_a_rewritten_chain_is_noticed_although_all_its_hashes_match(world: Harness) -> None:
    assert verify(world).intact
    rewrite_chain(world, actor="Nobody")
    result = verify(world)
    assert (result.broken, result.signed, result.intact) == ((), False, False)


def test_signatures_of_other_entries_do_not_help(world: Harness) -> None:
    with world.store.reader.connect() as db:
        newest = db.execute(select(audit_log.c.mac).order_by(audit_log.c.id.desc())).scalar()
    rewrite_chain(world, actor="Nobody")
    with world.store.writer.begin() as db:
        db.execute(update(audit_log).values(mac=newest))
    assert not verify(world).intact


def test_an_added_entry_without_a_signature_is_noticed(world: Harness) -> None:
    with world.store.writer.begin() as db:
        row = dict(db.execute(select(audit_log).limit(1)).mappings().one())
        row |= {"id": 99, "actor": "Nobody", "mac": ""}
        db.execute(insert(audit_log), row)
    rewrite_chain(world)
    result = verify(world)
    assert (result.broken, result.intact) == ((), False)


def test_a_log_without_any_signature_is_not_intact(world: Harness) -> None:
    with world.store.writer.begin() as db:
        db.execute(update(audit_log).values(mac=""))
    assert not verify(world).intact


def test_a_truncated_log_is_noticed_by_the_hash_kept_with_a_backup(
    world: Harness, tmp_path: Path
) -> None:
    copy = tmp_path / "backup.db"
    backup.back_up(tmp_path / "crossway.db", copy)
    kept = json.loads((tmp_path / "backup.db.audit.json").read_text())
    assert kept == {"entries": 4, "newest": verify(world).newest}
    record(world, "later")
    assert verify(world, kept["newest"]).intact
    with world.store.writer.begin() as db:
        db.execute(delete(audit_log).where(audit_log.c.id > 2))
    assert verify(world).intact, "what is left matches"
    assert not verify(world, kept["newest"]).intact


def test_a_log_of_an_earlier_version_is_signed_once_and_says_so(world: Harness) -> None:
    with world.store.writer.begin() as db:
        db.execute(update(audit_log).values(mac=""))
    now = world.services.clock.now()
    assert audit.sign_earlier_entries(world.store, now)
    assert not audit.sign_earlier_entries(world.store, now)
    result = verify(world)
    assert (result.intact, result.entries, result.signed_from) == (True, 5, 5)
    rewrite_chain(world, actor="Nobody")
    assert not verify(world).intact


def test_an_unsigned_end_of_a_signed_log_is_not_signed_by_the_next_start(world: Harness) -> None:
    with world.store.writer.begin() as db:
        db.execute(update(audit_log).where(audit_log.c.id > 2).values(mac=""))
    assert not audit.sign_earlier_entries(world.store, world.services.clock.now())
    record(world, "the next action")
    result = verify(world)
    assert (result.unsigned, result.intact) == ((3, 4), False)


def test_the_log_stays_intact_when_the_secret_key_is_changed(world: Harness) -> None:
    new = Fernet.generate_key()
    both = replace(world.services, vault=open_vault([new, SECRET_KEY], world.store))
    assert audit.verify_log(both, world.operator).intact
    rotate_encryption(both, "Ada")
    alone = replace(both, vault=open_vault([new], world.store))
    assert audit.verify_log(alone, world.operator).intact
    with world.store.writer.begin() as db:
        db.execute(update(audit_log).where(audit_log.c.id == 1).values(actor="Nobody"))
    assert not audit.verify_log(alone, world.operator).intact
    with world.store.writer.begin() as db:
        db.execute(update(audit_log).where(audit_log.c.id == 1).values(actor="Ada"))
    rewrite_chain(world, actor="Nobody")
    assert not audit.verify_log(alone, world.operator).intact
