"""Webhooks: making one, changing it, its secret, trying it, switching it, sending again."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import secrets
from crossway.dashboard.components.actions import confirm, perform
from crossway.dashboard.components.notices import say
from crossway.dashboard.components.rights import needing
from crossway.dashboard.navigation import open_page
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import deliveries as delivery_view
from crossway.dashboard.views import webhooks as view
from crossway.domain.roles import Right
from crossway.domain.webhooks import EVERY_EVENT, Endpoint
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookChange

ADVICE = "It verifies what arrives. Copy it into the settings of the receiver now."


def client_choice(label: str, key: str) -> str | None:
    """One client or all of them, kept in the address of the page."""
    names = client_view.names(services())
    if st.session_state.get(key) not in (None, *names):
        del st.session_state[key]
    return st.selectbox(
        label, list(names), index=None, key=key, format_func=names.__getitem__,
        placeholder="Any", bind="query-params", width=320,
    )  # fmt: skip


@needing(Right.MANAGE)
def new_webhook() -> None:
    """The form of a new webhook."""
    names = client_view.names(services())
    local = services().network == "simulated"
    with st.form("new_webhook", border=False):
        left, right = st.columns([2, 1], gap="small")
        url = left.text_input(
            "URL", key="new_webhook_url", placeholder="https://shop.example/hooks/crossway",
            help="https, at a public address" + ("; also http on this machine" if local else ""),
        )  # fmt: skip
        client = right.selectbox("Client", list(names), format_func=names.__getitem__)
        events, description = _events((EVERY_EVENT,), "", "new_webhook")
        made = st.form_submit_button("Add a webhook", icon=":material/add:", type="primary")
    if made:
        asked = WebhookChange(url=url.strip(), events=events, description=description)
        perform(lambda: _made(asked, client))


def _events(chosen: tuple[str, ...], description: str, key: str) -> tuple[list[str], str]:
    events = st.multiselect(
        "Told of", list(view.NAMES), list(chosen), key=f"{key}_events", format_func=view.event,
        placeholder="Choose at least one",
    )  # fmt: skip
    words = st.text_input("Description", description, key=f"{key}_description", max_chars=500)
    return events, words


def _made(asked: WebhookChange, client: str | None) -> str:
    told = webhooks.create(services(), operator(), asked, client_id=client)
    title = f"The secret of webhook #{told.endpoint.id}"
    secrets.show_once(title, told.secret, ADVICE)
    return f"Webhook #{told.endpoint.id} is added; send it a test event."


@needing(Right.MANAGE)
def change(endpoint: Endpoint) -> None:
    """Its URL, its events, its description."""
    with st.form(f"webhook_{endpoint.id}", border=False):
        url = st.text_input("URL", endpoint.url, key=f"webhook_{endpoint.id}_url")
        events, description = _events(
            endpoint.events, endpoint.description, f"webhook_{endpoint.id}"
        )
        saved = st.form_submit_button("Save", icon=":material/save:", type="primary")
    if saved:
        asked = WebhookChange(url=url.strip(), events=events, description=description)
        perform(partial(_changed, endpoint.id, asked, f"Webhook #{endpoint.id} is changed."))


def _changed(webhook_id: int, asked: WebhookChange, words: str) -> str:
    webhooks.change(services(), operator(), webhook_id, asked)
    return words


@needing(Right.WORK)
def actions(endpoint: Endpoint) -> None:
    """Try it, change its secret, switch it, forget it."""
    number, on = endpoint.id, endpoint.enabled
    with st.container(horizontal=True, gap="small"):
        if st.button(
            "Send a test event", icon=":material/send:", type="primary", disabled=not on,
            help=None if on else "Switch it on first",
        ):  # fmt: skip
            perform(lambda: _tested(number))
        if not operator().may(Right.MANAGE):
            return
        if st.button("Change its secret…", icon=":material/autorenew:"):
            asks = "A new secret is shown once. For 24 hours the old one signs as well."
            confirm("Change the secret?", asks, "Change it", lambda: _rotated(number))
        if not on and st.button("Switch on", icon=":material/power:"):
            words = f"Webhook #{number} is on."
            perform(lambda: _changed(number, WebhookChange(enabled=True), words))
        if on and st.button("Switch off…", icon=":material/power_off:"):
            asks = "What it is still owed fails; it can be replayed once it is on again."
            words, asked = f"Webhook #{number} is off.", WebhookChange(enabled=False)
            confirm("Switch it off?", asks, "Switch off", lambda: _changed(number, asked, words))
        if st.button("Remove…", icon=":material/delete:"):
            asks = f"Webhook #{number} and the record of its deliveries are deleted for good."
            confirm("Remove this webhook?", asks, "Remove for good", lambda: _removed(number))


def _tested(webhook_id: int) -> str:
    made, _told = deliveries.test(services(), operator(), webhook_id)
    return f"Test event on its way: delivery #{made.id}."


def _rotated(webhook_id: int) -> str:
    told = webhooks.rotate_secret(services(), operator(), webhook_id)
    secrets.show_once(f"The new secret of webhook #{webhook_id}", told.secret, ADVICE)
    return "The secret is changed."


def _removed(webhook_id: int) -> str:
    webhooks.remove(services(), operator(), webhook_id)
    say(f"Webhook #{webhook_id} is removed.")
    open_page("webhooks")


@needing(Right.WORK)
def replay_range(endpoint: Endpoint) -> None:
    """Send everything of a time again."""
    now = services().clock.now()
    st.markdown(
        "Everything that this webhook is to be told of and that happened then is sent again, in "
        "order, also what happened while it was off. What is still to come is left alone."
    )
    chosen = st.selectbox(
        "What happened in", [*delivery_view.SPANS, delivery_view.BY_HAND], key="replay_span"
    )
    start = end = None
    if chosen == delivery_view.BY_HAND:
        left, right = st.columns(2, gap="small")
        naive = now.replace(tzinfo=None, second=0, microsecond=0)
        start = left.datetime_input("From, UTC", naive.replace(hour=0, minute=0), key="replay_from")
        end = right.datetime_input("To, UTC", naive, key="replay_to")
    if st.button("Replay…", icon=":material/replay:", disabled=not endpoint.enabled):
        asks = f"Everything of: {chosen.lower()}. A receiver knows an event again by its id."
        confirm(
            "Send again?", asks, "Send again",
            lambda: _replayed(endpoint.id, delivery_view.span(now, chosen, start, end)),
        )  # fmt: skip


def _replayed(webhook_id: int, span: dict[str, object]) -> str:
    count = deliveries.replay_range(services(), operator(), webhook_id, span)
    return f"{count:,} event{'' if count == 1 else 's'} on the way again."


@needing(Right.WORK)
def replay(delivery_id: int) -> None:
    """Send one event again, at once."""
    if st.button("Send again", icon=":material/replay:", type="primary", key="replay_one"):
        perform(lambda: _again(delivery_id))


def _again(delivery_id: int) -> str:
    made, _told = deliveries.replay(services(), operator(), delivery_id)
    if made.id == delivery_id:
        return "It is tried again now."
    st.session_state["replayed_as"] = made.id
    return f"On its way again as delivery #{made.id}."
