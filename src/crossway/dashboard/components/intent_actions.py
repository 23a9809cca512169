"""The actions of one payment, each with its confirmation."""

from collections.abc import Collection, Sequence

import streamlit as st

from crossway.dashboard.components.actions import (
    buttons,
    confirm_money,
    once_key,
    run_action,
    run_once,
)
from crossway.dashboard.components.notices import escape_markdown
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import intent_actions as offered
from crossway.dashboard.views import intent_money
from crossway.dashboard.views.available_actions import AvailableAction
from crossway.dashboard.views.links import ACT_PARAM, REDIRECT
from crossway.domain.roles import Permission
from crossway.usecases.money import address_book, amount_confirmation
from crossway.usecases.payments import (
    abandoned_payouts,
    manual_operations,
    manual_refunds,
    manual_transfers,
    notes_and_saved_views,
)
from crossway.usecases.payments.redirects import can_redirect
from crossway.usecases.payments.timeline import IntentTimeline
from crossway.usecases.simulator import chain_controls

_REASON = "Reason, which the payer reads (optional)"
_WAITS = "Another person has to approve it now, under Treasury."


def actions(story: IntentTimeline) -> None:
    """The actions available now; in the simulated environment also test deposits."""
    intent, caller = story.intent, operator()
    offers = offered.list_actions(
        services().catalogue,
        intent,
        story.deposits,
        story.outbound_txs,
        story.misdirected,
        services().clock.now(),
    )
    offers = [offer for offer in offers if caller.can(offered.REQUIRED_PERMISSIONS[offer.name])]
    if not offers:
        text = f"The role {caller.role} is read-only: no actions are available."
        st.caption(escape_markdown(text))
        return
    clicked = buttons(offers, "act")
    for refund in (offer for offer in offers if offer.name == "refund" and offer.disabled_reason):
        st.caption(escape_markdown(refund.disabled_reason))
    if services().environment == "simulated" and caller.can(Permission.OPERATE):
        st.badge("Simulated deposits", icon=":material/science:", color="orange")
        clicked = buttons(offered.list_simulated_actions(intent), "sim") or clicked
    clicked = clicked or _linked(offers)
    if clicked is not None:
        _perform(story, clicked)


def _linked(offers: Sequence[AvailableAction]) -> AvailableAction | None:
    """The action whose dialog the page's link opens, once."""
    name = st.query_params.pop(ACT_PARAM, None)
    if name != REDIRECT:
        return None
    return next((offer for offer in offers if offer.name == name), None)


def _perform(story: IntentTimeline, offer: AvailableAction) -> None:
    intent = story.intent
    if offer.name == "check":
        run_action(lambda: _trigger(story))
    elif offer.name == "elsewhere":
        run_action(lambda: _check_other_chains(story))
    elif offer.name == "redirect":
        failed = [t for t in story.outbound_txs if can_redirect(t, intent)]
        confirm_money(
            offer.label,
            offer.confirm_text,
            "Send the refund",
            manual_transfers.redirected_amount(intent, failed),
            lambda to, amount: _redirect(story, to, amount),
            "New refund address, from the address book",
            _usable_addresses({tx.chain for tx in failed}),
        )
    elif offer.name == "refund":
        amount = manual_refunds.refundable_amount(intent)
        title = "Refund this payment?" if amount else "Check for a late deposit?"
        warning = (
            f"{offer.confirm_text} {intent_money.describe_refund_cost(services(), intent)}".strip()
        )
        moved = amount_confirmation.amount_of_intent(intent, amount)
        confirm_money(
            title,
            warning,
            offer.label,
            moved,
            lambda reason, typed: _refund(story, typed, reason),
            words=_REASON,
        )
    elif offer.name == "give_up":
        moved = amount_confirmation.amount_of_collected(intent, intent.collected.amount)
        confirm_money(
            "Give up this payout?",
            offer.confirm_text,
            "Give up and refund",
            moved,
            lambda reason, amount: _give_up(story, amount, reason),
            words=_REASON,
        )
    elif offer.name == "foreign":
        deposit = next(deposit for deposit in story.deposits if deposit.id == offer.target_id)
        location = (deposit.incoming.chain, deposit.incoming.token)
        held = next(b for b in story.misdirected if (b.chain, b.token) == location)
        confirm_money(
            "Return this deposit?",
            offer.confirm_text,
            "Return deposit",
            amount_confirmation.amount_at_address(services(), held),
            lambda _, amount: _return_deposit(offer, amount),
        )
    else:
        run_action(lambda: simulate_deposit(story, offer))


