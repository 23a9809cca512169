"""One payment's screen in its parts: head, money, story, actions."""

import streamlit as st

from crossway.dashboard.components import payers_page, payment, widget
from crossway.dashboard.components.actions import buttons, confirm, confirm_with_text, perform
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import actions as offered
from crossway.dashboard.views import money, wording
from crossway.dashboard.views import story as views
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.figures import brief_amount, chain_name, duration
from crossway.dashboard.views.intents import chips_of, reference
from crossway.dashboard.views.links import order_href
from crossway.dashboard.views.offers import Offer
from crossway.domain.deposits import Purpose
from crossway.domain.intent import State
from crossway.usecases import processing, sandbox
from crossway.usecases.tracking import Story


def stands(story: Story) -> str:
    """What the buttons depend on, as one text to compare."""
    intent = story.intent
    transfers = ",".join(f"{t.id}{t.state}" for t in story.transfers)
    return f"{intent.state} {intent.held_units} {len(story.deposits)} {transfers}"


def head(story: Story) -> None:
    """Status, the one-line summary, the steps, and who acts next."""
    intent, names = story.intent, services().catalogue
    chip = wording.STATES[intent.state]
    open_foreign = any(d.purpose in (Purpose.FOREIGN, Purpose.ELSEWHERE) for d in story.deposits)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        for mark in (chip, *chips_of(intent, open_foreign, story.transfers, story.deposits)):
            st.badge(mark.text, icon=f":material/{mark.icon}:", color=mark.color, help=mark.hint)
        out = brief_amount(intent.terms.out_units, intent.out_decimals, intent.out_symbol)
        source = chain_name(names, intent.terms.source_chain)
        destination = chain_name(names, intent.terms.destination_chain)
        st.markdown(as_text(f"{out} from {source} to {destination} · {reference(intent)}"))
    widget.stepper(views.steps(intent, story.moves), "steps", "Where this payment stands")
    left = ""
    if story.by_when is not None:
        seconds = (story.by_when - services().clock.now()).total_seconds()
        left = f" Time left: {duration(seconds)}." if seconds > 0 else ""
    st.info(as_text(f"Who acts next: {story.who_acts}{left}"), icon=":material/person:")
    if intent.order_id is not None:
        way = Way(f"Ramp order #{intent.order_id}", order_href(intent.order_id), "receipt_long")
        widget.ways((way,), "of_order", width="content")


def body(story: Story) -> None:
    """The request to pay while it is open, then money and story."""
    intent, names = story.intent, services().catalogue
    if intent.state is State.PENDING:
        with st.container(border=True):
            st.subheader("To be paid")
            payment.panel(services(), intent, "pay")
    left, right = st.columns([1, 1], gap="large")
    with left:
        st.subheader("Facts")
        widget.facts(views.key_facts(names, intent), "facts", "Facts")
        payers_page.shown(intent, "intent")
        st.subheader("Quoted and actual")
        compared = money.compare_rows(names, intent, story.moves, story.postings)
        widget.table(compared, money.COMPARE_COLUMNS, "compare", "Quoted and actual")
    with right:
        st.subheader("What happened")
        widget.timeline(views.timeline(names, intent, story.moves), "timeline", "What happened")
    _tables(story)
    with st.expander("Details for developers", icon=":material/code:"):
        widget.facts(views.detail_facts(names, intent), "details", "Details")
        st.json(views.raw(intent_record(story)), expanded=False)


def intent_record(story: Story) -> dict[str, object]:
    """The payment as stored, field by field."""
    return {name: getattr(story.intent, name) for name in story.intent.__dataclass_fields__}


def _tables(story: Story) -> None:
    names = services().catalogue
    st.subheader("Deposits")
    deposits = money.deposit_rows(names, story.deposits)
    if deposits:
        widget.table(deposits, money.DEPOSIT_COLUMNS, "deposits", "Deposits")
    else:
        st.markdown("Nothing has come in at the deposit address yet.")
    st.subheader("Transfers")
    transfers = money.transfer_rows(names, story.transfers)
    if transfers:
        widget.table(transfers, money.TRANSFER_COLUMNS, "transfers", "Transfers")
    else:
        st.markdown("Nothing is owed yet: transfers begin when the deposit is complete.")
    with st.expander(f"Ledger, {len(story.postings)} movements", icon=":material/menu_book:"):
        if story.postings:
            rows = money.ledger_rows(names, services().fiat, story.postings)
            widget.table(rows, money.LEDGER_COLUMNS, "ledger", "Ledger")
        else:
            st.markdown("No money has moved yet.")


def actions(story: Story) -> None:
    """What may be done to this payment now; on the simulated network deposits by hand, too."""
    intent = story.intent
    offers = offered.offers(intent, story.deposits, story.transfers, services().clock.now())
    clicked = buttons(offers, "act")
    refund = next(offer for offer in offers if offer.name == "refund")
    if refund.why_not:
        st.caption(as_text(refund.why_not))
    if services().network == "simulated":
        st.badge("Simulated deposits", icon=":material/science:", color="orange")
        clicked = buttons(offered.simulated_offers(intent), "sim") or clicked
    if clicked is not None:
        _take(story, clicked)


def _take(story: Story, offer: Offer) -> None:
    intent = story.intent
    if offer.name == "check":
        perform(lambda: _checked(story))
    elif offer.name == "elsewhere":
        perform(lambda: _looked(story))
    elif offer.name == "redirect":
        confirm_with_text(
            offer.label, offer.asks, "New refund address", "Send the refund there",
            lambda to: _redirected(story, to),
        )  # fmt: skip
    elif offer.name == "refund":
        title = "Refund this payment?" if intent.held_units else "Look for a late deposit?"
        confirm(title, offer.asks, offer.label, lambda: _refunded(story))
    elif offer.name == "foreign":
        confirm("Return this deposit?", offer.asks, "Return it", lambda: _returned(offer))
    else:
        perform(lambda: deposit(story, offer))


def _checked(story: Story) -> str:
    processing.trigger(services(), operator(), story.intent.address)
    return "The deposit is complete; the payment goes on."


def _looked(story: Story) -> str:
    found = processing.look_elsewhere(services(), operator(), story.intent.id)
    if not found:
        return "Nothing lies at this address on any other chain."
    return f"Found {len(found)} deposit{'' if len(found) == 1 else 's'} on other chains."


def _refunded(story: Story) -> str:
    return f"Refund sent: {processing.refund(services(), operator(), story.intent.address)}"


def _redirected(story: Story, to: str) -> str:
    processing.redirect_refund(services(), operator(), story.intent.id, to)
    return f"The refund goes to {to}."


def _returned(offer: Offer) -> str:
    processing.return_foreign(services(), operator(), offer.subject or 0)
    return f"Deposit {offer.subject} goes back."


def deposit(story: Story, offer: Offer) -> str:
    """A deposit by hand on the simulated network."""
    intent, what = story.intent, offer.name
    if what == "other":
        token = offered.other_token(services().catalogue, intent)
        amount = str(10**token.decimals)
        sent = sandbox.deposit(services(), operator(), intent.address, amount, token.address)
    else:
        sent = sandbox.deposit(services(), operator(), intent.address, what)
    return f"Simulated deposit sent in block {sent.block:,}."
