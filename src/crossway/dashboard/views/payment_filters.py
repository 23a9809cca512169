"""The filters of the payment list: parsing, descriptions and the values to choose from."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views import periods, status_labels
from crossway.dashboard.views.formatting import chain_name, group_thousands
from crossway.domain.analytics import FailureCause
from crossway.domain.clients import Mode, Principal
from crossway.domain.filters import (
    NO_BRIDGE,
    ExceptionFlag,
    Filter,
    FilterField,
    FilterSet,
    Reached,
    format_filters,
    parse_filters,
)
from crossway.domain.intent import State
from crossway.domain.money import format_units
from crossway.domain.roles import Permission
from crossway.ports.services import Services

ALL: Final = "All"
QUICK_FILTERS: Final[Mapping[str, tuple[State, ...]]] = MappingProxyType(
    {
        ALL: (),
        "Pending": (State.PENDING,),
        "In progress": (State.FUNDED, State.INITIATED),
        "Completed": (State.COMPLETED,),
        "Expired": (State.EXPIRED,),
        "Refunded": (State.REFUNDED,),
        "Failed": (State.FAILED,),
    }
)
FIELD_NAMES: Final[Mapping[FilterField, str]] = MappingProxyType(
    {
        FilterField.STATE: "Status",
        FilterField.EXCEPTION: "Exception",
        FilterField.CAUSE: "Not completed because",
        FilterField.REACHED: "Got as far as",
        FilterField.SOURCE: "From chain",
        FilterField.DESTINATION: "To chain",
        FilterField.TOKEN: "Token",
        FilterField.VALUE: "Value in USD",
        FilterField.CREATED: "Created",
        FilterField.BRIDGE: "Bridge",
        FilterField.CLIENT: "Merchant",
        FilterField.MODE: "Mode",
        FilterField.LINK: "Payment link",
        FilterField.SENDER: "Payer's wallet",
        FilterField.RECIPIENT: "Recipient",
        FilterField.REFERENCE: "Metadata value",
    }
)
EXCEPTION_NAMES: Final[Mapping[ExceptionFlag, str]] = MappingProxyType(
    {
        ExceptionFlag.SHORT: "Underpaid: received less than requested",
        ExceptionFlag.OVER: "Overpaid: received more than requested",
        ExceptionFlag.LATE: "Late: received after the payment expired",
        ExceptionFlag.WRONG_TOKEN: "Wrong token: another token or chain",
        ExceptionFlag.REFUND_FAILED: "Refund failed",
        ExceptionFlag.STUCK: "Blocked: a transaction is waiting or failed",
    }
)
CAUSE_NAMES: Final[Mapping[FailureCause, str]] = MappingProxyType(
    {
        FailureCause.NO_DEPOSIT: "No deposit: nobody paid before the deadline",
        FailureCause.UNDERPAID: "Underpaid: less than the amount arrived in time",
        FailureCause.LATE: "Paid late: the deposit arrived after the deadline",
        FailureCause.CANCELLED: "Cancelled: its ramp order ended first",
        FailureCause.NOT_STARTED: "Not started: funded, and not collected before the deadline",
        FailureCause.PAYOUT_FAILED: "Payout rejected: the recipient could not be paid",
    }
)
REACHED_NAMES: Final[Mapping[Reached, str]] = MappingProxyType(
    {
        Reached.DEPOSITED: "Deposited: the complete deposit was credited",
        Reached.STARTED: "Started: the deposit was collected",
    }
)
_DAY: Final = timedelta(days=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def parse_params(params: Mapping[str, str], now: datetime | None = None) -> FilterSet:
    """The filters in the query string of the list, and its period where `now` is given; raises
    `InvalidInput` with the reason."""
    states = QUICK_FILTERS.get(params.get("show", ALL), ())
    quick = (Filter(FilterField.STATE, tuple(state.value for state in states)),) if states else ()
    merchant = params.get("client")
    owned = (Filter(FilterField.CLIENT, (merchant,)),) if merchant else ()
    everything = parse_filters(params.get("all", ""), "all")
    return FilterSet(
        (*quick, *owned, *everything, *_in_period(params, now)),
        parse_filters(params.get("any", ""), "any"),
    )


def _in_period(params: Mapping[str, str], now: datetime | None) -> tuple[Filter, ...]:
    if now is None:
        return ()
    chosen = periods.parse_list_range(params, now)
    if chosen.start is None and chosen.end is None:
        return ()
    start, end = (
        None if at is None else (at - _EPOCH) // timedelta(microseconds=1)
        for at in (chosen.start, chosen.end)
    )
    return (Filter(FilterField.CREATED, (), start, end),)


def update_filters(text: str, add: Filter | None = None, drop: int | None = None) -> str:
    """Filters in query-string form with one added, or without the one at index `drop`."""
    filters = list(parse_filters(text, "filter"))
    if drop is not None:
        del filters[drop]
    return format_filters([*filters, add] if add else filters)


def list_choices(services: Services, caller: Principal, subject: FilterField) -> dict[str, str]:
    """The values of a field with their display names; empty for fields that are typed in."""
    catalogue = services.catalogue
    match subject:
        case FilterField.STATE:
            return {state.value: status_labels.INTENT_STATES[state].text for state in State}
        case FilterField.EXCEPTION:
            return {kind.value: label for kind, label in EXCEPTION_NAMES.items()}
        case FilterField.CAUSE:
            return {cause.value: label for cause, label in CAUSE_NAMES.items()}
        case FilterField.REACHED:
            return {step.value: label for step, label in REACHED_NAMES.items()}
        case FilterField.SOURCE | FilterField.DESTINATION:
            return {c: chain_name(catalogue, c) for c in catalogue.chains if c in services.chains}
        case FilterField.TOKEN:
            symbols = sorted({token.symbol for token in catalogue.tokens.values()})
            return {symbol: symbol for symbol in symbols}
        case FilterField.BRIDGE:
            bridges = {bridge.name.value: str(bridge.name) for bridge in services.bridges}
            return {**bridges, NO_BRIDGE: "None, same chain"}
        case FilterField.MODE:
            return {mode.value: mode.capitalize() for mode in Mode}
        case FilterField.CLIENT:
            return _client_names(services, caller)
    return {}


def _client_names(services: Services, caller: Principal) -> dict[str, str]:
    if not caller.can(Permission.VIEW):
        return {caller.client.id: caller.client.name}
    with services.store.read() as unit:
        return {client.id: client.name for client in unit.api_keys.list_clients()}


def created_between(first: date | None, last: date | None) -> Filter:
    """A filter on the creation date; both days are UTC and included."""
    return Filter(
        FilterField.CREATED,
        (),
        None if first is None else _day_start_micros(first),
        None if last is None else _day_start_micros(last + _DAY),
    )


def _day_start_micros(day: date) -> int:
    return (datetime(day.year, day.month, day.day, tzinfo=UTC) - _EPOCH) // timedelta(
        microseconds=1
    )


def describe_filter(services: Services, caller: Principal, condition: Filter) -> str:
    """A filter as text: `Token is USDC or USDT`."""
    label, negation = FIELD_NAMES[condition.field], " not" if condition.negated else ""
    if condition.field is FilterField.VALUE:
        least, most = map(_format_usd_bound, (condition.minimum, condition.maximum))
        return f"{label}{negation} {_format_range(least, most)}"
    if condition.field is FilterField.CREATED:
        first, last = map(_format_day_bound, (condition.minimum, condition.maximum))
        return f"{label}{negation} {_format_range(first, last)}"
    choices = list_choices(services, caller, condition.field)
    names = [choices.get(value, value).partition(":")[0] for value in condition.values]
    verb = "" if condition.field in (FilterField.CAUSE, FilterField.REACHED) else " is"
    return f"{label}{verb}{negation} {_join_with_or(names)}"


def _format_range(least: str, most: str) -> str:
    if least and most:
        return f"from {least} to below {most}"
    return f"from {least}" if least else f"below {most}"


def _format_usd_bound(micro_usd: int | None) -> str:
    return "" if micro_usd is None else group_thousands(format_units(micro_usd, 6))


def _format_day_bound(micros: int | None) -> str:
    if micros is None:
        return ""
    at = _EPOCH + timedelta(microseconds=micros)
    return at.strftime("%Y-%m-%d" if at.time() == datetime.min.time() else "%Y-%m-%d %H:%M UTC")


def _join_with_or(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} or {names[-1]}"
