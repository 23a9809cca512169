"""Killed between storing signed bytes and sending them, a service pays each fill once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crossway.domain.intent import State
from tests.chains.anvil import Anvil
from tests.chains.live import ARBITRUM, BASE, CHAINS, LiveWorld, paid, write_profile
from tests.conformance.networks import made_up
from tests.processes import PATIENCE_SECONDS, ROOT

STEPS = ["signed:START", "signed:FILL", "sent:REIMBURSE"]
NUMBER = 3


def main(folder: str, step: str, *urls: str) -> None:
    """Make payments and work on them in a process that dies at a step."""

    def reached(at: str) -> None:
        if at == step:
            os.kill(os.getpid(), signal.SIGKILL)

    anvils = {chain: Anvil(chain, url) for chain, url in zip(CHAINS, urls, strict=True)}
    world = LiveWorld(Path(folder), anvils, Path(folder) / "profile.toml", reached)
    made = [world.pay(f"number {n}") for n in range(NUMBER)]
    world.step()
    for intent in made:
        world.deposit(intent)
    world.step(100)


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_this_step_each_is_paid_once_and_to_the_unit(
    step: str, tmp_path: Path, chains: dict[str, Anvil]
) -> None:
    write_profile(tmp_path, {chain: [one.url] for chain, one in chains.items()})
    died = subprocess.run(
        [sys.executable, "-m", "tests.chains.test_killed", str(tmp_path), step,
         *(chains[c].url for c in CHAINS)],
        capture_output=True, timeout=PATIENCE_SECONDS, cwd=ROOT,
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    world = LiveWorld(tmp_path, chains, tmp_path / "profile.toml")
    with world.services.store.read() as unit:
        made = list(unit.intents.get_many(range(1, NUMBER + 1)).values())
    assert len(made) == NUMBER
    for intent in made:
        world.ends(intent, State.COMPLETED)
        world.settled(intent)
    relayer, escrow, treasury = 0, 0, 0
    for intent in made:
        right, held = paid(intent), world.held(intent)
        assert (held.payer, held.recipient, held.deposit) == (0, right.recipient, 0)
        escrow, treasury = escrow + right.escrow, treasury + right.treasury
        relayer += right.relayer - paid_nothing()
    held = world.held(made[0])
    assert (held.escrow, held.treasury) == (escrow, treasury)
    assert held.relayer == paid_nothing() + relayer
    assert chains[ARBITRUM].balance(made_up("recipient number 0")) == made[0].terms.payout_amount
    assert chains[BASE].balance(made[0].address) == 0
    world.close()


def paid_nothing() -> int:
    from tests.chains.anvil import STOCK

    return 2 * STOCK


if __name__ == "__main__":
    main(*sys.argv[1:])
