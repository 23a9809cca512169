"""API keys: those of the first run, making one, changing it, replacing it, ending it."""

import streamlit as st

from crossway.dashboard.components import living, notices, secrets, widget
from crossway.dashboard.components.actions import confirm, perform
from crossway.dashboard.components.rights import needing
from crossway.dashboard.session import first_keys, forget_first_keys, operator, services
from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import keys as view
from crossway.domain.clients import Client, Key, Mode, Scope
from crossway.domain.roles import Right
from crossway.usecases.developers import keys

ADVICE = "Only its hash is stored. Copy it into a secret store now."
_ADDRESSES_HELP = (
    "Addresses or networks, one on each line, such as 203.0.113.7 or 203.0.113.0/24. "
    "Empty: from anywhere."
)
_RATE_HELP = "Empty: the rate of its client."


def first_run() -> None:
    """The first keys until they are put away, for whoever manages keys; nothing ever after."""
    if not operator().may(Right.MANAGE):
        return
    found = first_keys()
    if not found:
        return
    with st.container(border=True, key="first_keys"):
        st.subheader("Your API keys")
        st.markdown("Shown **once**: only their hash is stored. Copy them into a secret store now.")
        for mode, secret in found.items():
            st.markdown(f"**{str(mode).capitalize()} key**")
            st.code(secret, language=None)
        st.button(
            "I have saved them", icon=":material/done:", type="primary", on_click=forget_first_keys
        )


@living.part()
def table(ended: bool, client_id: str | None, key: str) -> None:
    """Keys, live."""
    with notices.in_words():
        found = view.listing(services(), ended, client_id)
        if found.rows:
            widget.table(found.rows, view.COLUMNS, key, "API keys")
        elif ended:
            notices.empty("No key has ended", "Keys that were replaced or revoked stand here.")
        else:
            notices.empty("No key works", "Make one below; it is shown once.", "key_off")


@needing(Right.MANAGE)
def new_key() -> None:
    """The form of a new key."""
    names = client_view.names(services())
    with st.form("new_key", border=False):
        first, second, third = st.columns([3, 2, 3], gap="small", vertical_alignment="bottom")
        client = first.selectbox("Client", list(names), format_func=names.__getitem__)
        mode = second.segmented_control(
            "Mode", list(Mode), default=Mode.TEST, required=True,
            format_func=lambda mode: view.MODES[mode].text, help="Live: main networks only.",
        )  # fmt: skip
        with third:
            scopes = _scopes(frozenset(Scope), "new_key_scopes")
        rate, addresses = _limits("", "", "new_key")
        made = st.form_submit_button("Make a key", icon=":material/key:", type="primary")
    if made and client is not None:
        perform(lambda: _made(client, Mode(mode), scopes, rate, addresses))


def _scopes(chosen: frozenset[Scope], key: str) -> list[Scope]:
    return st.pills(
        "It may", list(Scope), selection_mode="multi", default=sorted(chosen), key=key,
        format_func=view.SCOPES.__getitem__,
    )  # fmt: skip


def _limits(rate: str, addresses: str, key: str) -> tuple[str, str]:
    left, right = st.columns([2, 3], gap="small")
    typed = left.text_input("Requests a minute", rate, key=f"{key}_rate", help=_RATE_HELP)
    places = right.text_area(
        "May be used from", addresses, key=f"{key}_addresses", help=_ADDRESSES_HELP, height=84,
        placeholder=view.ANYWHERE,
    )  # fmt: skip
    return typed, places


def _made(client: str, mode: Mode, scopes: list[Scope], rate: str, addresses: str) -> str:
    wanted = view.change_of(scopes, rate, addresses)
    made = keys.make(
        services(), client, mode, operator(), wanted.scopes or frozenset(),
        requests_per_minute=wanted.requests_per_minute or None, addresses=wanted.addresses or (),
    )  # fmt: skip
    secrets.show_once(f"The new {mode} key {made.key.shown}…", made.secret, ADVICE)
    return f"Key {made.key.shown}… is made."


@needing(Right.MANAGE)
def change(key: Key) -> None:
    """What a key may do, how often and from where."""
    rate = "" if key.requests_per_minute is None else str(key.requests_per_minute)
    with st.form(f"change_key_{key.id}", border=False):
        scopes = _scopes(key.scopes, f"key_{key.id}_scopes")
        typed, addresses = _limits(rate, "\n".join(key.addresses), f"key_{key.id}")
        saved = st.form_submit_button("Save", icon=":material/save:", type="primary")
    if saved:
        perform(lambda: _changed(key, scopes, typed, addresses))


def _changed(key: Key, scopes: list[Scope], rate: str, addresses: str) -> str:
    keys.change(services(), key.id, view.change_of(scopes, rate, addresses), operator())
    return f"Key {key.shown}… is changed."


@needing(Right.MANAGE)
def ending(key: Key, client: Client) -> None:
    """Replace a key with another, or end it."""
    if key.ends_at is None:
        st.markdown("A new key just like this one; this one may work on until you have changed it.")
        overlap = st.selectbox(
            "The old one works on", list(view.OVERLAPS), key="overlap",
            index=list(view.OVERLAPS).index(view.USUAL_OVERLAP),
        )  # fmt: skip
        if st.button("Replace this key…", icon=":material/autorenew:"):
            asks = f"A new key for {client.name} is shown once. {key.shown}… works on: {overlap}."
            confirm("Replace this key?", asks, "Replace", lambda: _rotated(key, overlap))
    else:
        st.markdown("It was replaced already; it ends by itself.")
    if st.button("Revoke this key…", icon=":material/block:"):
        asks = f"Whoever uses {key.shown}… of {client.name} is refused within five seconds."
        confirm("Revoke this key?", asks, "Revoke for good", lambda: _revoked(key))


def _rotated(key: Key, overlap: str) -> str:
    made = keys.rotate(services(), key.id, operator(), view.OVERLAPS[overlap])
    secrets.show_once(f"The key {made.key.shown}… replaces {key.shown}…", made.secret, ADVICE)
    return f"Key {key.shown}… is replaced."


def _revoked(key: Key) -> str:
    keys.revoke(services(), key.id, operator())
    return f"Key {key.shown}… is revoked."
