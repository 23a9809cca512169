"""API keys: those of the first run, creating, changing, replacing and revoking them."""

import streamlit as st

from crossway.dashboard.components import (
    list_table,
    live_fragment,
    notices,
    one_time_secrets,
)
from crossway.dashboard.components.actions import confirm, run_action
from crossway.dashboard.components.permissions import requires
from crossway.dashboard.session import first_keys, forget_first_keys, operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import keys as view
from crossway.domain.clients import ApiKey, Client, Mode, Scope
from crossway.domain.roles import Permission
from crossway.usecases.developers import api_keys

ADVICE = "Only its hash is stored. Copy it into a secret store now."
_ADDRESSES_HELP = (
    "IP addresses or networks, one per line, such as 203.0.113.7 or 203.0.113.0/24. "
    "Empty: any address."
)
_RATE_HELP = "Empty: the merchant's rate limit."


def first_keys_notice() -> None:
    """The first API keys, until they are dismissed, for those who manage keys."""
    if not operator().can(Permission.MANAGE):
        return
    secrets = first_keys()
    if not secrets:
        return
    with st.container(border=True, key="first_keys"):
        st.subheader("Your API keys")
        st.markdown("Shown **once**: only their hash is stored. Copy them into a secret store now.")
        for mode, secret in secrets.items():
            st.markdown(f"**{str(mode).capitalize()} key**")
            st.code(secret, language=None)
        st.button(
            "I have saved them", icon=":material/done:", type="primary", on_click=forget_first_keys
        )


@live_fragment.fragment()
def key_table(ended: bool, client_id: str | None, key: str) -> None:
    """API keys, live."""
    with notices.show_errors():
        page = view.load_page(services(), ended, client_id)
        if page.rows:
            list_table.row_table(
                page.rows, view.COLUMNS, key, "API keys", list_name="keys", whole=True
            )
        elif ended:
            notices.empty_state("No revoked keys", "Revoked and expired keys appear here.")
        else:
            notices.empty_state("No active keys", "Create one below. It is shown once.", "key_off")


@requires(Permission.MANAGE)
def new_key() -> None:
    """The form of a new key."""
    names = client_view.client_names(services())
    with st.form("new_key", border=False):
        first, second, third = st.columns([3, 2, 3], gap="small", vertical_alignment="bottom")
        client = first.selectbox("Merchant", list(names), format_func=names.__getitem__)
        mode = second.segmented_control(
            "Mode",
            list(Mode),
            default=Mode.TEST,
            required=True,
            format_func=lambda mode: view.MODES[mode].text,
            help="Live: mainnets only.",
        )
        with third:
            scopes = _scope_input(frozenset(Scope), "new_key_scopes")
        rate, addresses = _limit_inputs("", "", "new_key")
        submitted = st.form_submit_button("Create API key", icon=":material/key:", type="primary")
    if submitted and client is not None:
        run_action(lambda: _create(client, Mode(mode), scopes, rate, addresses))


def _scope_input(chosen: frozenset[Scope], key: str) -> list[Scope]:
    return st.pills(
        "Permissions",
        list(Scope),
        selection_mode="multi",
        default=sorted(chosen),
        key=key,
        format_func=view.SCOPES.__getitem__,
    )


def _limit_inputs(rate: str, addresses: str, key: str) -> tuple[str, str]:
    left, right = st.columns([2, 3], gap="small")
    typed = left.text_input("Requests per minute", rate, key=f"{key}_rate", help=_RATE_HELP)
    places = right.text_area(
        "Allowed IPs",
        addresses,
        key=f"{key}_addresses",
        help=_ADDRESSES_HELP,
        height=84,
        placeholder=view.ANYWHERE,
    )
    return typed, places


def _create(client: str, mode: Mode, scopes: list[Scope], rate: str, addresses: str) -> str:
    change = view.parse_change(scopes, rate, addresses)
    created = api_keys.create_api_key(
        services(),
        client,
        mode,
        operator(),
        change.scopes or frozenset(),
        requests_per_minute=change.requests_per_minute or None,
        addresses=change.addresses or (),
    )
    one_time_secrets.show_once(
        f"The new {mode} key {created.key.display_prefix}…", created.secret, ADVICE
    )
    return f"Key {created.key.display_prefix}… is created."


@requires(Permission.MANAGE)
def change_form(key: ApiKey) -> None:
    """Permissions, rate limit and allowed addresses of a key."""
    rate = "" if key.requests_per_minute is None else str(key.requests_per_minute)
    with st.form(f"change_key_{key.id}", border=False):
        scopes = _scope_input(key.scopes, f"key_{key.id}_scopes")
        typed, addresses = _limit_inputs(rate, "\n".join(key.addresses), f"key_{key.id}")
        saved = st.form_submit_button("Save", icon=":material/save:", type="primary")
    if saved:
        run_action(lambda: _update(key, scopes, typed, addresses))


def _update(key: ApiKey, scopes: list[Scope], rate: str, addresses: str) -> str:
    api_keys.update_api_key(
        services(), key.id, view.parse_change(scopes, rate, addresses), operator()
    )
    return f"Key {key.display_prefix}… is changed."


@requires(Permission.MANAGE)
def replace_or_revoke(key: ApiKey, client: Client) -> None:
    """Replace a key with a new one, or revoke it."""
    if key.expires_at is None:
        st.markdown(
            "Creates a new key with the same settings. This key stays valid for the overlap period."
        )
        overlap = st.selectbox(
            "Overlap",
            list(view.OVERLAPS),
            key="overlap",
            index=list(view.OVERLAPS).index(view.DEFAULT_OVERLAP),
        )
        if st.button("Rotate this key…", icon=":material/autorenew:"):
            warning = (
                f"A new key for {client.name} is shown once. "
                f"{key.display_prefix}… stays valid for: {overlap}."
            )
            confirm("Rotate this key?", warning, "Rotate", lambda: _rotate(key, overlap))
    else:
        st.markdown("This key was already rotated and expires automatically.")
    if st.button("Revoke this key…", icon=":material/block:"):
        warning = (
            f"Requests with {key.display_prefix}… of {client.name} are rejected within five "
            "seconds."
        )
        confirm("Revoke this key?", warning, "Revoke permanently", lambda: _revoke(key))


def _rotate(key: ApiKey, overlap: str) -> str:
    created = api_keys.rotate_api_key(services(), key.id, operator(), view.OVERLAPS[overlap])
    one_time_secrets.show_once(
        f"The key {created.key.display_prefix}… replaces {key.display_prefix}…",
        created.secret,
        ADVICE,
    )
    return f"Key {key.display_prefix}… is rotated."


def _revoke(key: ApiKey) -> str:
    api_keys.revoke_api_key(services(), key.id, operator())
    return f"Key {key.display_prefix}… is revoked."
