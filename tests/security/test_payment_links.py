"""Attacks on payment links: by visitors who create payments and never pay."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.intent import Intent, State
from crossway.domain.payment_links import ClosedReason, PaymentLink
from crossway.domain.price_risk import PricePolicy
from crossway.domain.public_ids import RecordKind
from crossway.engine.fan_out import fan_out
from crossway.ports.records import IntentFilter
from crossway.usecases.payers import checkout, link_payments, links
from crossway.usecases.payers.checkout import CheckoutError
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.payers.link_payments import CheckoutForm, TooManyUnpaid
from crossway.usecases.payments import intents, search
from crossway.usecases.payments.checkout_urls import checkout_url
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.simulator import chain_controls
from tests.figures import kept_sums
from tests.harness import Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
HOUR = 3_600


class Shop:
    """A merchant's payment links and visitors with network addresses."""

    def __init__(self, url: str, **policy: Any) -> None:
        prices = PricePolicy(exposure_micro_usd=400_000_000)
        self.world = Harness(url, chains=[BASE, ARBITRUM], prices=prices, **policy)
        self._forms = 0

    def create_link(self, **more: Any) -> PaymentLink:
        recipient = self.world.wallet(ARBITRUM, "shop")
        params = {"title": "Coffee", "destination_chain": ARBITRUM, "recipient": recipient}
        return links.create(self.world.services, self.world.caller, LinkRequest(**(params | more)))

    def submit(self, link: PaymentLink, visitor: str, wallet: str = "", **chosen: str) -> Intent:
        """Submit the form of a link as a visitor; each form has another refund address unless
        `wallet` names one."""
        amount, by = chosen.get("amount", "25"), chosen.get("by", "USDC")
        self._forms += 1
        refund = self.world.wallet(BASE, wallet or f"wallet {self._forms}")
        nonce = f"{self._forms:020d}"
        form = CheckoutForm(nonce, amount, f"{BASE}:{by}", refund, visitor)
        return link_payments.pay_by_link(self.world.services, link.id, form)

    def pay(self, intent: Intent) -> Intent:
        self.world.deposit(intent)
        return self.world.wait_for_state(intent, State.COMPLETED)

    def let_expire(self, intent: Intent) -> None:
        self.world.pass_time(HOUR + 120, 60)
        self.world.wait_for_state(intent, State.EXPIRED)

    def closed(self, link: PaymentLink, visitor: str = "stranger") -> ClosedReason | None:
        found = checkout.get_checkout_link(self.world.services, link.id, visitor)
        return found.closed_reason

    def counts(self, link: PaymentLink) -> tuple[int, int]:
        found = links.get(self.world.services, self.world.caller, link.id)
        return found.uses, found.reserved


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield made
    made.world.store.close()


def test_payments_that_nobody_pays_do_not_use_up_a_link(shop: Shop) -> None:
    link = shop.create_link(max_uses=1)
    unpaid = shop.submit(link, "attacker")
    assert shop.counts(link) == (0, 1)
    assert shop.closed(link) is ClosedReason.IN_USE
    shop.let_expire(unpaid)
    assert shop.counts(link) == (0, 0)
    assert shop.closed(link) is None
    shop.pay(shop.submit(link, "payer"))
    assert shop.counts(link) == (1, 0)
    assert shop.closed(link) is ClosedReason.USED_UP


def test_a_link_in_use_says_when_it_may_be_free_again(shop: Shop) -> None:
    link = shop.create_link(max_uses=1)
    shop.submit(link, "first")
    shop.world.machine.seconds += 1_200
    found = checkout.get_checkout_link(shop.world.services, link.id, "second")
    assert (found.closed_reason, found.wait_minutes) == (ClosedReason.IN_USE, 40)
    with pytest.raises(InvalidStatus):
        shop.submit(link, "second")


def test_who_has_the_open_payment_is_led_back_to_it(shop: Shop) -> None:
    link = shop.create_link(max_uses=1)
    first = shop.submit(link, "payer", "wallet of the payer")
    assert shop.closed(link, "payer") is None
    assert shop.submit(link, "payer", "wallet of the payer").id == first.id
    assert shop.counts(link) == (0, 1)
    # Another network address, wallet or amount is not proof of being the same payer.
    with pytest.raises(InvalidStatus):
        shop.submit(link, "other", "wallet of the payer")
    with pytest.raises(InvalidStatus):
        shop.submit(link, "payer", "another wallet")


def test_a_late_deposit_to_an_expired_payment_is_returned_and_uses_nothing(shop: Shop) -> None:
    link = shop.create_link(max_uses=1)
    late = shop.submit(link, "slow")
    shop.let_expire(late)
    paid = shop.submit(link, "quick")
    shop.world.deposit(late)
    shop.pay(paid)
    shop.world.wait_for_state(late, State.REFUNDED)
    assert shop.counts(link) == (1, 0)


def test_a_payment_that_was_funded_and_goes_back_returns_its_use(shop: Shop) -> None:
    link = shop.create_link(max_uses=1)
    intent = shop.submit(link, "payer")
    shop.world.deposit(intent, "short")
    shop.world.pass_time(HOUR + 120, 60)
    shop.world.wait_for_state(intent, State.REFUNDED, within=600)
    assert shop.counts(link) == (0, 0)


