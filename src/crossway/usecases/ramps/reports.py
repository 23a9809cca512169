"""What providers report of orders: each thing once, in any order, and never taken for more than
it proves."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from crossway.domain.errors import NotFound
from crossway.domain.identity import without
from crossway.domain.money import format_units
from crossway.domain.ramps import ORDER_ENDED, Direction, OrderEvent, OrderState, ProviderName
from crossway.ports.ramps import Outcome, Report
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.ramps.capabilities import provider_called, ramp_token
from crossway.usecases.ramps.following import (
    FUNDED,
    PAID,
    SOLD,
    fail,
    lapse,
    look,
    paid,
    paid_too_late,
    pay_out,
    refund,
)
from crossway.usecases.ramps.opening import personal_words
from crossway.usecases.ramps.steps import CONTRADICTED, SHORT, OrderStep, held

_UNDER_WAY = frozenset({OrderState.INITIATED, OrderState.PROCESSING})


def incoming(
    services: Services, provider_name: str, headers: Mapping[str, str], body: bytes
) -> None:
    """Take in what a provider calls with. Raises `Unauthorized` for a forged call, `InvalidInput`
    for one that makes no sense, `NotFound` for a provider that is not configured."""
    provider = provider_called(services, provider_name)
    if provider is None:
        raise NotFound("Provider not found")
    lower = {name.lower(): value for name, value in headers.items()}
    take_reports(services, provider.name, provider.read_webhook(lower, body))
    services.wake()


def take_reports(services: Services, provider_name: ProviderName, reports: Sequence[Report]) -> int:
    """Take reports in; answers how many orders they concerned. What is said of an order that is
    not known yet is left for the next time, as the provider can be quicker than our own books."""
    by_reference: dict[str, list[Report]] = defaultdict(list)
    for report in reports:
        by_reference[report.reference].append(report)
    with services.store.read() as unit:
        known = unit.orders.by_provider(provider_name, list(by_reference))
    for reference, order_id in known.items():
        said = sorted(by_reference[reference], key=lambda report: report.at)
        services.store.write(
            lambda unit, order_id=order_id, said=said: take(services, unit, order_id, said)  # type: ignore[misc]
        )
    return len(known)


def take(services: Services, unit: Unit, order_id: int, reports: Sequence[Report]) -> None:
    """Take in what was said of one order and what its intent and time make of it; stores all."""
    step = held(services, unit, order_id)
    look(step)
    provider = step.order.provider
    known = unit.orders.seen(provider, [report.id for report in reports])
    heard: dict[str, str] = {}
    for report in reports:
        if report.id in known or report.id in heard:
            continue
        if report.reason:
            # It is kept and announced as it is.
            words = without(report.reason, personal_words(services, step.order))
            report = replace(report, reason=words)
        if _hear(step, report):
            heard[report.id] = report.outcome.value
    unit.orders.see(provider, order_id, heard, step.now)
    look(step)
    step.store()


def _hear(step: OrderStep, report: Report) -> bool:
    """Apply one report; False when it comes too early and is to be heard again."""
    match report.outcome:
        case Outcome.WAITING:
            return True
        case Outcome.PAID:
            return _paid(step, report)
        case Outcome.DELIVERED if step.order.direction is Direction.ON:
            return _delivered(step, report)
        case Outcome.DELIVERED:
            return _paid_out(step, report)
        case Outcome.FAILED:
            return _failed(step, report)
        case Outcome.REFUNDED:
            return _refunded(step, report)
        case Outcome.CANCELLED | Outcome.EXPIRED:
            return _closed(step, report)


def _paid(step: OrderStep, report: Report) -> bool:
    """Of an on-ramp the provider alone knows; of an off-ramp the chain tells, whatever is said."""
    order = step.order
    if order.direction is Direction.OFF:
        return True
    note = f"{order.provider} says that it was paid"
    if order.state in ORDER_ENDED and order.state is not OrderState.COMPLETED:
        paid_too_late(step, note)
    else:
        paid(step, note)
    return True


def _delivered(step: OrderStep, report: Report) -> bool:
    """A word, which proves nothing: only the intent shows a delivery."""
    order = step.order
    _paid(step, report)
    if order.state is OrderState.COMPLETED:
        if not order.provider_tx and report.tx_hash:
            step.note("The provider names its transaction", provider_tx=report.tx_hash)
        return True
    tx = report.tx_hash or order.provider_tx
    step.note(f"{order.provider} says that it has delivered", provider_tx=tx)
    if report.units is not None and report.units < order.ramp_units:
        claimed, asked = _units(step, report.units), _units(step, order.ramp_units)
        step.alarm(SHORT, f"{order.provider} says that it delivered {claimed}, not {asked}.")
    if order.state in ORDER_ENDED:
        step.alarm(
            CONTRADICTED,
            f"{order.provider} says that it has delivered, though {step.stands}; "
            "what comes in goes back to it.",
        )
    return True


def _paid_out(step: OrderStep, report: Report) -> bool:
    """Of an off-ramp the provider alone knows; it is heard once it has the crypto."""
    order = step.order
    if order.state is OrderState.COMPLETED:
        return True
    if not step.posted(SOLD):
        if order.state in _UNDER_WAY:
            return False
        words = f"{order.provider} says that it has paid out, though {step.stands}"
        step.note(words)
        step.alarm(CONTRADICTED, f"{words} and it was given no crypto.")
        return True
    if report.fiat_minor is not None and report.fiat_minor < order.fiat_minor:
        got, due = step.money(report.fiat_minor), step.money(order.fiat_minor)
        step.note(f"{order.provider} says that it paid {got} out, not {due}")
        step.alarm(SHORT, f"{order.provider} says that it paid {got} out; it owes {due}.")
        return True
    if order.state is OrderState.PROCESSING:
        pay_out(step, f"{order.provider} says that it has paid out", report.tx_hash)
        return True
    step.note(f"{order.provider} says that it has paid out, though {step.stands}")
    step.alarm(CONTRADICTED, f"{order.provider} says that it has paid out after all.")
    return True


def _failed(step: OrderStep, report: Report) -> bool:
    order = step.order
    if _contradicts(step, report):
        return True
    reason = report.reason or f"{order.provider} could not deliver"
    if step.order.state is OrderState.INITIATED:
        if order.direction is Direction.OFF or not (report.fiat_minor or report.units):
            _call_off(step, reason)
            return True
        paid(step, f"{order.provider} says that it was paid")
    if step.order.state is OrderState.PROCESSING:
        fail(step, reason)
    return True


def _refunded(step: OrderStep, report: Report) -> bool:
    order = step.order
    if _contradicts(step, report):
        return True
    if order.direction is Direction.OFF and not step.posted(SOLD):
        # It has nothing to give back yet.
        return order.state in ORDER_ENDED and order.state is not OrderState.FAILED
    if _too_little(step, report):
        return True
    if step.order.state in _UNDER_WAY:
        paid(step, f"{order.provider} says that it was paid")
        fail(step, report.reason or f"{order.provider} gave the money back")
    if order.direction is Direction.ON and not step.posted(PAID):
        paid_too_late(step, f"{order.provider} says that it was paid")
    refund(step, f"{order.provider} says that it gave the money back")
    return True


def _closed(step: OrderStep, report: Report) -> bool:
    """The provider has closed the order as unpaid."""
    order = step.order
    reason = report.reason or f"{order.provider} closed the order unpaid"
    if order.state in ORDER_ENDED or _contradicts(step, report):
        return True
    if order.state is OrderState.INITIATED:
        if report.outcome is Outcome.EXPIRED:
            lapse(step, reason)
        else:
            _call_off(step, reason)
    elif order.state is OrderState.PROCESSING:
        fail(step, reason)
    return True


def _call_off(step: OrderStep, reason: str) -> None:
    if step.withdraw(f"Order {step.order.id} was called off by its provider."):
        step.move(OrderEvent.CANCEL, reason, failure_reason=reason)


def _contradicts(step: OrderStep, report: Report) -> bool:
    """Whether the chain shows that an on-ramp was paid for and delivered into its intent, or the
    order was completed: then a word to the contrary changes nothing, and a person should know."""
    order, intent = step.order, step.intent
    came = order.direction is Direction.ON and intent is not None and intent.state in FUNDED
    if not came and order.state is not OrderState.COMPLETED:
        return False
    words = f"{order.provider} says {report.outcome}, though {step.stands}"
    step.note(words)
    step.alarm(CONTRADICTED, f"{words} and its crypto came in.")
    return True


def _too_little(step: OrderStep, report: Report) -> bool:
    """Whether less was given back than was taken."""
    order = step.order
    if order.direction is Direction.ON:
        less = report.fiat_minor is not None and report.fiat_minor < order.fiat_minor
        back, due = step.money(report.fiat_minor or 0), step.money(order.fiat_minor)
    else:
        less = report.units is not None and report.units < order.ramp_units
        back, due = _units(step, report.units or 0), _units(step, order.ramp_units)
    if less:
        step.note(f"{order.provider} says that it gave {back} back, not {due}")
        step.alarm(SHORT, f"{order.provider} says that it gave {back} back; it owes {due}.")
    return less


def _units(step: OrderStep, units: int) -> str:
    token = ramp_token(step.services, step.order)
    return (
        f"{units} units"
        if token is None
        else (f"{format_units(units, token.decimals)} {token.symbol}")
    )
