"""Invoices and subscriptions on screen: issued, listed, made void, paused and cancelled."""

from crossway.dashboard.views import billing as view
from crossway.domain.subscriptions import SubscriptionState
from crossway.usecases.billing import invoices, subscriptions
from crossway.usecases.billing.invoice_fields import LANGUAGES, ContentRequest
from crossway.usecases.billing.subscriptions import SubscriptionRequest
from crossway.usecases.developers import clients
from tests.dashboard.conftest import DashboardApp


def fill_in(screen: DashboardApp, lines: str) -> None:
    screen.at.text_area(key="invoice_lines").set_value(lines)
    recipient = screen.world.wallet("BASE_MAINNET", "shop")
    screen.at.text_input(key="invoice_recipient").set_value(recipient)


def test_an_invoice_is_issued_shown_and_made_void(screen: DashboardApp) -> None:
    world = screen.world
    screen.open("invoices")
    fill_in(screen, "Hosting | 2 | 5.00 | 19\nSetup | 2.50")
    screen.click("Issue invoice")
    [made] = invoices.list_page(world.services, world.operator, 10)
    assert made.invoice.total == 14_400_000
    screen.open("invoice", id=made.invoice.name)
    assert f"http://localhost:8600/pay/i/{made.invoice.name}" in str(screen.widget("invoice_facts"))
    screen.click("Make void")
    assert screen.at.button(key="confirm_yes").label == "Make TEST-INV-000001 void"
    invoices.void(world.services, world.operator, made.invoice.name)
    [row] = screen.open("invoices").widget("invoices")["rows"]
    assert row["href"] == f"invoice?id={made.invoice.name}"
    assert [badge["text"] for badge in row["cells"][1]["badges"]] == ["Void"]


def test_the_lists_show_one_merchant_if_asked(screen: DashboardApp) -> None:
    world = screen.world
    own, services = world.caller.client.id, world.services
    other = clients.create_client(services, "Another shop", world.operator)
    lines = [{"description": "Hosting", "unit_amount": "5000000"}]
    content = ContentRequest(
        lines=lines,
        destination_chain="BASE_MAINNET",
        recipient=world.wallet("BASE_MAINNET", "shop"),
    )
    for client in (own, other.id):
        invoices.create(services, world.operator, content, "2030-01-31", client_id=client)
    weekly = SubscriptionRequest(interval="week", first_due_date="2030-01-31")
    subscriptions.create(services, world.operator, content, weekly, client_id=other.id)
    screen.open("invoices")
    assert len(screen.widget("invoices")["rows"]) == 2
    screen.open("invoices", client=other.id)
    [row] = screen.widget("invoices")["rows"]
    assert row["cells"][2]["text"] == "Another shop"
    assert len(screen.widget("subscriptions")["rows"]) == 1
    screen.open("invoices", client=own)
    [row] = screen.widget("invoices")["rows"]
    assert row["cells"][2]["text"] == "A shop"
    assert not screen.has_widget("subscriptions")


def test_a_line_that_cannot_be_read_is_named(screen: DashboardApp) -> None:
    screen.open("invoices")
    for typed, complaint in (("Hosting", "Line 1 must be"), ("A | x | 1", "Line 1: the quantity")):
        fill_in(screen, typed)
        screen.click("Issue invoice")
        assert complaint in screen.text
    assert invoices.list_page(screen.world.services, screen.world.operator, 10) == []


def test_a_subscription_is_created_paused_and_cancelled(screen: DashboardApp) -> None:
    world = screen.world
    screen.open("invoices")
    fill_in(screen, "Hosting | 5")
    screen.at.radio(key="invoice_repeats").set_value("Every month")
    screen.rerun().click("Create subscription")
    [made] = subscriptions.list_page(world.services, world.operator, 10)
    assert (made.interval, made.state) == ("month", SubscriptionState.ACTIVE)
    assert tuple(view.LANGUAGES) == LANGUAGES
    facts = str(screen.open("subscription", id=made.name).widget("subscription_facts"))
    for told in ("1 × Hosting", "Total, with tax", "0 days before the due date"):
        assert told in facts
    for label, state in (("Pause", "paused"), ("Resume", "active")):
        screen.click(label)
        assert subscriptions.get(world.services, world.operator, made.name).state == state
    screen.click("Cancel subscription")
    assert screen.at.button(key="confirm_yes").label == "Cancel this subscription"
    [row] = screen.open("invoices").widget("subscriptions")["rows"]
    assert row["cells"][0]["text"] == "Hosting"
