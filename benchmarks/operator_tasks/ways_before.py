"""How the tasks were done on the dashboard before it was made for them (commit df579198)."""

import re
from collections.abc import Mapping
from typing import Final

from benchmarks.operator_tasks.person import Person
from benchmarks.operator_tasks.scenes import BOOKED, WALLET, Scene
from benchmarks.operator_tasks.tasks import Way


def find(person: Person, scene: Scene) -> None:
    person.click(person.page.get_by_placeholder(re.compile("^Search")), "search field")
    person.type(scene.text, "the hash")
    person.enter()
    person.sees(person.heading(f"Payment #{scene.number}"))


def paid(person: Person, scene: Scene) -> None:
    person.menu("Payments")
    row = person.page.get_by_role("row").filter(has_text=f"#{scene.number}")
    person.sees(row.filter(has_text="Completed"))


def cost(person: Person, scene: Scene) -> None:
    person.link("Compare quotes")
    person.sees(person.heading("Quotes"))
    person.sees(person.page.get_by_text(re.compile("Cheapest")))


def node(person: Person, scene: Scene) -> None:
    person.link(f"{scene.chain}.* answers|OP Mainnet answers")
    person.sees(person.heading("Chains"))
    person.menu("Simulator")
    person.button("Reset all")
    person.sees(person.page.get_by_text(re.compile(r"\d changes? reset")))


def link(person: Person, scene: Scene) -> None:
    person.link("New payment")
    for label, text in (
        ("Recipient gets", "40"),
        ("Recipient address", WALLET),
        ("Refund address", WALLET),
    ):
        person.fill(person.page.get_by_label(label, exact=True), text, label)
    person.button("Create a payment of 40")
    person.sees(person.page.get_by_text("is ready"))
    person.button("Copy checkout URL")
    person.has_copied("/pay/")


def kyc(person: Person, scene: Scene) -> None:
    person.menu("New ramp order")
    person.button("Use example values")
    person.sees(person.page.get_by_text(re.compile("needs the .* check first")))


def refund(person: Person, scene: Scene) -> None:
    person.link(f"The refund of payment {scene.number} failed")
    person.button("Send the failed refund to another address")
    dialog = person.page.get_by_role("dialog")
    person.choose(dialog.locator("[data-testid=stSelectbox] input"), BOOKED)
    person.button("Send the refund", dialog)
    person.sees(person.page.get_by_text("The refund is sent to"))


def payout(person: Person, scene: Scene) -> None:
    person.link("The relayer is short of USDT")
    person.sees(person.page.get_by_text(re.compile("payments? waits? for")))
    person.menu("Simulator")
    person.choose(person.page.locator(".st-key-fault_chain input"), scene.chain)
    expander = "Set the relayer's balance"
    person.click(person.page.locator("summary", has_text=expander), expander)
    person.choose(person.page.locator(".st-key-relayer_token input"), "USDT")
    person.fill(person.page.locator(".st-key-relayer_amount input"), "2000000", "amount")
    person.button("Set the relayer's USDT")
    person.sees(person.page.get_by_text("The relayer's balance is 2000000 USDT"))


def webhooks(person: Person, scene: Scene) -> None:
    person.menu("Webhooks")
    person.link(f"Webhook {scene.number} to")
    person.sees(person.heading(f"Webhook #{scene.number}"))
    person.click(person.page.locator("summary", has_text="Resend a period"), "Resend a period")
    person.choose(person.page.locator(".st-key-replay_span input"), "7 days")
    person.button("Resend…")
    person.button("^Resend$", person.page.get_by_role("dialog"))
    person.sees(person.page.get_by_text(re.compile("events? queued again")))


def first_payment(person: Person, scene: Scene) -> None:
    person.link("New payment")
    person.button("Use example addresses")
    person.sees(person.page.get_by_label("Refund address", exact=True))
    person.button("Create a payment of")
    person.link("View this payment")
    person.button("Deposit [0-9]")
    person.sees(person.page.get_by_text("This payment is finished"))


def guided_tour(person: Person, scene: Scene) -> None:
    person.menu("Guided tour")
    person.button("Ask for a quote")
    person.button("Next")
    person.button("Create the payment")
    person.sees(person.page.get_by_text("Send exactly"))
    person.button("Next")
    person.sees(person.page.get_by_text("3. The customer pays"))
    person.button("Simulate an over")
    person.button("Next")
    person.sees(person.page.get_by_text("Recipient paid by"))


WAYS: Final[Mapping[str, Way]] = {
    "find": Way(find),
    "paid": Way(paid),
    "cost": Way(cost),
    "node": Way(node, "the page behind the alert ends nothing; Reset all ends every other fault"),
    "link": Way(link),
    "kyc": Way(kyc),
    "refund": Way(refund),
    "payout": Way(payout, "nothing on the page behind the alert funds it"),
    "webhooks": Way(webhooks, "no alert leads there; delivered events are sent again as well"),
    "failure": Way(None, "there was no presentation mode"),
    "first_payment": Way(first_payment),
    "story": Way(guided_tour, "no story ran by itself: the guided tour, by hand", False),
}
