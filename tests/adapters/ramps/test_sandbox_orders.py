"""Orders of a sandbox provider: automatic progress, statuses set by hand, and idempotency."""

import threading
from itertools import product

import pytest
from sqlalchemy.exc import IntegrityError

from crossway.adapters.ramps.sandbox.order_progress import REPORTABLE_STATUSES, find_conflict
from crossway.adapters.ramps.sandbox.orders import Order, StatusReport
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderOrderStatus, ProviderRejected
from crossway.ports.sandbox import Faults, RampFaults
from tests.ramps import (
    BASE,
    DELIVER_SECONDS,
    FIAT,
    PAY_SECONDS,
    TRANSFER_SECONDS,
    UNITS,
    USDC,
    SandboxRamp,
    order_request,
)

O = ProviderOrderStatus  # noqa: E741


# Of an order, only where its money goes back to matters to what can be told of it.
ANY = Order(
    reference="",
    provider=ProviderName.YELLOW_CARD,
    direction=Direction.ON,
    fiat_minor=FIAT,
    chain=BASE,
    token=USDC.address,
    amount=UNITS,
    to_address="",
    refund_address="there",
    pay_to="",
    widget_url="",
    instructions={},
    pay_by=0,
    closes_at=0,
)


def opened(ramp: SandboxRamp, direction: Direction = Direction.ON) -> str:
    return ramp.provider.create_order(order_request(ramp, direction)).reference


def test_a_confirmed_on_ramp_is_delivered_to_its_intent_after_a_while(ramp: SandboxRamp) -> None:
    reference = opened(ramp)
    assert ramp.updates(reference) == []
    ramp.provider.confirm_payment(reference)
    ramp.pass_time(DELIVER_SECONDS - 1)
    [paid] = ramp.updates(reference)
    assert (paid.status, paid.fiat_minor) == (O.PAID, FIAT)
    assert ramp.balance(ramp.deposit_address()) == 0
    ramp.pass_time(1)
    _, delivered = ramp.updates(reference)
    assert (delivered.status, delivered.amount) == (O.DELIVERED, UNITS)
    [sent] = ramp.simulation.chain().transfers_to([ramp.deposit_address()])
    assert (sent.amount, sent.tx_hash) == (UNITS, delivered.tx_hash)
    assert sent.sender == ramp.provider.refund_address(BASE)


