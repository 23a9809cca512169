"""Worlds in which bridges carry the crypto of ramp orders."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.usecases.chains.kill_switches import set_kill_switch
from tests.usecases.ramp_world import POLYGON, RampWorld, new_ramp_world


@pytest.fixture
def new_world(tmp_path: Path) -> Iterator[Callable[..., RampWorld]]:
    """Opens a world in which these bridges alone carry payments."""
    opened: list[RampWorld] = []

    def open_world(*bridges: str, **more: Any) -> RampWorld:
        world = new_ramp_world(tmp_path, over_bridges=bridges, **more)
        opened.append(world)
        # Fast transfers, which inventory does not pay beforehand.
        set_kill_switch(world.services, world.operator, f"chain:{POLYGON}", True, "not here")
        return world

    yield open_world
    for world in opened:
        world.store.close()
