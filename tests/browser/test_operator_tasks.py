"""The benchmark of operators' tasks still runs; how long they take is not checked here."""

from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.operator_tasks import program, ways, ways_before
from benchmarks.operator_tasks.performing import Stage, perform
from benchmarks.operator_tasks.tasks import TASKS
from benchmarks.servers import ROOT


def test_every_task_has_a_way_or_a_reason() -> None:
    names = {task.name for task in TASKS}
    for table in (ways.WAYS, ways_before.WAYS):
        assert set(table) == names
        assert all(way.note for way in table.values() if way.steps is None or not way.is_complete)


def test_an_empty_installation_gets_to_a_paid_test_payment(
    chromium: Browser, tmp_path: Path
) -> None:
    chosen = [task for task in TASKS if task.name == "first_payment"]
    [result] = perform(chromium, Stage(ROOT, pictures=tmp_path), chosen, ways.WAYS)
    assert result.failure == ""
    assert result.person is not None
    assert result.person.clicks == len([one for one in result.person.route if one != "scroll"])
    assert len(program.describe(result)) == 2 + len(result.console)
    assert len(list(tmp_path.glob("*.png"))) == 2
