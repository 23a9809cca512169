"""People: one for each digest, what they handed in, and that nothing is left of the erased."""

from dataclasses import replace
from functools import partial

from crossway.domain.ramps import OrderState, ProviderName
from crossway.ports.ramp_records import Erased, Handover
from crossway.storage.sealed import SEALED
from crossway.storage.store import Records, SqlStore
from crossway.storage.tables import METADATA
from tests.storage.ramp_records import a_submission, an_order, somebody, stored_order
from tests.storage.records import NOW, at_once, later

YC = ProviderName.YELLOW_CARD


def a_handover(mark: str = "m-1", person: str = "p") -> Handover:
    return Handover(person, YC, "NG", mark, 0, NOW)


def test_of_one_digest_there_is_one_person(store: SqlStore) -> None:
    found = at_once([partial(somebody, store)] * 8)
    assert len({person.id for person in found}) == 1
    with store.read() as unit:
        assert unit.people.find("digest") == unit.people.get(found[0].id) == found[0]
        assert unit.people.find("another") is None
        assert unit.people.get("nobody") is None


def test_people_are_listed_newest_first(store: SqlStore) -> None:
    people = [somebody(store, f"d-{n}", created_at=later(n // 2)) for n in range(5)]
    wanted = sorted(people, key=lambda one: (one.created_at, one.id), reverse=True)
    with store.read() as unit:
        first = unit.people.page(2)
        assert first + unit.people.page(9, before_id=first[-1].id) == wanted
        assert unit.people.page(9, before_id="nobody") == []


def test_what_is_handed_in_again_replaces_what_it_was(store: SqlStore) -> None:
    person = somebody(store)
    first = [a_submission(person, key) for key in ("name", "birth")]
    again = a_submission(person, sealed=b"anew", client_id="c-2", at=later(1))
    elsewhere = a_submission(person, country="KE")
    for made in (first, [again], [elsewhere]):
        store.write(lambda unit, made=made: unit.people.submit(made))  # type: ignore[misc]
    with store.read() as unit:
        assert unit.people.submitted(person.id, YC, "NG") == [first[1], again]
        assert unit.people.submitted_keys(person.id, YC, "NG") == {"name", "birth"}
        assert unit.people.submitted_keys(person.id, YC, "KE") == {"name"}
        assert unit.people.submitted(person.id, "FONBNK", "NG") == []


def test_a_provider_is_told_the_newest_only(store: SqlStore) -> None:
    store.write(lambda unit: unit.people.hand_over(a_handover("m-1")))
    store.write(lambda unit: unit.people.hand_over(a_handover("m-2")))
    store.write(lambda unit: unit.people.handed_over("m-1"))
    late = replace(a_handover("m-1"), tries=9)
    store.write(lambda unit: unit.people.change_handover(late))
    with store.read() as unit:
        assert unit.people.handover("p", YC, "NG") == a_handover("m-2")
        assert unit.people.handover("p", YC, "KE") is None
    store.write(lambda unit: unit.people.handed_over("m-2"))
    with store.read() as unit:
        assert unit.people.handover("p", YC, "NG") is None


def test_what_is_to_be_told_is_taken_up_once(store: SqlStore) -> None:
    for n in range(3):
        one = a_handover(f"m-{n}", f"p-{n}")
        store.write(lambda unit, one=one: unit.people.hand_over(one))  # type: ignore[misc]
    refused = replace(a_handover("m-2", "p-2"), next_at=None, tries=1)
    store.write(lambda unit: unit.people.change_handover(refused))

    def take() -> list[str]:
        due = store.write(lambda unit: unit.people.due_handovers(NOW, 9, later(60)))
        return sorted(one.mark for one in due)

    with store.read() as unit:
        assert unit.people.has_due_handovers(NOW)
        assert not unit.people.has_due_handovers(later(-1))
    assert [found for found in at_once([take] * 6) if found] == [["m-0", "m-1"]]
    with store.read() as unit:
        assert not unit.people.has_due_handovers(NOW)
        assert unit.people.handover("p-2", YC, "NG") == refused


def test_an_operator_erases_all_of_a_person_and_the_orders_stay(store: SqlStore) -> None:
    person = somebody(store)
    facts = {"person_id": person.id, "sealed": b"s", "state": OrderState.COMPLETED}
    names = {"instructions": {"To": "Ada"}, "widget_url": "https://x.example/ada"}
    orders = [stored_order(store, client_id=c, **facts, **names) for c in ("c-1", "c-2")]
    store.write(lambda unit: unit.people.submit([a_submission(person)]))
    store.write(lambda unit: unit.people.hand_over(a_handover(person=person.id)))
    erased = store.write(lambda unit: unit.people.erase(person.id, later(9)))
    assert erased == Erased(2, whole=True)
    with store.read() as unit:
        assert unit.people.find("digest") is None
        gone = replace(person, email_sealed=None, erased_at=later(9))
        assert unit.people.get(person.id) == gone
        assert unit.people.submitted(person.id, YC, "NG") == []
        assert unit.people.handover(person.id, YC, "NG") is None
        emptied = {"person_id": None, "sealed": None, "instructions": {}, "widget_url": ""}
        for order in orders:
            assert unit.orders.get(order.id) == replace(order, **emptied)
            assert len(unit.orders.moves(order.id)) == 1
    assert somebody(store).id != person.id


def test_a_client_erases_what_came_through_it(store: SqlStore) -> None:
    person = somebody(store)
    mine, other = (
        stored_order(store, client_id=c, person_id=person.id, sealed=b"s") for c in ("c-1", "c-2")
    )
    theirs = a_submission(person, "birth", client_id="c-2")
    store.write(lambda unit: unit.people.submit([a_submission(person), theirs]))
    assert store.write(lambda u: u.people.erase(person.id, NOW, "c-1")) == Erased(1, whole=False)
    with store.read() as unit:
        assert unit.people.find("digest") == person
        assert unit.people.submitted(person.id, YC, "NG") == [theirs]
        assert unit.orders.get(other.id) == other
        found = unit.orders.get(mine.id)
    assert found is not None
    assert found.sealed is None
    assert store.write(lambda u: u.people.erase(person.id, NOW, "c-2")) == Erased(1, whole=True)


def test_an_order_under_way_is_known(store: SqlStore) -> None:
    stored_order(store, person_id="p", state=OrderState.FAILED)
    under_way = stored_order(store, person_id="p", state=OrderState.PROCESSING)
    with store.read() as unit:
        assert unit.people.open_order_of("p") == under_way.id
        assert unit.people.open_order_of("p", "c-1") == under_way.id
        assert unit.people.open_order_of("p", "c-2") is None
        assert unit.people.open_order_of("q") is None


def test_orders_of_one_person_are_stored_one_after_the_other(store: SqlStore) -> None:
    person, limit = somebody(store), 250_000_000

    def opens(n: int) -> bool:
        order = an_order(person_id=person.id, reference=f"r-{n}")

        def work(unit: Records) -> bool:
            unit.people.lock(person.id)
            used = unit.orders.used_micro_usd(person.id, YC, NOW)
            if used + order.worth_micro_usd <= limit:
                unit.orders.add(order)
                return True
            return False

        return store.write(work)

    assert at_once([partial(opens, n) for n in range(8)]).count(True) == 2


def test_a_secret_is_kept_by_whoever_came_first(store: SqlStore) -> None:
    def keep(n: int) -> bytes:
        return store.write(lambda unit: unit.sealed.keep("k", b"%d" % n))

    with store.read() as unit:
        assert unit.sealed.kept("k") is None
    assert len(set(at_once([partial(keep, n) for n in range(8)]))) == 1


def test_everything_encrypted_is_paged_by_kind_and_replaced(store: SqlStore) -> None:
    for n in range(5):
        stored_order(store, sealed=b"%d" % n if n else None)

    def page(after: int | None) -> list[tuple[int, bytes]]:
        return store.write(lambda unit: unit.sealed.page("orders.sealed", 3, after))

    first = page(None)
    assert [sealed for _, sealed in first] == [b"1", b"2", b"3"]
    assert [sealed for _, sealed in page(first[-1][0])] == [b"4"]
    store.write(lambda unit: unit.sealed.replace("orders.sealed", {first[0][0]: b"anew"}))
    assert page(None)[0] == (first[0][0], b"anew")
    assert an_order().sealed is None


def test_every_column_of_bytes_is_encrypted_or_known_to_be_plain() -> None:
    # An answer that shows a secret is kept encrypted as well, for a day: see
    # usecases/developers/replays.py.
    # A client's logo is shown to every payer.
    plain = {("idempotency", "body"), ("attempts", "raw"), ("looks", "picture")}
    columns = {
        (table.name, column.name)
        for table in METADATA.sorted_tables
        for column in table.columns
        if column.type.python_type is bytes
    }
    assert columns - plain == {(table.name, column) for table, _, column in SEALED}
