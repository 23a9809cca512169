"""What a sandbox provider does with an order: on its own, as told, and once."""

import threading
from itertools import product

import pytest
from sqlalchemy.exc import IntegrityError

from crossway.adapters.ramps.sandbox.orders import Order, Said
from crossway.adapters.ramps.sandbox.steps import STEERED, objection
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Outcome, ProviderRefused
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

O = Outcome  # noqa: E741


# Of an order, only where its money goes back to matters to what can be told of it.
ANY = Order(
    reference="",
    provider=ProviderName.YELLOW_CARD,
    direction=Direction.ON,
    fiat_minor=FIAT,
    chain=BASE,
    token=USDC.address,
    units=UNITS,
    to_address="",
    refund_address="there",
    pay_to="",
    widget_url="",
    instructions={},
    pay_by=0,
    closes_at=0,
)


def opened(ramp: Ramp, direction: Direction = Direction.ON) -> str:
    return ramp.provider.open(opening(ramp, direction)).reference


def test_a_confirmed_on_ramp_pays_into_its_intent_after_a_while(ramp: Ramp) -> None:
    reference = opened(ramp)
    assert ramp.told(reference) == []
    ramp.provider.confirm(reference)
    ramp.wait(DELIVER_SECONDS - 1)
    [paid] = ramp.told(reference)
    assert (paid.outcome, paid.fiat_minor) == (O.PAID, FIAT)
    assert ramp.holds(ramp.intent()) == 0
    ramp.wait(1)
    _, delivered = ramp.told(reference)
    assert (delivered.outcome, delivered.units) == (O.DELIVERED, UNITS)
    [sent] = ramp.simulation.chain().incoming_to([ramp.intent()])
    assert (sent.units, sent.tx_hash) == (UNITS, delivered.tx_hash)
    assert sent.sender == ramp.provider.refund_address(BASE)