def test_one_address_keeps_a_single_use_link_occupied_for_a_part_of_the_day_only(
    shop: Shop,
) -> None:
    link = shop.create_link(max_uses=1)
    for _ in range(2):
        shop.let_expire(shop.submit(link, "attacker"))
    with pytest.raises(TooManyUnpaid) as refused:
        shop.submit(link, "attacker")
    assert 0 < refused.value.wait_seconds <= 86_400
    shop.pay(shop.submit(link, "payer"))


def test_open_payments_of_one_address_are_bounded_and_grow_with_paid_ones(shop: Shop) -> None:
    link = shop.create_link()
    opened = [shop.submit(link, "shared") for _ in range(20)]
    with pytest.raises(TooManyUnpaid):
        shop.submit(link, "shared")
    shop.submit(link, "elsewhere")
    shop.pay(opened[0])
    # One left the open ones, and two more are allowed for the one that was paid.
    for _ in range(3):
        shop.submit(link, "shared")
    with pytest.raises(TooManyUnpaid):
        shop.submit(link, "shared")


def test_open_payments_of_a_link_are_bounded_in_all(shop: Shop) -> None:
    link = shop.create_link()
    full = replace(link, reserved=1_000)
    assert full.closed_reason(shop.world.clock.now()) is ClosedReason.IN_USE
    assert replace(full, uses=1).closed_reason(shop.world.clock.now()) is None


def test_an_outsider_does_not_fill_the_limit_of_exposure(shop: Shop) -> None:
    """The limit is 400 USD, half of it for payments that payers create and have not paid; each
    visitor has half of what others left of that."""
    link = shop.create_link()
    shop.submit(link, "attacker", amount="100", by="ETH")
    with pytest.raises(CheckoutError) as refused:
        shop.submit(link, "attacker", amount="1", by="ETH")
    assert refused.value.reason == "busy"
    shop.submit(link, "second attacker", amount="50", by="ETH")
    with pytest.raises(CheckoutError):
        shop.submit(link, "payer", amount="26", by="ETH")
    paid = shop.submit(link, "payer", amount="25", by="ETH")
    # Who pays needs the room of the unpaid ones no longer.
    shop.pay(paid)
    shop.submit(link, "payer", amount="25", by="ETH")
    # Payments by API key still have the rest of the limit.
    eth = shop.world.services.catalogue.tokens[BASE, "ETH"].address
    for _ in range(8):
        shop.world.create_intent(token_in=eth)


def test_a_link_that_ends_while_its_last_use_is_open_stays_ended(shop: Shop) -> None:
    ends = shop.world.clock.now() + timedelta(seconds=600)
    link = shop.create_link(max_uses=1, expires_at=ends)
    shop.submit(link, "payer")
    shop.world.machine.seconds += 601
    assert shop.closed(link) is ClosedReason.OVER


def test_payments_that_nobody_paid_are_archived_and_come_back_when_money_arrives(
    tmp_path: Path,
) -> None:
    shop = Shop(f"sqlite:///{tmp_path / 'crossway.db'}", late_watch_seconds=86_400)
    world, link = shop.world, shop.create_link()
    unpaid, *searched = [shop.submit(link, "visitor") for _ in range(5)]
    short = shop.submit(link, "visitor")
    world.deposit(short, "short")
    shop.let_expire(unpaid)
    world.wait_for_state(short, State.REFUNDED)
    newest = shop.submit(link, "visitor")
    shop.let_expire(newest)
    world.pass_time(60)
    fan_out(world.services)
    figures = kept_sums(world.store)
    world.pass_time(31 * 86_400, 86_400)
    world.pass_time(60)
    listed = intents.list_page(world.services, world.caller, IntentFilter(), 100)
    assert [intent.id for intent in listed] == [newest.id, short.id]
    assert kept_sums(world.store) == figures
    # Its address is still known as one of ours.
    with pytest.raises(InvalidInput, match="deposit address of a payment"):
        world.create_intent(refund_address=unpaid.address)
    bring_back_by_search(world, searched)
    # Money that arrives brings it back by itself.
    token = unpaid.terms.token_in
    chain_controls.send_deposit(
        world.services, world.caller, unpaid.address, "25000000", token, BASE
    )
    while not intents.list_page(world.services, world.caller, IntentFilter(before_id=2), 1):
        world.pass_time(1)
    world.wait_for_state(unpaid, State.REFUNDED, within=600)
    with world.store.read() as unit:
        events = [entry.event for entry in unit.intents.list_transitions([unpaid.id])]
    assert events[:2] == ["CREATED", "DEADLINE_EMPTY"]


def bring_back_by_search(world: Harness, archived: list[Intent]) -> None:
    """An operator finds archived payments by whatever names them, and has the time to look at
    them; then they are archived again."""
    services, (by_address, by_number, by_public_number, by_url) = world.services, archived
    for intent, text in (
        (by_address, by_address.address),
        (by_number, str(by_number.id)),
        (by_public_number, str(ids_of(services).encode(RecordKind.INTENT, by_public_number.id))),
        (by_url, checkout_url(services, "https://pay.example", by_url.id)),
    ):
        assert not search.search(services, world.caller, text).hits
        found = search.search(services, world.operator, text)
        assert found.best_match is not None
        assert found.best_match.id == intent.id
    world.pass_time(29 * 86_400, 86_400)
    assert [world.reload(intent).state for intent in archived] == [State.EXPIRED] * 4
    world.pass_time(3 * 86_400, 86_400)
    with world.store.read() as unit:
        addresses = {intent.address for intent in archived}
        assert unit.payment_archive.find_known(addresses) == addresses
