"""Every identifier finds its record, and a filter returns exactly the matching intents."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from sqlalchemy import event

from crossway.domain.costs import Costs
from crossway.domain.deposits import DepositPurpose
from crossway.domain.filters import Filter, FilterField, FilterSet, parse_filters
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.ports.search_repository import (
    Count,
    PaymentOrder,
    PaymentPlace,
)
from crossway.storage.ordered_intents import OrderedIntents
from crossway.storage.search import SqlSearch, _build_search
from crossway.storage.store import SqlStore
from tests.storage.records import (
    ARBITRUM,
    BASE,
    NOW,
    a_new_tx,
    advance_intent,
    an_attempt,
    an_incoming_transfer,
    enqueue,
    store_deposits,
    store_intent,
    tx_change,
)

Test = Callable[[Intent], bool]
ALL = 10_000
CREATED = (NOW + timedelta(minutes=20)).strftime("%Y-%m-%dT%H:%M:%SZ")


def hits(store: SqlStore, *values: str, number: int | None = None) -> dict[tuple[str, int], str]:
    with store.read() as unit:
        results = unit.search.find(values, number, 50)
    return {
        (hit.kind, int(hit.id)): f"{hit.matched_field}{'' if hit.unique else '?'}"
        for hit in results
    }


def test_a_payment_is_found_by_each_of_its_fields(store: SqlStore) -> None:
    linked = {"metadata": {"order": "ORD-77", "cart": {"sku": "Blue Shoe"}, "paid": True}}
    intent = store_intent(
        store, tx_hash="0xfill", deposit_token_account="ata", payment_link_id="l-1", **linked
    )
    store_intent(store)
    [deposit] = store_deposits(
        store, intent, an_incoming_transfer(intent, tx_hash="0xdeposit", sender="the payer")
    )
    [start] = enqueue(store, a_new_tx(intent))
    store.write(lambda unit: unit.outbound_txs.add_attempts([an_attempt(start, "0xbumped")]))
    signed = tx_change(start, OutboundTxState.SIGNED, tx_id="0xstart")
    store.write(lambda unit: unit.outbound_txs.update([signed], NOW))
    with store.read() as unit:
        [event] = [move.id for move in unit.intents.list_transitions([intent.id])]
    terms = intent.terms
    assert deposit.intent_id == intent.id
    for value, why in (
        (intent.address, "address"),
        (intent.destination_address, "destination_address"),
        ("ata", "token_account"),
        (intent.intent_hash, "key"),
        (str(terms.nonce), "nonce"),
        ("0xfill", "payout"),
        ("0xdeposit", "deposit"),
        ("0xstart", "transfer"),
        ("0xbumped", "attempt"),
        (event, "event"),
        (terms.recipient, "recipient?"),
        (intent.sender, "sender?"),
        ("the payer", "depositor?"),
        (terms.refund_address, "refund_address?"),
        ("ORD-77", "metadata?"),
        ("blue shoe", "metadata?"),
        ("l-1", "link?"),
    ):
        assert hits(store, value, "nobody's") == {("payment", intent.id): why}, value
    assert hits(store, number=intent.id) == {("payment", intent.id): "number"}
    assert hits(store, "%", "", "true") == {}


def test_a_payment_with_equal_addresses_is_found_by_each(store: SqlStore) -> None:
    """Of equal fields one index has the value."""
    one = store_intent(store, {"refund_address": "0xpayer"}, sender="0xpayer", address="0xboth",
                       destination_address="0xboth")  # fmt: skip
    two = store_intent(store, {"refund_address": "0xsafe"}, sender="0xpayer-2", address="0xhere",
                       destination_address="0xthere")  # fmt: skip
    for value, expected in (
        ("0xboth", {("payment", one.id): "address"}),
        ("0xpayer", {("payment", one.id): "sender?"}),
        ("0xsafe", {("payment", two.id): "refund_address?"}),
        ("0xhere", {("payment", two.id): "address"}),
        ("0xthere", {("payment", two.id): "destination_address"}),
    ):
        assert hits(store, value) == expected
    with store.read() as unit:
        known = ("0xboth", "0xhere", "0xthere", "0xpayer")
        assert unit.intents.find_deposit_addresses(known) == {"0xboth", "0xhere", "0xthere"}


def test_search_returns_the_newest_of_many_hits(store: SqlStore) -> None:
    ids = [store_intent(store, {"recipient": "everybody's"}).id for _ in range(60)]
    results = hits(store, "everybody's", "nobody's")
    assert [number for _, number in results] == sorted(ids, reverse=True)[:50]


def test_no_search_scans_a_table(store: SqlStore, kind: str) -> None:
    if kind == "sqlite":
        a_request = _build_search(sqlite=True).params(values='["a", "b"]', small='["a"]', limit=50)
        with store.reader.connect() as db:
            sql = a_request.compile(db, compile_kwargs={"literal_binds": True})
            plan = [str(row[3]) for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}")]
        # Queries on the anonymous subquery read only its few rows.
        scanned = [step for step in plan if step.startswith("SCAN") and "anon_" not in step]
        assert scanned == []
        assert sum(step.startswith("SEARCH") for step in plan) > 20


@pytest.fixture
def many(store: SqlStore) -> list[Intent]:
    """Payments that match every filter, oldest first."""
    random, made = Random(5), []
    for number in range(90):
        bridge, source = random.choice(["CCTP", "ACROSS", ""]), random.choice([BASE, ARBITRUM])
        intent = store_intent(
            store,
            {
                "bridge": bridge,
                "source_chain": source,
                "destination_chain": BASE,
                "recipient": f"0xrecipient-{number % 5}",
            },
            sender=f"0xsender-{number % 4}",
            asset_symbol=random.choice(["USDC", "USDT"]),
            mode=random.choice(["test", "live"]),
            client_id=random.choice(["c-1", "c-2"]),
            payment_link_id=random.choice([None, "l-1"]),
            created_at=NOW + timedelta(minutes=random.randrange(40)),
            metadata={"ref": f"r-{number % 7}"},
            costs=Costs(number * 1_000_000, 10_000, 80_000, 10_000, 90_000, 10_000),
        )
        if number % 3 == 0:
            intent = advance_intent(store, intent, IntentEvent.DEPOSIT_SHORT, received_amount=5)
        if number % 9 == 1:
            intent = advance_intent(store, intent, IntentEvent.DEPOSIT_FULL, received_amount=10**12)
        made.append(intent)
    late, wrong_token, failed, stuck = made[3], made[10], made[20], made[30]
    for intent, purpose in ((late, DepositPurpose.LATE), (wrong_token, DepositPurpose.WRONG_TOKEN)):
        [deposit] = store_deposits(store, intent, an_incoming_transfer(intent))
        ended = [(deposit.id, purpose, "")]
        store.write(lambda unit, ended=ended: unit.deposits.credit(ended, NOW))  # type: ignore[misc]
    for intent, state in ((failed, OutboundTxState.FAILED), (stuck, OutboundTxState.DUE)):
        [tx] = enqueue(store, a_new_tx(intent, OutboundTxKind.REFUND, "expiry"))
        changed = [tx_change(tx, state, reason="no gas")]
        store.write(lambda unit, changed=changed: unit.outbound_txs.update(changed, NOW))  # type: ignore[misc]
    return made


ASKED: list[tuple[str, str, Test]] = [
    ("", "", lambda i: True),
    ("state:FUNDED", "", lambda i: i.state is State.FUNDED),
    ("!state:FUNDED", "", lambda i: i.state is not State.FUNDED),
    ("token:USDC;from:BASE_MAINNET", "",
     lambda i: (i.asset_symbol, i.terms.source_chain) == ("USDC", BASE)),
    ("bridge:none,CCTP", "", lambda i: i.terms.bridge in ("", "CCTP")),
    ("bridge:none", "", lambda i: not i.terms.bridge),
    ("value:10..20.5", "", lambda i: 10_000_000 <= i.costs.amount_micro_usd < 20_500_000),
    (f"created:..{CREATED}", "", lambda i: i.created_at < NOW + timedelta(minutes=20)),
    ("link:l-1;mode:live", "", lambda i: i.payment_link_id == "l-1" and i.mode == "live"),
    ("!link:l-1", "", lambda i: i.payment_link_id != "l-1"),
    ("reference:R-3", "", lambda i: i.metadata["ref"] == "r-3"),
    ("exception:short", "", lambda i: i.received_amount == 5),
    ("exception:over,short;client:c-2", "",
     lambda i: i.received_amount > 0 and i.client_id == "c-2"),
    ("", "token:USDT;state:FUNDED",
     lambda i: i.asset_symbol == "USDT" or i.state is State.FUNDED),
    ("mode:test", "bridge:ACROSS;value:50..",
     lambda i: i.mode == "test"
     and (i.terms.bridge == "ACROSS" or i.costs.amount_micro_usd >= 50_000_000)),
    ("!exception:short,over", "", lambda i: i.received_amount == 0),
    ("sender:0xsender-1", "", lambda i: i.sender == "0xsender-1"),
    ("recipient:0xrecipient-2;!sender:0xsender-3", "",
     lambda i: i.terms.recipient == "0xrecipient-2" and i.sender != "0xsender-3"),
    ("to:nowhere", "", lambda i: False),
]  # fmt: skip


@pytest.mark.parametrize("narrow", [5_000, 0], ids=["few", "many"])
def test_a_filter_returns_exactly_the_matching_intents(
    store: SqlStore, many: list[Intent], narrow: int
) -> None:
    for every, some, meets in ASKED:
        filters = FilterSet(parse_filters(every, "all"), parse_filters(some, "any"))
        expected = [item.id for item in reversed(many) if meets(item)]
        with store.reader.connect() as db:
            finding = SqlSearch(db, narrow)
            pages: list[int] = []
            while True:
                after = PaymentPlace(pages[-1]) if pages else None
                page = finding.filter_intents(filters, after, 7, ALL)
                pages += [intent.id for intent in page.intents]
                if len(page.intents) < 7:
                    break
            assert pages == expected, (every, some)
            counted = finding.count_intents(filters, 10_000, ALL, PaymentOrder.NEWEST)
            assert counted == Count(len(expected)), (every, some)
            of_client = Filter(FilterField.CLIENT, ("c-2",))
            narrowed = replace(filters, all_of=(*filters.all_of, of_client))
            own = finding.filter_intents(narrowed, None, 100, ALL).intents
            mine = {item.id for item in many if item.client_id == "c-2"}
            assert [item.id for item in own] == [n for n in expected if n in mine]


def _value(intent: Intent) -> tuple[int, int]:
    return intent.costs.amount_micro_usd, intent.id


@pytest.mark.parametrize("narrow", [5_000, 0], ids=["few", "many"])
@pytest.mark.parametrize(
    ("order", "key", "descending"),
    [
        (PaymentOrder.OLDEST, lambda intent: intent.id, False),
        (PaymentOrder.LARGEST, _value, True),
        (PaymentOrder.SMALLEST, _value, False),
    ],
    ids=["oldest", "largest", "smallest"],
)
def test_each_order_lists_the_matching_intents_page_by_page(
    store: SqlStore,
    many: list[Intent],
    narrow: int,
    order: PaymentOrder,
    key: Callable[[Intent], Any],
    descending: bool,
) -> None:
    twins = [store_intent(store, costs=many[40].costs) for _ in range(9)]  # of the same value
    stored = [*many, *twins]
    for every, some, meets in ASKED:
        filters = FilterSet(parse_filters(every, "all"), parse_filters(some, "any"))
        # Those without a reference have none to compare.
        candidates = many if "reference" in every else stored
        matching = sorted(filter(meets, candidates), key=key, reverse=descending)
        pages: list[Intent] = []
        with store.reader.connect() as db:
            finding = SqlSearch(db, narrow)
            while True:
                after = PaymentPlace(pages[-1].id, _value(pages[-1])[0]) if pages else None
                page = finding.filter_intents(filters, after, 7, ALL, order)
                pages += page.intents
                if len(page.intents) < 7:
                    break
        assert [one.id for one in pages] == [one.id for one in matching], (every, some)


def test_an_order_by_value_reads_its_index_from_the_place_on(store: SqlStore, kind: str) -> None:
    said: list[tuple[str, Any]] = []
    event.listen(store.reader, "before_cursor_execute", lambda *seen: said.append(seen[2:4]))
    with store.reader.connect() as db:
        OrderedIntents(db, PaymentOrder.LARGEST).next_keys((5_000_000, 7), 100)
        statement, values = said[-1]
        if kind == "sqlite":
            plan = [row[3] for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)]
            [step] = plan
            assert "SEARCH intents USING COVERING INDEX intents_by_usd_amount" in step
            return
        for other in ("seqscan", "bitmapscan", "sort"):
            db.exec_driver_sql(f"SET LOCAL enable_{other} = off")
        plan = [str(row[0]) for row in db.exec_driver_sql(f"EXPLAIN {statement}", values)]
        assert any("Scan Backward using intents_by_usd_amount" in row for row in plan)
        assert not any("Sort" in row for row in plan), plan


@pytest.mark.parametrize("narrow", [5_000, 0], ids=["few", "many"])
@pytest.mark.parametrize(
    ("kind", "at"), [("late", 3), ("wrong_token", 10), ("refund_failed", 20)], ids=str
)
def test_each_exception_is_a_filter(
    store: SqlStore, many: list[Intent], narrow: int, kind: str, at: int
) -> None:
    filters = Filter(FilterField.EXCEPTION, (kind,))
    with store.reader.connect() as db:
        finding = SqlSearch(db, narrow)
        results = finding.filter_intents(FilterSet((filters,)), None, 10, ALL).intents
        assert [i.id for i in results] == [many[at].id]
        negated = FilterSet((replace(filters, negated=True),))
        others = finding.count_intents(negated, 100, ALL, PaymentOrder.NEWEST)
        assert others == Count(len(many) - 1)
        stuck = FilterSet((Filter(FilterField.EXCEPTION, ("stuck",)),))
        both = {many[20].id, many[30].id}
        assert {i.id for i in finding.filter_intents(stuck, None, 10, ALL).intents} == both


@pytest.fixture
def usual(store: SqlStore) -> list[int]:
    """Payments around a rare one, the oldest first; each has a token of a few and a usual mode."""
    return [
        store_intent(
            store,
            mode="live" if number in (0, 400) else "test",
            asset_symbol="USDT" if number % 2 == 0 else "USDC",
            costs=Costs(number * 1_000_000, 10_000, 80_000, 10_000, 90_000, 10_000),
            created_at=NOW + timedelta(minutes=number),
        ).id
        for number in range(700)
    ]


RARE = FilterSet(parse_filters("token:USDT,USDC;mode:live,none", "all"))


@pytest.mark.parametrize(
    "order",
    [
        *(PaymentOrder.NEWEST, PaymentOrder.OLDEST, PaymentOrder.LARGEST),
        *(PaymentOrder.SMALLEST, PaymentOrder.LATEST, PaymentOrder.EARLIEST),
    ],
)
def test_a_search_ends_after_as_many_payments_and_can_continue(
    store: SqlStore, usual: list[int], order: PaymentOrder
) -> None:
    found, steps, after = list[int](), 0, None
    with store.reader.connect() as db:
        finding = SqlSearch(db, 0)
        while True:
            page = finding.filter_intents(RARE, after, 10, 150, order)
            found, steps = found + [one.id for one in page.intents], steps + 1
            # The same however long it takes.
            assert page == finding.filter_intents(RARE, after, 10, 150, order)
            if page.searched_to is None:
                break
            after = page.searched_to
    rare = [usual[0], usual[400]]
    assert found == (rare if order.ascending else rare[::-1])
    assert steps == 5  # 150 of 700 at once


def test_a_count_looks_at_as_many_payments(store: SqlStore, usual: list[int]) -> None:
    with store.reader.connect() as db:
        finding = SqlSearch(db, 0)
        for max_tested, count in ((100, Count(0, True)), (350, Count(1, True)), (701, Count(2))):
            assert finding.count_intents(RARE, 9, max_tested, PaymentOrder.NEWEST) == count
        # An index knows how many have one token.
        of_token = FilterSet(parse_filters("token:USDT", "all"))
        assert finding.count_intents(of_token, 1_000, 1, PaymentOrder.NEWEST) == Count(350)
        assert finding.count_intents(of_token, 349, 1, PaymentOrder.NEWEST) == Count(349, True)


def test_a_list_follows_the_index_that_names_the_fewest(store: SqlStore, kind: str) -> None:
    for number in range(300):
        store_intent(store, mode="live" if number % 100 == 0 else "test", asset_symbol="ETH")
    filters = FilterSet(parse_filters("token:ETH;mode:live", "all"))
    with store.reader.connect() as db:
        [*listed] = SqlSearch(db, 0).filter_intents(filters, None, 10, 3).intents
        assert len(listed) == 3  # though the newest with the token are looked at in vain


def test_a_period_is_listed_by_the_time_of_creation(store: SqlStore) -> None:
    """Clocks of several machines differ: numbers do not follow the times."""
    minutes = (0, 30, 20, 10, 50, 40)
    ids = [store_intent(store, created_at=NOW + timedelta(minutes=m)).id for m in minutes]
    by_time = [ids[at] for at in (5, 1, 2, 3)]
    start, end = ((NOW + timedelta(minutes=m)).strftime("%Y-%m-%dT%H:%M:%SZ") for m in (10, 50))
    filters = FilterSet(parse_filters(f"created:{start}..{end}", "all"))
    assert PaymentOrder.NEWEST.for_list(filters) is PaymentOrder.LATEST
    assert PaymentOrder.NEWEST.for_list(FilterSet()) is PaymentOrder.NEWEST
    for order, expected in (
        (PaymentOrder.LATEST, by_time),
        (PaymentOrder.EARLIEST, by_time[::-1]),
    ):
        pages: list[int] = []
        with store.reader.connect() as db:
            finding = SqlSearch(db, 0)
            while True:
                after = PaymentPlace(pages[-1]) if pages else None
                page = finding.filter_intents(filters, after, 1, ALL, order)
                if not page.intents:
                    break
                pages += [one.id for one in page.intents]
        assert pages == expected