def _trigger(story: IntentTimeline) -> str:
    manual_operations.trigger(services(), operator(), story.intent.address)
    return "The deposit is complete; the payment continues."


def _check_other_chains(story: IntentTimeline) -> str:
    deposits = manual_operations.scan_other_chains(services(), operator(), story.intent.id)
    if not deposits:
        return "No deposits found at this address on other chains."
    return f"Found {len(deposits)} deposit{'' if len(deposits) == 1 else 's'} on other chains."


def _refund(story: IntentTimeline, amount: str, reason: str) -> str:
    address = story.intent.address
    sent = manual_refunds.refund(services(), operator(), address, amount, reason=reason)
    return f"Refund sent: {sent}"


def _give_up(story: IntentTimeline, amount: str, reason: str) -> str:
    abandoned_payouts.give_up_by_hand(services(), operator(), story.intent.id, amount, reason)
    return "The payout is given up; the deposit goes back to the payer."


def _usable_addresses(chains: Collection[str]) -> dict[str, str]:
    """The addresses of the address book that can be paid now on all of these chains, by name."""
    now, entries = services().clock.now(), address_book.list_addresses(services(), operator())
    usable = [entry for entry in entries if entry.is_usable(now)]
    names = {entry.address: f"{entry.name} ({entry.address})" for entry in usable}
    on = {(entry.chain, entry.address) for entry in usable}
    return {a: name for a, name in names.items() if all((chain, a) in on for chain in chains)}


def _redirect(story: IntentTimeline, to: str, amount: str) -> str:
    asked = manual_operations.redirect_refund(services(), operator(), story.intent.id, to, amount)
    if asked is not None:
        return _WAITS
    return f"The refund is sent to {to}."


def _return_deposit(offer: AvailableAction, amount: str) -> str:
    asked = manual_operations.return_deposit(services(), operator(), offer.target_id or 0, amount)
    if asked is not None:
        return _WAITS
    return f"Deposit {offer.target_id} is being returned."


def pay_button(story: IntentTimeline) -> None:
    """Beside the payment request of an open payment: pay it, where money is simulated."""
    if services().environment != "simulated" or not operator().can(Permission.OPERATE):
        return
    key = once_key("pay_simulated")
    if st.button("Pay it (simulated)", icon=":material/science:", type="primary", key=key):
        exact = offered.list_simulated_actions(story.intent)[0]
        run_once("pay_simulated", lambda: simulate_deposit(story, exact))


def simulate_deposit(story: IntentTimeline, offer: AvailableAction) -> str:
    """Send a test deposit in the simulated environment."""
    intent, action = story.intent, offer.name
    if action == "other":
        token = offered.pick_other_token(services().catalogue, intent)
        amount = str(10**token.decimals)
        sent = chain_controls.send_deposit(
            services(), operator(), intent.address, amount, token.address
        )
    else:
        sent = chain_controls.send_deposit(services(), operator(), intent.address, action)
    return f"Simulated deposit sent in block {sent.block:,}."


def note_form(story: IntentTimeline) -> None:
    """A note for the team."""
    if not operator().can(Permission.OPERATE):
        return
    with st.form("note", border=False, clear_on_submit=True):
        text = st.text_area(
            "Internal note",
            key="note_words",
            height=80,
            max_chars=notes_and_saved_views.MAX_NOTE_LENGTH,
            placeholder="Visible to staff only, never to the payer.",
        )
        written = st.form_submit_button("Add note", icon=":material/edit_note:")
    if written:
        run_action(lambda: _add_note(story, text))


def _add_note(story: IntentTimeline, text: str) -> str:
    notes_and_saved_views.add_note(services(), operator(), story.intent.id, text)
    return "The note is added to the timeline."
