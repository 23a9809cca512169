"""Performs tasks on a service of its own and says what each took."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from benchmarks.operator_tasks.person import PATIENCE_MS, Person
from benchmarks.operator_tasks.scenes import (
    BOOKED,
    BOOKED_ADDRESS,
    Receiver,
    receiver_down,
)
from benchmarks.operator_tasks.site import Site, first_key
from benchmarks.operator_tasks.tasks import Task, Way
from benchmarks.servers import environment, serving

PAYMENTS: Final = 150
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
)


@dataclass(frozen=True, slots=True)
class Result:
    """What a task took; without a `person` it could not be done, for the reason in `failure`."""

    task: Task
    way: Way
    person: Person | None = None
    failure: str = ""
    console: tuple[str, ...] = ()

    @property
    def is_met(self) -> bool:
        """Whether the task was done completely within its limits."""
        limit, person = self.task.seconds, self.person
        if person is None or self.failure or not self.way.is_complete:
            return False
        in_time = limit is None or person.modelled_seconds <= limit
        return person.clicks <= self.task.limit and in_time


@dataclass(frozen=True)
class Stage:
    """Where tasks are performed: a checkout, a folder with a demo month that is copied, if there is
    one already, and a folder for pictures."""

    checkout: Path
    demo: Path | None = None
    pictures: Path | None = None


def perform(
    browser: Browser, stage: Stage, tasks: Sequence[Task], ways: Mapping[str, Way]
) -> Iterator[Result]:
    """Perform tasks: those on a demo month one after another on one service, the others each on an
    empty installation of its own."""
    for task in tasks:
        if ways[task.name].steps is None:
            yield Result(task, ways[task.name])
    possible = [task for task in tasks if ways[task.name].steps is not None]
    on_demo = [task for task in possible if not task.empty]
    with receiver_down() as receiver:
        if on_demo:
            with site_of(stage, demo=True) as site:
                for task in on_demo:
                    with visit(browser) as context:
                        place = Place(site, context, receiver, stage.pictures)
                        yield perform_at(place, task, ways[task.name])
        for task in possible:
            if task.empty:
                with site_of(stage, demo=False) as site, visit(browser) as context:
                    place = Place(site, context, receiver, stage.pictures)
                    yield perform_at(place, task, ways[task.name])


@dataclass(frozen=True, slots=True)
class Place:
    """A service, the browser in front of it, and a receiver of its webhooks; pictures are saved if
    there is a folder for them."""

    site: Site
    context: BrowserContext
    receiver: Receiver
    pictures: Path | None = None


def perform_at(place: Place, task: Task, way: Way) -> Result:
    """Perform a task that has a way."""
    assert way.steps is not None
    site, console = place.site, list[str]()
    scene = task.scene(site, place.receiver)
    person = Person(open_overview(place.context, site, console), place.pictures)
    person.picture(f"{task.name}_0")
    try:
        person.start()
        way.steps(person, scene)
        person.stop()
        person.picture(f"{task.name}_1")
        site.until(f"{task.name} is done", lambda: task.is_done(site, scene))
    except (Error, AssertionError, TimeoutError) as error:
        person.picture(f"{task.name}_failed")
        return Result(task, way, person, str(error).splitlines()[0], tuple(console))
    finally:
        person.page.close()
    return Result(task, way, person, console=tuple(console))


def open_overview(context: BrowserContext, site: Site, console: list[str]) -> Page:
    """The overview as somebody finds it who has worked before; errors of the page are added to
    `console`."""
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.on("pageerror", lambda error: console.append(str(error)))
    page.on("console", lambda said: console.append(said.text) if said.type == "error" else None)
    page.goto(site.url)
    person = Person(page)
    person.sees(person.heading("Overview"))
    person.wait_until_idle()
    return page


@contextmanager
def site_of(stage: Stage, demo: bool) -> Iterator[Site]:
    """A service of the stage's checkout, empty or on a demo month, whose address book has an entry
    for the payer of the refused refund."""
    with tempfile.TemporaryDirectory(prefix="crossway-benchmark-") as name:
        folder = Path(name)
        if demo and stage.demo is not None:
            shutil.copytree(stage.demo, folder, dirs_exist_ok=True)
        elif demo:
            _command(stage, folder, "demo", "--yes", "--payments", str(PAYMENTS))
        # A service removes the first keys of an installation that is some minutes old.
        key = first_key(folder, "live") if demo else ""
        with serving(folder, checkout=stage.checkout, INVENTORY="true") as server:
            entry = ("POLYGON_MAINNET", BOOKED_ADDRESS, "--name", BOOKED)
            _command(stage, folder, "addresses", "add", *entry)
            # An empty installation is shown in test mode, a demo month in live mode.
            url = f"http://127.0.0.1:{server.port}"
            yield Site(url, folder, key or first_key(folder, "test"))


def _command(stage: Stage, folder: Path, *arguments: str) -> None:
    """Run a `crossway` command of the stage's checkout."""
    subprocess.run(
        [sys.executable, "-c", "from crossway.cli import main; main()", *arguments],
        cwd=stage.checkout,
        env=environment(folder, stage.checkout),
        check=True,
        capture_output=True,
    )


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        yield browser
        browser.close()


@contextmanager
def visit(browser: Browser) -> Iterator[BrowserContext]:
    """A browser's context of its own, in which a page may use the clipboard."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()
