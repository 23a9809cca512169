"""Conformance tests of the ramp port; a new adapter is added by one line in `STANDS`."""

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
from tests.adapters.ramps.stands import FonbnkStand, PaycrestStand, YellowCardStand
from tests.ramps import Ramp
from tests.simulation import catalogue

ON, OFF = Direction.ON, Direction.OFF
O = ProviderOrderStatus  # noqa: E741
# Whoever listens to no call of a provider knows an order that is open by no report, or by this one.
QUIET: list[list[ProviderOrderStatus]] = [[], [O.WAITING]]


class Stand(Protocol):
    """A provider to be tested, and the hands that a test needs around it.

    `serves` are its directions, `cancels` whether it closes orders when asked; one that does not
    lets them lapse.
    """

    provider: RampProvider
    serves: tuple[Direction, ...]
    cancels: bool

    def now(self) -> datetime: ...
    def ask(self, direction: Direction) -> ProviderQuoteRequest: ...
    def channels(self, direction: Direction) -> list[Channel]: ...
    def opening(self, direction: Direction, reference: str) -> OrderRequest: ...
    def opened(self) -> int:
        """How many orders the provider has, by its own books."""
        ...

    def pay(self, reference: str) -> None:
        """Let the provider learn that its order is paid, in whatever way it does."""
        ...

    def deliver(self, reference: str) -> None:
        """Let the provider do its part of an order that is paid."""
        ...

    def silence(self, silent: bool) -> None:
        """Let the provider give no answer, or answer again."""
        ...

    def call(self, reference: str) -> tuple[dict[str, str], bytes]:
        """The call by which the provider tells of an order."""
        ...

    def sign(self, body: bytes) -> dict[str, str]:
        """Header fields of a call with this body, signed as the provider does."""
        ...

    def close(self) -> None: ...


class SandboxStand:
    """A sandbox provider."""

    serves = (ON, OFF)
    cancels = True

    def __init__(self, folder: Path) -> None:
        self._ramp = Ramp(f"sqlite:///{folder / 'ramps.db'}")
        self.provider: RampProvider = self._ramp.provider
        self._pays_to: dict[str, str] = {}

    def now(self) -> datetime:
        return self._ramp.now()

    def ask(self, direction: Direction) -> ProviderQuoteRequest:
        return ramps.ask(direction)

    def channels(self, direction: Direction) -> list[Channel]:
        return [ramps.ON if direction is ON else ramps.OFF]

    def opening(self, direction: Direction, reference: str) -> OrderRequest:
        return ramps.opening(self._ramp, direction, reference)

    def opened(self) -> int:
        with self._ramp.simulation.reading.connect() as db:
            found = db.exec_driver_sql(
                "SELECT count(*) FROM ramp_sandbox_orders WHERE refusal_reason = ''"
            )
            return int(found.scalar_one())

    def pay(self, reference: str) -> None:
        self._ramp.switches.report(self._ramp.name, reference, "paid")

    def deliver(self, reference: str) -> None:
        self._ramp.wait(ramps.DELIVER_SECONDS)

    def silence(self, silent: bool) -> None:
        seconds = 10**6 if silent else 0
        self._ramp.switches.inject_faults(self._ramp.name, RampFaults(down_seconds=seconds))

    def call(self, reference: str) -> tuple[dict[str, str], bytes]:
        return self._ramp.provider.webhook(reference)

    def sign(self, body: bytes) -> dict[str, str]:
        return self._ramp.provider.signed(body)

    def close(self) -> None:
        self._ramp.simulation.close()


