"""Alerts with external causes appear on every page, link to their next step, and are resolved by
themselves."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from crossway.adapters.chains.simulated.blocks.derivation import operator_addresses
from tests.browser.alert_pages import (
    advance_until_no_alerts,
    click,
    confirm_dialog,
    expect_alert,
    expect_no_alerts,
    reset_all_faults,
    select_option,
)
from tests.browser.conftest import WIDE, Opener, Site, navigate, open_expander, running_site
from tests.browser.site_api import (
    AVALANCHE,
    advance_clock,
    create_inventory_intent,
    deposit,
    find_number,
    inject_faults,
    post,
    wait_for_status,
    wait_in_quick_time,
    wait_until_repaid,
    wallet,
)
from tests.processes import wait_until
from tests.receivers import running_receiver

ETHEREUM, OPTIMISM = "ETHEREUM_MAINNET", "OPTIMISM_MAINNET"
WEEK = 7 * 86_400


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site of this file's own: its days pass quickly, and it must have no other alerts."""
    with running_site(tmp_path_factory.mktemp("alerts")) as running:
        yield running


def relayer_out_of_gas(site: Site, page: Page) -> None:
    inject_faults(site, balances={"relayer": {"POL": "0"}})
    intent = create_inventory_intent(site, wallet(0x6A5))
    deposit(site, intent)
    words = "The relayer is out of POL for fees on Polygon PoS"
    expect_alert(site, page, "Relayer out of gas", words, "Top up gas: Chains", "Chains")
    navigate(page, "Simulator")
    select_option(page, "fault_chain", "Polygon PoS")
    expect(page.get_by_text("Polygon PoS: no faults.")).to_be_visible()
    open_expander(page, "Set the relayer's balance")
    select_option(page, "relayer_token", "POL")
    page.locator(".st-key-relayer_amount input").fill("1000")
    page.keyboard.press("Tab")
    click(page, "Set the relayer's POL")
    wait_for_status(site, intent, "COMPLETED")


def chain_lagging(site: Site, page: Page) -> None:
    inject_faults(site, OPTIMISM, lie="stale")
    advance_clock(site, 400)
    words = r"The newest block of OP Mainnet is \d+ minutes old. Its node may be behind"
    expect_alert(site, page, "Chain lagging", words, "Check its node: Chains", "Chains")
    # The button that ends it is on the page that the alert leads to.
    expect(page.get_by_role("heading", name="OP Mainnet")).to_be_visible()
    click(page, "Reset OP Mainnet's faults")


def forged_deposit(site: Site, page: Page) -> None:
    """The chain is disabled until its node reports correctly."""
    create_inventory_intent(site, wallet(0xF06), source_chain=OPTIMISM)
    inject_faults(site, OPTIMISM, lie="forged")
    words = r"(A deposit was|\d+ deposits were) reported that no block of OP Mainnet has"
    kind = "Node reported a deposit that does not exist"
    expect_alert(site, page, kind, words, "Disable the chain: Chains", "Chains")
    click(page, "Disable OP Mainnet…")
    confirm_dialog(page, "Disable", "^Reason", "Its node makes things up")
    expect(page.get_by_text("Its node makes things up").first).to_be_visible()
    reset_all_faults(page)
    expect(page.get_by_text(re.compile(r"\d changes? reset")).first).to_be_visible()
    advance_until_no_alerts(site, page)
    navigate(page, "Chains")
    click(page, "Enable")
    confirm_dialog(page, "Enable")
    expect(page.get_by_text("Nothing is disabled.")).to_be_visible()


def start_failed(site: Site, page: Page) -> None:
    """The deposit cannot be collected and is refunded once the payment has expired."""
    intent = create_inventory_intent(site, wallet(0x57A7))
    inject_faults(site, refuse=[intent["bridger"]])
    deposit(site, intent)
    words = f"The collection of payment {intent['number']} failed"
    expect_alert(
        site,
        page,
        "Transaction failed",
        words,
        "See the reason and refund",
        f"Payment #{intent['number']}",
    )
    expect(page.get_by_text(re.compile("refund is possible once")).first).to_be_visible()
    navigate(page, "Simulator")
    advance_until_no_alerts(site, page)
    click(page, "Reset all")
    balances = site.read(f"/sandbox/balances/{intent['refund_address']}")["balances"]
    assert [item["amount"] for item in balances] == [intent["total_amount_in_asset_token"]]


