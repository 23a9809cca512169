"""The guided story: the tour's chapters with their time, figures and what each waits for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from crossway.dashboard.views import guided_tour, tour_payment
from crossway.dashboard.views.formatting import (
    chain_name,
    format_amount,
    format_duration,
    format_token_amount,
    format_usd,
    shorten,
)
from crossway.dashboard.views.payment_steps import state_entry_times
from crossway.dashboard.views.status_labels import INTENT_STATES, describe_event
from crossway.domain.clients import Principal
from crossway.domain.intent import State
from crossway.domain.quotes import Quote, bridge_title
from crossway.domain.roles import Permission
from crossway.ports.services import Services
from crossway.usecases.payments.timeline import IntentTimeline, get_timeline

Fact = tuple[str, str]
# Long enough to read the chapter; together 45 seconds.
READING_SECONDS: Final = {
    "quote": 7, "intent": 7, "deposit": 6, "fill": 10, "webhook": 7, "refund": 8, "outage": 20,
}  # fmt: skip
OUTAGE: Final = guided_tour.Chapter(
    "outage", "A chain stops answering",
    "Another payment has just been made when the nodes of its destination stop answering. Nothing "
    "is lost and nothing is paid twice: the payment waits, and arrives once a node answers again.",
    "", "cloud_off", "", "",
)  # fmt: skip
FAILING_CHAIN: Final = tour_payment.DESTINATION
# A fault that was forgotten ends by itself.
OUTAGE_SECONDS: Final = 300
# What the URL of a presentation holds: the chapter from 1 on, its payment and that of the outage.
ADDRESS: Final = ("chapter", "payment", "delayed")


@dataclass(slots=True)
class GuidedStory:
    """What one viewer's story has come to; `run` tells it from the one before. `delayed` is the
    payment of the outage, `fault` whether an outage is to begin or to end, and `ended` whether the
    page has shown the end. `address` is what the URL of a presentation says of it."""

    run: str
    at: int = 0
    quotes: Sequence[Quote] = ()
    payment: int | None = None
    paid: bool = False
    delayed: int | None = None
    fault: bool | None = None
    ended: bool = False
    address: tuple[str, ...] = ("", "", "")


@dataclass(frozen=True, slots=True)
class Scene:
    """The figures of a chapter, whether what it tells has happened, and what it waits for."""

    facts: Sequence[Fact] = ()
    ready: bool = False
    waiting: str = ""


def list_chapters(presenting: bool) -> tuple[guided_tour.Chapter, ...]:
    """The chapters; a presentation ends with a failure and its recovery."""
    return (*guided_tour.CHAPTERS, OUTAGE) if presenting else guided_tour.CHAPTERS


def describe_address(story: GuidedStory) -> tuple[str, str, str]:
    """What the URL of a presentation is to say; empty at its beginning."""
    numbers = (story.at + 1 if story.at else None, story.payment, story.delayed)
    chapter, payment, delayed = ("" if one is None else str(one) for one in numbers)
    return chapter, payment, delayed


def resume(
    services: Services, caller: Principal, story: GuidedStory, chapter: str, *numbers: str
) -> None:
    """Go to a chapter as a URL names it, with the payments of the story that it belongs to; what is
    no chapter or no payment of a story is left out. A chapter that makes a payment or pays it is
    not begun by a link: it needs the payment of before. The outage begins with a key alone."""
    orders = (tour_payment.ORDER, OUTAGE.title)
    payment, delayed = (
        tour_payment.find_tour_payment(services, caller, number, order)
        for number, order in zip(numbers, orders, strict=True)
    )
    if payment is not None:
        story.payment = payment.id
    last = len(list_chapters(presenting=True))
    if chapter.isascii() and chapter.isdigit() and 1 <= int(chapter) <= last:
        is_safe = story.payment is not None or int(chapter) == last
        story.at = int(chapter) - 1 if is_safe else 0
    elif not chapter:
        story.at = 0
    if payment is not None:
        # The chapters from the third on are shown once the deposit was sent.
        story.paid = story.paid or story.at >= 2 or payment.state is not State.PENDING
    if delayed is not None:
        story.delayed = delayed.id


def build_story(
    services: Services, caller: Principal, story: GuidedStory, presenting: bool
) -> dict[str, Any]:
    """The JSON of the story component."""
    chapters = list_chapters(presenting)
    finished = story.at >= len(chapters)
    chapter = chapters[min(story.at, len(chapters) - 1)]
    scene = build_scene(services, caller, story, chapter.name)
    return {
        "run": story.run,
        "at": story.at,
        "chapters": [
            {"title": each.title, "seconds": READING_SECONDS[each.name]} for each in chapters
        ],
        "title": "That was one payment" if finished else f"{story.at + 1}. {chapter.title}",
        "text": _ending(story) if finished else chapter.description,
        "facts": [list(fact) for fact in scene.facts],
        "ready": scene.ready,
        "waiting": scene.waiting,
        "finished": finished,
        "presenting": presenting,
        "fault": _build_fault(services, caller) if presenting else None,
    }


def _ending(story: GuidedStory) -> str:
    return (
        f"Payment #{story.payment} was quoted, paid, delivered, announced and corrected by the "
        "engine that carries every payment. It stays in the list of payments, marked as "
        f"{tour_payment.ORDER}."
    )


def is_failing(services: Services) -> bool:
    """Whether the simulated nodes of the failing chain do not answer."""
    sandbox = services.sandbox
    return sandbox is not None and bool(sandbox.faults(FAILING_CHAIN).get("outage_seconds"))


def _build_fault(services: Services, caller: Principal) -> dict[str, Any] | None:
    """What begins or ends the outage; None for somebody who may not."""
    if not caller.can(Permission.OPERATE):
        return None
    name, active = chain_name(services.catalogue, FAILING_CHAIN), is_failing(services)
    label = f"End the outage of {name}" if active else f"Simulate an outage of {name}"
    return {"label": label, "active": active}


def build_scene(services: Services, caller: Principal, story: GuidedStory, name: str) -> Scene:
    """The scene of a chapter, as far as it has happened."""
    if name == "quote":
        return _quotes_scene(story.quotes)
    number = story.delayed if name == "outage" else story.payment
    if number is None:
        return Scene((), name == "outage", "")
    timeline = get_timeline(services, caller, number)
    if name == "intent":
        return Scene(_terms(services, timeline), True)
    if name == "deposit":
        return _deposit_scene(services, timeline)
    if name == "fill":
        return _payout_scene(services, timeline)
    if name == "webhook":
        return _webhook_scene(services, caller, timeline)
    if name == "refund":
        return _excess_scene(services, timeline)
    return _outage_scene(services, timeline)


def _quotes_scene(quotes: Sequence[Quote]) -> Scene:
    if not quotes:
        return Scene((), False, "Asking the bridges.")
    best = quotes[0]
    facts = (
        ("Bridges compared", f"{len(quotes)}"),
        ("Cheapest", bridge_title(best.bridge or "–")),
        (
            "The customer pays",
            format_amount(best.deposit_amount, best.asset_decimals, best.asset_symbol),
        ),
        ("Of this, fees", format_usd(best.costs.fee_micro_usd, 4)),
        ("Expected time", f"about {format_duration(best.fill_seconds)}"),
    )
    return Scene(facts, True)


def _amount(services: Services, timeline: IntentTimeline, units: int) -> str:
    terms = timeline.intent.terms
    return format_token_amount(services.catalogue, terms.source_chain, terms.token_in, units)


def _terms(services: Services, timeline: IntentTimeline) -> Sequence[Fact]:
    intent = timeline.intent
    return (
        ("Payment", f"#{intent.id}"),
        ("Asks for", _amount(services, timeline, intent.terms.deposit_amount)),
        ("Deposit address", shorten(intent.address)),
        ("On", chain_name(services.catalogue, intent.terms.source_chain)),
    )


def _deposit_scene(services: Services, timeline: IntentTimeline) -> Scene:
    intent = timeline.intent
    asked, received = intent.terms.deposit_amount, intent.received_amount
    if received <= asked:
        return Scene(_terms(services, timeline), False, "Waiting for the deposit's block.")
    facts = (
        ("Asked for", _amount(services, timeline, asked)),
        ("Received", _amount(services, timeline, received)),
        ("Too much", _amount(services, timeline, received - asked)),
    )
    return Scene(facts, True)


def _payout(services: Services, timeline: IntentTimeline) -> list[Fact]:
    intent, times = timeline.intent, state_entry_times(timeline.transitions)
    terms = intent.terms
    facts = [
        ("State", INTENT_STATES[intent.state].text),
        ("Carried by", bridge_title(terms.bridge)),
    ]
    if intent.state is State.COMPLETED:
        paid = format_token_amount(
            services.catalogue, terms.destination_chain, terms.token_out, terms.payout_amount
        )
        facts.append(("The shop got", paid))
        if State.FUNDED in times:
            took = (times[State.COMPLETED] - times[State.FUNDED]).total_seconds()
            facts.append(("From deposit to payout", format_duration(took)))
    return facts


def _payout_scene(services: Services, timeline: IntentTimeline) -> Scene:
    done = timeline.intent.state is State.COMPLETED
    waiting = f"Waiting for the payout. {timeline.next_action}".strip()
    return Scene(_payout(services, timeline), done, "" if done else waiting)


def _webhook_scene(services: Services, caller: Principal, timeline: IntentTimeline) -> Scene:
    received = guided_tour.list_deliveries(services, caller, timeline.intent)
    facts = [(describe_event(kind)[0], f"answered {answer}") for kind, answer, _ in received]
    told = any(kind == "intent_completed" and answer == "200" for kind, answer, _ in received)
    if services.webhooks is None:
        return Scene((("Webhooks", "switched off in this process"),), True)
    return Scene(facts, told, "" if told else "Waiting for the webhook about the payout.")


def _excess_scene(services: Services, timeline: IntentTimeline) -> Scene:
    intent = timeline.intent
    transaction = guided_tour.find_excess_return(timeline)
    done = transaction is not None and transaction.state in guided_tour.FINISHED_STATES
    excess = max(intent.received_amount - intent.terms.deposit_amount, 0)
    facts = [
        ("Overpayment", _amount(services, timeline, excess)),
        ("State", "returned" if done else "on its way back"),
        ("Refund address", shorten(intent.terms.refund_address or "")),
    ]
    if transaction is not None and transaction.tx_id:
        facts.append(("Transaction", shorten(transaction.tx_id)))
    return Scene(facts, done, "" if done else "Waiting for the return's block.")


def _outage_scene(services: Services, timeline: IntentTimeline) -> Scene:
    name, failing = chain_name(services.catalogue, FAILING_CHAIN), is_failing(services)
    nodes = "do not answer (simulated)" if failing else "answer"
    facts = [
        ("Payment", f"#{timeline.intent.id}"),
        (f"Nodes of {name}", nodes),
        *_payout(services, timeline),
    ]
    done = timeline.intent.state is State.COMPLETED
    return Scene(facts, done, "" if done else timeline.next_action)
