"""Controls of the sandbox ramp providers: order reports, injected faults and KYC statuses."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import (
    FieldError,
    InvalidInput,
    InvalidStatus,
    NotFound,
)
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.kyc_fields import parse_email
from crossway.domain.ramps import Direction, OrderState, ProviderName, RampOrder
from crossway.domain.roles import Permission
from crossway.ports.ramps import KycUser
from crossway.ports.sandbox import RampFaults, RampSandbox
from crossway.ports.services import Services
from crossway.usecases.simulator import chain_controls
from crossway.usecases.simulator.fault_fields import parse_boolean, parse_choice, parse_integer
from crossway.usecases.validation_errors import ValidationErrors

REPORTABLE_STATUSES: Final = ("paid", "delivered", "failed", "refunded")
KYC_MODES: Final = ("auto", "manual", "approve")
MAX_SECONDS: Final = 30 * 86_400
MAX_SLOW_SECONDS: Final = 60
MAX_ORDERS: Final = 10_000
MAX_BPS: Final = 10_000


def report_order_status(
    services: Services, caller: Principal, order_id: int, outcome: object
) -> RampOrder:
    """Let an order's provider report an outcome and act accordingly. For an off-ramp, `paid`
    sends the missing deposit to the intent's address instead."""
    sandbox = _require_sandbox(services, caller)
    order = _get_order(services, caller, order_id)
    if outcome not in REPORTABLE_STATUSES:
        raise InvalidInput(f"outcome must be one of {', '.join(REPORTABLE_STATUSES)}")
    if not order.provider_reference:
        raise InvalidStatus(f"Order has invalid status: {order.state}")
    if order.direction is Direction.OFF and outcome == "paid":
        _pay_missing_deposit(services, caller, order)
    else:
        sandbox.report(order.provider, order.provider_reference, str(outcome))
    now = services.clock.now()
    services.store.write(lambda unit: unit.orders.wake([order.id], now))
    services.process.wake()
    return _get_order(services, caller, order_id)


def set_kyc_status(
    services: Services,
    caller: Principal,
    provider: object,
    email: object,
    kyc_type: object,
    status: object,
    field_errors: Sequence[FieldError] = (),
) -> None:
    """Set the KYC status of the caller's customer with a sandbox provider."""
    sandbox = _require_sandbox(services, caller)
    errors = ValidationErrors(field_errors)
    provider_name = errors.collect(_parse_provider, provider)
    parsed_email = errors.collect(parse_email, email)
    parsed_type = errors.collect(lambda: KycType(parse_choice("kycType", kyc_type, tuple(KycType))))
    parsed_status = errors.collect(
        lambda: KycStatus(parse_choice("status", status, tuple(KycStatus)))
    )
    if parsed_type is not None and parsed_status is not None:
        is_started = parsed_status is not KycStatus.NOT_STARTED
        if is_started != (parsed_type is not KycType.NONE):
            errors.add("status must be not_started with kycType none, and only with it")
    errors.raise_if_any()
    assert provider_name is not None
    assert parsed_email is not None
    assert parsed_type is not None
    assert parsed_status is not None
    user = KycUser(parsed_email, caller.owner)
    sandbox.set_kyc_status(provider_name, user, parsed_type, parsed_status)


def inject_faults(
    services: Services, caller: Principal, provider: object, body: Mapping[str, Any]
) -> Mapping[str, object]:
    """Change the faults of a sandbox provider and return those now active. Omitted settings stay
    unchanged."""
    sandbox = _require_sandbox(services, caller)
    errors = ValidationErrors()
    provider_name = errors.collect(_parse_provider, provider)
    for name in sorted(set(body) - set(_SETTINGS)):
        errors.add(f"{name} is not a setting: expected {', '.join(_SETTINGS)}")
    if not body:
        errors.add(f"one of {', '.join(_SETTINGS)} must be given")
    values: dict[str, Any] = {}
    for name in body.keys() & _SETTINGS.keys():
        field, parse_value = _SETTINGS[name]
        values[field] = errors.collect(parse_value, name, body[name])
    errors.raise_if_any()
    assert provider_name is not None
    sandbox.inject_faults(provider_name, RampFaults(**values))
    services.process.wake()
    return _describe_faults(sandbox, provider_name)


