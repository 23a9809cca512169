"""Payment links, their uses and looks as stored, on both databases."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from crossway.domain.links import LinkUse, PaymentLink
from crossway.domain.looks import Look
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, a_client, at_once, later


def a_link(number: int = 1, **more: Any) -> PaymentLink:
    facts: dict[str, Any] = {
        "id": f"pl_{number:020x}", "client_id": "c-1", "mode": "test", "title": "Кофе ☕",
        "description": "", "amount_units": 2**200, "least_units": None, "most_units": None,
        "destination_chain": "BASE_MAINNET", "token_out": "usdc", "recipient": "shop",
        "source_chains": ("A", "B"), "source_tokens": (), "reference": "A-1",
        "metadata": {"n": [1, {"deep": None}]}, "most_uses": None, "uses": 0, "expires_at": None,
        "active": True, "created_at": NOW, "updated_at": NOW,
    }  # fmt: skip
    return PaymentLink(**(facts | more))


def added(store: SqlStore, link: PaymentLink) -> PaymentLink:
    store.write(lambda unit: unit.links.add(link))
    return link


def use(link: PaymentLink, nonce: str, intent: int) -> LinkUse:
    return LinkUse(0, link.id, nonce, intent, NOW)


def test_a_link_comes_back_as_it_was_put(store: SqlStore) -> None:
    link = added(store, a_link(expires_at=later(9), least_units=1, most_units=2**90, most_uses=3))
    changed = replace(link, active=False, amount_units=None, source_chains=(), updated_at=later(1))
    with store.read() as unit:
        assert unit.links.get(link.id) == link
    store.write(lambda unit: unit.links.change(replace(changed, uses=99, client_id="other")))
    with store.read() as unit:
        assert unit.links.get(link.id) == changed
        assert unit.links.get("pl_none") is None


def test_links_are_paged_newest_first_within_one_instant_too(store: SqlStore) -> None:
    store.write(lambda unit: unit.access.add_client(a_client("c-2")))
    made = [added(store, a_link(n, created_at=NOW + timedelta(seconds=n // 3))) for n in range(7)]
    other = added(store, a_link(50, client_id="c-2"))
    order = sorted(made, key=lambda one: (one.created_at, one.id), reverse=True)
    seen: list[PaymentLink] = []
    with store.read() as unit:
        while page := unit.links.page("c-1", 2, seen[-1] if seen else None):
            seen += page
        assert seen == order
        assert unit.links.count_of("c-1") == 7
        assert other in unit.links.page(None, 10)


def test_a_form_is_one_use_however_often_it_comes_at_once(store: SqlStore) -> None:
    link = added(store, a_link())

    def once(number: int) -> bool:
        return store.write(lambda unit: unit.links.use(use(link, "same", number)))

    done = at_once([partial(once, number) for number in range(1, 9)])
    assert sorted(done) == [False] * 7 + [True]
    store.write(lambda unit: unit.links.use(use(link, "another", 77)))
    with store.read() as unit:
        found = unit.links.get(link.id)
        assert found is not None
        assert found.uses == 2
        newest, oldest = unit.links.uses(link.id, 10)
        assert (newest.nonce, oldest.nonce) == ("another", "same")
        assert unit.links.uses(link.id, 10, newest.id) == [oldest]
        assert unit.links.use_of(link.id, "another") == newest
        assert unit.links.use_of(link.id, "nothing") is None


def test_a_look_is_found_by_its_client_and_by_its_picture(store: SqlStore) -> None:
    look = Look("c-1", b"\x89PNG\x00", "image/png", ("https://a.example", "https://b.example"))
    store.write(lambda unit: unit.links.put_look(look))
    with store.read() as unit:
        assert unit.links.look("c-1") == look
        assert unit.links.look_of(look.digest) == look
    store.write(lambda unit: unit.links.put_look(Look("c-1")))
    with store.read() as unit:
        assert unit.links.look("c-1") == Look("c-1")
        assert unit.links.look_of(look.digest) is None
