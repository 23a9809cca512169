"""Optional parts that separate distributions provide through entry points."""

from functools import cache
from importlib.metadata import entry_points
from typing import Any

from crossway.ports.demo import DemoFactory, Scenarios

DEMO_GROUP = "crossway.demo"


def find_demo_factory() -> DemoFactory | None:
    """The factory of the demo dataset; None where crossway-demo is not installed."""
    factory: DemoFactory | None = _load("dataset")
    return factory


def find_scenarios() -> Scenarios | None:
    """The scenarios; None where crossway-demo is not installed."""
    catalogue = _load("scenarios")
    scenarios: Scenarios | None = None if catalogue is None else catalogue()
    return scenarios


@cache
def _load(name: str) -> Any:
    for entry_point in entry_points(group=DEMO_GROUP, name=name):
        return entry_point.load()
    return None
