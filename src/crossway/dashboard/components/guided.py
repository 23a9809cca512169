"""The guided story's screen: one chapter at a time, what it does, and what came of it, live."""

import json
from typing import Any

import streamlit as st

from crossway.dashboard.components import living, notices, payment, widget
from crossway.dashboard.components.actions import perform
from crossway.dashboard.components.notices import as_text
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import guided, story
from crossway.dashboard.views.cells import Step, Way
from crossway.dashboard.views.guided import CHAPTERS, Chapter
from crossway.dashboard.views.links import delivery_href, intent_href, link
from crossway.dashboard.views.wording import event
from crossway.usecases.developers import webhooks
from crossway.usecases.developers.webhooks import WebhookChange
from crossway.usecases.network import sandbox
from crossway.usecases.payments import intents
from crossway.usecases.payments.terms import CreateIntent
from crossway.usecases.payments.tracking import Story
from crossway.usecases.pricing import quotes
from crossway.usecases.pricing.cases import Asked

_KEPT = "guided_story"


def _told() -> dict[str, Any]:
    """What this session's story has come to: the chapter, the quotes, the payment, the balances
    from before."""
    kept: dict[str, Any] = st.session_state.setdefault(_KEPT, {"at": 0})
    return kept


def chapters() -> None:
    """The way through the story, the chapter that is open, and the ways back and on."""
    kept = _told()
    at: int = kept["at"]
    chapter = CHAPTERS[at]
    _way(at)
    with st.container(border=True, key="guided_chapter"):
        st.subheader(f"{at + 1}. {chapter.title}")
        st.markdown(as_text(chapter.words))
        _button(chapter)
        with notices.in_words():
            _result(at)
    _on(at, chapter)


def _way(at: int) -> None:
    steps = tuple(
        Step(one.title, "done" if number < at else "now" if number == at else "todo")
        for number, one in enumerate(CHAPTERS)
    )
    widget.stepper(steps, "guided_way", "The chapters of this story")


def _button(chapter: Chapter) -> None:
    kept = _told()
    done = {
        "quote": "quotes" in kept,
        "intent": "intent" in kept,
        "deposit": "paid" in kept,
    }.get(chapter.name, True)
    works = {"quote": _quote, "intent": _make, "deposit": _pay}
    if chapter.button and not done:
        icon = f":material/{chapter.icon}:"
        if st.button(chapter.button, icon=icon, type="primary", key="guided_do"):
            perform(works[chapter.name])


def _quote() -> str:
    tokens = services().catalogue.tokens
    asked = Asked(
        tokens[guided.SOURCE, guided.SYMBOL].address,
        tokens[guided.DESTINATION, guided.SYMBOL].address,
        guided.SOURCE,
        guided.DESTINATION,
        guided.UNITS,
    )
    _told()["quotes"] = quotes.multiple(services(), None, asked)
    return "The bridges have answered."


def _make() -> str:
    kept, chains = _told(), services().chains
    tokens = services().catalogue.tokens
    known = webhooks.every(services(), operator())
    if services().outgoing and not any(one.url == guided.HOOK for one in known):
        words = "The receiver of the guided story"
        webhooks.create(services(), operator(), WebhookChange(guided.HOOK, None, words))
    asked = CreateIntent(
        amount=guided.UNITS,
        token_in=tokens[guided.SOURCE, guided.SYMBOL].address,
        source_chain=guided.SOURCE,
        destination_chain=guided.DESTINATION,
        recipient=chains[guided.DESTINATION].deposit_address("wallet of the story's shop"),
        refund_address=chains[guided.SOURCE].deposit_address("wallet of the story's customer"),
        metadata={"order": "The guided story"},
    )
    made = intents.create(services(), operator(), asked)
    kept["intent"] = made.id
    kept["before"] = guided.balances(services(), made)
    return f"Payment #{made.id} is made."


