"""How the tasks are done on the dashboard of this checkout."""

import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from benchmarks.operator_tasks import ways_before
from benchmarks.operator_tasks.person import Person
from benchmarks.operator_tasks.scenes import BOOKED, Scene
from benchmarks.operator_tasks.tasks import Way


def find(person: Person, scene: Scene) -> None:
    """The palette takes a hash on every page."""
    person.jump(scene.text, "the hash")
    person.sees(person.heading(f"Payment #{scene.number}"))


def node(person: Person, scene: Scene) -> None:
    """The alert leads to the chain, whose page ends its faults."""
    person.link(f"{scene.chain}.* answers|OP Mainnet answers")
    person.button("Reset OP Mainnet's faults")
    person.sees(person.page.get_by_text("OP Mainnet has no faults now"))


def link(person: Person, scene: Scene) -> None:
    """The form begins with everything of the last payment, and the keyboard is in its amount."""
    person.link("New payment")
    person.can_replace("Recipient gets")
    person.type("40", "amount")
    person.enter()
    person.button("Create a payment of 40")
    person.button("Copy link")
    person.has_copied("/pay/")


def kyc(person: Person, scene: Scene) -> None:
    """The form of an order says what is missing, and has the way to where it is submitted."""
    person.menu("New ramp order")
    person.button("Use example values")
    person.sees(person.page.get_by_text(re.compile("needs the .* check first.*Missing:")))
    person.sees(person.page.get_by_role("link", name="Submit what is missing"))


def refund(person: Person, scene: Scene) -> None:
    """The alert leads to the payment, where the dialog is open."""
    person.link(f"The refund of payment {scene.number} failed")
    dialog = person.page.get_by_role("dialog")
    person.has_value(dialog.locator("[data-testid=stSelectbox] input"), BOOKED)
    person.button("Send the refund", dialog)
    person.sees(person.page.get_by_text("The refund is sent to"))


def payout(person: Person, scene: Scene) -> None:
    """The alert leads to what lacks: who waits for it, and the button that adds it."""
    person.link("The relayer is short of USDT")
    person.sees(person.page.get_by_text(re.compile("payments? waits?")))
    person.button(r"Send .* to the relayer \(simulated\)")
    person.sees(person.page.get_by_text("sent to the relayer"))


def webhooks(person: Person, scene: Scene) -> None:
    """The palette finds the webhook by its address; its page resends exactly what it missed."""
    assert scene.receiver is not None
    person.jump(urlsplit(scene.receiver.url).netloc, "the receiver's host")
    person.sees(person.heading(f"Webhook #{scene.number}"))
    person.button(r"Resend \d+ events?")
    person.sees(person.page.get_by_text(re.compile("events? queued again")))


def failure(person: Person, scene: Scene) -> None:
    """The palette opens the presentation, in which one key begins and ends an outage; a payment
    waits meanwhile."""
    person.jump("Presentation", "the presentation")
    person.sees(person.heading("Crossway"))
    chain = person.page.locator(".st-key-story_map a.chain", has_text="Arbitrum")
    facts = person.page.locator(".st-key-story dl")
    person.sees(chain)
    person.press("b")
    person.sees(chain.filter(has_text="Not responding"))
    person.press("b")
    person.sees(facts.filter(has_text="Completed"))


def first_payment(person: Person, scene: Scene) -> None:
    """The overview of an empty installation offers it; its page has the button to pay."""
    person.button("Take a test payment")
    person.button("Pay it \\(simulated\\)")
    person.sees(person.page.get_by_text("This payment is finished"))


def story(person: Person, scene: Scene) -> None:
    """The overview of an empty installation offers it; it plays by itself."""
    person.button("Watch the guided story")
    person.sees(person.page.locator(".st-key-story h2").first)


WAYS: Final[Mapping[str, Way]] = {
    "find": Way(find),
    "paid": Way(ways_before.paid),
    "cost": Way(ways_before.cost),
    "node": Way(node),
    "link": Way(link),
    "kyc": Way(kyc),
    "refund": Way(refund),
    "payout": Way(payout),
    "webhooks": Way(webhooks),
    "failure": Way(failure),
    "first_payment": Way(first_payment),
    "story": Way(story),
}
