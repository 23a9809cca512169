"""The ramp pages: quote comparison, order form, order list, customers and search."""

import json

import pytest

from crossway.dashboard.views.status_labels import SIMULATED
from tests.dashboard.conftest import DashboardApp
from tests.usecases.ramp_world import ADA, ARBITRUM, RampWorld

RAMPS = ("ramp_quotes", "ramp_orders", "ramp_order_new", "ramp_order", "kyc", "widget")
GRACE = "grace@example.com"


def labels(screen: DashboardApp) -> list[str]:
    return [button.label for button in screen.at.button]


def fill(screen: DashboardApp, email: str = ADA) -> DashboardApp:
    """Fill in every field that an order of the selected provider needs."""
    screen.at.text_input(key="email").set_value(email)
    return screen.rerun().click("Use example values")


def where_to(screen: DashboardApp) -> str:
    """The redirect target of the page."""
    results = [w for w in screen.at.main if w.type == "bidi_component"]
    return str(json.loads(results[0].proto.json)[0]["href"])


@pytest.mark.parametrize("name", RAMPS)
def test_every_ramp_page_is_marked_as_simulated(screen: DashboardApp, name: str) -> None:
    assert SIMULATED in screen.open(name).text


def test_quotes_are_compared_and_link_to_the_form(screen: DashboardApp) -> None:
    rows = screen.open("ramp_quotes").widget("ramp_quotes")["rows"]
    assert len(rows) >= 3
    assert "Cheapest" in [badge["text"] for badge in rows[0]["cells"][0]["badges"]]
    assert all(row["cells"][1]["text"].endswith(" NGN") for row in rows)
    assert all(row["cells"][0]["marks"] == [f"ramps/{row['key']}"] for row in rows)
    assert rows[0]["href"].startswith("ramp_order_new?start_type=on-ramp&start_provider=")


def test_no_link_contains_an_email_address(screen: DashboardApp) -> None:
    screen.open("ramp_quotes").at.text_input(key="email").set_value(ADA)
    rows = screen.rerun().widget("ramp_quotes")["rows"]
    assert "Recommended" in json.dumps(rows)
    assert not any("ada" in row["href"] for row in rows)


def test_an_excluded_provider_is_named_with_the_reason(
    screen: DashboardApp, world: RampWorld
) -> None:
    world.inject_faults("YELLOW_CARD", down_seconds=600)
    missing = screen.open("ramp_quotes").widget("ramp_missing")["rows"]
    assert [row["cells"][0]["text"] for row in missing] == ["YELLOW_CARD"]


def test_a_link_prefills_the_form(screen: DashboardApp) -> None:
    screen.open(
        "ramp_order_new",
        start_type="off-ramp",
        start_provider="PAYCREST",
        start_currency="KES",
        start_chain=ARBITRUM,
        start_amount="40",
    )
    chosen = {item.key: item.value for item in screen.at.selectbox}
    assert (chosen["provider"], chosen["currency"], chosen["chain"]) == (
        "PAYCREST",
        "KES",
        ARBITRUM,
    )
    assert any(
        label.startswith("Open an off-ramp order: the customer gets") for label in labels(screen)
    )


def test_a_link_with_unknown_values_leaves_the_form_unchanged(screen: DashboardApp) -> None:
    screen.open("ramp_order_new", start_currency="XXX", start_provider="<script>")
    assert {item.key: item.value for item in screen.at.selectbox}["currency"] == "NGN"


def test_an_invalid_value_is_reported_beside_its_field(screen: DashboardApp) -> None:
    screen.open("ramp_order_new", start_provider="FONBNK")
    for field in screen.at.text_input:
        if field.label == "Account number":
            field.set_value("12")
        if field.label == "Phone number":
            field.set_value("me")
    screen.at.text_input(key="wallet").set_value("0x12")
    screen.at.text_input(key="email").set_value("nobody")
    text = screen.rerun().text
    assert "Account number must look like 0123456789." in text
    assert "Phone number must be a phone number such as +2348012345678." in text
    assert "The address is not an EVM address" in text
    assert "E-mail must be an e-mail address such as ada@example.com." in text


def test_an_empty_form_names_every_missing_field(screen: DashboardApp) -> None:
    screen.open("ramp_order_new", start_provider="FONBNK").click("Open an on-ramp order")
    refused = screen.at.error[0].value
    for words in ("E-mail", "Wallet", "Phone number", "Bank", "Account number"):
        assert words in refused


