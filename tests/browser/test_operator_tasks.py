"""Each task of an operator takes no more clicks than it may; how long it takes is not checked.

All begin on the overview; what their pages show is in the tests of the pages. The story, which
plays for 45 seconds, is in `test_story`.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from benchmarks.operator_tasks import program, ways, ways_before
from benchmarks.operator_tasks.performing import Place, Stage, perform_at, site_of, visit
from benchmarks.operator_tasks.scenes import receiver_down
from benchmarks.operator_tasks.tasks import TASKS, Task
from benchmarks.servers import ROOT

# On one service: the first needs it to be empty, and the last puts its clock forward by days.
IN_TURN = sorted(
    (task for task in TASKS if task.name != "story"),
    key=lambda task: (not task.empty, task.name == "webhooks"),
)


@pytest.fixture(scope="module")
def place(chromium: Browser) -> Iterator[Place]:
    """One service and one browser: Chromium compiles the scripts of the pages once."""
    with (
        receiver_down() as receiver,
        site_of(Stage(ROOT), demo=False) as site,
        visit(chromium) as context,
    ):
        yield Place(site, context, receiver)


def test_every_task_has_a_way_or_a_reason() -> None:
    names = {task.name for task in TASKS}
    for table in (ways.WAYS, ways_before.WAYS):
        assert set(table) == names
        assert all(way.note for way in table.values() if way.steps is None or not way.is_complete)


@pytest.mark.parametrize("task", IN_TURN, ids=lambda task: task.name)
def test_a_task_takes_no_more_clicks_than_it_may(place: Place, task: Task) -> None:
    result = perform_at(place, task, ways.WAYS[task.name])
    assert result.failure == "", result.person
    assert result.person is not None
    assert result.person.clicks <= task.limit
    # Everything but the long form of a ramp order is in sight.
    assert result.person.scrolls == (task.name == "kyc")
    assert result.console == ()
    assert len(program.describe(result)) == 2
