"""Attacks on a copied database file: names and account numbers must not be readable in it."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import insert, select, update

from crossway.adapters.vault import open_vault
from crossway.domain.clients import staff_principal
from crossway.domain.public_ids import RecordKind
from crossway.domain.ramps import OrderEvent
from crossway.domain.webhooks import DeliveryAttempt
from crossway.ports.ramp_repository import OrderChange
from crossway.storage.all_tables import METADATA
from crossway.storage.encrypted_values import SEALED_COLUMNS
from crossway.storage.ramp_tables import orders
from crossway.storage.sealing import PREFIX, SEALED
from crossway.storage.search_tables import notes
from crossway.usecases.developers import request_log
from crossway.usecases.operating.key_rotation import rotate_encryption, seal_stored_text
from crossway.usecases.payments import notes_and_saved_views
from tests.api.conftest import Api, new_key, new_service, new_test_client
from tests.api.ramp_requests import get_order, order_body, verified_customer
from tests.record_numbers import record_id
from tests.storage.records import NOW

NAME = "Wilhelmina Quartermaine"
ACCOUNT = "0690000031415926"


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    service = new_service(tmp_path)
    with new_test_client(service.services) as http:
        yield Api(http, service, *new_key(service))
    service.close()


def read_files(folder: Path) -> bytes:
    """Everything that the folder's database consists of, its write-ahead log included."""
    return b"".join(path.read_bytes() for path in folder.glob("test.db*"))


def create_order_of_person(api: Api) -> Any:
    """An order whose every free field holds the person's name or account."""
    body = order_body(api)
    body["fields"] = {key: _fill(key, value) for key, value in body["fields"].items()}
    body["userEmail"] = verified_customer(api, body["provider"])
    answer = api.post("/ramp/orders", body, Idempotency_Key="one")
    assert answer.status_code == 201, answer.text
    return answer.json()


def _fill(key: str, value: str) -> str:
    if "name" in key.lower():
        return NAME
    return ACCOUNT if "account" in key.lower() else value


def find_id(api: Api, order: Any) -> int:
    """The order's number in the database."""
    return record_id(api.service.services, RecordKind.ORDER, order["id"])


def hear_from_provider(api: Api, order: Any) -> None:
    """What a provider may write: the person's name in instructions, page and reason."""
    store = api.service.store
    with store.read() as unit:
        before = unit.orders.get(find_id(api, order))
    assert before is not None
    after = replace(
        before,
        instructions={"Account name": NAME, "Account number": ACCOUNT},
        widget_url=f"https://widget.example/?name={NAME}",
        metadata={"customer": NAME},
        failure_reason=f"{NAME} is not the holder of {ACCOUNT}",
    )
    change = OrderChange(before, after, OrderEvent.CONFIRM, f"{NAME} was told")
    store.write(lambda unit: unit.orders.apply([change]))


def plant(api: Api) -> Any:
    """The person's name in every field that may hold it, by the ways it gets there."""
    order, services = create_order_of_person(api), api.service.services
    hear_from_provider(api, order)
    assert api.get(f"/ramp/orders/{order['id']}").json()["paymentInstructions"] == {
        "Account name": NAME,
        "Account number": ACCOUNT,
    }
    intent, staff = api.create().json(), staff_principal("Ada")
    number = record_id(services, RecordKind.INTENT, intent["id"])
    notes_and_saved_views.add_note(services, staff, number, f"{NAME} called")
    attempt = DeliveryAttempt(1, NOW, 500, f"no {NAME}", 1, f"x: {NAME}", f"{NAME} is unknown")
    api.service.store.write(lambda unit: unit.deliveries.save_results([], [attempt]))
    api.post("/ramp/orders", {"provider": NAME, "fiatCurrency": NAME})
    while request_log.write_batch(services):
        pass
    return order


def test_names_are_in_no_database_file(api: Api, tmp_path: Path) -> None:
    order = plant(api)
    content = read_files(tmp_path)
    for secret in (NAME, NAME.split()[1], ACCOUNT):
        assert secret.encode() not in content
    # All of it can still be read through the service.
    shown = get_order(api, order)
    assert NAME in shown["failureReason"]
    assert shown["metadata"] == {"customer": NAME}
    with api.service.store.read() as unit:
        assert NAME in unit.orders.list_transitions(find_id(api, order))[-1].note
        assert NAME in unit.deliveries.list_attempts(1)[0].response


def test_a_request_sent_again_gets_its_encrypted_answer(api: Api) -> None:
    body = order_body(api)
    first = api.post("/ramp/orders", body, Idempotency_Key="same")
    again = api.post("/ramp/orders", body, Idempotency_Key="same")
    assert again.headers["idempotent-replayed"] == "true"
    assert again.json() == first.json()


def test_what_an_earlier_version_stored_is_encrypted_once(api: Api, tmp_path: Path) -> None:
    order, store = plant(api), api.service.store
    with store.writer.begin() as db:
        plain = {"instructions": f'{{"Account name":"{NAME}"}}', "failure_reason": NAME}
        db.execute(update(orders).where(orders.c.id == find_id(api, order)).values(plain))
        db.execute(insert(notes), {"subject": "x", "at": 0, "author": "Ada", "text": NAME})
        db.exec_driver_sql("DELETE FROM stored_secrets WHERE name = 'sealed text'")
    assert NAME.encode() in read_files(tmp_path)
    assert get_order(api, order)["paymentInstructions"] == {"Account name": NAME}
    vault = api.service.services.vault
    assert seal_stored_text(store, vault) == 3
    assert seal_stored_text(store, vault) == 0
    store.compact()
    assert NAME.encode() not in read_files(tmp_path)
    assert get_order(api, order)["failureReason"] == NAME


def test_a_rotation_covers_every_sealed_column(api: Api, tmp_path: Path) -> None:
    order, store, new = plant(api), api.service.store, Fernet.generate_key()
    old = (tmp_path / "secret.key").read_bytes().strip()
    services = replace(api.service.services, vault=open_vault([new, old], store))
    result = rotate_encryption(services, "Ada")
    assert result.clean
    for name in ("instructions", "widget_url", "failure_reason", "metadata"):
        assert result.reencrypted[f"orders.{name}"] == 1
    open_vault([new], store)
    with store.read() as unit:
        found = unit.orders.get(find_id(api, order))
    assert found is not None
    assert found.instructions["Account name"] == NAME
    alone = Fernet(new)
    with sqlite3.connect(tmp_path / "test.db") as db:
        for table, column in SEALED_COLUMNS:
            sealed = f"SELECT {column} FROM {table.name} WHERE {column} LIKE '{PREFIX}%'"
            for (value,) in db.execute(sealed):
                assert alone.decrypt(value.removeprefix(PREFIX).encode())


def test_every_column_that_is_sealed_is_rotated() -> None:
    marked = {
        (table.name, column.name)
        for table in METADATA.sorted_tables
        for column in table.columns
        if SEALED in column.info
    }
    assert marked == {(table.name, column) for table, column in SEALED_COLUMNS}


def test_a_store_without_its_vault_writes_no_name(tmp_path: Path, api: Api) -> None:
    from crossway.storage.store import open_store

    store = open_store(f"sqlite:///{tmp_path / 'test.db'}")
    attempt = DeliveryAttempt(1, NOW, 500, NAME, 1, "", "")
    with pytest.raises(LookupError, match="not unlocked"):
        store.write(lambda unit: unit.deliveries.save_results([], [attempt]))
    with store.reader.connect() as db:
        assert db.execute(select(notes.c.id)).all() == []
    store.close()
