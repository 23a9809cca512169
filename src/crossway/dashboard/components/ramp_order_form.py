"""The guided form of a ramp order in its parts: provider and channel, the user, the price."""

import time
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from crossway.dashboard.components import notices, ramp_order, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import kyc as kyc_view
from crossway.dashboard.views import ramp_order_new as view
from crossway.dashboard.views import ramp_story, ramp_wording
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.links import order_href, start_link
from crossway.dashboard.views.new_intent import example_address
from crossway.dashboard.views.ramp_order_new import Draft
from crossway.domain.channels import Channel, Field
from crossway.domain.kyc import KycStatus
from crossway.domain.ramps import OrderState
from crossway.usecases.ramps import sandbox as ramp_sandbox
from crossway.usecases.ramps.prices import RampQuote

MADE = "ramp_made"
_WALLET = "wallet"
_PRICE_SECONDS, _STANDING_SECONDS = 20.0, 5.0
T = TypeVar("T")


def provider_and_channel(direction: str, currency: str, country: str) -> tuple[str, Channel] | None:
    """A provider that serves this, and one of its channels; None when nobody does."""
    known = view.providers(services(), direction, currency, country)
    if not known:
        return None
    _forget_unknown("provider", known)
    left, right = st.columns(2, gap="small")
    provider = left.selectbox(
        "Provider", list(known), key="provider", format_func=known.__getitem__, bind="query-params"
    )
    ways = view.channels(services(), provider, direction, currency, country)
    _forget_unknown("channel", ways)
    label = "Paid by" if direction == "on-ramp" else "Paid out by"
    channel = right.selectbox(
        label, list(ways), key="channel", format_func=lambda one: ways[one].name,
        bind="query-params", disabled=len(ways) == 1,
    )  # fmt: skip
    return provider, ways[channel]


def _forget_unknown(key: str, known: object) -> None:
    if st.session_state.get(key) not in (None, *known):  # type: ignore[misc]
        del st.session_state[key]


def user(channel: Channel, on: bool, chain: str) -> tuple[str, str, dict[str, str]]:
    """Whose order it is: e-mail address, wallet, and the fields of the channel."""
    optional = "" if channel.direct else " (optional)"
    email = st.text_input(
        f"User's e-mail{optional}", key="email", autocomplete="off", persist_state="session"
    )
    _complain(view.email_complaint(email))
    label = "Wallet that gets the crypto" if on else "Wallet that sends the crypto"
    wallet = st.text_input(
        label, key=_WALLET, live="400ms", autocomplete="off",
        help=None if on else "The crypto goes back there if it cannot be sold.",
    )  # fmt: skip
    _complain(view.wallet_complaint(services(), chain, wallet))
    fields = {one.key: _field(channel, one) for one in channel.fields}
    if not channel.direct:
        st.caption("Everything else is asked for on the provider's own page.")
    if services().network == "simulated":
        st.button(
            "Fill in an example", icon=":material/science:", on_click=_example,
            args=(channel, chain, email),
        )  # fmt: skip
    return email, wallet, fields


def _field(channel: Channel, asked: Field) -> str:
    label, key = (
        asked.label if asked.required else f"{asked.label} (optional)",
        _key(channel, asked),
    )
    if asked.type == "enum":
        names = {one.value: one.label for one in asked.options}
        chosen = st.selectbox(
            label, list(names), index=None, key=key, format_func=names.__getitem__,
            placeholder="Choose",
        )  # fmt: skip
        return chosen or ""
    typed = st.text_input(
        label, key=key, live="400ms", autocomplete="off",
        placeholder=f"such as {asked.example}" if asked.example else None,
    )  # fmt: skip
    _complain(view.field_complaint(asked, typed))
    return typed


def _key(channel: Channel, asked: Field) -> str:
    return f"field_{channel.id}_{asked.key}_{len(asked.options)}"


def _complain(words: str) -> None:
    if words:
        st.markdown(f":red[:material/error: {notices.as_text(words)}.]")


def _example(channel: Channel, chain: str, email: str) -> None:
    with notices.in_words():
        st.session_state["email"] = email or view.EXAMPLE_EMAIL
        st.session_state[_WALLET] = example_address(services(), chain)
        values = view.example_fields(channel)
        for one in channel.fields:
            st.session_state[_key(channel, one)] = values[one.key]