def get_faults(services: Services, caller: Principal, provider: object) -> Mapping[str, object]:
    """The active faults of a sandbox provider, by the names that `inject_faults` takes;
    `downSeconds` is the time left."""
    return _describe_faults(
        _require_sandbox(services, caller, Permission.VIEW), _parse_provider(provider)
    )


def _describe_faults(sandbox: RampSandbox, provider: ProviderName) -> Mapping[str, object]:
    faults = sandbox.faults(provider)
    return {name: faults[field] for name, (field, _) in _SETTINGS.items() if field in faults}


def _pay_missing_deposit(services: Services, caller: Principal, order: RampOrder) -> None:
    """Send the part of an off-ramp's deposit that is still missing."""
    if order.state is not OrderState.INITIATED:
        raise InvalidStatus(f"Order has invalid status: {order.state}")
    with services.store.read() as unit:
        intent = unit.intents.find_by_address(order.intent_address)
    if intent is None:
        raise InvalidStatus("The order has no deposit address yet")
    terms = intent.terms
    balances = services.chains[terms.source_chain].balances([intent.address], terms.token_in)
    missing = terms.deposit_amount - balances[intent.address]
    if missing <= 0:
        raise InvalidStatus("The order was paid already")
    chain_controls.send_deposit(services, caller, intent.address, str(missing))


def _require_sandbox(
    services: Services, caller: Principal, permission: Permission = Permission.OPERATE
) -> RampSandbox:
    if services.ramp_sandbox is None:
        raise NotFound("Not found")
    caller.require_scope(Scope.WRITE, permission)
    return services.ramp_sandbox


def _get_order(services: Services, caller: Principal, order_id: int) -> RampOrder:
    with services.store.read() as unit:
        order = unit.orders.get(order_id)
    if order is None or not caller.can_access(order):
        raise NotFound("Order not found", ErrorCode.ORDER_NOT_FOUND)
    return order


def _parse_provider(name: object) -> ProviderName:
    return ProviderName(parse_choice("provider", name, tuple(ProviderName)))


def _seconds_up_to(maximum: int) -> Callable[[str, object], float]:
    def parse_seconds(field: str, value: object) -> float:
        is_number = not isinstance(value, bool) and isinstance(value, int | float)
        if not is_number or not 0 <= float(str(value)) <= maximum:
            raise InvalidInput(f"{field} must be a number of seconds from 0 to {maximum}")
        return float(str(value))

    return parse_seconds


# By name on the wire: the field of `RampFaults`, and the parser of its value.
_SETTINGS: Final[Mapping[str, tuple[str, Callable[[str, object], object]]]] = {
    "downSeconds": ("down_seconds", _seconds_up_to(MAX_SECONDS)),
    "slowSeconds": ("slow_seconds", _seconds_up_to(MAX_SLOW_SECONDS)),
    "refuseNext": ("refuse_next", partial(parse_integer, minimum=0, maximum=MAX_ORDERS)),
    "shortBps": ("short_bps", partial(parse_integer, minimum=0, maximum=MAX_BPS)),
    "overchargeBps": ("overcharge_bps", partial(parse_integer, minimum=0, maximum=MAX_BPS)),
    "repeat": ("repeat", parse_boolean),
    "shuffle": ("shuffle", parse_boolean),
    "deliverSeconds": ("deliver_seconds", partial(parse_integer, minimum=-1, maximum=MAX_SECONDS)),
    "rateBps": ("rate_bps", partial(parse_integer, minimum=1 - MAX_BPS, maximum=MAX_BPS)),
    "kyc": ("kyc", lambda field, value: parse_choice(field, value, KYC_MODES)),
}
