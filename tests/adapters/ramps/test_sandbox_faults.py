"""Every way in which a sandbox provider can be told to behave otherwise."""

import threading

import pytest

from crossway.domain.errors import InvalidInput, Unauthorized, Unreachable
from crossway.domain.payment_channels import ChannelType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import ProviderOrderStatus, ProviderRejected
from crossway.ports.sandbox import RampFaults
from tests.ramps import (
    DELIVER_SECONDS,
    EMAIL,
    FIAT,
    OFF,
    ON,
    UNITS,
    Ramp,
    ask,
    capabilities,
    channel,
    opening,
)

O = ProviderOrderStatus  # noqa: E741


def test_one_that_is_down_says_nothing_until_it_is_over(ramp: Ramp) -> None:
    order = opening(ramp)
    reference = ramp.provider.create_order(order).reference
    ramp.switches.inject_faults(ramp.name, RampFaults(down_seconds=60))
    for call in (
        lambda: ramp.provider.get_quote(ask(), [ON], ramp.now()),
        lambda: ramp.provider.create_order(opening(ramp, reference="another")),
        lambda: ramp.provider.confirm_payment(reference),
        lambda: ramp.provider.cancel_order(reference),
        lambda: ramp.provider.cancel_by_reference(order),
        lambda: ramp.provider.fetch_updates([reference]),
        lambda: ramp.provider.get_kyc_status(EMAIL, "NG"),
        lambda: ramp.provider.submit_kyc(EMAIL, "NG", {}, []),
    ):
        with pytest.raises(Unreachable, match="gives no answer"):
            call()
    assert ramp.switches.faults(ramp.name) == {"down_seconds": 60.0}
    ramp.wait(60)
    assert ramp.switches.faults(ramp.name) == {}
    assert ramp.outcomes(reference) == []


def test_a_slow_one_waits_before_each_answer(ramp: Ramp) -> None:
    waits: list[float] = []
    slow = Ramp(ramp.simulation.url, ramp.can, ramp.simulation.machine, waits.append)
    slow.switches.inject_faults(slow.name, RampFaults(slow_seconds=2.5))
    slow.provider.get_quote(ask(), [ON], slow.now())
    slow.provider.fetch_updates([])
    assert waits == [2.5, 2.5]
    slow.simulation.close()


def test_the_next_orders_are_refused_for_good(ramp: Ramp) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(refuse_next=2))
    orders = [opening(ramp, reference=f"order-{n}") for n in range(3)]
    for order in orders[:2] * 2:
        with pytest.raises(ProviderRejected, match="refuses this order"):
            ramp.provider.create_order(order)
    assert ramp.provider.create_order(orders[2]).fiat_minor == FIAT
    assert ramp.switches.faults(ramp.name) == {}


def test_it_delivers_less_than_it_says(ramp: Ramp) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(short_bps=1_000, deliver_seconds=0))
    reference = ramp.provider.create_order(opening(ramp)).reference
    ramp.provider.confirm_payment(reference)
    assert ramp.told(reference)[-1].amount == UNITS
    assert ramp.holds(ramp.intent()) == UNITS * 9 // 10
    ramp.pay(ramp.provider.refund_address("BASE_MAINNET"), UNITS * 9 // 10, ramp.intent())
    assert ramp.outcomes(reference)[-1] is O.REFUNDED


def test_a_payout_that_is_short_says_so(ramp: Ramp) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(short_bps=1_000, deliver_seconds=0))
    made = ramp.provider.create_order(opening(ramp, Direction.OFF))
    ramp.pay(made.pay_to, UNITS)
    assert ramp.told(made.reference)[-1].fiat_minor == FIAT * 9 // 10


@pytest.mark.parametrize(
    ("direction", "factor"), [(Direction.ON, 10_500), (Direction.OFF, 9_500)], ids=["on", "off"]
)
def test_it_asks_more_or_pays_less_than_it_quoted(
    ramp: Ramp, direction: Direction, factor: int
) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(overcharge_bps=500))
    made = ramp.provider.create_order(opening(ramp, direction))
    assert made.fiat_minor == FIAT * factor // 10_000
    ramp.switches.inject_faults(ramp.name, RampFaults(overcharge_bps=0))
    assert ramp.provider.create_order(opening(ramp, direction)) == made


def test_it_says_everything_twice_and_backwards(ramp: Ramp) -> None:
    reference = ramp.provider.create_order(opening(ramp)).reference
    ramp.provider.confirm_payment(reference)
    ramp.wait(DELIVER_SECONDS)
    in_order = ramp.told(reference)
    ramp.switches.inject_faults(ramp.name, RampFaults(repeat=True, shuffle=True))
    paid, delivered = in_order
    assert ramp.told(reference) == [delivered, delivered, paid, paid]
    ramp.switches.inject_faults(ramp.name, RampFaults(repeat=False, shuffle=False))
    assert ramp.told(reference) == in_order


def test_it_delivers_only_when_told(ramp: Ramp) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(deliver_seconds=-1))
    reference = ramp.provider.create_order(opening(ramp)).reference
    ramp.provider.confirm_payment(reference)
    ramp.wait(10**6)
    assert ramp.outcomes(reference) == [O.PAID]
    ramp.switches.inject_faults(ramp.name, RampFaults(deliver_seconds=0))
    assert ramp.outcomes(reference) == [O.PAID, O.DELIVERED]


