"""Invoices: numbers without gaps, payment in whole and in parts, refusals, and making void."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crossway.domain.clients import Mode
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.intent import State
from crossway.domain.invoices import Balance, InvoiceState, InvoiceStatus
from crossway.usecases.billing import invoices
from crossway.usecases.payers import links
from crossway.usecases.payers.checkout import CheckoutError, get_checkout_link
from crossway.usecases.payers.link_payments import TooManyUnpaid, pay_by_link
from tests.usecases.billing.conftest import ARBITRUM, LINE, Merchant

TOTAL = 11_900_000


def test_an_invoice_is_paid_by_its_link(merchant: Merchant) -> None:
    view = merchant.invoice(notes="Thank you", payer={"name": "Ann", "email": "ann@x.example"})
    assert view.invoice.number == "TEST-INV-000001"
    assert view.invoice.total == TOTAL
    assert view.link.amount == TOTAL
    assert view.link.reference == "TEST-INV-000001"
    intent = merchant.pay(view)
    assert intent.terms.payout_amount == TOTAL
    assert intent.metadata["invoice"] == view.invoice.name
    paid = merchant.view(view)
    assert paid.invoice.state is InvoiceState.PAID
    assert paid.invoice.paid_at is not None
    assert paid.balance == Balance(TOTAL, 0)
    assert [event.type for event in merchant.events("invoice_issued", "invoice_paid")] == [
        "invoice_issued",
        "invoice_paid",
    ]
    with pytest.raises(InvalidStatus):
        merchant.start(view)


def test_numbers_have_neither_gaps_nor_doubles(merchant: Merchant) -> None:
    world = merchant.world
    merchant.invoice()
    with pytest.raises(InvalidInput):
        merchant.invoice(lines=[])

    def refuse(*_: Any) -> None:
        raise RuntimeError("the request was cut off")

    with pytest.raises(RuntimeError):
        invoices.create(world.services, world.caller, merchant.content(), in_transaction=refuse)
    threads = [threading.Thread(target=merchant.invoice) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = sorted(view.invoice.sequence for view in merchant.invoices())
    assert numbers == list(range(1, 8))


def test_parts_are_shown_as_such_and_never_exceed_the_total(merchant: Merchant) -> None:
    view = merchant.invoice(allow_parts=True)
    assert view.link.amount is None
    merchant.pay(view, "5")
    part = merchant.view(view)
    assert part.invoice.status(part.balance) is InvoiceStatus.PARTIALLY_PAID
    assert part.balance == Balance(5_000_000, 0)
    with pytest.raises(CheckoutError) as refused:
        merchant.start(view, "6.900001")
    assert refused.value.reason == "high"
    merchant.start(view, "2", "a payer")
    with pytest.raises(CheckoutError):
        merchant.start(view, "5", "another payer")
    assert merchant.view(view).balance == Balance(5_000_000, 2_000_000)
    merchant.pay(view, "4.9")
    assert merchant.view(view).invoice.state is InvoiceState.OPEN
    # What was only asked for comes free again when its payment expires.
    merchant.world.pass_time(3_700, step=600)
    merchant.pay(view, "2")
    assert merchant.view(view).invoice.state is InvoiceState.PAID


def test_a_payment_that_is_stored_after_a_later_look_counts(merchant: Merchant) -> None:
    """Another engine, whose clock is ahead or whose look overtook the payment's transaction."""
    world, view = merchant.world, merchant.invoice(allow_parts=True)
    merchant.pay(view, "5")
    seconds = world.machine.seconds
    world.machine.seconds += 300
    invoices.settle_paid(world.services)
    world.machine.seconds = seconds
    merchant.pay(view, "6.9")
    assert merchant.view(view).invoice.state is InvoiceState.PAID


def test_one_address_cannot_keep_what_is_left_reserved(merchant: Merchant) -> None:
    """It would ask for all of it again and again, so that nobody else could pay."""
    view = merchant.invoice(allow_parts=True)
    for _ in range(2):
        merchant.start(view, "11.9", "stranger")
        merchant.world.pass_time(3_700, step=600)
    with pytest.raises(TooManyUnpaid):
        merchant.start(view, "11.9", "stranger")
    merchant.pay(view, "11.9")
    assert merchant.view(view).invoice.state is InvoiceState.PAID