def payment_overdue(site: Site, page: Page) -> None:
    """The payout transaction is dropped again and again."""
    inject_faults(site, AVALANCHE, dropNext=10_000)
    intent = create_inventory_intent(site, wallet(0x57C))
    deposit(site, intent)
    wait_for_status(site, intent, "INITIATED")
    advance_clock(site, 3_600)
    words = f"Payment {intent['number']} was started but not paid out within its quoted time"
    kind = "Payment overdue"
    expect_alert(site, page, kind, words, "See who acts next", f"Payment #{intent['number']}")
    expect(page.get_by_text(re.compile("^Next: ")).first).to_be_visible()
    reset_all_faults(page)
    wait_for_status(site, intent, "COMPLETED")
    # A repayment under way would be overdue with the next one's, and both be told as one.
    wait_until_repaid(site, intent)


def claim_overdue(site: Site, page: Page) -> None:
    """The bridge cannot reimburse the relayer."""
    relayer = operator_addresses("evm").relayer
    intent = create_inventory_intent(site, wallet(0xC1A))
    inject_faults(site, refuse=[relayer])
    deposit(site, intent)
    wait_for_status(site, intent, "COMPLETED")
    words, way = (
        f"The repayment of payment {intent['number']} from the escrow is overdue",
        "See what waits in escrow",
    )
    kind, screen = "Repayment from escrow overdue", f"Payment #{intent['number']}"
    expect_alert(site, page, kind, words, way, screen, pace=300)
    expect(page.get_by_text("Crossway: repay the relayer from the escrow").first).to_be_visible()
    reset_all_faults(page)
    advance_until_no_alerts(site, page)


def payout_reorged(site: Site, page: Page) -> None:
    """The payout is removed by a reorg, and its resent transactions are dropped until the faults
    are reset."""
    inject_faults(site, ETHEREUM, slowBlocks=60)
    intent = create_inventory_intent(site, wallet(0xE06), destination_chain=ETHEREUM)
    deposit(site, intent)
    wait_for_status(site, intent, "INITIATED")

    def soon() -> bool:
        advance_clock(site, 10)
        return bool(site.read(f"/intents/{intent['id']}")["intent_status"] == "COMPLETED")

    wait_until("it is paid out, not yet for good", soon, every=0.3)
    inject_faults(site, ETHEREUM, reorgDepth=6, dropNext=10_000)
    words = f"The payout of payment {intent['number']} was removed by a reorg on Ethereum"
    kind = "Transaction reorganized"
    expect_alert(site, page, kind, words, "Check its status", f"Payment #{intent['number']}")
    reset_all_faults(page)
    advance_until_no_alerts(site, page)
    wait_for_status(site, intent, "COMPLETED")


@contextmanager
def failing_writes(site: Site, intent: Any) -> Iterator[None]:
    """Make the database reject updates of this payment's deposits."""
    number = int(intent["number"])
    with closing(sqlite3.connect(site.folder / "crossway.db", timeout=60)) as database:
        database.execute(
            f"CREATE TRIGGER damaged BEFORE UPDATE ON deposits WHEN NEW.intent_id = {number} "
            "BEGIN SELECT RAISE(ABORT, 'damaged'); END"
        )
        database.commit()
        yield
        database.execute("DROP TRIGGER damaged")
        database.commit()


def component_failing(site: Site, page: Page) -> None:
    """The only kind that is repaired outside the dashboard: in the database, as the log says."""
    intent = create_inventory_intent(site, wallet(0xB06))
    with failing_writes(site, intent):
        deposit(site, intent)
        words = f"Payment {intent['number']}: crediting failed: .* The log has the details"
        kind = "Crossway component failing"
        expect_alert(site, page, kind, words, "See what happened", f"Payment #{intent['number']}")
    wait_for_status(site, intent, "COMPLETED")
    navigate(page, "Simulator")
    advance_until_no_alerts(site, page)


