"""python -m benchmarks tasks: its options, and the table of what each task took."""

import argparse
from pathlib import Path

from benchmarks.operator_tasks import page_changes, ways, ways_before
from benchmarks.operator_tasks.performing import Result, Stage, chromium, perform
from benchmarks.operator_tasks.tasks import TASKS
from benchmarks.servers import ROOT


def main(arguments: list[str]) -> int:
    """Perform the tasks and print one line for each; 0 even if a limit is missed."""
    options = _parser().parse_args(arguments)
    chosen = [task for task in TASKS if not options.names or task.name in options.names]
    if options.pictures is not None:
        options.pictures.mkdir(parents=True, exist_ok=True)
    stage = Stage(options.checkout.resolve(), options.demo, options.pictures)
    if options.pages:
        for what, figure, goal, met in page_changes.run(stage):
            print(f"{'ok  ' if met else 'MISS'}  {what}: {figure}  (goal {goal})", flush=True)
        return 0
    table = ways_before.WAYS if options.before else ways.WAYS
    with chromium() as browser:
        for result in perform(browser, stage, chosen, table):
            print("\n".join(describe(result)), flush=True)
    return 0


def describe(result: Result) -> list[str]:
    """A line with clicks and seconds, and lines with the route and what is to be known."""
    task, way, person = result.task, result.way, result.person
    limit = f"goal {task.limit} click{'' if task.limit == 1 else 's'}"
    limit += f", {task.seconds:g} s" if task.seconds else ""
    if person is None:
        return [f"MISS  {task.title}: not possible ({limit}); {way.note}"]
    took = (
        f"{person.clicks} clicks, {person.keys} keys, {person.scrolls} scrolls, "
        f"{person.seconds:.1f} s by program, {person.modelled_seconds:.0f} s by a person (model)"
    )
    if not way.is_complete:
        took = f"not possible; nearest: {took}"
    if result.failure:
        took = f"FAILED after {took}: {result.failure}"
    lines = [f"{'ok  ' if result.is_met else 'MISS'}  {task.title}: {took}  ({limit})"]
    lines.append(f"      {' > '.join(person.route)}{f'; {way.note}' if way.note else ''}")
    return lines + [f"      console: {text}" for text in result.console]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m benchmarks tasks",
        description="Operators' tasks in a real browser: clicks and seconds from the overview.",
    )
    add = parser.add_argument
    add("names", nargs="*", help=f"tasks, by default all: {', '.join(t.name for t in TASKS)}")
    add("--checkout", type=Path, default=ROOT, help="another checkout whose service is used")
    add("--before", action="store_true", help="the steps that commit df579198 needs")
    add("--pages", action="store_true", help="measure changes of page instead, and axe")
    add("--demo", type=Path, help="a folder with a demo month, copied instead of filling one")
    add("--pictures", type=Path, help="folder for screenshots of the start and end of each task")
    return parser
