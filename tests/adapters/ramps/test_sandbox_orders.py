"""What a sandbox provider does with an order: on its own, as told, and once."""

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
    Ramp,
    opening,
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


def opened(ramp: Ramp, direction: Direction = Direction.ON) -> str:
    return ramp.provider.create_order(opening(ramp, direction)).reference


def test_a_confirmed_on_ramp_pays_into_its_intent_after_a_while(ramp: Ramp) -> None:
    reference = opened(ramp)
    assert ramp.told(reference) == []
    ramp.provider.confirm_payment(reference)
    ramp.wait(DELIVER_SECONDS - 1)
    [paid] = ramp.told(reference)
    assert (paid.status, paid.fiat_minor) == (O.PAID, FIAT)
    assert ramp.holds(ramp.intent()) == 0
    ramp.wait(1)
    _, delivered = ramp.told(reference)
    assert (delivered.status, delivered.amount) == (O.DELIVERED, UNITS)
    [sent] = ramp.simulation.chain().transfers_to([ramp.intent()])
    assert (sent.amount, sent.tx_hash) == (UNITS, delivered.tx_hash)
    assert sent.sender == ramp.provider.refund_address(BASE)


def test_however_often_it_is_asked_it_pays_once(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.provider.confirm_payment(reference)
    ramp.provider.confirm_payment(reference)
    ramp.wait(DELIVER_SECONDS)
    others = [ramp.again() for _ in range(3)]
    threads = [threading.Thread(target=one.told, args=[reference]) for one in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ramp.outcomes(reference) == [O.PAID, O.DELIVERED]
    assert ramp.holds(ramp.intent()) == UNITS
    for one in others:
        one.simulation.close()


def test_a_payment_that_was_not_remembered_was_not_made(ramp: Ramp) -> None:
    """What it sends and what it says are one transaction: killed in between, it did neither."""
    reference = opened(ramp)
    ramp.provider.confirm_payment(reference)
    ramp.wait(DELIVER_SECONDS)
    with ramp.simulation.writing.begin() as db:
        # One row and no second: the crypto is sent by then, and its report cannot be written.
        db.exec_driver_sql("CREATE UNIQUE INDEX killed ON ramp_sandbox_reports (length(reference))")
    with pytest.raises(IntegrityError):
        ramp.told(reference)
    assert ramp.holds(ramp.intent()) == 0
    with ramp.simulation.writing.begin() as db:
        db.exec_driver_sql("DROP INDEX killed")
    assert ramp.outcomes(reference) == [O.PAID, O.DELIVERED]
    assert ramp.holds(ramp.intent()) == UNITS


def test_an_off_ramp_sees_its_crypto_itself_and_then_pays_out(ramp: Ramp) -> None:
    made = ramp.provider.create_order(opening(ramp, Direction.OFF))
    ramp.provider.confirm_payment(made.reference, "0xabc")
    assert ramp.outcomes(made.reference) == []
    ramp.pay(made.pay_to, UNITS - 1)
    assert ramp.outcomes(made.reference) == []
    ramp.pay(made.pay_to, 1)
    [paid] = ramp.told(made.reference)
    assert (paid.status, paid.amount) == (O.PAID, UNITS)
    ramp.wait(DELIVER_SECONDS)
    _, delivered = ramp.told(made.reference)
    assert (delivered.status, delivered.fiat_minor) == (O.DELIVERED, FIAT)


def test_every_off_ramp_has_an_address_of_its_own(ramp: Ramp) -> None:
    orders = [opening(ramp, Direction.OFF, f"order-{n}") for n in range(3)]
    assert len({ramp.provider.create_order(order).pay_to for order in orders}) == 3


def test_crypto_that_comes_back_gives_the_local_money_back(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.switches.report(ramp.name, reference, "delivered")
    back = ramp.provider.refund_address(BASE)
    ramp.pay(back, UNITS, sender=ramp.intent("another intent"))
    ramp.pay(back, UNITS - 1, sender=ramp.intent())
    ramp.wait(DELIVER_SECONDS)
    assert ramp.outcomes(reference) == [O.DELIVERED]
    ramp.pay(back, 1, sender=ramp.intent())
    assert ramp.outcomes(reference) == [O.DELIVERED]
    ramp.wait(DELIVER_SECONDS)
    _, refunded = ramp.told(reference)
    assert (refunded.status, refunded.fiat_minor) == (O.REFUNDED, FIAT)


def test_an_order_that_nobody_pays_ends_when_no_payment_can_be_on_its_way(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.wait(PAY_SECONDS + TRANSFER_SECONDS - 1)
    assert ramp.outcomes(reference) == []
    ramp.wait(1)
    [expired] = ramp.told(reference)
    assert (expired.status, expired.fiat_minor) == (O.EXPIRED, None)
    ramp.provider.confirm_payment(reference)
    assert ramp.outcomes(reference) == [O.EXPIRED]


def test_crypto_for_a_cancelled_order_goes_back_to_its_sender(ramp: Ramp) -> None:
    order = opening(ramp, Direction.OFF)
    made = ramp.provider.create_order(order)
    ramp.provider.cancel_order(made.reference)
    ramp.pay(made.pay_to, UNITS)
    assert ramp.outcomes(made.reference) == [O.CANCELLED, O.PAID]
    ramp.wait(DELIVER_SECONDS)
    refunded = ramp.told(made.reference)[-1]
    assert (refunded.status, refunded.amount) == (O.REFUNDED, UNITS)
    assert ramp.holds(order.refund_address) == UNITS
    assert refunded.tx_hash


def test_crypto_that_has_no_place_to_go_back_to_is_kept_and_not_called_refunded(
    ramp: Ramp,
) -> None:
    elsewhere = ramp.simulation.chain("SOLANA_MAINNET").deposit_address("a wallet")
    made = ramp.provider.create_order(opening(ramp, Direction.OFF, refund_address=elsewhere))
    ramp.provider.cancel_order(made.reference)
    ramp.pay(made.pay_to, UNITS)
    ramp.wait(DELIVER_SECONDS)
    assert ramp.outcomes(made.reference) == [O.CANCELLED, O.PAID]
    with pytest.raises(InvalidStatus, match="no refund address of its seller on BASE_MAINNET"):
        ramp.switches.report(ramp.name, made.reference, "refunded")


def test_money_for_a_cancelled_order_goes_back_and_the_intent_gets_nothing(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.provider.cancel_order(reference)
    ramp.switches.report(ramp.name, reference, "paid")
    ramp.wait(DELIVER_SECONDS)
    assert ramp.outcomes(reference) == [O.CANCELLED, O.PAID, O.REFUNDED]
    assert ramp.holds(ramp.intent()) == 0


def test_what_was_paid_cannot_be_cancelled_any_more(ramp: Ramp) -> None:
    made = ramp.provider.create_order(opening(ramp, Direction.OFF))
    ramp.pay(made.pay_to, UNITS)
    with pytest.raises(ProviderRejected, match="has been paid"):
        ramp.provider.cancel_order(made.reference)
    assert ramp.outcomes(made.reference) == [O.PAID]


def test_an_opening_that_arrives_after_its_cancelling_is_refused(ramp: Ramp) -> None:
    order = opening(ramp)
    ramp.provider.cancel_by_reference(order)
    with pytest.raises(ProviderRejected, match="was cancelled"):
        ramp.provider.create_order(order)


def test_a_failure_names_an_amount_only_where_money_was_taken(ramp: Ramp) -> None:
    unpaid, paid = (
        ramp.provider.create_order(opening(ramp, reference=name)).reference for name in ("1", "2")
    )
    ramp.provider.confirm_payment(paid)
    for reference in (unpaid, paid):
        ramp.switches.report(ramp.name, reference, "failed")
    assert [ramp.told(one)[-1].fiat_minor for one in (unpaid, paid)] == [None, FIAT]
    ramp.wait(DELIVER_SECONDS)
    assert ramp.outcomes(paid) == [O.PAID, O.FAILED]
    ramp.switches.report(ramp.name, paid, "refunded")
    assert ramp.outcomes(paid)[-1] is O.REFUNDED


def test_each_outcome_can_be_told_once_and_only_where_it_can_be(ramp: Ramp) -> None:
    """Every state with every outcome: what is refused is said why, the rest is said once."""
    ramp.switches.inject_faults(ramp.name, RampFaults(deliver_seconds=-1))
    number = 0
    for before, outcome in product((*REPORTABLE_STATUSES, None, O.CANCELLED), REPORTABLE_STATUSES):
        for paid_first in (False, True):
            number += 1
            reference = ramp.provider.create_order(opening(ramp, reference=f"{number}")).reference
            story: dict[ProviderOrderStatus, StatusReport] = {}
            steps = [O.PAID] if paid_first and before not in (O.PAID, O.CANCELLED) else []
            for step in [*steps, *([before] if before in REPORTABLE_STATUSES else [])]:
                if not find_conflict(ANY, story, step):
                    ramp.switches.report(ramp.name, reference, step)
                    story[step] = StatusReport(step, 0)
            if before is O.CANCELLED:
                ramp.provider.cancel_order(reference)
                story[O.CANCELLED] = StatusReport(O.CANCELLED, 0)
            if why := find_conflict(ANY, story, outcome):
                with pytest.raises(InvalidStatus, match=why):
                    ramp.switches.report(ramp.name, reference, outcome)
                assert ramp.outcomes(reference) == list(story)
            else:
                ramp.switches.report(ramp.name, reference, outcome)
                assert ramp.outcomes(reference) == [*story, outcome]


def test_a_delivery_that_is_told_pays_at_once_and_only_once(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.switches.report(ramp.name, reference, "delivered")
    assert ramp.holds(ramp.intent()) == UNITS
    with pytest.raises(InvalidStatus, match="delivered already"):
        ramp.switches.report(ramp.name, reference, "delivered")
    assert ramp.holds(ramp.intent()) == UNITS


def test_only_an_order_that_is_there_can_be_told_something(ramp: Ramp) -> None:
    reference = opened(ramp)
    with pytest.raises(NotFound):
        ramp.switches.report(ramp.name, "YEL-0", "paid")
    with pytest.raises(InvalidInput, match="provider must be one of YELLOW_CARD"):
        ramp.switches.report("FONBNK", reference, "paid")
    with pytest.raises(InvalidInput, match="paid, delivered, failed, refunded"):
        ramp.switches.report(ramp.name, reference, "expired")


def test_a_chain_that_gives_no_answer_hides_the_crypto_and_nothing_else(ramp: Ramp) -> None:
    made = ramp.provider.create_order(opening(ramp, Direction.OFF))
    ramp.pay(made.pay_to, UNITS)
    ramp.simulation.sandbox.inject_faults(USDC.chain, Faults(outage_seconds=60))
    assert ramp.outcomes(made.reference) == []
    ramp.wait(60)
    assert ramp.outcomes(made.reference) == [O.PAID]
