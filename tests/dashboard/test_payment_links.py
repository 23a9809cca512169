"""Payment links on screen: created, shared, used and deactivated; a merchant's branding."""

import io

from PIL import Image

from crossway.domain.intent import State
from crossway.usecases.payers import branding, checkout, links
from crossway.usecases.payers.link_payments import CheckoutForm, pay_by_link
from crossway.usecases.payments import checkout_urls
from tests.dashboard.conftest import DashboardApp


def test_a_link_is_created_used_and_disabled(screen: DashboardApp) -> None:
    world = screen.world
    assert "No test payment links yet" in screen.open("payment_links").text
    screen.at.text_input(key="link_title").set_value("Coffee beans")
    screen.at.text_input(key="link_amount").set_value("12.50")
    screen.at.text_input(key="link_recipient").set_value(world.wallet("BASE_MAINNET", "shop"))
    screen.click("Create payment link")
    [made] = links.list_page(world.services, world.operator, 10)
    assert (made.title, made.amount, made.active) == ("Coffee beans", 12_500_000, True)
    refund = world.wallet("ARBITRUM_MAINNET", "payer")
    form = CheckoutForm("n" * 20, "", "ARBITRUM_MAINNET:USDC", refund)
    intent = pay_by_link(world.services, made.id, form)
    screen.open("payment_link", id=made.id)
    assert f"http://localhost:8600/pay/l/{made.id}" in str(screen.widget("link_facts"))
    [use] = screen.widget("link_uses")["rows"]
    assert use["href"] == f"intent?id={intent.id}"
    screen.click("Disable")
    assert not links.get(world.services, world.operator, made.id).active
    [row] = screen.open("payment_links").widget("payment_links")["rows"]
    assert row["cells"][1]["badges"][0]["text"] == "Disabled"


def test_an_invalid_form_shows_an_error_and_creates_nothing(screen: DashboardApp) -> None:
    screen.open("payment_links")
    screen.at.text_input(key="link_title").set_value("Coffee")
    screen.at.text_input(key="link_amount").set_value("lots")
    screen.click("Create payment link")
    assert any("Amount" in error.value for error in screen.at.error)
    assert links.list_page(screen.world.services, screen.world.operator, 10) == []


def test_a_payment_links_to_its_payer_page(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    screen.open("intent", id=str(intent.id))
    url = checkout_urls.checkout_url(world.services, "http://localhost:8600", intent.id)
    assert screen.widget("intent_page")["details"][0]["cell"]["copy"] == url
    assert (
        checkout.get_checkout(world.services, url.rpartition("/")[2]).intent.state is State.PENDING
    )


def test_a_clients_logo_is_shown_and_removed(screen: DashboardApp) -> None:
    world, out = screen.world, io.BytesIO()
    Image.new("RGB", (40, 20), "#2255aa").save(out, "PNG")
    branding.update_branding(
        world.services, world.operator, "c-1", out.getvalue(), ["https://shop.example"]
    )
    screen.open("client", id="c-1", tab="Settings")
    frames = next(a for a in screen.at.text_area if a.label.startswith("Sites"))
    assert frames.value == "https://shop.example"
    screen.at.checkbox[0].check()
    screen.click("Save branding")
    assert branding.get_branding(world.services, world.operator, "c-1").logo == b""
