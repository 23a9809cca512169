"""All scenarios, in the order of the table of outcomes; those of ramp orders after them."""

from types import ModuleType

from crossway.domain.errors import NotFound
from crossway.scenarios.rows import (
    deposits,
    paying,
    ramps,
    reorganisations,
    restoring,
    service,
    strays,
)
from crossway.scenarios.scenario import Scenario

MODULES = (deposits, strays, reorganisations, paying, service, restoring, ramps)


def _of(module: ModuleType) -> list[Scenario]:
    return [one for one in vars(module).values() if isinstance(one, Scenario)]


SCENARIOS = tuple(
    sorted(
        (one for module in MODULES for one in _of(module)),
        key=lambda one: one.number,
    )
)


def named(name: str) -> Scenario:
    """The scenario of this name, or of its number and name; else a refusal."""
    for one in SCENARIOS:
        if name in (one.name, one.id):
            return one
    raise NotFound(f"There is no scenario {name}: crossway trigger --list names them all")
