"""What may be done to one payment: its buttons, each asked once with what it sends where."""

import streamlit as st

from crossway.dashboard.components.actions import buttons, confirm_money, perform
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import actions as offered
from crossway.dashboard.views import money
from crossway.dashboard.views.offers import Offer
from crossway.domain.roles import Right
from crossway.domain.transfers import Duty, TransferState
from crossway.usecases.money import confirmation
from crossway.usecases.network import sandbox
from crossway.usecases.payments import notes, processing
from crossway.usecases.payments.tracking import Story

_BACK = (Duty.REFUND, Duty.RETURN_EXCESS)


def actions(story: Story) -> None:
    """What may be done to this payment now; on the simulated network deposits by hand, too."""
    intent, caller = story.intent, operator()
    offers = offered.offers(
        services().catalogue, intent, story.deposits, story.transfers, services().clock.now()
    )
    offers = [offer for offer in offers if caller.may(offered.RIGHTS[offer.name])]
    if not offers:
        words = f"The role {caller.role} looks and does not act: nothing can be sent from here."
        st.caption(as_text(words))
        return
    clicked = buttons(offers, "act")
    for refund in (offer for offer in offers if offer.name == "refund" and offer.why_not):
        st.caption(as_text(refund.why_not))
    if services().network == "simulated" and caller.may(Right.WORK):
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
        failed = [t for t in story.transfers if t.state is TransferState.FAILED and t.duty in _BACK]
        confirm_money(
            offer.label, offer.asks, "Send the refund there",
            processing.redirected(intent, failed),
            lambda to, amount: _redirected(story, to, amount), "New refund address",
        )  # fmt: skip
    elif offer.name == "refund":
        title = "Refund this payment?" if intent.held_units else "Look for a late deposit?"
        asks = f"{offer.asks} {money.way_out(services(), intent)}".strip()
        moved = confirmation.of_intent(intent, intent.held_units)
        confirm_money(title, asks, offer.label, moved, lambda _, amount: _refunded(story, amount))
    elif offer.name == "foreign":
        came = next(one for one in story.deposits if one.id == offer.subject)
        confirm_money(
            "Return this deposit?", offer.asks, "Return it",
            confirmation.of_deposit(services(), came),
            lambda _, amount: _returned(offer, amount),
        )  # fmt: skip
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


def _refunded(story: Story, amount: str) -> str:
    sent = processing.refund(services(), operator(), story.intent.address, amount)
    return f"Refund sent: {sent}"


def _redirected(story: Story, to: str, amount: str) -> str:
    processing.redirect_refund(services(), operator(), story.intent.id, to, amount)
    return f"The refund goes to {to}."


def _returned(offer: Offer, amount: str) -> str:
    processing.return_foreign(services(), operator(), offer.subject or 0, amount)
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


def write_note(story: Story) -> None:
    """A line for whoever looks at this payment next."""
    if not operator().may(Right.WORK):
        return
    with st.form("note", border=False, clear_on_submit=True):
        words = st.text_area(
            "Note for the team", key="note_words", height=80, max_chars=notes.LONGEST,
            placeholder="What you found out or promised. The payer never sees it.",
        )  # fmt: skip
        written = st.form_submit_button("Add the note", icon=":material/edit_note:")
    if written:
        perform(lambda: _noted(story, words))


def _noted(story: Story, words: str) -> str:
    notes.write(services(), operator(), story.intent.id, words)
    return "The note stands in the story of this payment."
