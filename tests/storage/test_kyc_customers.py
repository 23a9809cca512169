"""KYC customers: one for each digest, their submissions, and complete erasure."""

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from crossway.domain.clients import Mode, Owner, OwnerFilter
from crossway.domain.ramps import OrderState, ProviderName
from crossway.ports.ramp_repository import KycCustomer, KycSubmissionSync, KycUsage
from crossway.storage.all_tables import METADATA
from crossway.storage.encrypted_values import ENCRYPTED_COLUMNS
from crossway.storage.store import SqlStore, SqlUnitOfWork
from tests.storage.ramp_records import a_submission, an_order, store_customer, store_order
from tests.storage.records import NOW, later, run_concurrently

YC, S = ProviderName.YELLOW_CARD, OrderState
OWNER = Owner("c-1", Mode.TEST)


def a_sync(sync_id: str = "m-1", customer: str = "p") -> KycSubmissionSync:
    return KycSubmissionSync(customer, YC, "NG", sync_id, 0, NOW)


def test_one_digest_is_one_customer_of_each_owner(store: SqlStore) -> None:
    result = run_concurrently([partial(store_customer, store)] * 8)
    assert len({customer.id for customer in result}) == 1
    others = [
        store_customer(store, client_id="c-2"),
        store_customer(store, mode=Mode.LIVE),
        store_customer(store, "another"),
    ]
    assert len({customer.id for customer in [result[0], *others]}) == 4
    with store.read() as unit:
        assert (
            unit.kyc_customers.find(OWNER, "digest")
            == unit.kyc_customers.get(result[0].id)
            == result[0]
        )
        assert unit.kyc_customers.find(OWNER, "a third") is None
        assert unit.kyc_customers.get("nobody") is None
        in_test = unit.kyc_customers.list_by_email(OwnerFilter(mode=Mode.TEST), "digest")
        assert {customer.id for customer in in_test} == {result[0].id, others[0].id}


def test_a_second_submission_replaces_the_first(store: SqlStore) -> None:
    customer = store_customer(store)
    first = [a_submission(customer, key) for key in ("name", "birth")]
    again = a_submission(customer, encrypted_value=b"anew", at=later(1))
    elsewhere = a_submission(customer, country="KE")
    for made in (first, [again], [elsewhere]):
        store.write(lambda unit, made=made: unit.kyc_customers.save_submissions(made))  # type: ignore[misc]
    with store.read() as unit:
        assert unit.kyc_customers.list_submissions(customer.id, YC, "NG") == [first[1], again]
        assert unit.kyc_customers.list_submitted_fields(customer.id, YC, "NG") == {"name", "birth"}
        assert unit.kyc_customers.list_submitted_fields(customer.id, YC, "KE") == {"name"}
        assert unit.kyc_customers.list_submissions(customer.id, "FONBNK", "NG") == []


def test_only_the_newest_submission_is_synchronised(store: SqlStore) -> None:
    store.write(lambda unit: unit.kyc_customers.schedule_sync(a_sync("m-1")))
    store.write(lambda unit: unit.kyc_customers.schedule_sync(a_sync("m-2")))
    store.write(lambda unit: unit.kyc_customers.delete_sync("m-1"))
    late = replace(a_sync("m-1"), attempt_count=9)
    store.write(lambda unit: unit.kyc_customers.update_sync(late))
    with store.read() as unit:
        assert unit.kyc_customers.get_sync("p", YC, "NG") == a_sync("m-2")
        assert unit.kyc_customers.get_sync("p", YC, "KE") is None
    store.write(lambda unit: unit.kyc_customers.delete_sync("m-2"))
    with store.read() as unit:
        assert unit.kyc_customers.get_sync("p", YC, "NG") is None


def test_a_due_sync_is_leased_once(store: SqlStore) -> None:
    for n in range(3):
        one = a_sync(f"m-{n}", f"p-{n}")
        store.write(lambda unit, one=one: unit.kyc_customers.schedule_sync(one))  # type: ignore[misc]
    refused = replace(a_sync("m-2", "p-2"), next_at=None, attempt_count=1)
    store.write(lambda unit: unit.kyc_customers.update_sync(refused))

    def take() -> list[str]:
        due = store.write(lambda unit: unit.kyc_customers.lease_due_syncs(NOW, 9, later(60)))
        return sorted(item.sync_id for item in due)

    with store.read() as unit:
        assert unit.kyc_customers.has_due_syncs(NOW)
        assert not unit.kyc_customers.has_due_syncs(later(-1))
    assert [found for found in run_concurrently([take] * 6) if found] == [["m-0", "m-1"]]
    with store.read() as unit:
        assert not unit.kyc_customers.has_due_syncs(NOW)
        assert unit.kyc_customers.get_sync("p-2", YC, "NG") == refused


