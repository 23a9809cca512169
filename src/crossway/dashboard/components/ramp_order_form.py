"""The guided form of a ramp order: provider and channel, customer, price."""

import time
from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from crossway.dashboard.components import kyc, notices, ramp_order, widget
from crossway.dashboard.components.actions import run_action
from crossway.dashboard.session import current_mode, operator, services
from crossway.dashboard.views import kyc as kyc_view
from crossway.dashboard.views import ramp_order_detail, ramp_status_labels
from crossway.dashboard.views import ramp_order_new as view
from crossway.dashboard.views.cells import LinkButton
from crossway.dashboard.views.links import order_href, prefilled_href
from crossway.dashboard.views.new_intent import example_address
from crossway.dashboard.views.ramp_order_new import Draft
from crossway.domain.kyc import KycStatus
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.payment_channels import Channel, Field
from crossway.domain.ramps import OrderState
from crossway.usecases.ramps.provider_quotes import RampQuote
from crossway.usecases.simulator import ramp_controls as ramp_sandbox

CREATED_ORDER = "ramp_made"
_WALLET = "wallet"
_PRICE_SECONDS, _STANDING_SECONDS = 20.0, 5.0
T = TypeVar("T")


def provider_and_channel(direction: str, currency: str, country: str) -> tuple[str, Channel] | None:
    """A provider that serves this corridor, and one of its channels; None without any."""
    providers = view.list_providers(services(), direction, currency, country)
    if not providers:
        return None
    _drop_invalid("provider", providers)
    left, right = st.columns(2, gap="small")
    provider = left.selectbox(
        "Provider",
        list(providers),
        key="provider",
        format_func=providers.__getitem__,
        bind="query-params",
    )
    ways = view.list_channels(services(), provider, direction, currency, country)
    _drop_invalid("channel", ways)
    label = "Payment channel" if direction == "on-ramp" else "Payout channel"
    channel = right.selectbox(
        label,
        list(ways),
        key="channel",
        format_func=lambda channel_id: ways[channel_id].name,
        bind="query-params",
        disabled=len(ways) == 1,
    )
    return provider, ways[channel]


def _drop_invalid(key: str, options: object) -> None:
    if st.session_state.get(key) not in (None, *options):  # type: ignore[misc]
        del st.session_state[key]


def user_fields(channel: Channel, on: bool, chain: str) -> tuple[str, str, dict[str, str]]:
    """The customer: e-mail address, wallet, and the fields of the channel."""
    optional = "" if channel.direct else " (optional)"
    email = st.text_input(
        f"Customer's e-mail{optional}", key="email", autocomplete="off", persist_state="session"
    )
    notices.field_error(view.validate_email(email))
    label = "Receiving wallet" if on else "Sending wallet"
    wallet = st.text_input(
        label,
        key=_WALLET,
        live="400ms",
        autocomplete="off",
        help=None if on else "Receives the refund if the crypto cannot be sold.",
    )
    notices.field_error(view.validate_wallet(services(), chain, wallet))
    fields = {field.key: _field(channel, field) for field in channel.fields}
    if not channel.direct:
        st.caption("The provider's page asks for everything else.")
    if services().environment == "simulated":
        st.button(
            "Use example values",
            icon=":material/science:",
            on_click=_fill_example,
            args=(channel, chain, email),
        )
    return email, wallet, fields


def _field(channel: Channel, field: Field) -> str:
    label, key = notices.escape_markdown(field.label), _key(channel, field)
    if not field.required:
        label += " (optional)"
    if field.type == "enum":
        names = {one.value: one.label for one in field.options}
        chosen = st.selectbox(
            label,
            list(names),
            index=None,
            key=key,
            format_func=names.__getitem__,
            placeholder="Choose",
        )
        return chosen or ""
    typed = st.text_input(
        label,
        key=key,
        live="400ms",
        autocomplete="off",
        placeholder=f"such as {field.example}" if field.example else None,
    )
    notices.field_error(view.validate_field(field, typed))
    return typed


def _key(channel: Channel, field: Field) -> str:
    return f"field_{channel.id}_{field.key}_{len(field.options)}"


def _fill_example(channel: Channel, chain: str, email: str) -> None:
    with notices.show_errors():
        st.session_state["email"] = email or view.EXAMPLE_EMAIL
        st.session_state[_WALLET] = example_address(services(), chain)
        values = view.example_fields(channel)
        for field in channel.fields:
            st.session_state[_key(channel, field)] = values[field.key]


def price(draft: Draft) -> RampQuote | None:
    """The current price; None, with a message, if there is none."""
    st.subheader("Current quote")
    cache_key = (draft.form, draft.provider, draft.channel.id)
    with notices.show_errors(), st.skeleton(height=180):
        work = lambda: view.price_draft(services(), operator(), draft)  # noqa: E731
        quote = _cached("ramp_price", cache_key, _PRICE_SECONDS, work)
        widget.details(
            view.build_price_details(services(), quote), "ramp_price_facts", "Current quote"
        )
        return quote
    return None


