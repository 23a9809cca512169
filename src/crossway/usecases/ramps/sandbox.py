"""The sandbox providers' own switches: what they report, how they behave, whom they know."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.identity import read_email
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder
from crossway.domain.roles import Right
from crossway.ports.sandbox import RampFaults, RampSandbox
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.network import sandbox as network

OUTCOMES: Final = ("paid", "delivered", "failed", "refunded")
KYC_MODES: Final = ("auto", "manual", "approve")
MOST_SECONDS: Final = 30 * 86_400
MOST_SLOW_SECONDS: Final = 60
MOST_ORDERS: Final = 10_000
MOST_BPS: Final = 10_000


def report(services: Services, caller: Caller, order_id: int, outcome: object) -> RampOrder:
    """Let an order's provider report, and do what it reports. The user of an off-ramp pays at the
    intent's address, so `paid` pays there what is missing, and the provider sees it by itself."""
    switches = _sandbox(services, caller)
    order = _order(services, caller, order_id)
    if outcome not in OUTCOMES:
        raise InvalidInput(f"outcome must be one of {', '.join(OUTCOMES)}")
    if not order.provider_reference:
        raise WrongState(f"Order has invalid status: {order.state}")
    if order.direction is Direction.OFF and outcome == "paid":
        _pay(services, caller, order)
    else:
        switches.report(order.provider, order.provider_reference, str(outcome))
    now = services.clock.now()
    services.store.write(lambda unit: unit.orders.wake([order.id], now))
    services.wake()
    return _order(services, caller, order_id)


def set_standing(
    services: Services,
    caller: Caller,
    provider: object,
    email: object,
    kyc_type: object,
    status: object,
) -> None:
    """Set what a sandbox provider says of a person."""
    switches = _sandbox(services, caller)
    complaints = Complaints()
    named = complaints.read(lambda: _provider(provider))
    read = complaints.read(lambda: read_email(email))
    of_type = complaints.read(lambda: KycType(_one_of("kycType", kyc_type, tuple(KycType))))
    of_status = complaints.read(lambda: KycStatus(_one_of("status", status, tuple(KycStatus))))
    if of_type is not None and of_status is not None:
        begun = of_status is not KycStatus.NOT_STARTED
        if begun != (of_type is not KycType.NONE):
            complaints.add("status must be not_started with kycType none, and only with it")
    complaints.refuse()
    assert named is not None
    assert read is not None
    assert of_type is not None
    assert of_status is not None
    switches.set_standing(named, read, of_type, of_status)


def misbehave(
    services: Services, caller: Caller, provider: object, body: Mapping[str, Any]
) -> Mapping[str, object]:
    """Change how a sandbox provider behaves; answers how it behaves now. A setting that the body
    leaves out stays as it is."""
    switches = _sandbox(services, caller)
    complaints = Complaints()
    named = complaints.read(lambda: _provider(provider))
    for name in sorted(set(body) - set(_SETTINGS)):
        complaints.add(f"{name} is not a setting: expected {', '.join(_SETTINGS)}")
    if not body:
        complaints.add(f"one of {', '.join(_SETTINGS)} must be given")
    read: dict[str, Any] = {}
    for name in body.keys() & _SETTINGS.keys():
        field, reading = _SETTINGS[name]
        read[field] = complaints.read(lambda name=name, reading=reading: reading(name, body[name]))  # type: ignore[misc]
    complaints.refuse()
    assert named is not None
    switches.misbehave(named, RampFaults(**read))
    services.wake()
    return _behaviour(switches, named)


def faults(services: Services, caller: Caller, provider: object) -> Mapping[str, object]:
    """What is unusual in how a sandbox provider behaves now, by the names that `misbehave` takes;
    `downSeconds` is what is left of them."""
    return _behaviour(_sandbox(services, caller, Right.SEE), _provider(provider))


def _behaviour(switches: RampSandbox, provider: ProviderName) -> Mapping[str, object]:
    found = switches.faults(provider)
    return {name: found[field] for name, (field, _) in _SETTINGS.items() if field in found}


def _pay(services: Services, caller: Caller, order: RampOrder) -> None:
    """Deposit what the user of an off-ramp has not paid yet."""
    if order.state is not OrderState.INITIATED:
        raise WrongState(f"Order has invalid status: {order.state}")
    with services.store.read() as unit:
        intent = unit.intents.by_address(order.intent_address)
    if intent is None:
        raise WrongState("The order has no deposit address yet")
    terms = intent.terms
    held = services.chains[terms.source_chain].balances([intent.address], terms.token_in)
    missing = terms.total_units - held[intent.address]
    if missing <= 0:
        raise WrongState("The order was paid already")
    network.deposit(services, caller, intent.address, str(missing))


def _sandbox(services: Services, caller: Caller, right: Right = Right.WORK) -> RampSandbox:
    if services.ramp_sandbox is None:
        raise NotFound("Not found")
    caller.needs(Scope.WRITE, right)
    return services.ramp_sandbox


def _order(services: Services, caller: Caller, order_id: int) -> RampOrder:
    with services.store.read() as unit:
        order = unit.orders.get(order_id)
    if order is None or not (caller.operator or order.client_id == caller.client.id):
        raise NotFound("Order not found")
    return order


def _provider(name: object) -> ProviderName:
    return ProviderName(_one_of("provider", name, tuple(ProviderName)))


def _one_of(field: str, value: object, among: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in among:
        raise InvalidInput(f"{field} must be one of {', '.join(among)}")
    return value


def _whole(least: int, most: int) -> Callable[[str, object], int]:
    def read(field: str, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise InvalidInput(f"{field} must be a whole number from {least} to {most}")
        return value

    return read


def _seconds(most: int) -> Callable[[str, object], float]:
    def read(field: str, value: object) -> float:
        number = not isinstance(value, bool) and isinstance(value, int | float)
        if not number or not 0 <= float(str(value)) <= most:
            raise InvalidInput(f"{field} must be a number of seconds from 0 to {most}")
        return float(str(value))

    return read


def _switch(field: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{field} must be true or false")
    return value


# Names on the wire, those of `RampFaults`, and how a value is read.
_SETTINGS: Final[Mapping[str, tuple[str, Callable[[str, object], object]]]] = {
    "downSeconds": ("down_seconds", _seconds(MOST_SECONDS)),
    "slowSeconds": ("slow_seconds", _seconds(MOST_SLOW_SECONDS)),
    "refuseNext": ("refuse_next", _whole(0, MOST_ORDERS)),
    "shortBps": ("short_bps", _whole(0, MOST_BPS)),
    "overchargeBps": ("overcharge_bps", _whole(0, MOST_BPS)),
    "repeat": ("repeat", _switch),
    "shuffle": ("shuffle", _switch),
    "deliverSeconds": ("deliver_seconds", _whole(-1, MOST_SECONDS)),
    "rateBps": ("rate_bps", _whole(1 - MOST_BPS, MOST_BPS)),
    "kyc": ("kyc", lambda field, value: _one_of(field, value, KYC_MODES)),
}