def test_two_payers_at_once_cannot_pay_the_rest_twice(merchant: Merchant) -> None:
    view = merchant.invoice(allow_parts=True)
    outcomes: list[str] = []

    def begin(payer: str) -> Callable[[], None]:
        form = merchant.form("11.9", payer)

        def run() -> None:
            try:
                pay_by_link(merchant.world.services, view.link.id, form)
                outcomes.append("made")
            except (InvalidStatus, CheckoutError):
                outcomes.append("refused")

        return run

    threads = [threading.Thread(target=begin(f"payer {n}")) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made", "refused", "refused", "refused"]
    assert merchant.view(view).balance == Balance(0, TOTAL)


def test_a_refunded_payment_leaves_the_invoice_open(merchant: Merchant) -> None:
    view = merchant.invoice()
    intent = merchant.start(view)
    merchant.world.deposit(intent, "1000000")
    merchant.world.pass_time(3_700, step=600)
    merchant.world.wait_for_state(intent, State.REFUNDED)
    assert merchant.view(view).balance == Balance(0, 0)
    merchant.pay(view)
    assert merchant.view(view).invoice.state is InvoiceState.PAID


def test_a_void_invoice_keeps_its_number_and_takes_no_money(merchant: Merchant) -> None:
    world = merchant.world
    first = merchant.invoice()
    void = invoices.void(world.services, world.caller, first.invoice.name)
    assert (void.invoice.state, void.invoice.sequence) == (InvoiceState.VOID, 1)
    assert merchant.invoice().invoice.sequence == 2
    with pytest.raises(InvalidStatus):
        merchant.start(first)
    with pytest.raises(InvalidStatus, match="already void"):
        invoices.void(world.services, world.caller, first.invoice.name)
    begun = merchant.invoice(allow_parts=True)
    merchant.start(begun, "1")
    with pytest.raises(InvalidStatus, match="is open"):
        invoices.void(world.services, world.caller, begun.invoice.name)
    merchant.pay(begun, "2")
    with pytest.raises(InvalidStatus, match="Something was paid"):
        invoices.void(world.services, world.caller, begun.invoice.name)


def test_links_of_invoices_are_not_among_the_payment_links(merchant: Merchant) -> None:
    view, world = merchant.invoice(), merchant.world
    assert links.list_page(world.services, world.caller, 10) == []
    assert get_checkout_link(world.services, view.link.id).link.amount == TOTAL


def test_another_client_sees_none_of_them(merchant: Merchant) -> None:
    view, world = merchant.invoice(), merchant.world
    other = replace(world.caller.client, id="c-2")
    world.store.write(lambda unit: unit.api_keys.add_client(other))
    stranger = replace(world.caller, client=other)
    live = replace(world.caller, mode=Mode.LIVE)
    for caller in (stranger, live):
        with pytest.raises(NotFound, match="Invoice not found"):
            invoices.get(world.services, caller, view.invoice.name)
        assert invoices.list_page(world.services, caller, 10) == []
    with pytest.raises(InvalidInput, match="cursor"):
        invoices.list_page(world.services, stranger, 10, view.invoice.name)


def line(**changed: object) -> list[dict[str, object]]:
    return [{**LINE, **changed}]


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"lines": None}, "lines must be a list of 1 to 100 lines"),
        ({"lines": "x"}, "lines must be a list"),
        ({"lines": [LINE] * 101}, "lines must be a list"),
        ({"lines": line(unit_amount=5)}, r"lines\[0\].unit_amount must be a positive integer"),
        ({"lines": line(unit_amount="-5")}, r"lines\[0\].unit_amount must be a positive integer"),
        ({"lines": line(quantity=0)}, r"lines\[0\].quantity must be a whole number from 1"),
        ({"lines": line(quantity=1.5)}, r"lines\[0\].quantity must be a whole number"),
        ({"lines": line(tax_bps=10_001)}, r"lines\[0\].tax_bps must be a whole number from 0"),
        ({"lines": line(description="")}, r"lines\[0\].description must have 1 to 200"),
        ({"lines": line(price="1")}, r"lines\[0\] must be an object with no other fields"),
        ({"payer": {"email": "a@b\r\nBcc: c@d"}}, "payer.email must be an e-mail address"),
        ({"payer": {"email": "a@b,c@d"}}, "payer.email must be an e-mail address"),
        ({"payer": {"phone": "1"}}, "payer must be an object with no other fields"),
        ({"payer": {"name": "a\x00b"}}, "payer.name must be a text of printable"),
        ({"language": "tlh"}, "language must be one of en, de"),
        ({"language": {}}, "language must be one of en, de"),
        ({"allow_parts": "yes"}, "allow_parts must be true or false"),
        ({"remind_days_before": 91}, "remind_days_before must be a whole number from 0 to 90"),
        ({"remind_days_after": True}, "remind_days_after must be a whole number"),
        ({"recipient": "0x1"}, "recipient"),
    ],
)
def test_a_wrong_field_is_named(
    merchant: Merchant, fields: dict[str, object], complaint: str
) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        merchant.invoice(**fields)
    assert merchant.invoices() == []


@pytest.mark.parametrize(
    ("due", "zone", "complaint"),
    [
        ("2020-01-01", None, "due_date must be today or later"),
        ("9999-01-01", None, "within ten years"),
        ("soon", None, "due_date must be a date"),
        (None, "Mars", "time_zone must be a time zone"),
    ],
)
def test_a_wrong_due_date_is_named(
    merchant: Merchant, due: str | None, zone: str | None, complaint: str
) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        merchant.invoice(due, zone)


def test_tokens_with_eighteen_places_take_what_payers_can_type(merchant: Merchant) -> None:
    dai = merchant.world.services.catalogue.tokens[ARBITRUM, "DAI"].address
    fine = line(unit_amount="1000000000001")
    with pytest.raises(InvalidInput, match="lines: unit_amount has more than 6 decimal places"):
        merchant.invoice(lines=fine, token_out=dai)
