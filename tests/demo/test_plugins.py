"""Crossway finds its demo distribution through entry points, and does without it."""

import subprocess
import sys

from crossway import plugins
from crossway_demo.demo.demo_dataset import DemoDataset
from crossway_demo.scenario_catalogue import SCENARIOS

# Hides the entry points of crossway-demo from an interpreter, as if it were not installed.
HIDDEN = """
import importlib.metadata
importlib.metadata.entry_points = lambda **_: ()
from crossway.cli.program import cli
cli()
"""


def test_the_demo_distribution_is_found_through_its_entry_points() -> None:
    assert plugins.find_demo_factory() is DemoDataset
    scenarios = plugins.find_scenarios()
    assert scenarios is not None
    assert [item.name for item in scenarios.list_all()] == [scenario.name for scenario in SCENARIOS]


def test_without_it_the_command_line_says_what_to_install() -> None:
    command = [sys.executable, "-c", HIDDEN, "trigger", "over"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "not installed: pip install crossway-demo" in done.stderr
    assert "Traceback" not in done.stderr