def test_however_often_it_is_asked_it_pays_once(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.provider.confirm(reference)
    ramp.provider.confirm(reference)
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
    ramp.provider.confirm(reference)
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
    made = ramp.provider.open(opening(ramp, Direction.OFF))
    ramp.provider.confirm(made.reference, "0xabc")
    assert ramp.outcomes(made.reference) == []
    ramp.pay(made.pay_to, UNITS - 1)
    assert ramp.outcomes(made.reference) == []
    ramp.pay(made.pay_to, 1)
    [paid] = ramp.told(made.reference)
    assert (paid.outcome, paid.units) == (O.PAID, UNITS)
    ramp.wait(DELIVER_SECONDS)
    _, delivered = ramp.told(made.reference)
    assert (delivered.outcome, delivered.fiat_minor) == (O.DELIVERED, FIAT)


def test_every_off_ramp_has_an_address_of_its_own(ramp: Ramp) -> None:
    orders = [opening(ramp, Direction.OFF, f"order-{n}") for n in range(3)]
    assert len({ramp.provider.open(order).pay_to for order in orders}) == 3


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
    assert (refunded.outcome, refunded.fiat_minor) == (O.REFUNDED, FIAT)


def test_an_order_that_nobody_pays_ends_when_no_payment_can_be_on_its_way(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.wait(PAY_SECONDS + TRANSFER_SECONDS - 1)
    assert ramp.outcomes(reference) == []
    ramp.wait(1)
    [expired] = ramp.told(reference)
    assert (expired.outcome, expired.fiat_minor) == (O.EXPIRED, None)
    ramp.provider.confirm(reference)
    assert ramp.outcomes(reference) == [O.EXPIRED]


def test_crypto_for_a_cancelled_order_goes_back_to_its_sender(ramp: Ramp) -> None:
    order = opening(ramp, Direction.OFF)
    made = ramp.provider.open(order)
    ramp.provider.cancel(made.reference)
    ramp.pay(made.pay_to, UNITS)
    assert ramp.outcomes(made.reference) == [O.CANCELLED, O.PAID]
    ramp.wait(DELIVER_SECONDS)
    refunded = ramp.told(made.reference)[-1]
    assert (refunded.outcome, refunded.units) == (O.REFUNDED, UNITS)
    assert ramp.holds(order.refund_address) == UNITS
    assert refunded.tx_hash


def test_crypto_that_has_no_place_to_go_back_to_is_kept_and_not_called_refunded(
    ramp: Ramp,
) -> None:
    elsewhere = ramp.simulation.chain("SOLANA_MAINNET").deposit_address("a wallet")
    made = ramp.provider.open(opening(ramp, Direction.OFF, refund_address=elsewhere))
    ramp.provider.cancel(made.reference)
    ramp.pay(made.pay_to, UNITS)
    ramp.wait(DELIVER_SECONDS)
    assert ramp.outcomes(made.reference) == [O.CANCELLED, O.PAID]
    with pytest.raises(WrongState, match="no address of its seller on BASE_MAINNET"):
        ramp.switches.report(ramp.name, made.reference, "refunded")


def test_money_for_a_cancelled_order_goes_back_and_the_intent_gets_nothing(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.provider.cancel(reference)
    ramp.switches.report(ramp.name, reference, "paid")
    ramp.wait(DELIVER_SECONDS)
    assert ramp.outcomes(reference) == [O.CANCELLED, O.PAID, O.REFUNDED]
    assert ramp.holds(ramp.intent()) == 0


def test_what_was_paid_cannot_be_cancelled_any_more(ramp: Ramp) -> None:
    made = ramp.provider.open(opening(ramp, Direction.OFF))
    ramp.pay(made.pay_to, UNITS)
    with pytest.raises(ProviderRefused, match="has been paid"):
        ramp.provider.cancel(made.reference)
    assert ramp.outcomes(made.reference) == [O.PAID]


def test_an_opening_that_arrives_after_its_cancelling_is_refused(ramp: Ramp) -> None:
    order = opening(ramp)
    ramp.provider.cancel_unknown(order)
    with pytest.raises(ProviderRefused, match="was cancelled"):
        ramp.provider.open(order)


def test_a_failure_names_an_amount_only_where_money_was_taken(ramp: Ramp) -> None:
    unpaid, paid = (
        ramp.provider.open(opening(ramp, reference=name)).reference for name in ("1", "2")
    )
    ramp.provider.confirm(paid)
    for reference in (unpaid, paid):
        ramp.switches.report(ramp.name, reference, "failed")
    assert [ramp.told(one)[-1].fiat_minor for one in (unpaid, paid)] == [None, FIAT]
    ramp.wait(DELIVER_SECONDS)
    assert ramp.outcomes(paid) == [O.PAID, O.FAILED]
    ramp.switches.report(ramp.name, paid, "refunded")
    assert ramp.outcomes(paid)[-1] is O.REFUNDED


def test_each_outcome_can_be_told_once_and_only_where_it_can_be(ramp: Ramp) -> None:
    """Every state with every outcome: what is refused is said why, the rest is said once."""
    ramp.switches.misbehave(ramp.name, RampFaults(deliver_seconds=-1))
    number = 0
    for before, outcome in product((*STEERED, None, O.CANCELLED), STEERED):
        for paid_first in (False, True):
            number += 1
            reference = ramp.provider.open(opening(ramp, reference=f"{number}")).reference
            story: dict[Outcome, Said] = {}
            steps = [O.PAID] if paid_first and before not in (O.PAID, O.CANCELLED) else []
            for step in [*steps, *([before] if before in STEERED else [])]:
                if not objection(ANY, story, step):
                    ramp.switches.report(ramp.name, reference, step)
                    story[step] = Said(step, 0)
            if before is O.CANCELLED:
                ramp.provider.cancel(reference)
                story[O.CANCELLED] = Said(O.CANCELLED, 0)
            if why := objection(ANY, story, outcome):
                with pytest.raises(WrongState, match=why):
                    ramp.switches.report(ramp.name, reference, outcome)
                assert ramp.outcomes(reference) == list(story)
            else:
                ramp.switches.report(ramp.name, reference, outcome)
                assert ramp.outcomes(reference) == [*story, outcome]


def test_a_delivery_that_is_told_pays_at_once_and_only_once(ramp: Ramp) -> None:
    reference = opened(ramp)
    ramp.switches.report(ramp.name, reference, "delivered")
    assert ramp.holds(ramp.intent()) == UNITS
    with pytest.raises(WrongState, match="delivered already"):
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
    made = ramp.provider.open(opening(ramp, Direction.OFF))
    ramp.pay(made.pay_to, UNITS)
    ramp.simulation.sandbox.misbehave(USDC.chain, Faults(outage_seconds=60))
    assert ramp.outcomes(made.reference) == []
    ramp.wait(60)
    assert ramp.outcomes(made.reference) == [O.PAID]
