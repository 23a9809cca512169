"""The migration that gives each owner its own record of a person."""

from typing import Any

from sqlalchemy import text

from crossway.domain.clients import Mode, Owner, OwnerFilter
from crossway.domain.ramps import OrderState, ProviderName
from crossway.ports.ramp_repository import KycCustomer, KycSubmissionSync
from crossway.storage.migrate import upgrade
from crossway.storage.store import SqlStore
from tests.storage.ramp_records import a_submission, store_customer, store_order
from tests.storage.records import NOW, a_client
from tests.storage.test_mode_migration import add_key, downgrade

BEFORE = "v1_0008"
YC = ProviderName.YELLOW_CARD


def run(store: SqlStore, statement: str, **parameters: Any) -> None:
    with store.writer.begin() as db:
        db.execute(text(statement), parameters)


def share_one_record(store: SqlStore) -> KycCustomer:
    """One record of a person, as before: orders of two clients and of both modes, a submission of a
    client without orders, and a person whom nobody has anything of."""
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-3")))
    add_key(store, "c-3", Mode.LIVE)
    person = store_customer(store)
    for client, mode in (("c-1", "test"), ("c-1", "live"), ("c-2", "test")):
        more = {"client_id": client, "mode": mode, "state": OrderState.COMPLETED}
        store_order(store, customer_id=person.id, **more)
    submissions = [a_submission(person, key) for key in ("name", "birth", "number")]
    store.write(lambda unit: unit.kyc_customers.save_submissions(submissions))
    sync = KycSubmissionSync(person.id, YC, "NG", "m-1", 0, NOW)
    store.write(lambda unit: unit.kyc_customers.schedule_sync(sync))
    store_customer(store, "nobody's")
    downgrade(store, BEFORE)
    for client, field in (("c-1", "name"), ("c-2", "birth"), ("c-3", "number")):
        run(store, "UPDATE kyc_submissions SET client_id = :c WHERE field = :f", c=client, f=field)
    return person


def test_a_shared_record_is_split_and_nobody_gets_anothers_data(store: SqlStore) -> None:
    person = share_one_record(store)
    upgrade(store.writer)
    expected = {
        Owner("c-1", Mode.TEST): ({"name"}, 1),
        Owner("c-1", Mode.LIVE): ({"name"}, 1),
        Owner("c-2", Mode.TEST): ({"birth"}, 1),
        Owner("c-3", Mode.LIVE): ({"number"}, 0),
    }
    with store.read() as unit:
        records = unit.kyc_customers.list_by_email(OwnerFilter(), "digest")
        assert {Owner(r.client_id, r.mode) for r in records} == set(expected)
        assert {r.encrypted_email for r in records} == {person.encrypted_email}
        assert unit.kyc_customers.list_by_email(OwnerFilter(), "nobody's") == []
        for record in records:
            fields, orders = expected[Owner(record.client_id, record.mode)]
            assert unit.kyc_customers.list_submitted_fields(record.id, YC, "NG") == fields
            assert unit.kyc_customers.get_sync(record.id, YC, "NG") is not None
            own = OwnerFilter(record.client_id, record.mode)
            listed = unit.orders.count_by_state(own)
            assert sum(listed.values()) == orders
        usage = unit.kyc_customers.get_usage(Owner("c-1", Mode.TEST), "digest", YC, NOW)
        assert (usage.own_micro_usd, usage.person_micro_usd) == (100 * 10**6, 200 * 10**6)


def test_a_downgrade_joins_the_records_again(store: SqlStore) -> None:
    share_one_record(store)
    upgrade(store.writer)
    downgrade(store, BEFORE)
    with store.reader.connect() as db:
        [kept] = db.execute(text("SELECT id FROM kyc_customers")).scalars().all()
        ordered = text("SELECT count(*) FROM orders WHERE customer_id = :id")
        assert db.execute(ordered, {"id": kept}).scalar_one() == 3
        fields = text("SELECT field FROM kyc_submissions WHERE customer_id = :id ORDER BY field")
        assert db.execute(fields, {"id": kept}).scalars().all() == ["birth", "name", "number"]
    upgrade(store.writer)
