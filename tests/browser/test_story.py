"""The guided story plays by itself to its end; a presentation goes by keys. The failure that it
shows is in `test_operator_tasks`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from benchmarks.operator_tasks import ways
from benchmarks.operator_tasks.person import Person
from benchmarks.operator_tasks.scenes import Scene
from tests.browser.conftest import (
    Opener,
    Site,
    new_browser_context,
    running_site,
    set_look,
    wait_until_drawn,
)
from tests.browser.test_every_page import AXE, RUN_AXE, UPSTREAM, without_streamlit_findings

PROJECTOR = (1366, 768)


def heading(page: Page) -> Locator:
    return page.locator(".st-key-story h2")


def list_payments(site: Site, order: str) -> list[Any]:
    intents = site.read("/intents?limit=100")["intents"]
    return [one for one in intents if (one["metadata"] or {}).get("order") == order]


def test_one_click_on_an_empty_installation_plays_the_story_to_its_end(
    chromium: Browser, tmp_path: Path
) -> None:
    with running_site(tmp_path) as site, new_browser_context(chromium) as context:
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(site.url)
        person = Person(page)
        ways.story(person, Scene())
        assert person.clicks == 1
        expect(heading(page)).to_have_text("1. What does it cost?")
        expect(heading(page)).to_have_text("That was one payment")
        for name in ("Take a test payment", "Fill with a demo month"):
            expect(page.get_by_role("button", name=name)).to_be_visible()
        (payment,) = site.read("/intents?limit=100")["intents"]
        assert payment["intent_status"] == "COMPLETED"
        assert payment["metadata"] == {"order": "Guided tour"}
        assert errors == []


def test_a_story_beside_other_payments_is_one_more_of_them(opened: Opener, site: Site) -> None:
    before = len(list_payments(site, "Guided tour"))
    page, _ = opened("guided_tour?play=1")
    page.get_by_role("button", name="Play the story").click()
    for number in "23":
        page.get_by_role("button", name="Next", exact=True).click()
        expect(heading(page)).to_contain_text(f"{number}.")
    expect(page.locator(".st-key-story dl")).to_contain_text("Too much")
    assert len(list_payments(site, "Guided tour")) == before + 1


def test_the_story_pauses_and_goes_back(opened: Opener) -> None:
    page, _ = opened("guided_tour?play=1")
    page.get_by_role("button", name="Play the story").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".st-key-story .seconds")).to_contain_text("paused")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(heading(page)).to_have_text("2. Create the payment")
    page.get_by_role("button", name="Back", exact=True).click()
    expect(heading(page)).to_have_text("1. What does it cost?")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_a_presentation_goes_by_keys(opened: Opener) -> None:
    page, _ = opened("present", PROJECTOR)
    steps = [("ArrowRight", "2."), ("PageDown", "3."), (" ", "4."), ("ArrowLeft", "3.")]
    steps += [("PageUp", "2."), ("End", "7."), ("Home", "1."), ("PageDown", "2.")]
    for key, number in steps:
        page.keyboard.press(key)
        expect(heading(page)).to_contain_text(number)
    expect(page).to_have_url(re.compile(r"[?&]chapter=2&payment=\d+"))
    page.reload()
    expect(heading(page)).to_contain_text("2.")
    page.keyboard.press("F1")
    keys = page.locator(".st-key-story .keys")
    expect(keys).to_contain_text("Full screen")
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.keyboard.press("Escape")
    page.locator("[data-testid=stMainBlockContainer] h1", has_text="Overview").wait_for()
    expect(page.locator("[data-testid=stSidebar]")).to_be_visible()


@pytest.mark.parametrize("path", ["guided_tour?play=1", "present"])
def test_a_story_is_accessible_in_both_colours(opened: Opener, path: str) -> None:
    if not AXE.exists():
        pytest.skip("not checked for accessibility: npm install")
    page, _ = opened(path, PROJECTOR)
    if path != "present":
        page.get_by_role("button", name="Play the story").click()
        heading(page).wait_for()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for scheme in ("light", "dark"):
        set_look(page, PROJECTOR, scheme)
        wait_until_drawn(page)
        found = without_streamlit_findings(page.evaluate(RUN_AXE, {}), UPSTREAM)
        assert not found, f"{scheme}: {json.dumps(found[:3], indent=1)}"
