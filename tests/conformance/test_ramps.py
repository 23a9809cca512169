"""Conformance tests of the ramp port; a new adapter is added by one line in `HARNESSES`."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Protocol

import pytest

from crossway.adapters.chains.addresses import canonical_address
from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.fiat import Currency
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction
from crossway.ports.ramps import (
    OrderRequest,
    ProviderOrderStatus,
    ProviderQuoteRequest,
    ProviderRejected,
    RampProvider,
)
from crossway.ports.sandbox import RampFaults
from tests import ramps
from tests.adapters.ramps.provider_harnesses import (
    FonbnkHarness,
    PaycrestHarness,
    YellowCardHarness,
)
from tests.ramps import SandboxRamp
from tests.simulation import catalogue

ON, OFF = Direction.ON, Direction.OFF
O = ProviderOrderStatus  # noqa: E741
# Without webhooks, an open order has no update or only this one.
OPEN_STATUSES: list[list[ProviderOrderStatus]] = [[], [O.WAITING]]


class ProviderHarness(Protocol):
    """A provider under test, with the controls that tests need.

    `serves` are its directions; `cancels` says whether it cancels orders on request instead of
    letting them expire.
    """

    provider: RampProvider
    serves: tuple[Direction, ...]
    cancels: bool

    def now(self) -> datetime: ...
    def ask(self, direction: Direction) -> ProviderQuoteRequest: ...
    def channels(self, direction: Direction) -> list[Channel]: ...
    def opening(self, direction: Direction, reference: str) -> OrderRequest: ...
    def opened(self) -> int:
        """The number of orders that the provider has."""
        ...

    def pay(self, reference: str) -> None:
        """Let the provider detect the payment of its order."""
        ...

    def deliver(self, reference: str) -> None:
        """Let the provider deliver a paid order."""
        ...

    def silence(self, silent: bool) -> None:
        """Make the provider unavailable or available again."""
        ...

    def call(self, reference: str) -> tuple[dict[str, str], bytes]:
        """The headers and body of the provider's webhook about an order."""
        ...

    def sign(self, body: bytes) -> dict[str, str]:
        """The headers of a webhook with this body, signed by the provider."""
        ...

    def close(self) -> None: ...


class SandboxHarness:
    """A sandbox provider."""

    serves = (ON, OFF)
    cancels = True

    def __init__(self, folder: Path) -> None:
        self._ramp = SandboxRamp(f"sqlite:///{folder / 'ramps.db'}")
        self.provider: RampProvider = self._ramp.provider
        self._pays_to: dict[str, str] = {}

    def now(self) -> datetime:
        return self._ramp.now()

    def ask(self, direction: Direction) -> ProviderQuoteRequest:
        return ramps.quote_request(direction)

    def channels(self, direction: Direction) -> list[Channel]:
        return [ramps.ON if direction is ON else ramps.OFF]

    def opening(self, direction: Direction, reference: str) -> OrderRequest:
        return ramps.order_request(self._ramp, direction, reference)

    def opened(self) -> int:
        with self._ramp.simulation.reading.connect() as db:
            result = db.exec_driver_sql(
                "SELECT count(*) FROM ramp_sandbox_orders WHERE refusal_reason = ''"
            )
            return int(result.scalar_one())

    def pay(self, reference: str) -> None:
        self._ramp.controls.report(self._ramp.name, reference, "paid")

    def deliver(self, reference: str) -> None:
        self._ramp.pass_time(ramps.DELIVER_SECONDS)

    def silence(self, silent: bool) -> None:
        seconds = 10**6 if silent else 0
        self._ramp.controls.inject_faults(self._ramp.name, RampFaults(down_seconds=seconds))

    def call(self, reference: str) -> tuple[dict[str, str], bytes]:
        return self._ramp.provider.webhook(reference)

    def sign(self, body: bytes) -> dict[str, str]:
        return self._ramp.provider.signed(body)

    def close(self) -> None:
        self._ramp.simulation.close()


