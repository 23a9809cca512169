"""Buttons that perform actions, with confirmation dialogs, error messages and toasts."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from crossway.dashboard.components.notices import escape_markdown, show_errors
from crossway.dashboard.components.step_up import run_or_ask
from crossway.dashboard.session import operator, services
from crossway.dashboard.views.available_actions import AvailableAction
from crossway.usecases.money.amount_confirmation import TransferAmount, is_required
from crossway.usecases.payments import refund_reasons

Action = Callable[[], str]


def confirm(
    title: str, asks: str, label: str, work: Action, warning: str = "", no: str = "Cancel"
) -> None:
    """Ask for confirmation in a dialog; `work` returns the message of the toast."""

    @st.dialog(title, width="medium")
    def ask() -> None:
        st.markdown(escape_markdown(asks))
        if warning:
            st.warning(warning, icon=":material/science:")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button(no, key="confirm_no"):
                st.rerun()
            agreed = st.button(label, key="confirm_yes", type="primary")
        if agreed:
            run_action(work)

    ask()


def confirm_with_text(
    title: str, asks: str, field: str, label: str, work: Callable[[str], str]
) -> None:
    """Like `confirm`, with a required text that is passed to `work`."""

    @st.dialog(title, width="medium")
    def ask() -> None:
        st.markdown(escape_markdown(asks))
        typed = st.text_input(field, key="confirm_text")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Cancel", key="confirm_no"):
                st.rerun()
            agreed = st.button(label, key="confirm_yes", type="primary")
        if agreed and not typed.strip():
            st.error(f"{field} is required.")
        elif agreed:
            run_action(lambda: work(typed.strip()))

    ask()


def confirm_money(
    title: str,
    asks: str,
    label: str,
    moved: TransferAmount,
    work: Callable[[str, str], str],
    field: str = "",
    choices: Mapping[str, str] | None = None,
    words: str = "",
) -> None:
    """Like `confirm`, for transfers: above this installation's limit the amount must be typed.

    `work` receives what is chosen for `field`, if there is one, and the typed amount; `choices`
    are what there is to choose, each with its label. Or it receives what may be typed in `words`.
    """
    again = is_required(services(), operator(), moved)

    @st.dialog(title, width="medium")
    def ask() -> None:
        st.markdown(escape_markdown(asks))
        text = _choose(field, choices or {}) if field else _write(words)
        amount = ""
        if again:
            st.warning(
                escape_markdown(f"Amounts this large must be confirmed: {moved.label}."),
                icon=":material/paid:",
            )
            amount = st.text_input(f"Enter the amount in {moved.symbol}", key="confirm_amount")
        with st.container(horizontal=True, horizontal_alignment="right"):
            if st.button("Cancel", key="confirm_no"):
                st.rerun()
            agreed = st.button(label, key="confirm_yes", type="primary")
        if agreed and field and not text.strip():
            st.error(f"{field} is required.")
        elif agreed:
            run_action(lambda: work(text.strip(), amount))

    ask()


def _write(label: str) -> str:
    longest = refund_reasons.MAX_LENGTH
    return st.text_input(label, key="confirm_words", max_chars=longest) if label else ""


def _choose(field: str, choices: Mapping[str, str]) -> str:
    index = 0 if len(choices) == 1 else None
    chosen = st.selectbox(
        field, list(choices), index, key="confirm_choice", format_func=choices.__getitem__
    )
    return chosen or ""


def run_action(work: Action) -> None:
    """Run an action and rerun the page with its message as a toast; errors are shown in place. A
    sensitive action may have to wait until the person has confirmed that it is them."""
    with show_errors():
        run_or_ask(work)


def once_key(name: str) -> str:
    """The key of a button whose action is carried out by `run_once`."""
    return f"{name}_{st.session_state.get(_spent(name), 0)}"


def run_once(name: str, work: Action) -> None:
    """As `run_action`, once for each drawing of its button: that is another one afterwards, and
    however late a second press of the first arrives, it presses nothing."""
    st.session_state[_spent(name)] = st.session_state.get(_spent(name), 0) + 1
    run_action(work)


def _spent(name: str) -> str:
    return f"spent_{name}"


def buttons(offers: Sequence[AvailableAction], key: str) -> AvailableAction | None:
    """One button per action, disabled ones with the reason; returns the clicked one."""
    clicked = None
    allowed = [offer for offer in offers if offer.primary and not offer.disabled_reason]
    with st.container(horizontal=True, gap="small"):
        for offer in offers:
            primary = allowed[:1] == [offer]
            if st.button(
                offer.label,
                key=f"{key}_{offer.name}_{offer.target_id or ''}",
                icon=f":material/{offer.icon}:",
                type="primary" if primary else "secondary",
                disabled=bool(offer.disabled_reason),
                help=offer.disabled_reason or None,
            ):
                clicked = offer
    return clicked
