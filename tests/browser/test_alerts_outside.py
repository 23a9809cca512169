"""What goes wrong outside is told on every screen, leads to its remedy, and ends by itself."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from crossway.adapters.chains.simulated.identities import own_addresses
from tests.browser.alarms import (
    AVALANCHE,
    asked_for,
    later,
    misbehave,
    pay,
    posted,
    wallet,
)
from tests.browser.conftest import WIDE, Opener, Site, serving, settled, unfold
from tests.processes import until
from tests.receivers import receiving

ETHEREUM, OPTIMISM = "ETHEREUM_MAINNET", "OPTIMISM_MAINNET"
WEEK = 7 * 86_400


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """One of its own for each kind: days pass here, and no alarm is left from another."""
    with serving(tmp_path) as running:
        yield running


def strip(page: Page) -> Locator:
    """The line above every screen."""
    return page.locator('.host[role="status"]').locator("visible=true").first


def go(page: Page, name: str) -> None:
    """To another screen by the navigation, as nothing is reloaded."""
    page.locator("[data-testid=stSidebarNav]").get_by_role("link", name=name).first.click()
    heading = page.locator("[data-testid=stMainBlockContainer] h1", has_text=name)
    expect(heading.first).to_be_visible()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()


def choose(page: Page, key: str, name: str) -> None:
    """One of a list. A page that is being drawn may have new things to choose from."""
    settled(page)
    field = page.locator(f".st-key-{key} input")
    field.click()
    field.fill(name)
    page.get_by_role("option", name=name, exact=True).click()


def in_dialog(page: Page, button: str, field: str = "", words: str = "") -> None:
    """Answer what a button asks before it does anything."""
    dialog = page.get_by_role("dialog")
    if field:
        dialog.get_by_label(re.compile(field)).fill(words)
    dialog.get_by_role("button", name=button).click()
    expect(dialog).to_have_count(0)


def all_well(page: Page) -> None:
    """Every fault ends, by the simulator's one button."""
    go(page, "Simulator")
    press(page, "All back to normal")


def told(page: Page, kind: str, words: str, way: str, screen: str) -> None:
    """From the list of alarms: it comes by itself into the strip and onto the list, and stands on
    the overview, which leads to its remedy with one click."""
    expect(strip(page)).to_contain_text(re.compile(words))
    row = page.get_by_role("link", name=re.compile(f"{words}.*{way}"))
    expect(row).to_be_visible()
    expect(row).to_contain_text(kind)
    go(page, "Overview")
    expect(strip(page)).to_contain_text(re.compile(words))
    page.get_by_role("link", name=re.compile(f"{kind}: {words}.*{way}")).click()
    heading = page.locator("[data-testid=stMainBlockContainer] h1", has_text=screen)
    expect(heading.first).to_be_visible()


def forward(page: Page) -> None:
    """From the simulator's screen: time passes until nothing stands any more."""
    for _ in range(8):
        press(page, "Forward 1 h")
        try:
            expect(strip(page)).to_contain_text("No alarms", timeout=10_000)
        except AssertionError:
            continue
        return


def becomes(site: Site, intent: Any, state: str) -> Any:
    """The payment once it stands there."""
    path = f"/intents/{intent['id']}"
    until(f"{path} is {state}", lambda: site.read(path)["intent_status"] == state)
    return site.read(path)


def no_gas(site: Site, page: Page) -> None:
    misbehave(site, balances={"relayer": {"POL": "0"}})
    intent = asked_for(site, wallet(0x6A5))
    pay(site, intent)
    words = "The relayer is out of POL for fees on Polygon PoS"
    told(page, "The relayer cannot pay fees", words, "Send gas money: Chains", "Chains")
    go(page, "Simulator")
    choose(page, "fault_chain", "Polygon PoS")
    expect(page.get_by_text("Polygon PoS behaves well")).to_be_visible()
    unfold(page, "Set what the relayer owns")
    choose(page, "relayer_token", "POL")
    page.locator(".st-key-relayer_amount input").fill("1000")
    page.keyboard.press("Tab")
    press(page, "Set the relayer's POL")
    becomes(site, intent, "COMPLETED")


def node_behind(site: Site, page: Page) -> None:
    misbehave(site, OPTIMISM, lie="stale")
    later(site, 400)
    words = r"The newest block of OP Mainnet is \d+ minutes old: is its node behind\?"
    told(page, "A chain lags", words, "Look at its node: Chains", "Chains")
    all_well(page)