def kyc_status(draft: Draft, quote: RampQuote) -> None:
    """The customer's KYC status with the provider for this order, and what is missing."""
    with notices.show_errors():
        work = lambda: view.load_kyc_panel(services(), operator(), draft, quote)  # noqa: E731
        cache_key = (draft.form, draft.provider, quote.value_micro_usd)
        panel = _cached("ramp_standing", cache_key, _STANDING_SECONDS, work)
        if panel is not None:
            _show_kyc_status(draft, quote, panel)


def _show_kyc_status(draft: Draft, quote: RampQuote, panel: kyc_view.Panel) -> None:
    if panel.good:
        st.success(notices.escape_markdown(panel.verdict), icon=":material/verified_user:")
        return
    missing = "; ".join(field.label for field in panel.missing)
    text = f"{panel.verdict} Missing: {missing}." if missing else panel.verdict
    st.warning(notices.escape_markdown(text), icon=":material/badge:")
    if panel.missing_for and missing:
        st.caption(notices.escape_markdown(panel.missing_for))
    if panel.next_step:
        st.info(notices.escape_markdown(panel.next_step), icon=":material/arrow_forward:")
    form = draft.form
    href = prefilled_href(
        "kyc", provider=draft.provider, currency=form.currency, country=form.country
    )
    usd_value = format_units(quote.value_micro_usd, MICRO_USD_DECIMALS)
    st.session_state[kyc.AMOUNT_OF_ORDER] = usd_value
    label = "Submit what is missing" if missing else "Identity checks"
    widget.link_buttons((LinkButton(label, href, "badge"),), "to_kyc", width="content")
    if panel.verification_url:
        label = f"Open {panel.provider}'s page"
        st.link_button(label, panel.verification_url, icon=":material/open_in_new:")
    if services().ramp_sandbox is not None and panel.required is not None:
        label = "Approve this check (simulated)"
        if st.button(label, icon=":material/science:"):
            run_action(lambda: _approve(draft, panel))


def _approve(draft: Draft, panel: kyc_view.Panel) -> str:
    ramp_sandbox.set_kyc_status(
        services(),
        operator(),
        draft.provider,
        draft.form.email,
        panel.required,
        KycStatus.APPROVED,
    )
    st.session_state.pop("ramp_standing", None)
    return "Simulated: the provider approved this customer."


def submit_button(draft: Draft, quote: RampQuote | None) -> None:
    """The button that creates the order."""
    label = view.button_label(draft, quote)
    clicked = st.button(
        label,
        type="primary",
        icon=":material/add_circle:",
        width="stretch",
        key="open_order",
        disabled=quote is None,
        wrap=True,
    )
    if clicked:
        with notices.show_errors(), st.spinner("Requesting the order…"):
            st.session_state[CREATED_ORDER] = view.create_order(services(), operator(), draft).id
            st.rerun()


def created_order(order_id: int) -> None:
    """The order that was created, and how the customer pays it."""
    story = ramp_order_detail.load_order_detail(services(), operator(), order_id)
    order, summary = story.order, notices.escape_markdown(ramp_order_detail.format_exchange(story))
    if order.state in (OrderState.FAILED, OrderState.CANCELLED, OrderState.EXPIRED):
        reason = notices.escape_markdown(
            ramp_status_labels.with_provider_name(order, order.failure_reason) or "It has ended"
        )
        st.error(f"Order #{order.id} was not opened. {reason}", icon=":material/error:")
    elif order.state is OrderState.PENDING:
        st.info(f"Order #{order.id} is stored: {summary}.", icon=":material/schedule_send:")
    else:
        st.success(f"Order #{order.id} is open: {summary}.", icon=":material/check_circle:")
    ramp_order.payment_instructions(story)
    main = not order.widget_url
    link = LinkButton("View this order", order_href(order.id), "visibility", primary=main)
    widget.link_buttons((link,), "follow_order")


def reset() -> None:
    """Clear the created order, so that the form starts again."""
    st.session_state.pop(CREATED_ORDER, None)


def _cached(name: str, cache_key: object, seconds: float, work: Callable[[], T]) -> T:
    """The result of the same request in the same mode within `seconds`, else a new one."""
    cache_key = (current_mode(), cache_key)
    cached = st.session_state.get(name)
    if cached is None or cached[0] != cache_key or time.monotonic() - cached[1] > seconds:
        cached = (cache_key, time.monotonic(), work())
        st.session_state[name] = cached
    answer: T = cached[2]
    return answer
