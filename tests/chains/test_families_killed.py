"""Killed wherever bytes are signed and not yet sent, each family pays each fill once."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from crossway.domain.intent import State
from tests.chains.families import all_running
from tests.chains.service import Hands, RealWorld, profile_of
from tests.chains.test_families import all_end, before, held, right, round_trip
from tests.processes import ROOT

STEPS = ("signed:START", "signed:FILL")
PATIENCE_SECONDS, BLOCK_SECONDS, MOST_KILLS = 100, 0.4, 30


def main(folder: str, *ids: str) -> None:
    """Work on these payments in a process that dies when it reaches a step."""

    def reached(at: str) -> None:
        if at in STEPS:
            os.kill(os.getpid(), signal.SIGKILL)

    world: RealWorld[Hands] = RealWorld(Path(folder), {}, Path(folder) / "profile.toml", reached)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        world.engine.tick()
        with world.services.store.read() as unit:
            found = unit.intents.get_many([int(one) for one in ids]).values()
        if all(intent.state is State.COMPLETED for intent in found):
            return
    sys.exit("\n".join(world.words()) or "not done in time")


def lives(folder: Path, ids: list[int], chains: Mapping[str, Hands]) -> int:
    """One process from its start to its end, while blocks come; how it ended."""
    command = [sys.executable, "-m", "tests.chains.test_families_killed", str(folder)]
    with subprocess.Popen([*command, *map(str, ids)], stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        process.stdout.readline()
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.wait(BLOCK_SECONDS)
            for one in chains.values():
                one.mine()


def test_killed_at_every_start_and_fill_every_family_pays_once_and_to_the_unit(
    tmp_path: Path,
) -> None:
    with all_running() as chains:
        profile = profile_of(tmp_path, chains.values())
        world: RealWorld[Hands] = RealWorld(tmp_path, chains, profile)
        made, base = round_trip(world), before(world)
        world.step()
        for intent in made:
            world.deposit(intent)
        world.close()
        kills, ids = 0, [intent.id for intent in made]
        while (ended := lives(tmp_path, ids, chains)) == -signal.SIGKILL:
            kills += 1
            assert kills < MOST_KILLS
        assert ended == 0
        # A start and a fill on each chain, at the least.
        assert kills >= len(STEPS) * len(chains)
        world = RealWorld(tmp_path, chains, profile)
        all_end(world, made)
        assert held(world, made, base) == right(world, made)
        world.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
