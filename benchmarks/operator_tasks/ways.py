"""How the tasks are done on the dashboard of this checkout.

A task that this table does not have is done as before: see `ways_before`.
"""

from collections.abc import Mapping
from typing import Final

from benchmarks.operator_tasks import ways_before
from benchmarks.operator_tasks.person import Person
from benchmarks.operator_tasks.scenes import Scene
from benchmarks.operator_tasks.tasks import Way


def first_payment(person: Person, scene: Scene) -> None:
    """The overview of an empty installation offers it; its page has the button to pay."""
    person.button("Take a test payment")
    person.button("Pay it \\(simulated\\)")
    person.sees(person.page.get_by_text("This payment is finished"))


def story(person: Person, scene: Scene) -> None:
    """The overview of an empty installation offers it; it plays by itself."""
    person.button("Watch the guided story")
    person.sees(person.page.locator(".st-key-story h2").first)


_NEW: Mapping[str, Way] = {"first_payment": Way(first_payment), "story": Way(story)}

WAYS: Final[Mapping[str, Way]] = {**ways_before.WAYS, **_NEW}