def test_repeated_polling_delivers_once(ramp: SandboxRamp) -> None:
    reference = opened(ramp)
    ramp.provider.confirm_payment(reference)
    ramp.provider.confirm_payment(reference)
    ramp.pass_time(DELIVER_SECONDS)
    other_processes = [ramp.reopen() for _ in range(3)]
    threads = [threading.Thread(target=item.updates, args=[reference]) for item in other_processes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ramp.statuses(reference) == [O.PAID, O.DELIVERED]
    assert ramp.balance(ramp.deposit_address()) == UNITS
    for one in other_processes:
        one.simulation.close()


def test_a_delivery_and_its_record_are_atomic(ramp: SandboxRamp) -> None:
    """Payment and status are stored in one transaction: a crash in between stores neither."""
    reference = opened(ramp)
    ramp.provider.confirm_payment(reference)
    ramp.pass_time(DELIVER_SECONDS)
    with ramp.simulation.writing.begin() as db:
        # One row and no second: the crypto is sent by then, and its report cannot be written.
        db.exec_driver_sql("CREATE UNIQUE INDEX killed ON ramp_sandbox_reports (length(reference))")
    with pytest.raises(IntegrityError):
        ramp.updates(reference)
    assert ramp.balance(ramp.deposit_address()) == 0
    with ramp.simulation.writing.begin() as db:
        db.exec_driver_sql("DROP INDEX killed")
    assert ramp.statuses(reference) == [O.PAID, O.DELIVERED]
    assert ramp.balance(ramp.deposit_address()) == UNITS


def test_an_off_ramp_detects_its_crypto_and_pays_out(ramp: SandboxRamp) -> None:
    order = ramp.provider.create_order(order_request(ramp, Direction.OFF))
    ramp.provider.confirm_payment(order.reference, "0xabc")
    assert ramp.statuses(order.reference) == []
    ramp.pay(order.pay_to, UNITS - 1)
    assert ramp.statuses(order.reference) == []
    ramp.pay(order.pay_to, 1)
    [paid] = ramp.updates(order.reference)
    assert (paid.status, paid.amount) == (O.PAID, UNITS)
    ramp.pass_time(DELIVER_SECONDS)
    _, delivered = ramp.updates(order.reference)
    assert (delivered.status, delivered.fiat_minor) == (O.DELIVERED, FIAT)


def test_every_off_ramp_has_its_own_address(ramp: SandboxRamp) -> None:
    orders = [order_request(ramp, Direction.OFF, f"order-{n}") for n in range(3)]
    assert len({ramp.provider.create_order(order).pay_to for order in orders}) == 3


def test_returned_crypto_refunds_the_local_money(ramp: SandboxRamp) -> None:
    reference = opened(ramp)
    ramp.controls.report(ramp.name, reference, "delivered")
    back = ramp.provider.refund_address(BASE)
    ramp.pay(back, UNITS, sender=ramp.deposit_address("another intent"))
    ramp.pay(back, UNITS - 1, sender=ramp.deposit_address())
    ramp.pass_time(DELIVER_SECONDS)
    assert ramp.statuses(reference) == [O.DELIVERED]
    ramp.pay(back, 1, sender=ramp.deposit_address())
    assert ramp.statuses(reference) == [O.DELIVERED]
    ramp.pass_time(DELIVER_SECONDS)
    _, refunded = ramp.updates(reference)
    assert (refunded.status, refunded.fiat_minor) == (O.REFUNDED, FIAT)


def test_an_unpaid_order_expires_when_no_payment_can_arrive(
    ramp: SandboxRamp,
) -> None:
    reference = opened(ramp)
    ramp.pass_time(PAY_SECONDS + TRANSFER_SECONDS - 1)
    assert ramp.statuses(reference) == []
    ramp.pass_time(1)
    [expired] = ramp.updates(reference)
    assert (expired.status, expired.fiat_minor) == (O.EXPIRED, None)
    ramp.provider.confirm_payment(reference)
    assert ramp.statuses(reference) == [O.EXPIRED]


def test_crypto_for_a_cancelled_order_is_returned_to_its_sender(ramp: SandboxRamp) -> None:
    order = order_request(ramp, Direction.OFF)
    made = ramp.provider.create_order(order)
    ramp.provider.cancel_order(made.reference)
    ramp.pay(made.pay_to, UNITS)
    assert ramp.statuses(made.reference) == [O.CANCELLED, O.PAID]
    ramp.pass_time(DELIVER_SECONDS)
    refunded = ramp.updates(made.reference)[-1]
    assert (refunded.status, refunded.amount) == (O.REFUNDED, UNITS)
    assert ramp.balance(order.refund_address) == UNITS
    assert refunded.tx_hash


def test_crypto_without_a_refund_address_is_kept_and_not_reported_as_refunded(
    ramp: SandboxRamp,
) -> None:
    elsewhere = ramp.simulation.chain("SOLANA_MAINNET").deposit_address("a wallet")
    order = ramp.provider.create_order(order_request(ramp, Direction.OFF, refund_address=elsewhere))
    ramp.provider.cancel_order(order.reference)
    ramp.pay(order.pay_to, UNITS)
    ramp.pass_time(DELIVER_SECONDS)
    assert ramp.statuses(order.reference) == [O.CANCELLED, O.PAID]
    with pytest.raises(InvalidStatus, match="no refund address of its seller on BASE_MAINNET"):
        ramp.controls.report(ramp.name, order.reference, "refunded")


def test_a_payment_for_a_cancelled_on_ramp_is_refunded(
    ramp: SandboxRamp,
) -> None:
    reference = opened(ramp)
    ramp.provider.cancel_order(reference)
    ramp.controls.report(ramp.name, reference, "paid")
    ramp.pass_time(DELIVER_SECONDS)
    assert ramp.statuses(reference) == [O.CANCELLED, O.PAID, O.REFUNDED]
    assert ramp.balance(ramp.deposit_address()) == 0


def test_a_paid_order_cannot_be_cancelled(ramp: SandboxRamp) -> None:
    order = ramp.provider.create_order(order_request(ramp, Direction.OFF))
    ramp.pay(order.pay_to, UNITS)
    with pytest.raises(ProviderRejected, match="has been paid"):
        ramp.provider.cancel_order(order.reference)
    assert ramp.statuses(order.reference) == [O.PAID]


def test_an_order_created_after_its_cancellation_is_rejected(ramp: SandboxRamp) -> None:
    order = order_request(ramp)
    ramp.provider.cancel_by_reference(order)
    with pytest.raises(ProviderRejected, match="was cancelled"):
        ramp.provider.create_order(order)


def test_a_failure_has_an_amount_only_after_a_payment(ramp: SandboxRamp) -> None:
    unpaid, paid = (
        ramp.provider.create_order(order_request(ramp, reference=name)).reference
        for name in ("1", "2")
    )
    ramp.provider.confirm_payment(paid)
    for reference in (unpaid, paid):
        ramp.controls.report(ramp.name, reference, "failed")
    assert [ramp.updates(item)[-1].fiat_minor for item in (unpaid, paid)] == [None, FIAT]
    ramp.pass_time(DELIVER_SECONDS)
    assert ramp.statuses(paid) == [O.PAID, O.FAILED]
    ramp.controls.report(ramp.name, paid, "refunded")
    assert ramp.statuses(paid)[-1] is O.REFUNDED


def test_each_status_is_reported_once_and_only_where_valid(ramp: SandboxRamp) -> None:
    """Every status in every state: rejections have a reason, the others are reported once."""
    ramp.controls.inject_faults(ramp.name, RampFaults(deliver_seconds=-1))
    number = 0
    for before, outcome in product((*REPORTABLE_STATUSES, None, O.CANCELLED), REPORTABLE_STATUSES):
        for paid_first in (False, True):
            number += 1
            reference = ramp.provider.create_order(
                order_request(ramp, reference=f"{number}")
            ).reference
            story: dict[ProviderOrderStatus, StatusReport] = {}
            steps = [O.PAID] if paid_first and before not in (O.PAID, O.CANCELLED) else []
            for step in [*steps, *([before] if before in REPORTABLE_STATUSES else [])]:
                if not find_conflict(ANY, story, step):
                    ramp.controls.report(ramp.name, reference, step)
                    story[step] = StatusReport(step, 0)
            if before is O.CANCELLED:
                ramp.provider.cancel_order(reference)
                story[O.CANCELLED] = StatusReport(O.CANCELLED, 0)
            if why := find_conflict(ANY, story, outcome):
                with pytest.raises(InvalidStatus, match=why):
                    ramp.controls.report(ramp.name, reference, outcome)
                assert ramp.statuses(reference) == list(story)
            else:
                ramp.controls.report(ramp.name, reference, outcome)
                assert ramp.statuses(reference) == [*story, outcome]


def test_a_simulated_delivery_pays_at_once_and_only_once(ramp: SandboxRamp) -> None:
    reference = opened(ramp)
    ramp.controls.report(ramp.name, reference, "delivered")
    assert ramp.balance(ramp.deposit_address()) == UNITS
    with pytest.raises(InvalidStatus, match="delivered already"):
        ramp.controls.report(ramp.name, reference, "delivered")
    assert ramp.balance(ramp.deposit_address()) == UNITS


def test_only_an_existing_order_takes_a_simulated_status(ramp: SandboxRamp) -> None:
    reference = opened(ramp)
    with pytest.raises(NotFound):
        ramp.controls.report(ramp.name, "YEL-0", "paid")
    with pytest.raises(InvalidInput, match="provider must be one of YELLOW_CARD"):
        ramp.controls.report("FONBNK", reference, "paid")
    with pytest.raises(InvalidInput, match="paid, delivered, failed, refunded"):
        ramp.controls.report(ramp.name, reference, "expired")


def test_an_unreachable_chain_only_delays_the_detection_of_crypto(ramp: SandboxRamp) -> None:
    order = ramp.provider.create_order(order_request(ramp, Direction.OFF))
    ramp.pay(order.pay_to, UNITS)
    ramp.simulation.sandbox.inject_faults(USDC.chain, Faults(outage_seconds=60))
    assert ramp.statuses(order.reference) == []
    ramp.pass_time(60)
    assert ramp.statuses(order.reference) == [O.PAID]
