"""A person at the dashboard: mouse and keyboard only, every action counted and timed."""

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from playwright.sync_api import Locator, Page, expect

PATIENCE_MS: Final = 90_000
# Keystroke-level model (Card, Moran and Newell): seconds to think and point before a click, with
# the click, and for each key.
THINK_AND_CLICK, KEY = 2.65, 0.28
# What is longer than this is pasted, with two keys.
_TYPED_AT_MOST: Final = 20
_IDLE = """() => {
  const app = document.querySelector('[data-testid=stApp]')
  return app?.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-testid=stSkeleton]')
}"""
_REPLACES = """label => {
  const field = document.activeElement
  return field?.ariaLabel === label && field.value
    && field.selectionStart === 0 && field.selectionEnd === field.value.length
}"""
_OUTSIDE = """node => {
  const box = node.getBoundingClientRect()
  return box.top < 0 || box.bottom > innerHeight
}"""


@dataclass
class Person:
    """Counts `clicks` (a shortcut such as Ctrl-K is one), `keys` and `scrolls`. `route` says in
    words what was done."""

    page: Page
    pictures: Path | None = None
    clicks: int = 0
    keys: int = 0
    scrolls: int = 0
    route: list[str] = field(default_factory=list)
    _began: float = 0.0
    _seconds: float = 0.0

    def start(self) -> None:
        """The clock runs from here."""
        self._began = time.perf_counter()

    def stop(self) -> None:
        """The task is done: what it should lead to is on the screen."""
        self._seconds = time.perf_counter() - self._began

    @property
    def seconds(self) -> float:
        """Seconds from start to stop as this program needed them: it neither thinks nor aims."""
        return self._seconds

    @property
    def modelled_seconds(self) -> float:
        """Model, not measured: `seconds` and a practised person's time for clicks and keys."""
        return self._seconds + self.clicks * THINK_AND_CLICK + self.keys * KEY

    def click(self, target: Locator, what: str) -> None:
        """Click on something as soon as it can be; what is out of sight is scrolled to."""
        target = target.locator("visible=true").first
        self.wait_until_idle()
        target.wait_for(timeout=PATIENCE_MS)
        if target.evaluate(_OUTSIDE):
            self.scrolls += 1
            self.route.append("scroll")
        target.click(timeout=PATIENCE_MS)
        self.clicks += 1
        self.route.append(what)

    def button(self, name: str, within: Locator | None = None) -> None:
        """Click on the first button whose name matches a regular expression."""
        place = within or self.page
        self.click(place.get_by_role("button", name=re.compile(name)), f"[{name}]")

    def link(self, name: str) -> None:
        """Click on the first link on the page, beside the navigation, with such a name."""
        main = self.page.locator("[data-testid=stMain]")
        self.click(main.get_by_role("link", name=re.compile(name)), f"<{name}>")

    def menu(self, name: str, title: str = "") -> None:
        """Open a page by the navigation; its title is its name, unless another is given."""
        menu = self.page.locator("[data-testid=stSidebarNav]")
        self.click(menu.get_by_role("link", name=name), f"menu {name}")
        self.sees(self.heading(title or name))

    def choose(self, box: Locator, option: str) -> None:
        """Open a select box, type what to look for and click on the option: two clicks."""
        self.click(box, "open the choice")
        self.type(option[:_TYPED_AT_MOST], option)
        self.click(self.page.get_by_role("option", name=option), f"choose {option}")

    def type(self, text: str, what: str) -> None:
        """Type into what has the focus; a long value is pasted."""
        self.page.keyboard.insert_text(text)
        self.keys += len(text) if len(text) <= _TYPED_AT_MOST else 2
        self.route.append(f"type {what}")

    def fill(self, target: Locator, text: str, what: str) -> None:
        """Click into a field, replace its content and leave it with Tab."""
        self.click(target, f"field {what}")
        self.page.keyboard.press("Control+A")
        self.type(text, what)
        self.page.keyboard.press("Tab")
        self.keys += 3

    def press(self, chord: str) -> None:
        """A shortcut: counts as a click."""
        self.wait_until_idle()
        self.page.keyboard.press(chord)
        self.clicks += 1
        self.route.append(chord)

    def jump(self, text: str, what: str) -> None:
        """Open the palette by keyboard, type and open what it finds first: one click."""
        # The button that names the shortcut: before it is there, nothing listens to the keys.
        self.sees(self.page.get_by_role("button", name="Search or jump to"))
        self.press("Control+k")
        self.sees(self.page.get_by_role("combobox", name="Jump to a page, payment or action"))
        self.type(text, what)
        self.enter()

    def enter(self) -> None:
        """The key that ends what was typed."""
        self.page.keyboard.press("Enter")
        self.keys += 1

    def heading(self, text: str) -> Locator:
        """The title of a page."""
        return self.page.locator("[data-testid=stMainBlockContainer] h1", has_text=text)

    def has_copied(self, part: str) -> None:
        """Wait until the clipboard holds a text with this part."""
        self.page.wait_for_function(
            "async part => (await navigator.clipboard.readText()).includes(part)", arg=part
        )

    def can_replace(self, label: str) -> None:
        """Wait until what is typed replaces the content of the field with this label."""
        self.wait_until_idle()
        self.page.wait_for_function(_REPLACES, arg=label, timeout=PATIENCE_MS)

    def has_value(self, field: Locator, part: str) -> None:
        """Wait until a field holds a text with this part."""
        expect(field).to_have_value(re.compile(re.escape(part)), timeout=PATIENCE_MS)

    def sees(self, target: Locator) -> None:
        """Wait until something is on the screen."""
        expect(target.locator("visible=true").first).to_be_visible(timeout=PATIENCE_MS)

    def wait_until_idle(self) -> None:
        """Wait until no script runs: what is clicked before that may be drawn anew."""
        self.page.wait_for_function(_IDLE, timeout=PATIENCE_MS)

    def picture(self, name: str) -> None:
        """Save what is on the screen."""
        if self.pictures is not None:
            self.page.screenshot(path=self.pictures / f"{name}.png")
