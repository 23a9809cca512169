"""One payment's screen at a glance: where it stands, its money, and what happened."""

import streamlit as st

from crossway.dashboard import live
from crossway.dashboard.components import payers_page, payment, widget
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.session import services
from crossway.dashboard.views import happened, money, wording
from crossway.dashboard.views import story as views
from crossway.dashboard.views.cells import Way
from crossway.dashboard.views.figures import brief_amount, chain_name, duration
from crossway.dashboard.views.intents import chips_of, reference
from crossway.dashboard.views.links import order_href
from crossway.domain.deposits import Purpose
from crossway.domain.intent import State
from crossway.usecases.payments.tracking import Story

_FEE_SECONDS = 15.0


def stands(story: Story) -> str:
    """What the buttons depend on, as one text to compare."""
    intent = story.intent
    transfers = ",".join(f"{t.id}{t.state}" for t in story.transfers)
    # A deposit is seen first, and told what it is for once it is deep enough.
    deposits = ",".join(f"{d.id}{d.state}{d.purpose}" for d in story.deposits)
    return f"{intent.state} {intent.held_units} {deposits} {transfers} {len(story.notes)}"


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
    widget.stepper(
        views.steps(intent, story.moves, story.transfers), "steps", "Where this payment stands"
    )
    left = ""
    if story.by_when is not None:
        seconds = (story.by_when - services().clock.now()).total_seconds()
        left = f" Time left: {duration(seconds)}." if seconds > 0 else ""
    st.info(as_text(f"Who acts next: {story.who_acts}{left}"), icon=":material/person:")
    way_out(story)
    if intent.order_id is not None:
        way = Way(f"Ramp order #{intent.order_id}", order_href(intent.order_id), "receipt_long")
        widget.ways((way,), "of_order", width="content")


def overview(story: Story) -> None:
    """The request to pay while it is open, then what it is, its money and what happened."""
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
        compared = money.compare_rows(names, story)
        widget.table(compared, money.COMPARE_COLUMNS, "compare", "Quoted and actual")
    with right:
        st.subheader("What happened")
        widget.timeline(happened.everything(names, story), "timeline", "What happened")
    _tables(story)


def way_out(story: Story) -> None:
    """What it costs to send the money back now, while there is some."""
    intent = story.intent
    if intent.state in (State.INITIATED, State.COMPLETED, State.REFUNDED) or not intent.held_units:
        return
    # A chain is asked, and prices: not at every change of anything.
    words = live.shared(
        f"way out {intent.id} {intent.held_units}",
        lambda: money.way_out(services(), intent), (), _FEE_SECONDS,
    )  # fmt: skip
    st.caption(as_text(words))


def _tables(story: Story) -> None:
    names = services().catalogue
    st.subheader("Deposits")
    deposits = money.deposit_rows(names, story.deposits)
    if deposits:
        widget.table(deposits, money.DEPOSIT_COLUMNS, "deposits", "Deposits")
    else:
        st.markdown("Nothing has come in at the deposit address.")
    st.subheader("Transfers")
    transfers = money.transfer_rows(names, story)
    if transfers:
        widget.table(transfers, money.TRANSFER_COLUMNS, "transfers", "Transfers")
    else:
        st.markdown("There are none: transfers begin when the deposit is complete.")