def provider_not_responding(site: Site, page: Page) -> None:
    """Its order is late, too: one alert links to all orders, the other to this order."""
    who = "ada@example.com"
    post(site, "/sandbox/kyc", provider="FONBNK", userEmail=who, kycType="basic", status="approved")
    faults = "/sandbox/ramp/providers/FONBNK/faults"
    post(site, faults, deliverSeconds=-1)
    order = post(
        site,
        "/ramp/orders",
        type="on-ramp",
        provider="FONBNK",
        fiatCurrency="KES",
        countryCode="KE",
        cryptoAmount=20,
        destinationChain="BASE_MAINNET",
        recipientAddress=wallet(0xFAB),
        userEmail=who,
        fields={"network": "MPESA", "phone": "+254712345678"},
    )
    order = order.get("order", order)
    post(site, faults, downSeconds=3_600)
    kind = "Ramp provider not responding"
    expect_alert(
        site, page, kind, "Fonbnk gives no answer", "Review its orders: Ramp orders", "Ramp orders"
    )
    expect(page.get_by_role("link", name=re.compile("Fonbnk")).first).to_be_visible()
    navigate(page, "Simulator")
    page.locator(".st-key-ramp_downSeconds input").fill("0")
    page.keyboard.press("Tab")
    click(page, "Apply to this provider")
    expect_no_alerts(site, page)
    navigate(page, "Alerts")

    post(site, f"/sandbox/ramp/orders/{order['id']}", outcome="paid")
    path = f"/ramp/orders/{order['id']}"
    wait_until("it is paid", lambda: site.read(path)["status"] == "PROCESSING")
    advance_clock(site, 950)
    number = find_number(site, "orders", "intent_address", order["intentAddress"])
    words = f"Order {number}: Fonbnk has not delivered in time"
    screen = f"Ramp order #{number}"
    expect_alert(site, page, "Ramp order needs attention", words, f"View order {number}", screen)
    click(page, "Provider delivers crypto")
    wait_in_quick_time(site, "it is delivered", lambda: site.read(path)["status"] == "COMPLETED")


def webhook_disabled(site: Site, page: Page) -> None:
    """The receiver rejects deliveries for a week, recovers, and the webhook is enabled again."""
    with running_receiver() as receiver:
        receiver.status_for = lambda arrived: 500
        post(site, "/webhooks", url=receiver.url, events=["*"])
        deposit(site, create_inventory_intent(site, wallet(0x3EB)))
        receiver.wait_for(1)
        advance_clock(site, WEEK + 60)
        words = "Every delivery failed for 7 days: webhook 1 to 127.0.0.1 is disabled"
        way = "Resend what it missed: Webhook"
        expect_alert(site, page, "Webhook not delivering", words, way, "Webhook #1")
        came = len(receiver.requests)
        receiver.status_for = lambda arrived: 200
        # One button: it enables the webhook and sends everything that it missed.
        click(page, re.compile(r"Enable and resend \d+ events?"))
        receiver.wait_for(came + 1)
        expect(
            page.get_by_text(re.compile(r"Resent: (\d+) of \1 events? delivered"))
        ).to_be_visible()
        expect_no_alerts(site, page)
        came = len(receiver.requests)
        click(page, "Send a test event")
        receiver.wait_for(came + 1)
        expect(page.get_by_role("link", name="Webhook test, Delivered").first).to_be_visible()


@pytest.mark.parametrize(
    "act",
    [
        relayer_out_of_gas,
        chain_lagging,
        forged_deposit,
        start_failed,
        payment_overdue,
        claim_overdue,
        payout_reorged,
        component_failing,
        provider_not_responding,
        # Last: it advances the clock by a week.
        webhook_disabled,
    ],
)
def test_each_alert_appears_links_to_its_next_step_and_is_resolved(
    opened: Opener, site: Site, act: Callable[[Site, Page], None]
) -> None:
    page, observed = opened("alerts", WIDE)
    expect(page.get_by_text("Anything that needs attention appears here")).to_be_visible()
    act(site, page)
    expect_no_alerts(site, page)
    assert observed.errors == []