def test_missing_kyc_is_named_with_a_link_to_submit_it(
    screen: DashboardApp, world: RampWorld
) -> None:
    fill(screen.open("ramp_order_new", start_provider="FONBNK"), GRACE)
    assert "needs the basic check first" in screen.text
    assert "First name" in screen.text
    assert screen.widget("to_kyc")["links"][0]["href"].startswith("kyc?start_provider=FONBNK")
    screen.click("Open an on-ramp order")
    assert "identity check" in screen.at.error[0].value
    screen.click("Approve this check")
    assert "25.00 USD can go ahead now." in screen.text


def test_the_form_creates_an_order_with_payment_instructions(
    screen: DashboardApp, world: RampWorld
) -> None:
    fill(screen.open("ramp_order_new", start_provider="FONBNK")).click("Open an on-ramp order")
    assert "Order #1 is open" in screen.text
    how = {
        fact["label"]: fact["cell"]["text"] for fact in screen.widget("order_how")["details"][:-1]
    }
    assert "Account number" in how
    assert how["Amount"].endswith(" NGN")
    assert screen.widget("follow_order")["links"][0]["href"] == "ramp_order?id=1"
    assert "Awaiting payment" in screen.text
    screen.click("Another order")
    assert any(label.startswith("Open an on-ramp order") for label in labels(screen))


def test_a_rejected_order_shows_the_reason(screen: DashboardApp, world: RampWorld) -> None:
    world.inject_faults("FONBNK", refuse_next=1)
    fill(screen.open("ramp_order_new", start_provider="FONBNK")).click("Open an on-ramp order")
    assert "Order #1 was not opened." in screen.text


def test_an_unreachable_provider_is_named_and_no_order_created(
    screen: DashboardApp, world: RampWorld
) -> None:
    fill(screen.open("ramp_order_new", start_provider="FONBNK"))
    world.inject_faults("FONBNK", down_seconds=600)
    screen.click("Open an on-ramp order")
    assert screen.at.error
    assert "No test orders yet" in screen.open("ramp_orders").text


def test_the_list_masks_customers_and_opens_orders(screen: DashboardApp, world: RampWorld) -> None:
    assert "No test orders yet" in screen.open("ramp_orders").text
    world.create_on_ramp()
    rows = screen.rerun().widget("orders")["rows"]
    assert rows[0]["href"] == "ramp_order?id=1"
    assert "a…@e….com" in json.dumps(rows, ensure_ascii=False)
    assert ADA not in json.dumps(rows)
    screen.at.text_input(key="asked_search").set_value("nowhere")
    assert "No matching orders" in screen.rerun().text


def test_the_kyc_page_names_what_is_missing_and_hides_the_email_address(
    screen: DashboardApp, world: RampWorld
) -> None:
    screen.open("kyc", start_provider="FONBNK").at.text_input(key="email").set_value(GRACE)
    facts = json.dumps(screen.rerun().widget("kyc_facts"), ensure_ascii=False)
    assert "g…@e….com" in facts
    assert GRACE not in facts
    assert "Missing:" in screen.text


def test_the_kyc_page_lists_only_the_customers_orders(
    screen: DashboardApp, world: RampWorld
) -> None:
    world.create_on_ramp()
    screen.open("kyc").at.text_input(key="email").set_value(ADA)
    rows = screen.rerun().widget("kyc_orders")["rows"]
    assert [row["href"] for row in rows] == ["ramp_order?id=1"]
    screen.at.text_input(key="email").set_value(GRACE)
    assert not screen.rerun().has_widget("kyc_orders")


def test_a_customer_is_erased_after_confirmation(screen: DashboardApp, world: RampWorld) -> None:
    screen.open("kyc").at.text_input(key="email").set_value(ADA)
    screen.rerun().click("Erase this customer")
    assert "deleted from the database permanently" in screen.text


@pytest.mark.parametrize("text", ["order 1", "Order #1", "PROVIDER"])
def test_search_finds_an_order_by_number_and_provider_reference(
    screen: DashboardApp, world: RampWorld, text: str
) -> None:
    order = world.create_on_ramp()
    text = order.provider_reference if text == "PROVIDER" else text
    screen.open("search").at.text_input(key="find_text").set_value(text)
    screen.click("Search")
    assert where_to(screen) == "ramp_order?id=1"


def test_searching_an_email_address_opens_the_kyc_page(screen: DashboardApp) -> None:
    screen.open("search").at.text_input(key="find_text").set_value(ADA)
    screen.click("Search")
    assert where_to(screen) == "kyc"
    assert screen.open("kyc").at.text_input(key="email").value == ADA


def test_a_search_without_results_shows_a_message(screen: DashboardApp) -> None:
    screen.open("search").at.text_input(key="find_text").set_value("order 99")
    screen.click("Search")
    assert "No results for “order 99”" in screen.text
