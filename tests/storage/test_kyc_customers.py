"""KYC customers: one for each digest, their submissions, and complete erasure."""

from dataclasses import replace
from functools import partial

from crossway.domain.ramps import OrderState, ProviderName
from crossway.ports.ramp_repository import ErasureResult, KycSubmissionSync
from crossway.storage.all_tables import METADATA
from crossway.storage.encrypted_values import ENCRYPTED_COLUMNS
from crossway.storage.store import SqlStore, SqlUnitOfWork
from tests.storage.ramp_records import a_submission, an_order, store_customer, store_order
from tests.storage.records import NOW, later, run_concurrently

YC = ProviderName.YELLOW_CARD


def a_sync(sync_id: str = "m-1", customer: str = "p") -> KycSubmissionSync:
    return KycSubmissionSync(customer, YC, "NG", sync_id, 0, NOW)


def test_one_digest_belongs_to_one_customer(store: SqlStore) -> None:
    result = run_concurrently([partial(store_customer, store)] * 8)
    assert len({customer.id for customer in result}) == 1
    with store.read() as unit:
        assert (
            unit.kyc_customers.find_by_email("digest")
            == unit.kyc_customers.get(result[0].id)
            == result[0]
        )
        assert unit.kyc_customers.find_by_email("another") is None
        assert unit.kyc_customers.get("nobody") is None


def test_customers_are_listed_newest_first(store: SqlStore) -> None:
    people = [store_customer(store, f"d-{n}", created_at=later(n // 2)) for n in range(5)]
    filters = sorted(people, key=lambda one: (one.created_at, one.id), reverse=True)
    with store.read() as unit:
        first = unit.kyc_customers.list_page(2)
        assert first + unit.kyc_customers.list_page(9, before_id=first[-1].id) == filters
        assert unit.kyc_customers.list_page(9, before_id="nobody") == []


def test_a_second_submission_replaces_the_first(store: SqlStore) -> None:
    customer = store_customer(store)
    first = [a_submission(customer, key) for key in ("name", "birth")]
    again = a_submission(customer, encrypted_value=b"anew", client_id="c-2", at=later(1))
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


def test_an_operator_erases_all_data_of_a_customer_and_the_orders_stay(store: SqlStore) -> None:
    customer = store_customer(store)
    fields = {"customer_id": customer.id, "encrypted_fields": b"s", "state": OrderState.COMPLETED}
    names = {"instructions": {"To": "Ada"}, "widget_url": "https://x.example/ada"}
    orders = [store_order(store, client_id=c, **fields, **names) for c in ("c-1", "c-2")]
    store.write(lambda unit: unit.kyc_customers.save_submissions([a_submission(customer)]))
    store.write(lambda unit: unit.kyc_customers.schedule_sync(a_sync(customer=customer.id)))
    erased = store.write(lambda unit: unit.kyc_customers.erase(customer.id, later(9)))
    assert erased == ErasureResult(2, complete=True)
    with store.read() as unit:
        assert unit.kyc_customers.find_by_email("digest") is None
        gone = replace(customer, encrypted_email=None, erased_at=later(9))
        assert unit.kyc_customers.get(customer.id) == gone
        assert unit.kyc_customers.list_submissions(customer.id, YC, "NG") == []
        assert unit.kyc_customers.get_sync(customer.id, YC, "NG") is None
        emptied = {
            "customer_id": None,
            "encrypted_fields": None,
            "instructions": {},
            "widget_url": "",
        }
        for order in orders:
            assert unit.orders.get(order.id) == replace(order, **emptied)
            assert len(unit.orders.list_transitions(order.id)) == 1
    assert store_customer(store).id != customer.id


def test_a_client_erases_what_came_through_it(store: SqlStore) -> None:
    customer = store_customer(store)
    mine, other = (
        store_order(store, client_id=c, customer_id=customer.id, encrypted_fields=b"s")
        for c in ("c-1", "c-2")
    )
    theirs = a_submission(customer, "birth", client_id="c-2")
    store.write(lambda unit: unit.kyc_customers.save_submissions([a_submission(customer), theirs]))
    assert store.write(lambda u: u.kyc_customers.erase(customer.id, NOW, "c-1")) == ErasureResult(
        1, complete=False
    )
    with store.read() as unit:
        assert unit.kyc_customers.find_by_email("digest") == customer
        assert unit.kyc_customers.list_submissions(customer.id, YC, "NG") == [theirs]
        assert unit.orders.get(other.id) == other
        results = unit.orders.get(mine.id)
    assert results is not None
    assert results.encrypted_fields is None
    assert store.write(lambda u: u.kyc_customers.erase(customer.id, NOW, "c-2")) == ErasureResult(
        1, complete=True
    )


def test_an_open_order_is_detected(store: SqlStore) -> None:
    store_order(store, customer_id="p", state=OrderState.FAILED)
    under_way = store_order(store, customer_id="p", state=OrderState.PROCESSING)
    with store.read() as unit:
        assert unit.kyc_customers.find_open_order("p") == under_way.id
        assert unit.kyc_customers.find_open_order("p", "c-1") == under_way.id
        assert unit.kyc_customers.find_open_order("p", "c-2") is None
        assert unit.kyc_customers.find_open_order("q") is None


def test_orders_of_one_customer_are_stored_one_after_the_other(store: SqlStore) -> None:
    customer, limit = store_customer(store), 250_000_000

    def opens(n: int) -> bool:
        order = an_order(customer_id=customer.id, reference=f"r-{n}")

        def work(unit: SqlUnitOfWork) -> bool:
            unit.kyc_customers.lock(customer.id)
            used = unit.orders.sum_usage_micro_usd(customer.id, YC, NOW)
            if used + order.value_micro_usd <= limit:
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
    }
    columns = {
        (table.name, column.name)
        for table in METADATA.sorted_tables
        for column in table.columns
        if column.type.python_type is bytes
    }
    assert columns - plain == {(table.name, column) for table, _, column in ENCRYPTED_COLUMNS}