def forging_node(site: Site, page: Page) -> None:
    """Its chain is switched off until the node tells the truth."""
    asked_for(site, wallet(0xF06), source_chain=OPTIMISM)
    misbehave(site, OPTIMISM, lie="forged")
    words = r"(A deposit was|\d+ deposits were) reported that no block of OP Mainnet has"
    kind = "A node reports what is not there"
    told(page, kind, words, "Switch the chain off: Chains", "Chains")
    choose(page, "off_chain", "OP Mainnet")
    press(page, "Switch this chain off")
    in_dialog(page, "Switch off", "^Reason", "Its node makes things up")
    expect(page.get_by_text("Its node makes things up").first).to_be_visible()
    all_well(page)
    expect(page.get_by_text("put back to normal").first).to_be_visible()
    forward(page)
    go(page, "Chains")
    press(page, "Switch on again")
    in_dialog(page, "Switch on")
    expect(page.get_by_text("Nothing is switched off.")).to_be_visible()


def failed_start(site: Site, page: Page) -> None:
    """The deposit cannot be collected, and goes back once the payment has expired."""
    intent = asked_for(site, wallet(0x57A7))
    misbehave(site, refuse=[intent["bridger"]])
    pay(site, intent)
    words = f"The collection of payment {intent['id']} failed"
    told(page, "A transfer failed", words, "See why, and refund it", f"Payment #{intent['id']}")
    expect(page.get_by_text(re.compile("refund is possible once")).first).to_be_visible()
    go(page, "Simulator")
    forward(page)
    press(page, "All back to normal")
    held = site.read(f"/sandbox/balances/{intent['refund_address']}")["balances"]
    assert [one["amount"] for one in held] == [intent["total_amount_in_asset_token"]]


def stuck(site: Site, page: Page) -> None:
    """What pays it out vanishes again and again."""
    misbehave(site, AVALANCHE, dropNext=10_000)
    intent = asked_for(site, wallet(0x57C))
    pay(site, intent)
    becomes(site, intent, "INITIATED")
    later(site, 3_600)
    words = f"Payment {intent['id']} was started and is not paid out in the time of its quote"
    kind = "A payment is past its time"
    told(page, kind, words, "See who acts next", f"Payment #{intent['id']}")
    expect(page.get_by_text(re.compile("^Who acts next")).first).to_be_visible()
    all_well(page)
    becomes(site, intent, "COMPLETED")


def late_claim(site: Site, page: Page) -> None:
    """The bridge cannot repay the relayer."""
    relayer = own_addresses("evm").relayer
    intent = asked_for(site, wallet(0xC1A))
    misbehave(site, refuse=[relayer])
    pay(site, intent)
    becomes(site, intent, "COMPLETED")
    later(site, 3_600)
    words = f"The relayer's claim for payment {intent['id']} is open past its time"
    kind = "A bridge owes past its time"
    told(page, kind, words, "See what the bridge owes", f"Payment #{intent['id']}")
    expect(page.get_by_text(re.compile("owes the relayer")).first).to_be_visible()
    all_well(page)
    forward(page)


def undone(site: Site, page: Page) -> None:
    """The payout is undone, and all that is sent again is lost until the chain is well."""
    misbehave(site, ETHEREUM, slowBlocks=60)
    intent = asked_for(site, wallet(0xE06), destination_chain=ETHEREUM)
    pay(site, intent)
    becomes(site, intent, "INITIATED")

    def soon() -> bool:
        later(site, 10)
        return bool(site.read(f"/intents/{intent['id']}")["intent_status"] == "COMPLETED")

    until("it is paid out, not yet for good", soon, every=1)
    misbehave(site, ETHEREUM, reorgDepth=6, dropNext=10_000)
    words = f"The payout of payment {intent['id']} was undone on Ethereum"
    kind = "A transaction was undone"
    told(page, kind, words, "See where it stands", f"Payment #{intent['id']}")
    all_well(page)
    forward(page)
    becomes(site, intent, "COMPLETED")


@contextmanager
def refusing_writes(site: Site, intent: Any) -> Iterator[None]:
    """The database takes nothing in of this payment's deposits, as one that is damaged."""
    number = int(intent["id"])
    with closing(sqlite3.connect(site.folder / "crossway.db", timeout=60)) as database:
        database.execute(
            f"CREATE TRIGGER damaged BEFORE UPDATE ON deposits WHEN NEW.intent_id = {number} "
            "BEGIN SELECT RAISE(ABORT, 'damaged'); END"
        )
        database.commit()
        yield
        database.execute("DROP TRIGGER damaged")
        database.commit()


def broken_record(site: Site, page: Page) -> None:
    """The one kind that is mended outside: in the database that the log speaks of."""
    intent = asked_for(site, wallet(0xB06))
    with refusing_writes(site, intent):
        pay(site, intent)
        words = f"Payment {intent['id']}: crediting failed: .* The log has the details"
        kind = "A part of Crossway is broken"
        told(page, kind, words, "See what happened", f"Payment #{intent['id']}")
    becomes(site, intent, "COMPLETED")
    go(page, "Simulator")
    forward(page)