def test_settings_outlive_the_process_and_change_one_by_one(ramp: Ramp) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(rate_bps=-100, kyc="manual"))
    ramp.switches.inject_faults(ramp.name, RampFaults(short_bps=5))
    ramp.switches.inject_faults(ramp.name, RampFaults())
    again = ramp.again()
    assert again.switches.faults(ramp.name) == {"rate_bps": -100, "kyc": "manual", "short_bps": 5}
    again.simulation.close()


@pytest.mark.parametrize(
    "faults",
    [
        RampFaults(down_seconds=-1),
        RampFaults(slow_seconds=-1),
        RampFaults(refuse_next=-1),
        RampFaults(short_bps=10_001),
        RampFaults(overcharge_bps=-1),
        RampFaults(rate_bps=-10_000),
        RampFaults(deliver_seconds=-2),
        RampFaults(kyc="never"),
    ],
    ids=lambda faults: str(faults)[:40],
)
def test_a_setting_that_makes_no_sense_is_refused(ramp: Ramp, faults: RampFaults) -> None:
    with pytest.raises(InvalidInput):
        ramp.switches.inject_faults(ramp.name, faults)
    assert ramp.switches.faults(ramp.name) == {}


def test_an_account_of_zeros_is_unknown(ramp: Ramp) -> None:
    order = opening(ramp, Direction.OFF, fields={"accountNumber": "0000000000"})
    for _ in range(2):
        with pytest.raises(ProviderRejected, match="knows no account with this accountNumber"):
            ramp.provider.create_order(order)


def test_what_it_does_not_serve_it_does_not_open(ramp: Ramp) -> None:
    for number, changes in enumerate(
        [
            {"channel": channel(Direction.ON, id="another")},
            {"channel": OFF},
            {"country": "KE"},
            {"token": ramp.simulation.network.facts["POLYGON_MAINNET"].tokens["USDC"]},
        ]
    ):
        with pytest.raises(ProviderRejected):
            ramp.provider.create_order(opening(ramp, reference=str(number), **changes))  # type: ignore[arg-type]


def test_a_refused_order_is_none_that_could_be_paid(ramp: Ramp) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(refuse_next=1))
    order = opening(ramp)
    with pytest.raises(ProviderRejected):
        ramp.provider.create_order(order)
    ramp.provider.cancel_by_reference(order)
    ramp.wait(10**6)
    reference = ramp.provider.webhook("none")[1]
    assert reference == b'{"reports":[]}'


@pytest.mark.parametrize("kind", ChannelType, ids=str)
def test_every_kind_of_channel_says_how_to_pay(tmp_path: object, kind: ChannelType) -> None:
    by = channel(Direction.ON, type=kind)
    ramp = Ramp(f"sqlite:///{tmp_path}/ramps.db", capabilities(channels=(by,)))
    made = ramp.provider.create_order(opening(ramp, channel=by))
    assert made.instructions["Amount"] == "15300.00 NGN"
    assert made.instructions["Reference"] == made.reference
    assert len(made.instructions) > 2
    assert made.widget_url == made.pay_to == ""
    ramp.simulation.close()


def test_a_page_of_its_own_is_one_of_this_machine(tmp_path: object) -> None:
    by = channel(Direction.ON, direct=False, type=ChannelType.CARD)
    can = capabilities(channels=(by,), kyc_mode="widget", name=ProviderName.ONRAMP_MONEY)
    ramp = Ramp(f"sqlite:///{tmp_path}/ramps.db", can)
    made = ramp.provider.create_order(opening(ramp, channel=by, email=""))
    assert made.widget_url == f"/widget?reference={made.reference}"
    assert ramp.provider.get_kyc_status(EMAIL, "NG").verification_url.startswith("/widget?")
    with pytest.raises(ProviderRejected, match="on its own page"):
        ramp.provider.submit_kyc(EMAIL, "NG", {"idNumber": "1"}, [])
    ramp.simulation.close()


def test_a_call_is_read_as_it_was_written_and_only_while_it_is_fresh(ramp: Ramp) -> None:
    reference = ramp.provider.create_order(opening(ramp)).reference
    ramp.provider.confirm_payment(reference)
    headers, body = ramp.provider.webhook(reference)
    assert ramp.provider.parse_webhook(headers, body) == ramp.told(reference)
    ramp.wait(301)
    with pytest.raises(Unauthorized, match="too long ago"):
        ramp.provider.parse_webhook(headers, body)


def test_nothing_of_a_person_is_kept(ramp: Ramp) -> None:
    ramp.provider.create_order(opening(ramp, Direction.OFF, fields={"accountNumber": "9876543210"}))
    ramp.provider.submit_kyc(EMAIL, "NG", {"idNumber": "A7654321"}, [])
    with ramp.simulation.reading.connect() as db:
        rows = [
            str(row)
            for table in ("orders", "reports", "kyc_customers", "providers")
            for row in db.exec_driver_sql(f"SELECT * FROM ramp_sandbox_{table}")
        ]
    told = "\n".join(rows)
    assert "YEL-" in told
    assert "idNumber" in told
    for secret in (EMAIL, "ada", "9876543210", "A7654321"):
        assert secret not in told


def test_two_openings_at_once_are_one_order(ramp: Ramp) -> None:
    others = [ramp.again() for _ in range(4)]
    answers: list[object] = []
    threads = [
        threading.Thread(
            target=lambda one=one: answers.append(one.provider.create_order(opening(one)))
        )
        for one in others
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert len({str(answer) for answer in answers}) == 1
    for one in others:
        one.simulation.close()
