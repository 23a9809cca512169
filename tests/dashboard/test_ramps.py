"""The ramp pages: quote comparison, order form, order list, customers and search."""

import json

import pytest

from crossway.dashboard.views.status_labels import SIMULATED
from tests.dashboard.conftest import Screen
from tests.usecases.ramp_worlds import ADA, ARBITRUM, RampWorld

RAMPS = ("ramp_quotes", "ramp_orders", "ramp_order_new", "ramp_order", "kyc", "widget")
GRACE = "grace@example.com"


def labels(screen: Screen) -> list[str]:
    return [button.label for button in screen.at.button]


def fill(screen: Screen, email: str = ADA) -> Screen:
    """The form with everything that an order of the chosen provider needs."""
    screen.at.text_input(key="email").set_value(email)
    return screen.again().press("Use example values")


def where_to(screen: Screen) -> str:
    """Where the browser is sent."""
    found = [w for w in screen.at.main if w.type == "bidi_component"]
    return str(json.loads(found[0].proto.json)["href"])


@pytest.mark.parametrize("name", RAMPS)
def test_every_ramp_screen_says_that_it_is_simulated(screen: Screen, name: str) -> None:
    assert SIMULATED in screen.open(name).words


def test_quotes_stand_side_by_side_and_lead_to_the_form(screen: Screen) -> None:
    rows = screen.open("ramp_quotes").widget("ramp_quotes")["rows"]
    assert len(rows) >= 3
    assert "Cheapest" in [badge["text"] for badge in rows[0]["cells"][0]["badges"]]
    assert all(row["cells"][1]["text"].endswith(" NGN") for row in rows)
    assert rows[0]["href"].startswith("ramp_order_new?start_type=on-ramp&start_provider=")


def test_an_e_mail_address_never_stands_in_a_link(screen: Screen) -> None:
    screen.open("ramp_quotes").at.text_input(key="email").set_value(ADA)
    rows = screen.again().widget("ramp_quotes")["rows"]
    assert "Recommended" in json.dumps(rows)
    assert not any("ada" in row["href"] for row in rows)


def test_a_provider_that_gives_no_quote_is_named_with_the_reason(
    screen: Screen, world: RampWorld
) -> None:
    world.fault("YELLOW_CARD", down_seconds=600)
    missing = screen.open("ramp_quotes").widget("ramp_missing")["rows"]
    assert [row["cells"][0]["text"] for row in missing] == ["YELLOW_CARD"]


def test_a_link_fills_the_form_in_by_codes(screen: Screen) -> None:
    screen.open(
        "ramp_order_new", start_type="off-ramp", start_provider="PAYCREST", start_currency="KES",
        start_chain=ARBITRUM, start_amount="40",
    )  # fmt: skip
    chosen = {one.key: one.value for one in screen.at.selectbox}
    assert (chosen["provider"], chosen["currency"], chosen["chain"]) == (
        "PAYCREST", "KES", ARBITRUM,
    )  # fmt: skip
    assert any(
        label.startswith("Open an off-ramp order: the user gets") for label in labels(screen)
    )


def test_a_link_that_names_nothing_known_leaves_the_form_as_it_is(screen: Screen) -> None:
    screen.open("ramp_order_new", start_currency="XXX", start_provider="<script>")
    assert {one.key: one.value for one in screen.at.selectbox}["currency"] == "NGN"


def test_what_is_typed_wrong_is_said_beside_its_field(screen: Screen) -> None:
    screen.open("ramp_order_new", start_provider="FONBNK")
    for field in screen.at.text_input:
        if field.label == "Account number":
            field.set_value("12")
        if field.label == "Phone number":
            field.set_value("me")
    screen.at.text_input(key="wallet").set_value("0x12")
    screen.at.text_input(key="email").set_value("nobody")
    words = screen.again().words
    assert "Account number must look like 0123456789." in words
    assert "Phone number must be a phone number such as +2348012345678." in words
    assert "The address is not an EVM address" in words
    assert "E-mail must be an e-mail address such as ada@example.com." in words


def test_an_empty_form_is_refused_with_everything_that_is_missing(screen: Screen) -> None:
    screen.open("ramp_order_new", start_provider="FONBNK").press("Open an on-ramp order")
    refused = screen.at.error[0].value
    for words in ("E-mail", "Wallet", "Phone number", "Bank", "Account number"):
        assert words in refused