def _pay() -> str:
    kept = _told()
    made = intents.by_id(services(), operator(), kept["intent"])
    sandbox.deposit(services(), operator(), made.address, "over")
    kept["paid"] = True
    return "The customer has paid, and too much."


@living.part(every=2.0)
def _result(at: int) -> None:
    with notices.in_words():
        kept, name = _told(), CHAPTERS[at].name
        if name == "quote":
            if "quotes" in kept:
                rows = guided.quote_rows(services(), kept["quotes"])
                widget.table(rows, guided.QUOTE_COLUMNS, "guided_quotes", "What bridges ask")
        elif "intent" in kept:
            _of_payment(name, story.told(services(), operator(), kept["intent"]))
        else:
            st.markdown("Nothing is there yet: go back one step and press its button.")


def _of_payment(name: str, told: Story) -> None:
    if name == "intent":
        payment.panel(services(), told.intent, "guided_pay")
    elif name in ("deposit", "fill"):
        if told.deposits or name == "fill":
            widget.stepper(story.steps(told.intent, told.moves), "guided_steps", "The payment")
            _balances(told)
        if told.deposits:
            items = story.timeline(services().catalogue, told.intent, told.moves)
            widget.timeline(items, "guided_timeline", "What happened")
    elif name == "webhook":
        _message(told)
    else:
        _excess(told)


def _balances(told: Story) -> None:
    now = guided.balances(services(), told.intent)
    rows = guided.balance_rows(services(), told.intent, _told().get("before", {}), now)
    widget.table(rows, guided.BALANCE_COLUMNS, "guided_balances", "Who has what")


def _message(told: Story) -> None:
    heard = guided.told(services(), operator(), told.intent)
    if not heard:
        st.markdown("Nothing was announced yet: it comes within a second.")
        return
    ways = [
        Way(f"{event(kind)[0]}: {answer}", delivery_href(number), "outgoing_mail")
        for kind, answer, number in heard
    ]
    widget.ways(ways, "guided_heard", width="content")
    message = guided.received(services(), told.intent)
    if message is None:
        st.caption("Another process sent it: the message is on the delivery's own page.")
        return
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**The newest message**")
        st.code(json.dumps(json.loads(message.body), indent=2), language="json", height=340)
    with right:
        st.markdown("**How it is signed**")
        lines = "\n".join(f"{name}: {value}" for name, value in sorted(message.headers.items()))
        st.code(lines, language="http", wrap_lines=True)
        st.caption("The shop checks webhook-signature with the secret that it got for its webhook.")


def _excess(told: Story) -> None:
    if not told.deposits:
        st.markdown("Nobody has paid yet: go back to the customer's step.")
        return
    widget.facts(guided.excess_facts(services(), told), "guided_excess", "What was too much")
    _balances(told)


def _on(at: int, chapter: Chapter) -> None:
    kept = _told()
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if st.button("Back", icon=":material/arrow_back:", disabled=not at, key="guided_back"):
            kept["at"] = at - 1
            st.rerun()
        last = at == len(CHAPTERS) - 1
        if st.button(
            "Next", icon=":material/arrow_forward:", disabled=last, key="guided_next",
            type="primary" if _open(at) else "secondary",
        ):  # fmt: skip
            kept["at"] = at + 1
            st.rerun()
        if st.button("Start again", icon=":material/restart_alt:", key="guided_again"):
            st.session_state[_KEPT] = {"at": 0}
            st.rerun()
        page = chapter.page
        href = intent_href(kept["intent"]) if page == "intent" and "intent" in kept else ""
        if href or page != "intent":
            way = Way(chapter.more, href or link(page), "open_in_new")
            widget.ways((way,), "guided_more", width="content")


def _open(at: int) -> bool:
    """Whether this chapter's own button has been pressed, so that going on is what is next."""
    kept = _told()
    return at > 2 or ("quotes", "intent", "paid")[at] in kept
