"""The palette: what each role may jump to and do, and which records it finds for whom."""

import json
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from crossway.dashboard import palette_search
from crossway.dashboard.page_registry import PAGES
from crossway.dashboard.views import palette_entries
from crossway.domain.clients import Mode, staff_principal
from crossway.domain.roles import Role
from crossway.usecases.developers import clients
from crossway.usecases.staff import members
from crossway.usecases.staff.members import NewStaffMember
from tests.dashboard.conftest import WORDS, DashboardApp, configure, new_dashboard, sign_in
from tests.usecases.ramp_world import RampWorld


def titles(role: Role, mode: Mode = Mode.TEST, simulated: bool = True) -> set[str]:
    return {entry.title for entry in palette_entries.list_actions(role, mode, simulated, False)}


@pytest.fixture
def browser(world: RampWorld) -> Iterator[TestClient]:
    """The route alone, without the gate in front of it."""
    with TestClient(Starlette(routes=palette_search.routes())) as client:
        yield client


def add(world: RampWorld, name: str, role: Role) -> None:
    member = NewStaffMember(name, role, WORDS)
    members.add_member(world.services, staff_principal("command line"), member)


def find(browser: TestClient, text: str, mode: Mode = Mode.TEST) -> list[tuple[str, str]]:
    answer = browser.post("/find", json={"text": text, "mode": mode.value})
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    return [(entry["title"], entry["href"]) for entry in answer.json()["found"]]


def test_every_page_of_the_sidebar_can_be_jumped_to(screen: DashboardApp) -> None:
    found = {entry["title"]: entry for entry in screen.widget("palette")["entries"]}
    assert {page.title for page in PAGES if page.section} <= set(found)
    assert found["Overview"]["href"] == "./"
    assert "kyc" in found["Identity checks"]["words"]
    assert all(entry["words"] for entry in found.values() if entry["kind"] == "Pages")


def test_an_action_that_only_opens_a_page_says_which() -> None:
    actions = palette_entries.list_actions(Role.ADMIN, Mode.TEST, simulated=True, frozen=False)
    says = {entry.title: entry.sub for entry in actions}
    assert says["Disable a chain…"] == "Opens Chains"
    assert says["Disable a bridge…"] == "Opens Routes"
    assert says["Refund a payment…"] == "Opens Payments"
    pages = {page.name: f"Opens {page.title}" for page in PAGES}
    assert all(entry.sub == (pages[entry.href] if entry.href else "") for entry in actions)


def test_actions_are_those_that_the_role_permits() -> None:
    viewer, operator, admin = titles(Role.VIEWER), titles(Role.OPERATOR), titles(Role.ADMIN)
    assert "Switch to live mode" in viewer
    assert "Switch to test mode" in titles(Role.VIEWER, Mode.LIVE)
    for action in ("Acknowledge alerts…", "Emergency stop…", "Freeze the clock"):
        assert action not in viewer
        assert action in operator & admin
    assert "Create an API key" in admin - operator
    assert "Freeze the clock" not in titles(Role.ADMIN, simulated=False)


def test_a_viewer_cannot_do_what_the_palette_does_not_offer(world: RampWorld) -> None:
    add(world, "Ada", Role.ADMIN)
    add(world, "Vic", Role.VIEWER)
    configure(lambda: world.services)
    at = sign_in(new_dashboard(), "Vic")
    at.session_state["palette_asked"] = "stop"
    screen = DashboardApp(at, world).rerun()
    assert "Reason" not in [field.label for field in screen.at.text_input]


def test_a_payment_is_found_by_each_of_its_identifiers(
    browser: TestClient, world: RampWorld
) -> None:
    intent = world.create_intent(metadata={"order": "A-17"})
    expected = (f"Payment #{intent.id}", f"intent?id={intent.id}")
    for text in (str(intent.id), intent.address, "a-17"):
        assert expected in find(browser, text), text
    assert find(browser, "0x" + "7" * 64) == []
    assert expected in find(browser, "a-17", Mode.LIVE)  # Rather than nothing.


def test_merchants_are_found_by_a_part_of_their_name(browser: TestClient, world: RampWorld) -> None:
    made = clients.create_client(world.services, "Nordlys Games", world.operator)
    assert (made.name, f"client?id={made.id}") in find(browser, "games nord")
    assert find(browser, "games chess") == []


def test_an_address_of_a_person_is_not_in_the_link(browser: TestClient, world: RampWorld) -> None:
    world.create_on_ramp()
    answer = browser.post("/find", json={"text": "ada@example.com", "mode": "test"}).json()
    assert "ada@example.com" not in json.dumps([entry["href"] for entry in answer["found"]])


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'{"text":1,"mode":"test"}', b'{"text":"x"}', b'{"text":"x","mode":"both"}',
     json.dumps({"text": "x" * 400, "mode": "test"}).encode(), b"x" * 5_000],
)  # fmt: skip
def test_what_is_no_search_is_refused(browser: TestClient, body: bytes) -> None:
    assert browser.post("/find", content=body).status_code == 400


def test_only_signed_in_staff_find_anything(browser: TestClient, world: RampWorld) -> None:
    add(world, "Ada", Role.ADMIN)
    answer = browser.post("/find", json={"text": "1", "mode": "test"})
    assert (answer.status_code, "Sign in first" in answer.text) == (401, True)
