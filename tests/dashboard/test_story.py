"""The guided story without a browser: what each chapter carries out, and what it waits for."""

from typing import Any

from crossway.domain.clients import staff_principal
from crossway.usecases.simulator import chain_controls
from crossway.usecases.staff import members
from crossway.usecases.staff.members import NewStaffMember
from tests.dashboard.conftest import WORDS, DashboardApp, new_dashboard, sign_in
from tests.usecases.ramp_world import RampWorld


def go_to(screen: DashboardApp, chapter: int) -> dict[str, Any]:
    """Show a chapter, as the browser asks for it."""
    screen.at.session_state["told_story"].at = chapter
    screen.rerun()
    return screen.widget("story")


def play(screen: DashboardApp) -> None:
    """Play the story, as the button of the tour's page does."""
    screen.open("guided_tour").click("Play by itself")


def facts(data: dict[str, Any]) -> dict[str, str]:
    return dict(data["facts"])


def test_following_a_link_to_the_story_makes_no_payment(screen: DashboardApp) -> None:
    screen.open("guided_tour", play="1")
    for _ in range(3):
        screen.rerun()
    assert not screen.has_widget("story")
    assert "makes one payment, marked Guided tour" in screen.text
    with screen.world.services.store.read() as unit:
        assert unit.intents.get(1) is None
    screen.click("Play the story")
    assert screen.widget("story")["title"] == "1. What does it cost?"


def test_the_story_waits_for_what_it_tells(screen: DashboardApp) -> None:
    play(screen)
    first = screen.widget("story")
    assert first["title"] == "1. What does it cost?"
    assert sum(chapter["seconds"] for chapter in first["chapters"]) == 45
    assert first["ready"]
    deposit = go_to(screen, 2)
    assert not deposit["ready"]
    assert deposit["waiting"] == "Waiting for the deposit's block."
    screen.world.pass_time(40)
    paid = go_to(screen, 3)
    assert paid["ready"]
    assert facts(paid)["The shop got"] == "25.00 USDC"
    returned = go_to(screen, 5)
    assert returned["ready"]
    assert facts(returned)["State"] == "returned"
    end = go_to(screen, 6)
    assert end["finished"]
    assert "Take a test payment" in [button.label for button in screen.at.button]


def test_drawing_a_chapter_again_pays_nothing_again(screen: DashboardApp) -> None:
    play(screen)
    for chapter in (2, 0, 2, 1, 3):
        go_to(screen, chapter)
    screen.world.pass_time(40)
    with screen.world.services.store.read() as unit:
        number = screen.at.session_state["told_story"].payment
        assert len(unit.deposits.list_by_intents([number])) == 1
        assert unit.intents.get(number + 1) is None


def test_a_reloaded_presentation_goes_on_where_it_was(screen: DashboardApp) -> None:
    world = screen.world
    screen.open("present")
    go_to(screen, 3)
    story = screen.at.session_state["told_story"]
    address = {name: screen.at.query_params[name] for name in ("chapter", "payment")}
    assert address == {"chapter": "4", "payment": str(story.payment)}
    world.pass_time(40)
    again = DashboardApp(new_dashboard(), world).open("present", **address)
    shown = again.widget("story")
    assert shown["at"] == 3
    assert facts(shown)["The shop got"] == "25.00 USDC"
    with world.store.read() as unit:
        assert len(unit.deposits.list_by_intents([story.payment])) == 1
        assert unit.intents.get(story.payment + 1) is None
    # The first chapter has the address of the page, and what names nothing changes nothing.
    go_to(again, 0)
    assert "chapter" not in again.at.query_params
    other = world.create_intent()
    for wrong in ({"chapter": "9"}, {"chapter": "x"}, {"chapter": "4"}, {"payment": str(other.id)}):
        fresh = DashboardApp(new_dashboard(), world).open("present", **wrong)
        assert fresh.widget("story")["at"] == 0
        assert fresh.at.session_state["told_story"].payment is None


def test_a_presentation_ends_with_an_outage_that_is_told_as_it_is(screen: DashboardApp) -> None:
    world = screen.world
    screen.open("present")
    assert go_to(screen, 6)["fault"] == {
        "label": "Simulate an outage of Arbitrum One", "active": False,
    }  # fmt: skip
    outage = {"outageSeconds": 600}
    chain_controls.inject_faults(world.services, world.operator, "ARBITRUM_MAINNET", outage)
    assert go_to(screen, 6)["fault"]["active"]


def test_a_second_press_begins_no_second_outage(screen: DashboardApp) -> None:
    screen.open("present")
    story = screen.at.session_state["told_story"]
    for wanted, active in ((True, True), (True, True), (False, False)):
        story.fault = wanted
        assert go_to(screen, 6)["fault"]["active"] == active
    with screen.world.services.store.read() as unit:
        assert unit.intents.get(story.delayed) is not None
        assert unit.intents.get(story.delayed + 1) is None


def test_somebody_who_may_only_read_is_told_so(world: RampWorld) -> None:
    for name, role in (("Ada", "admin"), ("Vic", "viewer")):
        member = NewStaffMember(name, role, WORDS)
        members.add_member(world.services, staff_principal("command line"), member)
    screen = DashboardApp(sign_in(new_dashboard(), "Vic"), world)
    play(screen)
    assert not go_to(screen, 1)["ready"]
    assert screen.at.error
    screen.open("present")
    screen.at.session_state["told_story"].fault = True
    assert go_to(screen, 6)["fault"] is None
    assert screen.at.error