def price(draft: Draft) -> RampQuote | None:
    """What it costs now, in a box; None when it has no price, which is said."""
    st.subheader("What it costs now")
    asked = (draft.asked, draft.provider, draft.channel.id)
    with notices.in_words(), st.skeleton(height=180):
        work = lambda: view.priced(services(), operator(), draft)  # noqa: E731
        quote = _kept("ramp_price", asked, _PRICE_SECONDS, work)
        widget.facts(view.price_facts(services(), quote), "ramp_price_facts", "What it costs")
        return quote
    return None


def standing(draft: Draft, quote: RampQuote) -> None:
    """Where the user stands with the provider for this order, what is missing, and where to."""
    with notices.in_words():
        work = lambda: view.standing(services(), operator(), draft, quote)  # noqa: E731
        asked = (draft.asked, draft.provider, quote.worth_micro_usd)
        found = _kept("ramp_standing", asked, _STANDING_SECONDS, work)
        if found is not None:
            _verdict(draft, found)


def _verdict(draft: Draft, found: kyc_view.Panel) -> None:
    if found.good:
        st.success(notices.as_text(found.verdict), icon=":material/verified_user:")
        return
    missing = "; ".join(one.label for one in found.missing)
    words = f"{found.verdict} Missing: {missing}." if missing else found.verdict
    st.warning(notices.as_text(words), icon=":material/badge:")
    asked = draft.asked
    href = start_link(
        "kyc", provider=draft.provider, currency=asked.currency, country=asked.country
    )
    widget.ways((Way("To the identity check", href, "badge"),), "to_kyc", width="content")
    if services().ramp_sandbox is not None and found.required is not None:
        label = "Approve this check (simulated)"
        if st.button(label, icon=":material/science:"):
            perform(lambda: _approved(draft, found))


def _approved(draft: Draft, found: kyc_view.Panel) -> str:
    ramp_sandbox.set_standing(
        services(), operator(), draft.provider, draft.asked.email, found.required,
        KycStatus.APPROVED,
    )  # fmt: skip
    st.session_state.pop("ramp_standing", None)
    return "Simulated: the provider has approved this person."


def open_it(draft: Draft, quote: RampQuote | None) -> None:
    """The button that opens the order."""
    label = view.button(draft, quote)
    clicked = st.button(
        label, type="primary", icon=":material/add_circle:", width="stretch", key="open_order",
        disabled=quote is None, wrap=True,
    )  # fmt: skip
    if clicked:
        with notices.in_words(), st.spinner("The provider is asked…"):
            st.session_state[MADE] = view.create(services(), operator(), draft).id
            st.rerun()


def made(order_id: int) -> None:
    """The order that the form became, and how the user pays it."""
    story = ramp_story.told(services(), operator(), order_id)
    order, line = story.order, notices.as_text(ramp_story.money_line(story))
    if order.state in (OrderState.FAILED, OrderState.CANCELLED, OrderState.EXPIRED):
        reason = notices.as_text(ramp_wording.said(order, order.failure_reason) or "It has ended")
        st.error(f"Order #{order.id} was not opened. {reason}", icon=":material/error:")
    elif order.state is OrderState.PENDING:
        st.info(f"Order #{order.id} is stored: {line}.", icon=":material/schedule_send:")
    else:
        st.success(f"Order #{order.id} is open: {line}.", icon=":material/check_circle:")
    ramp_order.to_be_paid(story)
    main = not order.widget_url
    way = Way("Follow this order", order_href(order.id), "visibility", main=main)
    widget.ways((way,), "follow_order")


def forget_made() -> None:
    """Let the form start anew."""
    st.session_state.pop(MADE, None)


def _kept(name: str, asked: object, seconds: float, work: Callable[[], T]) -> T:
    """What was worked out for the same question a moment ago, or is now."""
    kept = st.session_state.get(name)
    if kept is None or kept[0] != asked or time.monotonic() - kept[1] > seconds:
        kept = (asked, time.monotonic(), work())
        st.session_state[name] = kept
    answer: T = kept[2]
    return answer
