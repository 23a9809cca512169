"""Payment links, their uses and branding."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from crossway.domain.branding import Branding
from crossway.domain.clients import OwnerFilter
from crossway.domain.payment_links import LinkUse, PaymentLink
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, a_client, later, run_concurrently


def a_link(number: int = 1, **more: Any) -> PaymentLink:
    fields: dict[str, Any] = {
        "id": f"pl_{number:020x}", "client_id": "c-1", "mode": "test", "title": "Кофе ☕",
        "description": "", "amount": 2**200, "min_amount": None, "max_amount": None,
        "destination_chain": "BASE_MAINNET", "token_out": "usdc", "recipient": "shop",
        "source_chains": ("A", "B"), "source_tokens": (), "reference": "A-1",
        "metadata": {"n": [1, {"deep": None}]}, "max_uses": None, "uses": 0, "expires_at": None,
        "active": True, "created_at": NOW, "updated_at": NOW,
    }  # fmt: skip
    return PaymentLink(**(fields | more))


def added(store: SqlStore, link: PaymentLink) -> PaymentLink:
    store.write(lambda unit: unit.payment_links.add(link))
    return link


def use(link: PaymentLink, nonce: str, intent: int) -> LinkUse:
    return LinkUse(0, link.id, nonce, intent, NOW)


def test_a_link_comes_back_as_it_was_put(store: SqlStore) -> None:
    link = added(store, a_link(expires_at=later(9), min_amount=1, max_amount=2**90, max_uses=3))
    changed = replace(link, active=False, amount=None, source_chains=(), updated_at=later(1))
    with store.read() as unit:
        assert unit.payment_links.get(link.id) == link
    store.write(
        lambda unit: unit.payment_links.update(replace(changed, uses=99, client_id="other"))
    )
    with store.read() as unit:
        assert unit.payment_links.get(link.id) == changed
        assert unit.payment_links.get("pl_none") is None


def test_links_are_paged_newest_first_within_one_instant_too(store: SqlStore) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    created = [
        added(store, a_link(n, created_at=NOW + timedelta(seconds=n // 3))) for n in range(7)
    ]
    other = added(store, a_link(50, client_id="c-2"))
    order = sorted(created, key=lambda one: (one.created_at, one.id), reverse=True)
    observed: list[PaymentLink] = []
    with store.read() as unit:
        while page := unit.payment_links.list_page(
            OwnerFilter("c-1"), 2, observed[-1] if observed else None
        ):
            observed += page
        assert observed == order
        assert unit.payment_links.count(OwnerFilter("c-1")) == 7
        assert other in unit.payment_links.list_page(OwnerFilter(), 10)


def test_a_form_submitted_concurrently_counts_as_one_use(store: SqlStore) -> None:
    link = added(store, a_link())

    def once(number: int) -> bool:
        return store.write(lambda unit: unit.payment_links.record_use(use(link, "same", number)))

    done = run_concurrently([partial(once, number) for number in range(1, 9)])
    assert sorted(done) == [False] * 7 + [True]
    store.write(lambda unit: unit.payment_links.record_use(use(link, "another", 77)))
    with store.read() as unit:
        newest, oldest = unit.payment_links.list_uses(link.id, 10)
        assert (newest.nonce, oldest.nonce) == ("another", "same")
        assert unit.payment_links.list_uses(link.id, 10, newest.id) == [oldest]
        assert unit.payment_links.find_use(link.id, "another") == newest
        assert unit.payment_links.find_use(link.id, "nothing") is None


def test_branding_is_found_by_its_client_and_by_its_logo(store: SqlStore) -> None:
    look = Branding("c-1", b"\x89PNG\x00", "image/png", ("https://a.example", "https://b.example"))
    store.write(lambda unit: unit.payment_links.save_branding(look))
    with store.read() as unit:
        assert unit.payment_links.get_branding("c-1") == look
        assert unit.payment_links.find_branding_by_digest(look.digest) == look
    store.write(lambda unit: unit.payment_links.save_branding(Branding("c-1")))
    with store.read() as unit:
        assert unit.payment_links.get_branding("c-1") == Branding("c-1")
        assert unit.payment_links.find_branding_by_digest(look.digest) is None