# Onramp Money is not here: nothing is opened with it, its user does that on its own page.
STANDS: dict[str, type[Stand]] = {
    "sandbox": SandboxStand,
    "fonbnk": FonbnkStand,
    "paycrest": PaycrestStand,
    "yellow_card": YellowCardStand,
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every stand, with each direction that its provider serves where a test asks for one."""
    if "direction" in metafunc.fixturenames:
        pairs = [(name, way) for name, of in STANDS.items() for way in of.serves]
        names = [f"{name}-{way}" for name, way in pairs]
        metafunc.parametrize(("stand", "direction"), pairs, indirect=["stand"], ids=names)
    elif "stand" in metafunc.fixturenames:
        metafunc.parametrize("stand", STANDS, indirect=True)


@pytest.fixture
def stand(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stand]:
    made = STANDS[request.param](tmp_path)
    yield made
    made.close()


def outcomes(stand: Stand, reference: str) -> list[ProviderOrderStatus]:
    return [report.status for report in stand.provider.fetch_updates([reference])[reference]]


def test_a_price_holds_its_fee_and_ends(stand: Stand, direction: Direction) -> None:
    channels = stand.channels(direction)
    made = stand.provider.get_quote(stand.ask(direction), channels, stand.now())
    assert made.fiat_minor > made.fee_minor >= 0
    assert made.rate_micro > 0
    assert made.expires_at > stand.now()
    assert made.channels
    assert {one.id for one in made.channels} <= {one.id for one in channels}


def test_what_is_not_served_is_refused(stand: Stand, direction: Direction) -> None:
    francs = replace(stand.ask(direction), currency=Currency("CHF", "Swiss Franc", "CHF", 2))
    with pytest.raises(ProviderRejected):
        stand.provider.get_quote(francs, stand.channels(direction), stand.now())


def test_opening_twice_with_one_reference_is_one_order(stand: Stand, direction: Direction) -> None:
    order = stand.opening(direction, "order-1")
    first, again = stand.provider.create_order(order), stand.provider.create_order(order)
    assert (first.reference, first.fiat_minor) == (again.reference, again.fiat_minor)
    assert (first.pay_to, first.widget_url) == (again.pay_to, again.widget_url)
    assert stand.opened() == 1


def test_two_references_are_two_orders(stand: Stand, direction: Direction) -> None:
    made = [stand.provider.create_order(stand.opening(direction, name)) for name in ("one", "two")]
    assert len({one.reference for one in made}) == stand.opened() == 2


def test_an_order_opens_at_what_was_quoted_and_says_how_to_pay(
    stand: Stand, direction: Direction
) -> None:
    order = stand.opening(direction, "order-1")
    made = stand.provider.create_order(order)
    assert made.fiat_minor == order.fiat_minor
    assert made.pay_by is None or made.pay_by > stand.now()
    if direction is ON:
        assert made.instructions or made.widget_url
    else:
        assert made.pay_to


def test_silence_is_unknown_and_can_be_asked_again(stand: Stand, direction: Direction) -> None:
    before = stand.provider.create_order(stand.opening(direction, "before")).reference
    after = stand.opening(direction, "after")
    stand.silence(True)
    calls: list[Callable[[], object]] = [
        lambda: stand.provider.get_quote(
            stand.ask(direction), stand.channels(direction), stand.now()
        ),
        lambda: stand.provider.create_order(after),
        lambda: stand.provider.fetch_updates([before]),
        lambda: stand.provider.cancel_order(before),
    ]
    for call in calls:
        with pytest.raises(Unreachable):
            call()
    stand.silence(False)
    assert outcomes(stand, before) in QUIET
    assert (
        stand.provider.create_order(after).reference == stand.provider.create_order(after).reference
    )
    assert stand.opened() == 2


def test_reports_are_told_oldest_first_with_names_that_stay(
    stand: Stand, direction: Direction
) -> None:
    reference = stand.provider.create_order(stand.opening(direction, "order-1")).reference
    assert outcomes(stand, reference) in QUIET
    stand.pay(reference)
    paid = stand.provider.fetch_updates([reference])[reference]
    assert paid[-1].status is O.PAID
    assert stand.provider.fetch_updates([reference])[reference] == paid
    stand.deliver(reference)
    told = stand.provider.fetch_updates([reference])[reference]
    assert told[-1].status is O.DELIVERED
    assert [one.at for one in told] == sorted(one.at for one in told)
    assert len({one.id for one in told}) == len(told)
    assert {one.reference for one in told} == {reference}
    assert told[-1].id not in {one.id for one in paid}
    # One who tells the present state alone forgets the one before; who tells it keeps its name.
    assert paid[-1].id in {one.id for one in told} or len(told) == 1


def test_of_an_order_that_is_not_there_nothing_is_known(stand: Stand, direction: Direction) -> None:
    reference = stand.provider.create_order(stand.opening(direction, "order-1")).reference
    told = stand.provider.fetch_updates([reference, "no-such-order"])
    assert set(told) == {reference}
    assert stand.provider.fetch_updates([]) == {}


def test_an_unpaid_order_is_cancelled_once(stand: Stand, direction: Direction) -> None:
    order = stand.opening(direction, "order-1")
    reference = stand.provider.create_order(order).reference
    stand.provider.cancel_order(reference)
    stand.provider.cancel_order(reference)
    stand.provider.cancel_by_reference(order)
    told = outcomes(stand, reference)
    assert told == [O.CANCELLED] if stand.cancels else told in QUIET


def test_a_paid_order_is_not_cancelled(stand: Stand, direction: Direction) -> None:
    reference = stand.provider.create_order(stand.opening(direction, "order-1")).reference
    stand.pay(reference)
    with pytest.raises(ProviderRejected):
        stand.provider.cancel_order(reference)
    assert O.CANCELLED not in outcomes(stand, reference)
    stand.deliver(reference)
    assert outcomes(stand, reference)[-1] is O.DELIVERED


def test_cancelling_what_was_never_opened_leaves_nothing_open(
    stand: Stand, direction: Direction
) -> None:
    stand.provider.cancel_by_reference(stand.opening(direction, "order-1"))
    assert stand.opened() == 0


def test_a_confirmation_can_be_told_twice(stand: Stand, direction: Direction) -> None:
    reference = stand.provider.create_order(stand.opening(direction, "order-1")).reference
    for _ in range(2):
        stand.provider.confirm_payment(reference, "0xfeed" if direction is OFF else "")
    assert stand.opened() == 1


def test_a_call_of_the_provider_is_read(stand: Stand, direction: Direction) -> None:
    reference = stand.provider.create_order(stand.opening(direction, "order-1")).reference
    stand.pay(reference)
    headers, body = stand.call(reference)
    told = stand.provider.parse_webhook(headers, body)
    assert [(one.reference, one.status) for one in told][-1] == (reference, O.PAID)
    assert [one.id for one in stand.provider.parse_webhook(headers, body)] == [t.id for t in told]


def test_a_forged_call_is_refused(stand: Stand, direction: Direction) -> None:
    reference = stand.provider.create_order(stand.opening(direction, "order-1")).reference
    stand.pay(reference)
    headers, body = stand.call(reference)
    changed = body.replace(reference.encode(), reference[:-1].encode() + b"~")
    assert changed != body
    other = {
        name: value[:-1] + ("0" if value[-1:] != "0" else "1") for name, value in headers.items()
    }
    for forged, content in ((headers, changed), ({}, body), (other, body), (headers, b"")):
        with pytest.raises(Unauthorized) as refusal:
            stand.provider.parse_webhook(forged, content)
        assert not {value for value in headers.values() if value in str(refusal.value)}


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"{}", b'"text"', b'{"reports": [{}]}'])
def test_a_signed_call_that_makes_no_sense_is_refused(stand: Stand, body: bytes) -> None:
    with pytest.raises(InvalidInput):
        stand.provider.parse_webhook(stand.sign(body), body)


def test_what_comes_back_has_a_place_on_every_chain_of_the_provider(stand: Stand) -> None:
    for token in stand.provider.capabilities.tokens:
        family = catalogue().chains[token.chain].kind
        address = stand.provider.refund_address(token.chain)
        assert canonical_address(family, address) == address


def test_a_refusal_names_nobody(stand: Stand, direction: Direction) -> None:
    order = stand.opening(direction, "order-1")
    reference = stand.provider.create_order(order).reference
    stand.pay(reference)
    with pytest.raises(ProviderRejected) as refusal:
        stand.provider.cancel_order(reference)
    for value in (order.email, *order.fields.values()):
        assert not value or value not in str(refusal.value)