def test_an_erasure_deletes_one_owners_data_and_the_orders_stay(store: SqlStore) -> None:
    customer, other = store_customer(store), store_customer(store, client_id="c-2")
    fields = {"encrypted_fields": b"s", "state": OrderState.COMPLETED}
    names = {"instructions": {"To": "Ada"}, "widget_url": "https://x.example/ada"}
    order = store_order(store, customer_id=customer.id, **fields, **names)
    theirs = store_order(store, client_id="c-2", customer_id=other.id, **fields, **names)
    for one in (customer, other):
        store.write(lambda unit, one=one: unit.kyc_customers.save_submissions([a_submission(one)]))  # type: ignore[misc]
    store.write(lambda unit: unit.kyc_customers.schedule_sync(a_sync(customer=customer.id)))
    assert store.write(lambda unit: unit.kyc_customers.erase(customer.id, later(9), NOW)) == 1
    with store.read() as unit:
        assert unit.kyc_customers.find(OWNER, "digest") is None
        gone = replace(customer, email_index=None, encrypted_email=None, erased_at=later(9))
        assert unit.kyc_customers.get(customer.id) == gone
        assert unit.kyc_customers.list_submissions(customer.id, YC, "NG") == []
        assert unit.kyc_customers.get_sync(customer.id, YC, "NG") is None
        emptied = {
            "customer_id": None,
            "encrypted_fields": None,
            "instructions": {},
            "widget_url": "",
        }
        assert unit.orders.get(order.id) == replace(order, **emptied)
        assert len(unit.orders.list_transitions(order.id)) == 1
        assert unit.orders.get(theirs.id) == theirs
        assert unit.kyc_customers.get(other.id) == other
        assert len(unit.kyc_customers.list_submissions(other.id, YC, "NG")) == 1
    assert store_customer(store).id != customer.id


def test_what_an_erased_customer_used_stays_counted_until_the_month_is_over(
    store: SqlStore,
) -> None:
    used = a_customer_with_orders(store, 2)
    for _ in range(2):  # Erased twice in one month.
        customer = a_customer_with_orders(store, 1)
        store.write(lambda unit, id=customer.id: unit.kyc_customers.erase(id, NOW, NOW))  # type: ignore[misc]
    assert used.id != customer.id
    with store.read() as unit:
        usage = unit.kyc_customers.get_usage(OWNER, "digest", YC, NOW)
        assert usage == KycUsage(400 * 10**6, 400 * 10**6)
        assert unit.kyc_customers.get_usage(OWNER, "digest", "FONBNK", NOW) == KycUsage()
        next_month = unit.kyc_customers.get_usage(OWNER, "digest", YC, later(1))
        assert next_month == KycUsage()
    assert store.write(lambda unit: unit.retention.delete_oldest("erased_usage", NOW, 10)) == 0
    with store.read() as unit:
        assert unit.retention.has_older("erased_usage", later(1))
    assert store.write(lambda unit: unit.retention.delete_oldest("erased_usage", later(1), 10)) == 1


def a_customer_with_orders(store: SqlStore, count: int) -> KycCustomer:
    """The owner's customer, with this many orders of 100 USD more."""
    customer = store_customer(store)
    for _ in range(count):
        store_order(store, customer_id=customer.id, state=OrderState.COMPLETED)
    return customer


