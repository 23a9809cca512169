"""Killed wherever bytes are signed and not yet sent, each family pays each fill once."""

import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from crossway.domain.intent import State
from tests.chains.families import all_running
from tests.chains.service import Hands, RealWorld, profile_of
from tests.chains.test_families import all_end, before, held, right, round_trip
from tests.processes import PATIENCE_SECONDS, ROOT

STEPS = ("signed:START", "signed:FILL")
BLOCK_SECONDS, MOST_KILLS = 0.4, 30


def main(folder: str, *ids: str) -> None:
    """Let a child work on these payments for each line of input, and say how it ended. What takes
    seconds to import is there before a child is forked."""
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                work(Path(folder), [int(one) for one in ids])
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def say(word: object) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def work(folder: Path, ids: list[int]) -> None:
    """Work on these payments in a process that dies when it reaches a step."""

    def reached(at: str) -> None:
        if at in STEPS:
            os.kill(os.getpid(), signal.SIGKILL)

    world: RealWorld[Hands] = RealWorld(folder, {}, folder / "profile.toml", reached)
    say("ready")
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        world.engine.tick()
        with world.services.store.read() as unit:
            found = unit.intents.get_many(ids).values()
        if all(intent.state is State.COMPLETED for intent in found):
            return
    raise AssertionError("\n".join(world.words()) or "not done in time")


def lives(parent: subprocess.Popen[bytes], chains: Mapping[str, Hands]) -> int:
    """One process from its start to its end, while blocks come; how it ended."""
    assert parent.stdin is not None
    assert parent.stdout is not None
    parent.stdin.write(b"\n")
    ready = parent.stdout.readline()
    if ready != b"ready\n":
        return int(ready)
    while not select.select([parent.stdout], [], [], BLOCK_SECONDS)[0]:
        for one in chains.values():
            one.mine()
    return int(parent.stdout.readline())


@contextmanager
def killable(folder: Path, ids: list[int]) -> Iterator[subprocess.Popen[bytes]]:
    """The process that forks those that die."""
    command = [sys.executable, "-m", "tests.chains.test_families_killed", str(folder)]
    with subprocess.Popen(
        [*command, *map(str, ids)],
        bufsize=0,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as parent:
        yield parent


def test_killed_at_every_start_and_fill_every_family_pays_once_and_to_the_unit(
    tmp_path: Path,
) -> None:
    with all_running() as chains:
        profile = profile_of(tmp_path, chains.values())
        world: RealWorld[Hands] = RealWorld(tmp_path, chains, profile)
        made, base = round_trip(world), before(world)
        world.step()
        kills = 0
        for intent in made:
            # One after the other: what a pass signs on several chains is stored together, and the
            # first kill would be the only one.
            world.deposit(intent)
            world.close()
            with killable(tmp_path, [intent.id]) as parent:
                while (ended := lives(parent, chains)) == -signal.SIGKILL:
                    kills += 1
                    assert kills < MOST_KILLS
            assert ended == 0
            world = RealWorld(tmp_path, chains, profile)
        # A start and a fill on each chain, at the least.
        assert kills >= len(STEPS) * len(chains)
        all_end(world, made)
        assert held(world, made, base) == right(world, made)
        world.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
