"""Every fault that can be injected into a sandbox provider."""

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
    USER,
    SandboxRamp,
    capabilities,
    channel,
    order_request,
    quote_request,
)

O = ProviderOrderStatus  # noqa: E741


def test_an_unavailable_provider_does_not_respond_until_it_recovers(ramp: SandboxRamp) -> None:
    order = order_request(ramp)
    reference = ramp.provider.create_order(order).reference
    ramp.controls.inject_faults(ramp.name, RampFaults(down_seconds=60))
    for call in (
        lambda: ramp.provider.get_quote(quote_request(), [ON], ramp.now()),
        lambda: ramp.provider.create_order(order_request(ramp, reference="another")),
        lambda: ramp.provider.confirm_payment(reference),
        lambda: ramp.provider.cancel_order(reference),
        lambda: ramp.provider.cancel_by_reference(order),
        lambda: ramp.provider.fetch_updates([reference]),
        lambda: ramp.provider.get_kyc_status(USER, "NG"),
        lambda: ramp.provider.submit_kyc(USER, "NG", {}, []),
    ):
        with pytest.raises(Unreachable, match="gives no answer"):
            call()
    assert ramp.controls.faults(ramp.name) == {"down_seconds": 60.0}
    ramp.pass_time(60)
    assert ramp.controls.faults(ramp.name) == {}
    assert ramp.statuses(reference) == []


def test_a_slow_provider_waits_before_each_response(ramp: SandboxRamp) -> None:
    waits: list[float] = []
    slow = SandboxRamp(
        ramp.simulation.url, ramp.capabilities, ramp.simulation.machine, waits.append
    )
    slow.controls.inject_faults(slow.name, RampFaults(slow_seconds=2.5))
    slow.provider.get_quote(quote_request(), [ON], slow.now())
    slow.provider.fetch_updates([])
    assert waits == [2.5, 2.5]
    slow.simulation.close()


def test_the_next_orders_are_rejected_finally(ramp: SandboxRamp) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(refuse_next=2))
    orders = [order_request(ramp, reference=f"order-{n}") for n in range(3)]
    for order in orders[:2] * 2:
        with pytest.raises(ProviderRejected, match="refuses this order"):
            ramp.provider.create_order(order)
    assert ramp.provider.create_order(orders[2]).fiat_minor == FIAT
    assert ramp.controls.faults(ramp.name) == {}


def test_a_short_delivery_is_less_than_reported(ramp: SandboxRamp) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(short_bps=1_000, deliver_seconds=0))
    reference = ramp.provider.create_order(order_request(ramp)).reference
    ramp.provider.confirm_payment(reference)
    assert ramp.updates(reference)[-1].amount == UNITS
    assert ramp.balance(ramp.deposit_address()) == UNITS * 9 // 10
    ramp.pay(ramp.provider.refund_address("BASE_MAINNET"), UNITS * 9 // 10, ramp.deposit_address())
    assert ramp.statuses(reference)[-1] is O.REFUNDED


def test_a_short_payout_reports_its_amount(ramp: SandboxRamp) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(short_bps=1_000, deliver_seconds=0))
    order = ramp.provider.create_order(order_request(ramp, Direction.OFF))
    ramp.pay(order.pay_to, UNITS)
    assert ramp.updates(order.reference)[-1].fiat_minor == FIAT * 9 // 10


@pytest.mark.parametrize(
    ("direction", "factor"), [(Direction.ON, 10_500), (Direction.OFF, 9_500)], ids=["on", "off"]
)
def test_orders_can_be_worse_than_quoted(
    ramp: SandboxRamp, direction: Direction, factor: int
) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(overcharge_bps=500))
    order = ramp.provider.create_order(order_request(ramp, direction))
    assert order.fiat_minor == FIAT * factor // 10_000
    ramp.controls.inject_faults(ramp.name, RampFaults(overcharge_bps=0))
    assert ramp.provider.create_order(order_request(ramp, direction)) == order


def test_updates_can_be_duplicated_and_reversed(ramp: SandboxRamp) -> None:
    reference = ramp.provider.create_order(order_request(ramp)).reference
    ramp.provider.confirm_payment(reference)
    ramp.pass_time(DELIVER_SECONDS)
    in_order = ramp.updates(reference)
    ramp.controls.inject_faults(ramp.name, RampFaults(repeat=True, shuffle=True))
    paid, delivered = in_order
    assert ramp.updates(reference) == [delivered, delivered, paid, paid]
    ramp.controls.inject_faults(ramp.name, RampFaults(repeat=False, shuffle=False))
    assert ramp.updates(reference) == in_order


def test_delivery_can_wait_for_a_simulated_status(ramp: SandboxRamp) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(deliver_seconds=-1))
    reference = ramp.provider.create_order(order_request(ramp)).reference
    ramp.provider.confirm_payment(reference)
    ramp.pass_time(10**6)
    assert ramp.statuses(reference) == [O.PAID]
    ramp.controls.inject_faults(ramp.name, RampFaults(deliver_seconds=0))
    assert ramp.statuses(reference) == [O.PAID, O.DELIVERED]


