"""How typed amounts are read: shown below their fields before anything is done with them."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from crossway.dashboard.components.actions import Action, run_action
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.views.formatting import group_thousands
from crossway.domain.errors import InvalidInput
from crossway.domain.money import format_units
from crossway.domain.typed_amounts import TypedAmount, read_amount

_CHECK_FIRST: Final = "Check how the amount is read, then press the button again."


@dataclass(frozen=True, slots=True)
class AmountInput:
    """What is typed into a field of an amount of `symbol`, in units of 10**-decimals."""

    field: str
    typed: str
    decimals: int
    symbol: str


def show_reading(typed: str, amount: TypedAmount, understood: str, field: str = "") -> None:
    """The amount as it is understood, where it is not written that way; `field` names it where
    several amounts stand beside one another."""
    name = f"{field}: " if field else ""
    if amount.note:
        st.warning(escape_markdown(f"{name}{amount.note}."), icon=":material/help:")
    elif typed.strip() not in (understood, understood.partition(" ")[0]):
        st.caption(escape_markdown(f"{name}= {understood}"))


def show_readings(name: str, *inputs: AmountInput) -> bool:
    """Show how amounts are read; False if one that can be read in two ways was not shown like that
    before, so that nobody has seen yet what a click of now would do. `name` is that of the form."""
    key, doubtful = f"readings_{name}", []
    for one in inputs:
        try:
            amount = read_amount(one.field, one.typed, one.decimals, one.symbol)
        except InvalidInput:
            continue  # The button's action says what is wrong.
        plain = group_thousands(format_units(amount.units, one.decimals))
        field = one.field if len(inputs) > 1 else ""
        show_reading(one.typed, amount, f"{plain} {one.symbol}", field)
        if amount.note:
            doubtful.append((one.field, one.typed, one.symbol))
    shown = st.session_state.get(key, [])
    st.session_state[key] = doubtful
    return not doubtful or doubtful == shown


def run_as_shown(was_shown: bool, work: Action) -> None:
    """Run an action once everybody could see how its amounts are read."""
    if was_shown:
        run_action(work)
    else:
        st.info(_CHECK_FIRST, icon=":material/help:")