def test_somebody_unchecked_is_told_what_is_missing_and_where_to_hand_it_in(
    screen: Screen, world: RampWorld
) -> None:
    fill(screen.open("ramp_order_new", start_provider="FONBNK"), GRACE)
    assert "needs the basic check first" in screen.words
    assert "First name" in screen.words
    assert screen.widget("to_kyc")["links"][0]["href"].startswith("kyc?start_provider=FONBNK")
    screen.press("Open an on-ramp order")
    assert "identity check" in screen.at.error[0].value
    screen.press("Approve this check")
    assert "25.00 USD can go ahead now." in screen.words


def test_the_form_opens_an_order_and_shows_how_its_user_pays(
    screen: Screen, world: RampWorld
) -> None:
    fill(screen.open("ramp_order_new", start_provider="FONBNK")).press("Open an on-ramp order")
    assert "Order #1 is open" in screen.words
    how = {
        fact["label"]: fact["cell"]["text"] for fact in screen.widget("order_how")["details"][:-1]
    }
    assert "Account number" in how
    assert how["Amount"].endswith(" NGN")
    assert screen.widget("follow_order")["links"][0]["href"] == "ramp_order?id=1"
    assert "Awaiting payment" in screen.words
    screen.press("Another order")
    assert any(label.startswith("Open an on-ramp order") for label in labels(screen))


def test_an_order_that_its_provider_refuses_says_why(screen: Screen, world: RampWorld) -> None:
    world.fault("FONBNK", refuse_next=1)
    fill(screen.open("ramp_order_new", start_provider="FONBNK")).press("Open an on-ramp order")
    assert "Order #1 was not opened." in screen.words


def test_a_provider_that_gives_no_answer_is_said_and_nothing_is_opened(
    screen: Screen, world: RampWorld
) -> None:
    fill(screen.open("ramp_order_new", start_provider="FONBNK"))
    world.fault("FONBNK", down_seconds=600)
    screen.press("Open an on-ramp order")
    assert screen.at.error
    assert "No orders yet" in screen.open("ramp_orders").words


def test_the_list_shows_masked_people_and_opens_its_orders(
    screen: Screen, world: RampWorld
) -> None:
    assert "No orders yet" in screen.open("ramp_orders").words
    world.buy()
    shown = screen.again().widget("orders")["rows"]
    assert shown[0]["href"] == "ramp_order?id=1"
    assert "a…@e….com" in json.dumps(shown, ensure_ascii=False)
    assert ADA not in json.dumps(shown)
    screen.at.text_input(key="asked_search").set_value("nowhere")
    assert "No matching orders" in screen.again().words


def test_the_identity_screen_names_what_is_missing_and_hides_the_address(
    screen: Screen, world: RampWorld
) -> None:
    screen.open("kyc", start_provider="FONBNK").at.text_input(key="email").set_value(GRACE)
    facts = json.dumps(screen.again().widget("kyc_facts"), ensure_ascii=False)
    assert "g…@e….com" in facts
    assert GRACE not in facts
    assert "Missing:" in screen.words


def test_the_identity_screen_lists_the_orders_of_this_person_alone(
    screen: Screen, world: RampWorld
) -> None:
    world.buy()
    screen.open("kyc").at.text_input(key="email").set_value(ADA)
    rows = screen.again().widget("kyc_orders")["rows"]
    assert [row["href"] for row in rows] == ["ramp_order?id=1"]
    screen.at.text_input(key="email").set_value(GRACE)
    assert not screen.again().has("kyc_orders")


def test_a_person_is_erased_after_a_question(screen: Screen, world: RampWorld) -> None:
    screen.open("kyc").at.text_input(key="email").set_value(ADA)
    screen.again().press("Erase this customer")
    assert "deleted from the database permanently" in screen.words


@pytest.mark.parametrize("text", ["order 1", "Order #1", "PROVIDER"])
def test_the_search_finds_an_order_by_its_number_and_its_providers_reference(
    screen: Screen, world: RampWorld, text: str
) -> None:
    order = world.buy()
    text = order.provider_reference if text == "PROVIDER" else text
    screen.at.text_input(key="find_text").set_value(text)
    screen.press("Search")
    assert where_to(screen) == "ramp_order?id=1"


def test_the_search_takes_an_e_mail_address_to_the_identity_checks(screen: Screen) -> None:
    screen.at.text_input(key="find_text").set_value(ADA)
    screen.press("Search")
    assert where_to(screen) == "kyc"
    assert screen.open("kyc").at.text_input(key="email").value == ADA


def test_what_nobody_knows_is_answered_in_words(screen: Screen) -> None:
    screen.at.text_input(key="find_text").set_value("order 99")
    screen.press("Search")
    assert "No results for “order 99”" in screen.words