def test_faults_are_stored_and_changed_separately(ramp: SandboxRamp) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(rate_bps=-100, kyc="manual"))
    ramp.controls.inject_faults(ramp.name, RampFaults(short_bps=5))
    ramp.controls.inject_faults(ramp.name, RampFaults())
    again = ramp.reopen()
    assert again.controls.faults(ramp.name) == {"rate_bps": -100, "kyc": "manual", "short_bps": 5}
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
def test_an_invalid_fault_is_rejected(ramp: SandboxRamp, faults: RampFaults) -> None:
    with pytest.raises(InvalidInput):
        ramp.controls.inject_faults(ramp.name, faults)
    assert ramp.controls.faults(ramp.name) == {}


def test_an_account_number_of_zeros_is_rejected(ramp: SandboxRamp) -> None:
    order = order_request(ramp, Direction.OFF, fields={"accountNumber": "0000000000"})
    for _ in range(2):
        with pytest.raises(ProviderRejected, match="knows no account with this accountNumber"):
            ramp.provider.create_order(order)


def test_unsupported_orders_are_rejected(ramp: SandboxRamp) -> None:
    for number, changes in enumerate(
        [
            {"channel": channel(Direction.ON, id="another")},
            {"channel": OFF},
            {"country": "KE"},
            {"token": ramp.simulation.network.facts["POLYGON_MAINNET"].tokens["USDC"]},
        ]
    ):
        with pytest.raises(ProviderRejected):
            ramp.provider.create_order(order_request(ramp, reference=str(number), **changes))  # type: ignore[arg-type]


def test_a_rejected_order_cannot_be_paid(ramp: SandboxRamp) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(refuse_next=1))
    order = order_request(ramp)
    with pytest.raises(ProviderRejected):
        ramp.provider.create_order(order)
    ramp.provider.cancel_by_reference(order)
    ramp.pass_time(10**6)
    reference = ramp.provider.webhook("none")[1]
    assert reference == b'{"reports":[]}'


@pytest.mark.parametrize("kind", ChannelType, ids=str)
def test_every_channel_type_has_payment_instructions(tmp_path: object, kind: ChannelType) -> None:
    by = channel(Direction.ON, type=kind)
    ramp = SandboxRamp(f"sqlite:///{tmp_path}/ramps.db", capabilities(channels=(by,)))
    order = ramp.provider.create_order(order_request(ramp, channel=by))
    assert order.instructions["Amount"] == "15300.00 NGN"
    assert order.instructions["Reference"] == order.reference
    assert len(order.instructions) > 2
    assert order.widget_url == order.pay_to == ""
    ramp.simulation.close()


def test_the_hosted_page_is_on_this_machine(tmp_path: object) -> None:
    by = channel(Direction.ON, direct=False, type=ChannelType.CARD)
    can = capabilities(channels=(by,), kyc_mode="widget", name=ProviderName.ONRAMP_MONEY)
    ramp = SandboxRamp(f"sqlite:///{tmp_path}/ramps.db", can)
    order = ramp.provider.create_order(order_request(ramp, channel=by, email=""))
    assert order.widget_url == f"/widget?reference={order.reference}"
    assert ramp.provider.get_kyc_status(USER, "NG").verification_url.startswith("/widget?")
    with pytest.raises(ProviderRejected, match="on its own page"):
        ramp.provider.submit_kyc(USER, "NG", {"idNumber": "1"}, [])
    ramp.simulation.close()


def test_a_webhook_is_parsed_exactly_and_expires(ramp: SandboxRamp) -> None:
    reference = ramp.provider.create_order(order_request(ramp)).reference
    ramp.provider.confirm_payment(reference)
    headers, body = ramp.provider.webhook(reference)
    assert ramp.provider.parse_webhook(headers, body) == ramp.updates(reference)
    ramp.pass_time(301)
    with pytest.raises(Unauthorized, match="too long ago"):
        ramp.provider.parse_webhook(headers, body)


def test_no_personal_data_is_stored(ramp: SandboxRamp) -> None:
    ramp.provider.create_order(
        order_request(ramp, Direction.OFF, fields={"accountNumber": "9876543210"})
    )
    ramp.provider.submit_kyc(USER, "NG", {"idNumber": "A7654321"}, [])
    with ramp.simulation.reading.connect() as db:
        rows = [
            str(row)
            for table in ("orders", "reports", "kyc_customers", "providers")
            for row in db.exec_driver_sql(f"SELECT * FROM ramp_sandbox_{table}")
        ]
    stored_text = "\n".join(rows)
    assert "YEL-" in stored_text
    assert "idNumber" in stored_text
    for secret in (EMAIL, "ada", "9876543210", "A7654321"):
        assert secret not in stored_text


def test_concurrent_requests_create_one_order(ramp: SandboxRamp) -> None:
    other_processes = [ramp.reopen() for _ in range(4)]
    answers: list[object] = []
    threads = [
        threading.Thread(
            target=lambda item=item: answers.append(item.provider.create_order(order_request(item)))
        )
        for item in other_processes
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 4
    assert len({str(answer) for answer in answers}) == 1
    for one in other_processes:
        one.simulation.close()