# Onramp Money is missing: users create its orders on its own page.
HARNESSES: dict[str, type[ProviderHarness]] = {
    "sandbox": SandboxHarness,
    "fonbnk": FonbnkHarness,
    "paycrest": PaycrestHarness,
    "yellow_card": YellowCardHarness,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Parametrize tests with every harness, and with each direction that its provider serves."""
    if "direction" in metafunc.fixturenames:
        pairs = [(name, serve) for name, of in HARNESSES.items() for serve in of.serves]
        names = [f"{name}-{direction}" for name, direction in pairs]
        metafunc.parametrize(("harness", "direction"), pairs, indirect=["harness"], ids=names)
    elif "harness" in metafunc.fixturenames:
        metafunc.parametrize("harness", HARNESSES, indirect=True)


@pytest.fixture
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProviderHarness]:
    created = HARNESSES[request.param](tmp_path)
    yield created
    created.close()


def outcomes(harness: ProviderHarness, reference: str) -> list[ProviderOrderStatus]:
    return [report.status for report in harness.provider.fetch_updates([reference])[reference]]


def test_a_quote_has_a_fee_and_an_expiry(harness: ProviderHarness, direction: Direction) -> None:
    channels = harness.channels(direction)
    quote = harness.provider.get_quote(harness.ask(direction), channels, harness.now())
    assert quote.fiat_minor > quote.fee_minor >= 0
    assert quote.rate_micro > 0
    assert quote.expires_at > harness.now()
    assert quote.channels
    assert {channel.id for channel in quote.channels} <= {channel.id for channel in channels}


def test_an_unsupported_currency_is_rejected(
    harness: ProviderHarness, direction: Direction
) -> None:
    francs = replace(harness.ask(direction), currency=Currency("CHF", "Swiss Franc", "CHF", 2))
    with pytest.raises(ProviderRejected):
        harness.provider.get_quote(francs, harness.channels(direction), harness.now())


def test_one_reference_creates_one_order(harness: ProviderHarness, direction: Direction) -> None:
    order = harness.opening(direction, "order-1")
    first, again = harness.provider.create_order(order), harness.provider.create_order(order)
    assert (first.reference, first.fiat_minor) == (again.reference, again.fiat_minor)
    assert (first.pay_to, first.widget_url) == (again.pay_to, again.widget_url)
    assert harness.opened() == 1


def test_two_references_are_two_orders(harness: ProviderHarness, direction: Direction) -> None:
    orders = [
        harness.provider.create_order(harness.opening(direction, name)) for name in ("one", "two")
    ]
    assert len({item.reference for item in orders}) == harness.opened() == 2


def test_an_order_has_the_quoted_price_and_payment_instructions(
    harness: ProviderHarness, direction: Direction
) -> None:
    order = harness.opening(direction, "order-1")
    order_created = harness.provider.create_order(order)
    assert order_created.fiat_minor == order.fiat_minor
    assert order_created.pay_by is None or order_created.pay_by > harness.now()
    if direction is ON:
        assert order_created.instructions or order_created.widget_url
    else:
        assert order_created.pay_to


def test_an_unavailable_provider_is_unreachable_and_calls_can_be_repeated(
    harness: ProviderHarness, direction: Direction
) -> None:
    before = harness.provider.create_order(harness.opening(direction, "before")).reference
    after = harness.opening(direction, "after")
    harness.silence(True)
    calls: list[Callable[[], object]] = [
        lambda: harness.provider.get_quote(
            harness.ask(direction), harness.channels(direction), harness.now()
        ),
        lambda: harness.provider.create_order(after),
        lambda: harness.provider.fetch_updates([before]),
        lambda: harness.provider.cancel_order(before),
    ]
    for call in calls:
        with pytest.raises(Unreachable):
            call()
    harness.silence(False)
    assert outcomes(harness, before) in OPEN_STATUSES
    assert (
        harness.provider.create_order(after).reference
        == harness.provider.create_order(after).reference
    )
    assert harness.opened() == 2


def test_updates_are_oldest_first_with_stable_ids(
    harness: ProviderHarness, direction: Direction
) -> None:
    reference = harness.provider.create_order(harness.opening(direction, "order-1")).reference
    assert outcomes(harness, reference) in OPEN_STATUSES
    harness.pay(reference)
    paid = harness.provider.fetch_updates([reference])[reference]
    assert paid[-1].status is O.PAID
    assert harness.provider.fetch_updates([reference])[reference] == paid
    harness.deliver(reference)
    updates = harness.provider.fetch_updates([reference])[reference]
    assert updates[-1].status is O.DELIVERED
    assert [item.at for item in updates] == sorted(item.at for item in updates)
    assert len({item.id for item in updates}) == len(updates)
    assert {item.reference for item in updates} == {reference}
    assert updates[-1].id not in {item.id for item in paid}
    # A provider without a history reports only the current status; others keep update ids.
    assert paid[-1].id in {item.id for item in updates} or len(updates) == 1


def test_an_unknown_reference_has_no_updates(
    harness: ProviderHarness, direction: Direction
) -> None:
    reference = harness.provider.create_order(harness.opening(direction, "order-1")).reference
    updates = harness.provider.fetch_updates([reference, "no-such-order"])
    assert set(updates) == {reference}
    assert harness.provider.fetch_updates([]) == {}


def test_an_unpaid_order_is_cancelled_once(harness: ProviderHarness, direction: Direction) -> None:
    order = harness.opening(direction, "order-1")
    reference = harness.provider.create_order(order).reference
    harness.provider.cancel_order(reference)
    harness.provider.cancel_order(reference)
    harness.provider.cancel_by_reference(order)
    statuses = outcomes(harness, reference)
    assert statuses == [O.CANCELLED] if harness.cancels else statuses in OPEN_STATUSES


def test_a_paid_order_is_not_cancelled(harness: ProviderHarness, direction: Direction) -> None:
    reference = harness.provider.create_order(harness.opening(direction, "order-1")).reference
    harness.pay(reference)
    with pytest.raises(ProviderRejected):
        harness.provider.cancel_order(reference)
    assert O.CANCELLED not in outcomes(harness, reference)
    harness.deliver(reference)
    assert outcomes(harness, reference)[-1] is O.DELIVERED


def test_cancelling_an_unknown_order_creates_none(
    harness: ProviderHarness, direction: Direction
) -> None:
    harness.provider.cancel_by_reference(harness.opening(direction, "order-1"))
    assert harness.opened() == 0


def test_a_payment_can_be_confirmed_twice(harness: ProviderHarness, direction: Direction) -> None:
    reference = harness.provider.create_order(harness.opening(direction, "order-1")).reference
    for _ in range(2):
        harness.provider.confirm_payment(reference, "0xfeed" if direction is OFF else "")
    assert harness.opened() == 1


def test_a_signed_webhook_is_parsed(harness: ProviderHarness, direction: Direction) -> None:
    reference = harness.provider.create_order(harness.opening(direction, "order-1")).reference
    harness.pay(reference)
    headers, body = harness.call(reference)
    updates = harness.provider.parse_webhook(headers, body)
    assert [(item.reference, item.status) for item in updates][-1] == (reference, O.PAID)
    assert [item.id for item in harness.provider.parse_webhook(headers, body)] == [
        t.id for t in updates
    ]


def test_a_forged_webhook_is_rejected(harness: ProviderHarness, direction: Direction) -> None:
    reference = harness.provider.create_order(harness.opening(direction, "order-1")).reference
    harness.pay(reference)
    headers, body = harness.call(reference)
    changed = body.replace(reference.encode(), reference[:-1].encode() + b"~")
    assert changed != body
    other = {
        name: value[:-1] + ("0" if value[-1:] != "0" else "1") for name, value in headers.items()
    }
    for forged, content in ((headers, changed), ({}, body), (other, body), (headers, b"")):
        with pytest.raises(Unauthorized) as refusal:
            harness.provider.parse_webhook(forged, content)
        assert not {value for value in headers.values() if value in str(refusal.value)}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'"text"', b'{"reports": [{}]}'])
def test_a_signed_but_malformed_webhook_is_rejected(harness: ProviderHarness, body: bytes) -> None:
    with pytest.raises(InvalidInput):
        harness.provider.parse_webhook(harness.sign(body), body)


def test_the_provider_has_a_refund_address_on_every_chain(
    harness: ProviderHarness,
) -> None:
    for token in harness.provider.capabilities.tokens:
        family = catalogue().chains[token.chain].kind
        address = harness.provider.refund_address(token.chain)
        assert canonical_address(family, address) == address


def test_a_rejection_contains_no_personal_data(
    harness: ProviderHarness, direction: Direction
) -> None:
    order = harness.opening(direction, "order-1")
    reference = harness.provider.create_order(order).reference
    harness.pay(reference)
    with pytest.raises(ProviderRejected) as refusal:
        harness.provider.cancel_order(reference)
    for value in (order.email, *order.fields.values()):
        assert not value or value not in str(refusal.value)
