"""The control of every period: named ones or a start and an end, kept in the page's URL."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import streamlit as st

from crossway.dashboard.session import services
from crossway.dashboard.views import periods

_KEY = "asked_period"
# The parameters of a URL that say a period, as a part of what a list was filtered by.
PeriodParams = tuple[tuple[str, str], ...]
Write = Callable[[Mapping[str, str]], None]


def write_to_url(params: Mapping[str, str]) -> None:
    """Set these parameters of the page's URL; an empty one is removed."""
    for name, value in params.items():
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)


def period_control(
    names: Mapping[str, str], default: str, write: Write = write_to_url, label: str = "Period (UTC)"
) -> dict[str, str]:
    """Draw the control; returns the parameters of the URL, which `periods.parse_range` reads."""
    params = {name: st.query_params[name] for name in periods.PARAMS if st.query_params.get(name)}
    is_free = any(params.get(name) for name in periods.BOUNDS)
    asked = periods.CUSTOM if is_free else params.get(periods.PERIOD)
    st.session_state[_KEY] = asked if asked in names else default

    def apply() -> None:
        chosen = st.session_state[_KEY]
        changed = dict.fromkeys(periods.PARAMS, "")
        if chosen == periods.CUSTOM:
            changed |= _bounds_before(params, default)
        elif chosen != default:
            changed[periods.PERIOD] = chosen
        write(changed)

    # Not within the row of the bounds, where a phone would cut it off instead of wrapping it.
    st.segmented_control(
        label,
        list(names),
        key=_KEY,
        required=True,
        format_func=names.__getitem__,
        on_change=apply,
    )
    if is_free:
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            for name, bound_label in zip(periods.BOUNDS, ("From", "To"), strict=True):
                _bound(name, bound_label, params, write)
    return params


def list_period(label: str = "Created (UTC)") -> PeriodParams:
    """Draw the control for a list, which shows any time by default."""
    return tuple(period_control(periods.NAMES_OF_LISTS, periods.ALL_TIME, label=label).items())


def _bounds_before(params: Mapping[str, str], default: str) -> dict[str, str]:
    """The period shown until now as a start and an end, for somebody to change."""
    now, name = services().clock.now(), params.get(periods.PERIOD) or default
    known = name if periods.is_named(name) else "30d"
    return periods.bound_params(*periods.named_bounds(known, now))


def _bound(name: str, label: str, params: Mapping[str, str], write: Write) -> None:
    """Start or end of a free period; what the URL says wrongly is empty."""
    key = f"asked_{name}"
    at = periods.parse_bound(name, params.get(name, ""))
    st.session_state[key] = None if at is None else at.replace(tzinfo=None)

    def apply() -> None:
        chosen: datetime | None = st.session_state[key]
        write({name: "" if chosen is None else periods.format_bound(chosen.replace(tzinfo=UTC))})

    st.datetime_input(
        label,
        None,
        key=key,
        step=timedelta(hours=1),
        format="YYYY-MM-DD",
        width=200,
        help="UTC, whole hours" if name == "from" else "UTC, whole hours; not included",
        on_change=apply,
    )