@pytest.mark.parametrize(
    ("fields", "used"),
    [
        ({}, 100),
        ({"state": S.COMPLETED}, 100),
        ({"state": S.FAILED, "paid_at": NOW}, 100),
        ({"state": S.FAILED}, 0),
        ({"state": S.CANCELLED}, 0),
        ({"state": S.EXPIRED}, 0),
        ({"state": S.REFUNDED, "paid_at": NOW}, 0),
        ({"created_at": later(-1)}, 0),
        ({"provider": ProviderName.FONBNK}, 0),
        ({"customer_id": "another"}, 0),
    ],
)
def test_paid_and_payable_orders_count_towards_a_limit(
    store: SqlStore, fields: dict[str, Any], used: int
) -> None:
    customer = store_customer(store)
    store_order(store, **{"customer_id": customer.id, **fields})
    units = used * 10**6
    with store.read() as unit:
        assert unit.kyc_customers.get_usage(OWNER, "digest", YC, NOW) == KycUsage(units, units)
        for owner, own in ((Owner("c-2", Mode.TEST), 0), (Owner("c-1", Mode.LIVE), None)):
            usage = unit.kyc_customers.get_usage(owner, "digest", YC, NOW)
            assert usage == (KycUsage() if own is None else KycUsage(own, units))


def test_an_open_order_is_detected(store: SqlStore) -> None:
    store_order(store, customer_id="p", state=OrderState.FAILED)
    under_way = store_order(store, customer_id="p", state=OrderState.PROCESSING)
    with store.read() as unit:
        assert unit.kyc_customers.find_open_order("p") == under_way.id
        assert unit.kyc_customers.find_open_order("q") is None


def test_orders_of_one_person_are_stored_one_after_the_other(store: SqlStore) -> None:
    people, limit = [store_customer(store), store_customer(store, client_id="c-2")], 250_000_000

    def opens(n: int) -> bool:
        customer = people[n % 2]
        owner = Owner(customer.client_id, customer.mode)
        order = an_order(customer_id=customer.id, client_id=customer.client_id, reference=f"r-{n}")

        def work(unit: SqlUnitOfWork) -> bool:
            unit.kyc_customers.lock(customer.id)
            usage = unit.kyc_customers.get_usage(owner, "digest", YC, NOW)
            if usage.person_micro_usd + order.value_micro_usd <= limit:
                unit.orders.add(order)
                return True
            return False

        return store.write(work)

    assert run_concurrently([partial(opens, n) for n in range(8)]).count(True) == 2


def test_the_first_stored_secret_wins(store: SqlStore) -> None:
    def keep(n: int) -> bytes:
        return store.write(lambda unit: unit.encrypted_values.store_secret("k", b"%d" % n))

    with store.read() as unit:
        assert unit.encrypted_values.get_secret("k") is None
    assert len(set(run_concurrently([partial(keep, n) for n in range(8)]))) == 1


def test_everything_encrypted_is_paged_by_kind_and_replaced(store: SqlStore) -> None:
    for n in range(5):
        store_order(store, encrypted_fields=b"%d" % n if n else None)

    def page(after: int | None) -> list[tuple[int, bytes]]:
        return store.write(
            lambda unit: unit.encrypted_values.lock_page("orders.encrypted_fields", 3, after)
        )

    first = page(None)
    assert [sealed for _, sealed in first] == [b"1", b"2", b"3"]
    assert [sealed for _, sealed in page(first[-1][0])] == [b"4"]
    store.write(
        lambda unit: unit.encrypted_values.replace(
            "orders.encrypted_fields", {first[0][0]: b"anew"}
        )
    )
    assert page(None)[0] == (first[0][0], b"anew")
    assert an_order().encrypted_fields is None


def test_every_column_of_bytes_is_encrypted_or_known_to_be_plain() -> None:
    # An answer that shows a secret is kept encrypted as well, for a day: see
    # usecases/developers/replays.py.
    # A client's logo is public, and so is the key that verifies a passkey.
    plain = {
        ("idempotency_slots", "body"),
        ("tx_attempts", "raw"),
        ("branding", "logo"),
        ("staff_passkeys", "public_key"),
        ("archived_payments", "packed"),
        # Whoever has it can do with it what the payer signed: pay this payment.
        ("payer_signatures", "signature"),
        # Public on the chains.
        ("bridge_transfers", "sent_message"),
        ("bridge_transfers", "message"),
        ("bridge_transfers", "attestation"),
        # Signed for Circle, and its answer: they mint to the relayer alone, by the relayer alone.
        ("inventory_transfers", "commitment"),
        ("inventory_transfers", "agreement"),
    }
    columns = {
        (table.name, column.name)
        for table in METADATA.sorted_tables
        for column in table.columns
        if column.type.python_type is bytes
    }
    assert columns - plain == {(table.name, column) for table, _, column in ENCRYPTED_COLUMNS}
