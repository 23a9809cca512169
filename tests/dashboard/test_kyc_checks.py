"""The list of identity checks, the page of one, and the ways between them and ramp orders."""

import json

from crossway.ports.ramps import KycUser
from crossway.usecases.kyc import customers, verification
from tests.dashboard.conftest import DashboardApp
from tests.usecases.ramp_world import ADA, RampWorld

GRACE = "grace@example.com"


def _submit(world: RampWorld, email: str = GRACE) -> None:
    verification.submit_kyc(
        world.services, world.caller, "FONBNK", email, "NG", {"firstName": "Grace"}
    )


def test_a_submission_and_an_order_put_a_customer_on_the_list(
    screen: DashboardApp, world: RampWorld
) -> None:
    assert "No test identity checks yet" in screen.open("kyc").text
    world.create_on_ramp()
    _submit(world)
    rows = screen.rerun().widget("kyc_checks")["rows"]
    text = json.dumps(rows, ensure_ascii=False)
    assert [row["cells"][0]["text"] for row in rows] == ["g…@e….com", "a…@e….com"]
    assert GRACE not in text
    assert ADA not in text
    assert "for the basic check" in text
    screen.at.selectbox(key="checks_status").set_value("approved")
    rows = screen.rerun().widget("kyc_checks")["rows"]
    assert [row["cells"][0]["text"] for row in rows] == ["a…@e….com"]
    screen.at.selectbox(key="checks_status").set_value("rejected")
    assert "No matching checks" in screen.rerun().text


def test_the_page_of_a_check_leads_from_the_person_to_their_order_and_back(
    screen: DashboardApp, world: RampWorld
) -> None:
    world.create_on_ramp()
    (row,) = screen.open("kyc").widget("kyc_checks")["rows"]
    assert row["href"] == "kyc?check=1"
    screen.open("kyc", check="1")
    assert "a…@e….com" in json.dumps(screen.widget("kyc_facts"), ensure_ascii=False)
    assert [r["href"] for r in screen.widget("kyc_orders")["rows"]] == ["ramp_order?id=1"]
    links = screen.open("ramp_order", id="1").widget("of_intent")["links"]
    assert "kyc?check=1" in [link["href"] for link in links]


def test_an_erased_customer_is_on_no_list(screen: DashboardApp, world: RampWorld) -> None:
    _submit(world)
    assert screen.open("kyc").has_widget("kyc_checks")
    customers.erase_customer(world.services, world.operator, GRACE)
    assert not screen.open("kyc").has_widget("kyc_checks")
    assert screen.open("kyc", check="1").at.error
    assert screen.open("kyc", check="x").at.error


def test_the_panel_says_what_is_missing_for_which_amount_and_where_to_submit_it(
    screen: DashboardApp, world: RampWorld
) -> None:
    screen.open("kyc", start_provider="FONBNK").at.text_input(key="email").set_value(GRACE)
    screen.rerun().at.text_input(key="kyc_amount").set_value("25")
    text = screen.rerun().text
    assert "25.00 USD needs the basic check first." in text
    assert "For the basic check, which allows up to" in text
    assert "Submit what is missing: it is stored encrypted and sent to" in text


def test_a_rejected_customer_is_asked_to_submit_again(
    screen: DashboardApp, world: RampWorld
) -> None:
    user = KycUser(GRACE, world.caller.owner)
    world.services.ramp_sandbox.set_kyc_status("FONBNK", user, "basic", "rejected")
    screen.open("kyc", start_provider="FONBNK").at.text_input(key="email").set_value(GRACE)
    text = screen.rerun().text
    assert "Rejected" in json.dumps(screen.widget("kyc_facts"))
    assert "Submit what is missing" in text
    assert "No further check" not in text
    screen.at.text_input(key="kyc_amount").set_value("1000000")
    text = screen.rerun().text
    assert "1,000,000.00 USD is more than any check of this provider allows." in text
    assert "No further check of Fonbnk helps: choose another provider or a lower amount." in text
