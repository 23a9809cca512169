"""Webhooks: creating, changing, testing, disabling and removing them, and resending events."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import one_time_secrets
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.components.navigation import open_page
from crossway.dashboard.components.notices import queue_toast
from crossway.dashboard.components.permissions import requires
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import deliveries as delivery_view
from crossway.dashboard.views import webhooks as view
from crossway.domain.roles import Permission
from crossway.domain.webhooks import ALL_EVENTS, Endpoint
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate

ADVICE = "It verifies the signatures of deliveries. Copy it into the receiver's settings now."


LOOPBACK_HELP = "; where `CROSSWAY_LOOPBACK_WEBHOOKS` is `true`, http on localhost too"


@requires(Permission.MANAGE)
def new_webhook() -> None:
    """The form of a new webhook."""
    names = client_view.client_names(services())
    local = services().environment == "simulated"
    with st.form("new_webhook", border=False):
        left, right = st.columns([2, 1], gap="small")
        url = left.text_input(
            "URL",
            key="new_webhook_url",
            placeholder="https://shop.example/hooks/crossway",
            help="A public https URL" + (LOOPBACK_HELP if local else ""),
        )
        client = right.selectbox("Merchant", list(names), format_func=names.__getitem__)
        events, description = _event_inputs((ALL_EVENTS,), "", "new_webhook")
        submitted = st.form_submit_button("Add a webhook", icon=":material/add:", type="primary")
    if submitted:
        request = WebhookUpdate(url=url.strip(), events=events, description=description)
        run_action(lambda: _create(request, client))


def _event_inputs(chosen: tuple[str, ...], description: str, key: str) -> tuple[list[str], str]:
    events = st.multiselect(
        "Events",
        list(view.EVENT_NAMES),
        list(chosen),
        key=f"{key}_events",
        format_func=view.describe_event,
        placeholder="Choose at least one",
    )
    message = st.text_input("Description", description, key=f"{key}_description", max_chars=500)
    return events, message


def _create(request: WebhookUpdate, client: str | None) -> str:
    created = webhooks.create_webhook(services(), operator(), request, client_id=client)
    title = f"The secret of webhook #{created.endpoint.id}"
    one_time_secrets.show_once(title, created.secret, ADVICE)
    return f"Webhook #{created.endpoint.id} is added. Send a test event to verify it."


@requires(Permission.MANAGE)
def change(endpoint: Endpoint) -> None:
    """URL, events and description of a webhook."""
    with st.form(f"webhook_{endpoint.id}", border=False):
        url = st.text_input("URL", endpoint.url, key=f"webhook_{endpoint.id}_url")
        events, description = _event_inputs(
            endpoint.events, endpoint.description, f"webhook_{endpoint.id}"
        )
        saved = st.form_submit_button("Save", icon=":material/save:", type="primary")
    if saved:
        request = WebhookUpdate(url=url.strip(), events=events, description=description)
        run_action(partial(_update, endpoint.id, request, f"Webhook #{endpoint.id} is updated."))


def _update(webhook_id: int, request: WebhookUpdate, message: str) -> str:
    webhooks.update_webhook(services(), operator(), webhook_id, request)
    return message


@requires(Permission.OPERATE)
def actions(endpoint: Endpoint) -> None:
    """Send a test event, rotate the secret, enable, disable or remove a webhook."""
    number, on = endpoint.id, endpoint.enabled
    with st.container(horizontal=True, gap="small"):
        if st.button(
            "Send a test event",
            icon=":material/send:",
            type="primary",
            disabled=not on,
            help=None if on else "Enable it first",
        ):
            run_action(lambda: _send_test(number))
        if not operator().can(Permission.MANAGE):
            return
        if st.button("Rotate secret…", icon=":material/autorenew:"):
            warning = "The new secret is shown once. For 24 hours deliveries are signed with both."
            confirm("Rotate the secret?", warning, "Rotate", lambda: _rotate_secret(number))
        if not on and st.button("Enable", icon=":material/power:"):
            message = f"Webhook #{number} is enabled. A delivery shows whether it works."
            run_action(lambda: _update(number, WebhookUpdate(enabled=True), message))
        if on and st.button("Disable…", icon=":material/power_off:"):
            warning = (
                "Queued deliveries are cancelled; they can be resent once it is enabled again."
            )
            message, request = f"Webhook #{number} is disabled.", WebhookUpdate(enabled=False)
            confirm(
                "Disable this webhook?",
                warning,
                "Disable",
                lambda: _update(number, request, message),
            )
        if st.button("Remove…", icon=":material/delete:"):
            warning = f"Webhook #{number} and its delivery history are deleted permanently."
            confirm("Remove this webhook?", warning, "Remove permanently", lambda: _remove(number))


def _send_test(webhook_id: int) -> str:
    delivery, _event = deliveries.send_test_event(services(), operator(), webhook_id)
    return f"Test event queued: delivery #{delivery.id}."


def _rotate_secret(webhook_id: int) -> str:
    rotated = webhooks.rotate_secret(services(), operator(), webhook_id)
    one_time_secrets.show_once(f"The new secret of webhook #{webhook_id}", rotated.secret, ADVICE)
    return "The secret is rotated."


def _remove(webhook_id: int) -> str:
    webhooks.delete_webhook(services(), operator(), webhook_id)
    queue_toast(f"Webhook #{webhook_id} is removed.")
    open_page("webhooks")


@requires(Permission.OPERATE)
def resend_range(endpoint: Endpoint) -> None:
    """Resend all events of a period."""
    now = services().clock.now()
    st.markdown(
        "All subscribed events of the period are sent again in order, including events while the "
        "webhook was disabled. Queued deliveries are not affected."
    )
    chosen = st.selectbox(
        "Period", [*delivery_view.PERIODS, delivery_view.CUSTOM_PERIOD], key="replay_span"
    )
    start = end = None
    if chosen == delivery_view.CUSTOM_PERIOD:
        left, right = st.columns(2, gap="small")
        naive = now.replace(tzinfo=None, second=0, microsecond=0)
        start = left.datetime_input("From, UTC", naive.replace(hour=0, minute=0), key="replay_from")
        end = right.datetime_input("To, UTC", naive, key="replay_to")
    if st.button("Resend…", icon=":material/replay:", disabled=not endpoint.enabled):
        warning = f"Period: {chosen.lower()}. Receivers recognise a resent event by its ID."
        confirm(
            "Resend events?",
            warning,
            "Resend",
            lambda: _resend_range(
                endpoint.id, delivery_view.resend_period(now, chosen, start, end)
            ),
        )


def _resend_range(webhook_id: int, span: dict[str, object]) -> str:
    count = deliveries.replay_range(services(), operator(), webhook_id, span).count
    return f"{count:,} event{'' if count == 1 else 's'} queued again."


@requires(Permission.OPERATE)
def resend(delivery_id: int) -> None:
    """Resend one event now."""
    if st.button("Resend", icon=":material/replay:", type="primary", key="replay_one"):
        run_action(lambda: _resend_one(delivery_id))


def _resend_one(delivery_id: int) -> str:
    delivery, _event = deliveries.replay_delivery(services(), operator(), delivery_id)
    if delivery.id == delivery_id:
        return "The delivery is retried now."
    st.session_state["replayed_as"] = delivery.id
    return f"Resent as delivery #{delivery.id}."
