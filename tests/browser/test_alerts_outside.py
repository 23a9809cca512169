"""What goes wrong outside is told on every screen, leads to its remedy, and ends by itself."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from crossway.adapters.chains.simulated.blocks.derivation import operator_addresses
from tests.browser.alert_causes import (
    AVALANCHE,
    asked_for,
    later,
    misbehave,
    pay,
    posted,
    wallet,
)
from tests.browser.conftest import WIDE, Opener, Site, serving, settled, unfold
from tests.processes import wait_until
from tests.receivers import running_receiver

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
    press(page, "Reset all")


def told(page: Page, kind: str, words: str, way: str, screen: str) -> None:
    """An alert appears live in the strip and on the list, and the overview links to its next
    step."""
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
            expect(strip(page)).to_contain_text("No active alerts", timeout=10_000)
        except AssertionError:
            continue
        return


def becomes(site: Site, intent: Any, state: str) -> Any:
    """The payment once it stands there."""
    path = f"/intents/{intent['id']}"
    wait_until(f"{path} is {state}", lambda: site.read(path)["intent_status"] == state)
    return site.read(path)


def no_gas(site: Site, page: Page) -> None:
    misbehave(site, balances={"relayer": {"POL": "0"}})
    intent = asked_for(site, wallet(0x6A5))
    pay(site, intent)
    words = "The relayer is out of POL for fees on Polygon PoS"
    told(page, "Relayer out of gas", words, "Top up gas: Chains", "Chains")
    go(page, "Simulator")
    choose(page, "fault_chain", "Polygon PoS")
    expect(page.get_by_text("Polygon PoS: no faults.")).to_be_visible()
    unfold(page, "Set the relayer's balance")
    choose(page, "relayer_token", "POL")
    page.locator(".st-key-relayer_amount input").fill("1000")
    page.keyboard.press("Tab")
    press(page, "Set the relayer's POL")
    becomes(site, intent, "COMPLETED")


def node_behind(site: Site, page: Page) -> None:
    misbehave(site, OPTIMISM, lie="stale")
    later(site, 400)
    words = r"The newest block of OP Mainnet is \d+ minutes old. Its node may be behind"
    told(page, "Chain lagging", words, "Check its node: Chains", "Chains")
    all_well(page)


def forging_node(site: Site, page: Page) -> None:
    """Its chain is switched off until the node tells the truth."""
    asked_for(site, wallet(0xF06), source_chain=OPTIMISM)
    misbehave(site, OPTIMISM, lie="forged")
    words = r"(A deposit was|\d+ deposits were) reported that no block of OP Mainnet has"
    kind = "Node reported a deposit that does not exist"
    told(page, kind, words, "Disable the chain: Chains", "Chains")
    choose(page, "off_chain", "OP Mainnet")
    press(page, "Disable chain")
    in_dialog(page, "Disable", "^Reason", "Its node makes things up")
    expect(page.get_by_text("Its node makes things up").first).to_be_visible()
    all_well(page)
    expect(page.get_by_text(re.compile(r"\d changes? reset")).first).to_be_visible()
    forward(page)
    go(page, "Chains")
    press(page, "Enable")
    in_dialog(page, "Enable")
    expect(page.get_by_text("Nothing is disabled.")).to_be_visible()


def failed_start(site: Site, page: Page) -> None:
    """The deposit cannot be collected, and goes back once the payment has expired."""
    intent = asked_for(site, wallet(0x57A7))
    misbehave(site, refuse=[intent["bridger"]])
    pay(site, intent)
    words = f"The collection of payment {intent['id']} failed"
    told(page, "Transaction failed", words, "See the reason and refund", f"Payment #{intent['id']}")
    expect(page.get_by_text(re.compile("refund is possible once")).first).to_be_visible()
    go(page, "Simulator")
    forward(page)
    press(page, "Reset all")
    held = site.read(f"/sandbox/balances/{intent['refund_address']}")["balances"]
    assert [one["amount"] for one in held] == [intent["total_amount_in_asset_token"]]


def stuck(site: Site, page: Page) -> None:
    """What pays it out vanishes again and again."""
    misbehave(site, AVALANCHE, dropNext=10_000)
    intent = asked_for(site, wallet(0x57C))
    pay(site, intent)
    becomes(site, intent, "INITIATED")
    later(site, 3_600)
    words = f"Payment {intent['id']} was started but not paid out within its quoted time"
    kind = "Payment overdue"
    told(page, kind, words, "See who acts next", f"Payment #{intent['id']}")
    expect(page.get_by_text(re.compile("^Next: ")).first).to_be_visible()
    all_well(page)
    becomes(site, intent, "COMPLETED")


def late_claim(site: Site, page: Page) -> None:
    """The bridge cannot repay the relayer."""
    relayer = operator_addresses("evm").relayer
    intent = asked_for(site, wallet(0xC1A))
    misbehave(site, refuse=[relayer])
    pay(site, intent)
    becomes(site, intent, "COMPLETED")
    later(site, 3_600)
    words = f"The relayer's claim for payment {intent['id']} is overdue"
    kind = "Bridge claim overdue"
    told(page, kind, words, "See what the bridge owes", f"Payment #{intent['id']}")
    expect(page.get_by_text("Waiting for CCTP to reimburse the relayer").first).to_be_visible()
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

    wait_until("it is paid out, not yet for good", soon, every=1)
    misbehave(site, ETHEREUM, reorgDepth=6, dropNext=10_000)
    words = f"The payout of payment {intent['id']} was removed by a reorg on Ethereum"
    kind = "Transaction reorganized"
    told(page, kind, words, "Check its status", f"Payment #{intent['id']}")
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
        kind = "Crossway component failing"
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
    kind = "Ramp provider not responding"
    told(page, kind, "Fonbnk gives no answer", "Review its orders: Ramp orders", "Ramp orders")
    expect(page.get_by_role("link", name=re.compile("Fonbnk")).first).to_be_visible()
    go(page, "Simulator")
    page.locator(".st-key-ramp_downSeconds input").fill("0")
    page.keyboard.press("Tab")
    press(page, "Apply to this provider")
    expect(strip(page)).to_contain_text("No active alerts")
    go(page, "Alerts")

    posted(site, f"/sandbox/ramp/orders/{order['id']}", outcome="paid")
    path = f"/ramp/orders/{order['id']}"
    wait_until("it is paid", lambda: site.read(path)["status"] == "PROCESSING")
    later(site, 950)
    words = f"Order {order['id']}: Fonbnk has not delivered in time"
    screen = f"Ramp order #{order['id']}"
    told(page, "Ramp order needs attention", words, f"View order {order['id']}", screen)
    press(page, "Provider delivers crypto")
    wait_until("it is delivered", lambda: site.read(path)["status"] == "COMPLETED")


def failing_webhook(site: Site, page: Page) -> None:
    """Its receiver refuses for a week, is mended, and is switched on again."""
    with running_receiver() as receiver:
        receiver.answer = lambda arrived: 500
        posted(site, "/webhooks", url=receiver.url, events=["*"])
        pay(site, asked_for(site, wallet(0x3EB)))
        receiver.wait_for(1)
        later(site, WEEK + 60)
        words = "Every delivery failed for 7 days: webhook 1 to 127.0.0.1 is disabled"
        way = "Enable it again: Webhook"
        told(page, "Webhook disabled", words, way, "Webhook #1")
        receiver.answer = lambda arrived: 200
        press(page, "Enable")
        expect(strip(page)).to_contain_text("No active alerts")
        came = len(receiver.arrived)
        press(page, "Send a test event")
        receiver.wait_for(came + 1)
        expect(page.get_by_role("link", name="Webhook test, Delivered").first).to_be_visible()


def compared(page: Page, verdict: str) -> None:
    press(page, "Reconcile now")
    expect(page.get_by_text(verdict).first).to_be_visible()


def differing_books(site: Site, page: Page) -> None:
    """Somebody puts stock in without telling the books."""
    go(page, "Reconcile")
    compared(page, "The books and the chains agree")
    press(page, "Record opening inventory")
    in_dialog(page, "Record")
    expect(page.get_by_text("no opening inventory of the relayer")).to_have_count(0)
    misbehave(site, balances={"relayer": {"USDC": "5000000000000"}})
    compared(page, "1 difference to review")
    go(page, "Alerts")
    words = "Books and chains differ in 1 place"
    told(page, "Books and chains differ", words, "Review all differences: Reconcile", "Reconcile")
    press(page, "Book as added")
    in_dialog(page, "Book", "Who and why", "The treasurer, as agreed")
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
    page, seen = opened("alerts", WIDE)
    expect(page.get_by_text("Anything that needs attention appears here")).to_be_visible()
    act(site, page)
    expect(strip(page)).to_contain_text("No active alerts")
    assert seen.errors == []
