"""The identity screen in its parts: a person's standing, handing in, requirements, erasing."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import living, notices, widget
from crossway.dashboard.components.actions import confirm, perform
from crossway.dashboard.components.rights import needing
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import kyc as view
from crossway.dashboard.views import ramp_orders
from crossway.domain.kyc import Requirement
from crossway.domain.roles import Right
from crossway.ports.ramps import Document
from crossway.usecases.identity import kyc

_TYPES = ("png", "jpg", "jpeg", "pdf")
ERASED = (
    "The e-mail address, everything that was handed in, and the fields of every order of this "
    "person are deleted from the database for good. The orders and their amounts stay. What the "
    "providers know is not touched."
)


def provider_choice(currency: str, country: str) -> str | None:
    """A provider that serves this corridor."""
    known = dict(view.providers(services(), currency, country))
    if not known:
        return None
    if st.session_state.get("provider") not in (None, *known):
        del st.session_state["provider"]
    return st.selectbox(
        "Provider", list(known), key="provider", format_func=known.__getitem__, bind="query-params"
    )


@living.part()
def standing(provider: str, email: str, country: str, currency: str, amount: str) -> None:
    """Where a person stands, live."""
    with notices.in_words():
        found = view.panel(services(), operator(), provider, email, country, currency, amount)
        widget.facts(found.facts, "kyc_facts", "Where this person stands")
        if found.used:
            st.progress(found.share, text=notices.as_text(found.used))
        if found.verdict:
            (st.success if found.good else st.warning)(notices.as_text(found.verdict))
        if found.missing:
            st.markdown("**Still missing:** " + notices.as_text(_list(found.missing)))
        if found.verification_url:
            st.link_button(
                "Open the provider's check", found.verification_url, icon=":material/open_in_new:"
            )


def _list(missing: tuple[Requirement, ...]) -> str:
    return "; ".join(one.label for one in missing)


@needing(Right.WORK)
def hand_in(provider: str, email: str, country: str, currency: str) -> None:
    """A form for what is missing; what is typed is kept nowhere but encrypted."""
    found = view.panel(services(), operator(), provider, email, country, currency, "")
    if not found.missing:
        return
    with st.expander("Hand in what is missing", icon=":material/upload_file:"):
        with st.form("kyc_form", clear_on_submit=False, border=False):
            typed = {one.key: _field(one) for one in found.missing if one.type != "document"}
            files = {one.key: _file(one) for one in found.missing if one.type == "document"}
            given = st.form_submit_button("Hand in", icon=":material/send:", type="primary")
        if given:
            fields = {key: value for key, value in typed.items() if value}
            documents = [
                Document(key, file.type, file.getvalue()) for key, file in files.items() if file
            ]
            perform(partial(_submit, provider, email, country, currency, fields, documents))


def _field(asked: Requirement) -> str | None:
    label = asked.label if asked.required else f"{asked.label} (optional)"
    key = f"kyc_{asked.key}"
    if asked.type == "enum":
        return st.selectbox(label, asked.options, index=None, key=key, placeholder="Choose")
    return st.text_input(label, key=key, autocomplete="off") or None


def _file(asked: Requirement):  # type: ignore[no-untyped-def]
    return st.file_uploader(asked.label, type=_TYPES, key=f"kyc_{asked.key}", max_upload_size=5)


def _submit(
    provider: str,
    email: str,
    country: str,
    currency: str,
    fields: dict[str, str],
    documents: list[Document],
) -> str:
    kyc.submit(
        services(), operator(), provider, email, country, fields, documents, currency=currency
    )
    return "Handed in; the provider checks it now."


@living.part()
def orders(email: str) -> None:
    """The person's latest orders, live; nothing where there are none."""
    with notices.in_words():
        found = ramp_orders.of_person(services(), operator(), email)
        if found.rows:
            st.header("Orders of this person")
            widget.table(found.rows, ramp_orders.COLUMNS, "kyc_orders", "Orders of this person")


@needing(Right.MANAGE)
def erase(email: str) -> None:
    """Forget a person, asked once."""
    if st.button("Erase this person…", icon=":material/delete_forever:"):
        confirm("Erase this person?", ERASED, "Erase for good", lambda: _erased(email))


def _erased(email: str) -> str:
    orders = kyc.erase(services(), operator(), email)
    return f"Erased. {orders} order{'s' if orders != 1 else ''} lost what they knew of the person."


def requirements(provider: str, country: str, currency: str) -> None:
    """What the provider asks for there, tier by tier."""
    rows, elsewhere = view.requirements(services(), operator(), provider, country, currency)
    if elsewhere:
        st.markdown("This provider checks identities on its own page; nothing is handed in here.")
    widget.table(rows, view.REQUIREMENT_COLUMNS, "kyc_requirements", "What the provider asks for")
