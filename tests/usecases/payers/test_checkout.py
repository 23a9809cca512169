"""Checkout without an API key: tokens cannot be guessed, and one form creates one intent."""

import base64
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus, NotFound
from crossway.domain.payment_links import PaymentLink
from crossway.domain.roles import Role
from crossway.usecases.payers import branding, checkout, links
from crossway.usecases.payers.checkout import CheckoutError
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from crossway.usecases.payments.checkout_urls import create_token
from tests.harness import CATALOGUE, Harness

BASE = "BASE_MAINNET:USDC"


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    return Harness(f"sqlite:///{tmp_path / 'crossway.db'}")


def create_link(world: Harness, to: str = "ARBITRUM_MAINNET", **more: Any) -> PaymentLink:
    params = {"title": "Coffee", "destination_chain": to, "recipient": world.wallet(to, "shop")}
    return links.create(world.services, world.caller, LinkRequest(**(params | more)))


def checkout_form(
    world: Harness, nonce: str = "a", amount: str = "25", method: str = "BASE_MAINNET:USDC"
) -> CheckoutForm:
    refund = world.wallet(method.partition(":")[0], "payer")
    return CheckoutForm(nonce.ljust(20, "-"), amount, method, refund)


def test_a_checkout_page_is_found_by_its_token_only(world: Harness) -> None:
    intents = [world.create_intent() for _ in range(3)]
    names = [create_token(world.services, intent.id) for intent in intents]
    assert [checkout.get_checkout(world.services, name).intent.id for name in names] == [1, 2, 3]
    assert len({len(name) for name in names}) == 1
    # Consecutive tokens share no prefix, so they reveal no number.
    raw = [base64.urlsafe_b64decode(name) for name in names]
    assert len({item[-8:] for item in raw}) == len({item[:4] for item in raw}) == 3


def test_forged_or_altered_tokens_are_not_found(world: Harness) -> None:
    name = create_token(world.services, world.create_intent().id)
    other = create_token(world.services, world.create_intent().id)
    altered = [
        name[:position] + ("A" if name[position] != "A" else "B") + name[position + 1 :]
        for position in range(len(name))
    ]
    never_made = create_token(world.services, 999)
    for wrong in (*altered, name[:16] + other[16:], name[:-1], name + "A", "1", "", never_made):
        with pytest.raises(NotFound):
            checkout.get_checkout(world.services, wrong)


def test_a_link_creates_an_intent_with_its_own_terms_for_each_payer(world: Harness) -> None:
    link = create_link(world, metadata={"sku": 7}, reference="A-1", min_amount="1000000")
    first = pay_by_link(world.services, link.id, checkout_form(world, "one"))
    second = pay_by_link(
        world.services, link.id, checkout_form(world, "two", "30,5", "SOLANA_MAINNET:USDT")
    )
    assert first.id != second.id
    for intent in (first, second):
        assert intent.payment_link_id == link.id
        assert intent.client_id == link.client_id
        assert intent.terms.recipient == link.recipient
        assert intent.metadata == {"sku": 7, "reference": "A-1"}
    assert (first.terms.payout_amount, second.terms.payout_amount) == (25_000_000, 30_500_000)
    assert links.get(world.services, world.caller, link.id).reserved == 2


def test_a_form_submitted_concurrently_creates_one_intent(world: Harness) -> None:
    link, sent = create_link(world, max_uses=1), checkout_form(world)
    with ThreadPoolExecutor(8) as pool:
        created = list(pool.map(lambda _: pay_by_link(world.services, link.id, sent).id, range(8)))
    assert len(set(created)) == 1
    assert links.get(world.services, world.caller, link.id).reserved == 1


def test_the_maximum_number_of_uses_holds_under_concurrency(world: Harness) -> None:
    link = create_link(world, max_uses=3)

    def one(number: int) -> bool:
        try:
            pay_by_link(world.services, link.id, checkout_form(world, f"n{number}"))
        except InvalidStatus:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(one, range(12))) == 3


