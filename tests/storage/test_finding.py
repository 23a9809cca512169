"""Whatever names a thing finds it, and a filter keeps exactly what meets it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest
from sqlalchemy import delete, update

from crossway.domain.conditions import Condition, Conditions, Subject, read
from crossway.domain.deposits import Purpose
from crossway.domain.intent import Costs, Event, Intent, State
from crossway.domain.transfers import Duty, TransferState
from crossway.ports.finding_records import Note, SavedView
from crossway.storage.backfilling import backfill
from crossway.storage.finding import _NAMED, Finding
from crossway.storage.finding_tables import metadata_values
from crossway.storage.store import SqlStore
from crossway.storage.tables import intents
from tests.storage.records import (
    ARBITRUM,
    BASE,
    NOW,
    an_attempt,
    incoming,
    moved,
    owed,
    owing,
    seen,
    stored,
    turned,
)

Test = Callable[[Intent], bool]
CREATED = (NOW + timedelta(minutes=20)).strftime("%Y-%m-%dT%H:%M:%SZ")


def hits(store: SqlStore, *values: str, number: int | None = None) -> dict[tuple[str, int], str]:
    with store.read() as unit:
        found = unit.finding.hits(values, number, 50)
    return {(hit.kind, int(hit.id)): f"{hit.why}{'' if hit.own else '?'}" for hit in found}


def test_a_payment_is_found_by_each_of_its_fields(store: SqlStore) -> None:
    linked = {"metadata": {"order": "ORD-77", "cart": {"sku": "Blue Shoe"}, "paid": True}}
    made = stored(store, tx_hash="0xfill", deposit_token_account="ata", payment_link_id="l-1",
                  **linked)  # fmt: skip
    stored(store)
    [deposit] = seen(store, made, incoming(made, tx_hash="0xdeposit", sender="the payer"))
    [start] = owing(store, owed(made))
    store.write(lambda unit: unit.transfers.add_attempts([an_attempt(start, "0xbumped")]))
    signed = turned(start, TransferState.SIGNED, tx_id="0xstart")
    store.write(lambda unit: unit.transfers.change([signed], NOW))
    with store.read() as unit:
        [event] = [move.id for move in unit.intents.moves([made.id])]
    terms = made.terms
    assert deposit.intent_id == made.id
    for value, why in (
        (made.address, "address"),
        (made.destination_address, "destination_address"),
        ("ata", "token_account"),
        (made.key, "key"),
        (str(terms.nonce), "nonce"),
        ("0xfill", "payout"),
        ("0xdeposit", "deposit"),
        ("0xstart", "transfer"),
        ("0xbumped", "attempt"),
        (event, "event"),
        (terms.recipient, "recipient?"),
        (made.sender, "sender?"),
        ("the payer", "depositor?"),
        (terms.refund_address, "refund_address?"),
        ("ORD-77", "metadata?"),
        ("blue shoe", "metadata?"),
        ("l-1", "link?"),
    ):
        assert hits(store, value, "nobody's") == {("payment", made.id): why}, value
    assert hits(store, number=made.id) == {("payment", made.id): "number"}
    assert hits(store, "%", "", "true") == {}


def test_of_too_many_the_newest_are_found(store: SqlStore) -> None:
    ids = [stored(store, {"recipient": "everybody's"}).id for _ in range(60)]
    found = hits(store, "everybody's", "nobody's")
    assert [number for _, number in found] == sorted(ids, reverse=True)[:50]


def test_nothing_is_found_by_a_scan(store: SqlStore, kind: str) -> None:
    if kind == "sqlite":
        asked = _NAMED[kind].params(values='["a", "b"]', small='["a"]', limit=50)
        with store.reader.connect() as db:
            sql = asked.compile(db, compile_kwargs={"literal_binds": True})
            plan = [str(row[3]) for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}")]
        # What is called anon is the few that a part has found.
        scanned = [step for step in plan if step.startswith("SCAN") and "anon_" not in step]
        assert scanned == []
        assert sum(step.startswith("SEARCH") for step in plan) > 20


@pytest.fixture
def many(store: SqlStore) -> list[Intent]:
    """Payments of every kind there is to ask for, oldest first."""
    random, made = Random(5), []
    for number in range(90):
        bridge, source = random.choice(["CCTP", "ACROSS", ""]), random.choice([BASE, ARBITRUM])
        one = stored(
            store,
            {"bridge": bridge, "source_chain": source, "destination_chain": BASE},
            asset_symbol=random.choice(["USDC", "USDT"]),
            mode=random.choice(["test", "live"]),
            client_id=random.choice(["c-1", "c-2"]),
            payment_link_id=random.choice([None, "l-1"]),
            created_at=NOW + timedelta(minutes=random.randrange(40)),
            metadata={"ref": f"r-{number % 7}"},
            costs=Costs(number * 1_000_000, 10_000, 80_000, 10_000, 90_000, 10_000),
        )
        if number % 3 == 0:
            one = moved(store, one, Event.DEPOSIT_SHORT, received_units=5)
        if number % 9 == 1:
            one = moved(store, one, Event.DEPOSIT_FULL, received_units=10**12)
        made.append(one)
    late, foreign, failed, stuck = made[3], made[10], made[20], made[30]
    for one, purpose in ((late, Purpose.LATE), (foreign, Purpose.FOREIGN)):
        [deposit] = seen(store, one, incoming(one))
        ended = [(deposit.id, purpose, "")]
        store.write(lambda unit, ended=ended: unit.deposits.credit(ended, NOW))  # type: ignore[misc]
    for one, state in ((failed, TransferState.FAILED), (stuck, TransferState.DUE)):
        [transfer] = owing(store, owed(one, Duty.REFUND, "expiry"))
        changed = [turned(transfer, state, reason="no gas")]
        store.write(lambda unit, changed=changed: unit.transfers.change(changed, NOW))  # type: ignore[misc]
    return made


ASKED: list[tuple[str, str, Test]] = [
    ("", "", lambda i: True),
    ("state:FUNDED", "", lambda i: i.state is State.FUNDED),
    ("!state:FUNDED", "", lambda i: i.state is not State.FUNDED),
    ("token:USDC;from:BASE_MAINNET", "",
     lambda i: (i.asset_symbol, i.terms.source_chain) == ("USDC", BASE)),
    ("bridge:none,CCTP", "", lambda i: i.terms.bridge in ("", "CCTP")),
    ("bridge:none", "", lambda i: not i.terms.bridge),
    ("worth:10..20.5", "", lambda i: 10_000_000 <= i.costs.amount_micro_usd < 20_500_000),
    (f"created:..{CREATED}", "", lambda i: i.created_at < NOW + timedelta(minutes=20)),
    ("link:l-1;mode:live", "", lambda i: i.payment_link_id == "l-1" and i.mode == "live"),
    ("!link:l-1", "", lambda i: i.payment_link_id != "l-1"),
    ("reference:R-3", "", lambda i: i.metadata["ref"] == "r-3"),
    ("exception:short", "", lambda i: i.received_units == 5),
    ("exception:over,short;client:c-2", "",
     lambda i: i.received_units > 0 and i.client_id == "c-2"),
    ("", "token:USDT;state:FUNDED",
     lambda i: i.asset_symbol == "USDT" or i.state is State.FUNDED),
    ("mode:test", "bridge:ACROSS;worth:50..",
     lambda i: i.mode == "test"
     and (i.terms.bridge == "ACROSS" or i.costs.amount_micro_usd >= 50_000_000)),
    ("!exception:short,over", "", lambda i: i.received_units == 0),
    ("to:nowhere", "", lambda i: False),
]  # fmt: skip


@pytest.mark.parametrize("narrow", [5_000, 0], ids=["few", "many"])
def test_a_filter_keeps_exactly_what_meets_it(
    store: SqlStore, many: list[Intent], narrow: int
) -> None:
    for every, some, meets in ASKED:
        wanted = Conditions(read(every, "all"), read(some, "any"))
        expected = [one.id for one in reversed(many) if meets(one)]
        with store.reader.connect() as db:
            finding = Finding(db, narrow)
            pages: list[int] = []
            while True:
                page = finding.sift(wanted, None, pages[-1] if pages else None, 7, 5.0)
                pages += [one.id for one in page.intents]
                if len(page.intents) < 7:
                    break
            assert pages == expected, (every, some)
            assert finding.tally(wanted, None, 10_000, 5.0).n == len(expected), (every, some)
            own = finding.sift(wanted, "c-2", None, 100, 5.0).intents
            mine = {one.id for one in many if one.client_id == "c-2"}
            assert [one.id for one in own] == [n for n in expected if n in mine]


@pytest.mark.parametrize("narrow", [5_000, 0], ids=["few", "many"])
@pytest.mark.parametrize(
    ("kind", "at"), [("late", 3), ("foreign", 10), ("refund_failed", 20)], ids=str
)
def test_each_exception_is_a_filter(
    store: SqlStore, many: list[Intent], narrow: int, kind: str, at: int
) -> None:
    one = Condition(Subject.EXCEPTION, (kind,))
    with store.reader.connect() as db:
        finding = Finding(db, narrow)
        found = finding.sift(Conditions((one,)), None, None, 10, 5.0).intents
        assert [i.id for i in found] == [many[at].id]
        others = finding.tally(Conditions((replace(one, negated=True),)), None, 100, 5.0)
        assert others.n == len(many) - 1
        stuck = Conditions((Condition(Subject.EXCEPTION, ("stuck",)),))
        both = {many[20].id, many[30].id}
        assert {i.id for i in finding.sift(stuck, None, None, 10, 5.0).intents} == both


def test_a_search_that_takes_too_long_says_how_far_it_came_and_can_go_on(store: SqlStore) -> None:
    rare = stored(store, mode="live", asset_symbol="RARE").id
    made = [stored(store).id for _ in range(1_500)]
    wanted = Conditions(read("mode:live;token:RARE", "all"))
    with store.reader.connect() as db:
        finding = Finding(db, 0)
        first = finding.sift(wanted, None, None, 10, 0.0)
        assert list(first.intents) == []
        assert first.searched_to == made[-1] + 1 - 1_000
        [found] = finding.sift(wanted, None, first.searched_to, 10, 0.0).intents
        assert found.id == rare
        assert finding.tally(wanted, None, 100, 0.0).more


def test_notes_and_views_are_kept(store: SqlStore) -> None:
    note = Note(0, "intent:1", NOW, "Ada", "Called the payer.")
    made = store.write(lambda unit: unit.desk.add_note(note))
    view = SavedView(0, "intents", "Stuck", "all=exception%3Astuck", "Ada", NOW, True)
    first = store.write(lambda unit: unit.desk.add_view(view))
    second = store.write(
        lambda unit: unit.desk.add_view(replace(view, name="Big", screen="intents"))
    )
    with store.read() as unit:
        assert unit.desk.notes("intent:1") == [made]
        assert unit.desk.notes("intent:2") == []
        assert unit.desk.views("intents") == [second, replace(first, first=False)]
        assert unit.desk.views("orders") == []
    store.write(lambda unit: unit.desk.change_view(replace(first, name="Held up")))
    store.write(lambda unit: unit.desk.remove_view(second.id))
    with store.read() as unit:
        assert unit.desk.views("intents") == [replace(first, name="Held up")]
        assert unit.desk.view(second.id) is None


def test_intents_of_an_older_version_are_found_after_the_change_of_tables(
    store: SqlStore,
) -> None:
    made = stored(store, received_units=5, metadata={"order": "OLD-1"})
    with store.writer.begin() as db:
        db.execute(delete(metadata_values))
        db.execute(update(intents).values(weight=""))
        backfill(db)
    assert hits(store, "old-1") == {("payment", made.id): "metadata?"}
    with store.read() as unit:
        short = Conditions(read("exception:short", "all"))
        [found] = unit.finding.sift(short, None, None, 10, 1.0).intents
    assert found.id == made.id