def silent_provider(site: Site, page: Page) -> None:
    """Then its order is late, too: the one leads to its orders, the other to the order."""
    who = "ada@example.com"
    posted(site, "/sandbox/kyc", provider="FONBNK", userEmail=who, kycType="basic",
           status="approved")  # fmt: skip
    faults = "/sandbox/ramp/providers/FONBNK/faults"
    posted(site, faults, deliverSeconds=-1)
    order = posted(
        site, "/ramp/orders", type="on-ramp", provider="FONBNK", fiatCurrency="KES",
        countryCode="KE", cryptoAmount=20, destinationChain="BASE_MAINNET",
        recipientAddress=wallet(0xFAB), userEmail=who,
        fields={"network": "MPESA", "phone": "+254712345678"},
    )  # fmt: skip
    order = order.get("order", order)
    posted(site, faults, downSeconds=3_600)
    kind = "A ramp provider does not answer"
    told(page, kind, "Fonbnk gives no answer", "Look at its orders: Ramp orders", "Ramp orders")
    expect(page.get_by_role("link", name=re.compile("Fonbnk")).first).to_be_visible()
    go(page, "Simulator")
    page.locator(".st-key-ramp_downSeconds input").fill("0")
    page.keyboard.press("Tab")
    press(page, "Apply to this provider")
    expect(strip(page)).to_contain_text("No alarms")
    go(page, "Alarms")

    posted(site, f"/sandbox/ramp/orders/{order['id']}", outcome="paid")
    path = f"/ramp/orders/{order['id']}"
    until("it is paid", lambda: site.read(path)["status"] == "PROCESSING")
    later(site, 950)
    words = f"Order {order['id']}: Fonbnk has not delivered in time"
    screen = f"Ramp order #{order['id']}"
    told(page, "A ramp order needs a person", words, f"Open order {order['id']}", screen)
    press(page, "Provider delivers crypto")
    until("it is delivered", lambda: site.read(path)["status"] == "COMPLETED")


def failing_webhook(site: Site, page: Page) -> None:
    """Its receiver refuses for a week, is mended, and is switched on again."""
    with receiving() as receiver:
        receiver.answer = lambda arrived: 500
        posted(site, "/webhooks", url=receiver.url, events=["*"])
        pay(site, asked_for(site, wallet(0x3EB)))
        receiver.wait_for(1)
        later(site, WEEK + 60)
        words = "Every delivery failed for 7 days: webhook 1 to 127.0.0.1 is off"
        way = "Switch it on again: Webhook"
        told(page, "A webhook was switched off", words, way, "Webhook #1")
        receiver.answer = lambda arrived: 200
        press(page, "Switch on")
        expect(strip(page)).to_contain_text("No alarms")
        came = len(receiver.arrived)
        press(page, "Send a test event")
        receiver.wait_for(came + 1)
        expect(page.get_by_role("link", name="Webhook test, Delivered").first).to_be_visible()


def compared(page: Page, verdict: str) -> None:
    press(page, "Compare now")
    expect(page.get_by_text(verdict).first).to_be_visible()


def differing_books(site: Site, page: Page) -> None:
    """Somebody puts stock in without telling the books."""
    go(page, "Reconcile")
    compared(page, "The books and the chains agree")
    press(page, "Take in the opening stock")
    in_dialog(page, "Take it in")
    expect(page.get_by_text("never told what the relayer began with")).to_have_count(0)
    misbehave(site, balances={"relayer": {"USDC": "5000000000000"}})
    compared(page, "1 difference to look at")
    go(page, "Alarms")
    words = "Books and chains differ in 1 place"
    told(page, "Books and chains differ", words, "See every difference: Reconcile", "Reconcile")
    press(page, "Book as put in")
    in_dialog(page, "Book it", "Who did it", "The treasurer, as agreed")
    compared(page, "The books and the chains agree")


@pytest.mark.parametrize(
    "act",
    [
        no_gas, node_behind, forging_node, failed_start, stuck, late_claim, undone, broken_record,
        silent_provider, failing_webhook, differing_books,
    ],
)  # fmt: skip
def test_each_kind_of_alarm_is_told_leads_to_its_remedy_and_ends(
    opened: Opener, site: Site, act: Callable[[Site, Page], None]
) -> None:
    page, seen = opened("alarms", WIDE)
    expect(page.get_by_text("No alarm stands")).to_be_visible()
    act(site, page)
    expect(strip(page)).to_contain_text("No alarms")
    assert seen.errors == []