@pytest.mark.parametrize("how", ["off", "over", "in_use"])
def test_a_closed_link_rejects_payments_with_the_reason(world: Harness, how: str) -> None:
    ends = world.clock.now() + timedelta(seconds=60)
    link = create_link(world, max_uses=1, expires_at=ends)
    if how == "off":
        links.update(world.services, world.caller, link.id, LinkRequest(active=False))
    elif how == "over":
        world.machine.seconds += 61
    else:
        pay_by_link(world.services, link.id, checkout_form(world))
    door = checkout.get_checkout_link(world.services, link.id)
    assert door.closed_reason == how
    with pytest.raises(InvalidStatus):
        pay_by_link(world.services, link.id, checkout_form(world, "later"))


@pytest.mark.parametrize(
    ("why", "changed"),
    [
        ("amount", {"amount": "lots"}), ("amount", {"amount": "1.1234567"}),
        ("low", {"amount": "0.5"}), ("high", {"amount": "101"}),
        ("method", {"method": "BASE_MAINNET:DOGE"}), ("method", {"method": "nowhere"}),
        ("method", {"method": "ETHEREUM_MAINNET:USDC"}), ("method", {"method": "BASE_MAINNET:DAI"}),
        ("refund", {"refund_address": "nobody"}), ("refund", {"refund_address": ""}),
        ("refund", {"refund_address": "0x" + "0" * 40}), ("form", {"nonce": "short"}),
    ],
)  # fmt: skip
def test_an_invalid_form_creates_nothing_and_names_the_reason(
    world: Harness, why: str, changed: dict[str, str]
) -> None:
    link = create_link(
        world,
        min_amount="1000000",
        max_amount="100000000",
        source_chains=["BASE", "SOLANA"],
        source_tokens=["USDC"],
    )
    with pytest.raises(CheckoutError) as refused:
        pay_by_link(world.services, link.id, replace(checkout_form(world), **changed))
    assert refused.value.reason == why
    assert links.get(world.services, world.caller, link.id).uses == 0


def test_every_payment_method_costs_what_was_shown(world: Harness) -> None:
    link = create_link(
        world, "BNB_MAINNET" if "BNB_MAINNET" in CATALOGUE.chains else "BASE_MAINNET"
    )
    door = checkout.get_checkout_link(world.services, link.id)
    methods = checkout.list_payment_methods(
        world.services, door, checkout.parse_amount(door, "12.345678")
    )
    assert [method.cheapest for method in methods].count(True) == 1
    assert methods[0].cheapest
    by_chain = {
        method.source.source: method
        for method in methods
        if method.option.symbol in ("USDC", "USDT")
    }
    for method in by_chain.values():
        created = pay_by_link(
            world.services,
            link.id,
            checkout_form(world, method.name.replace(":", "_"), "12.345678", method.name),
        )
        assert abs(created.terms.deposit_amount - method.option.deposit_amount) <= 1


def test_who_may_create_links_and_set_branding(world: Harness) -> None:
    viewer = replace(world.operator, role=Role.VIEWER)
    request = LinkRequest(
        title="X", destination_chain="BASE", recipient=world.wallet("BASE_MAINNET", "shop")
    )
    with pytest.raises(Forbidden):
        links.create(world.services, viewer, request)
    with pytest.raises(Forbidden):
        branding.update_branding(
            world.services, replace(viewer, role=Role.OPERATOR), "c-1", b"", []
        )
    with pytest.raises(Forbidden):
        branding.update_branding(world.services, world.caller, "c-1", b"", [])
    link = create_link(world)
    with pytest.raises(Forbidden):
        links.update(world.services, viewer, link.id, LinkRequest(active=False))


@pytest.mark.parametrize(
    ("picture", "frames", "expected_text"),
    [
        (b"<svg onload=alert(1)>", [], "PNG"),
        (b"\x89PNG\r\n\x1a\n" + b"x" * 102_400, [], "100 KB"),
        (None, ["http://shop.example"], "https"),
        (None, ["https://a.example; script-src *"], "origin"),
        (None, ["https://a.example/path"], "origin"), (None, ["*"], "origin"),
    ],
)  # fmt: skip
def test_harmful_branding_is_rejected(
    world: Harness, picture: bytes | None, frames: list[str], expected_text: str
) -> None:
    with pytest.raises(InvalidInput, match=expected_text):
        branding.update_branding(world.services, world.operator, "c-1", picture, frames)
