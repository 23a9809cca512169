"""Killed anywhere around a payer's signature, a service carries each out once."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.payer_signatures import SignatureState
from tests.chains.anvil import Anvil
from tests.chains.live import BASE, CHAINS, LiveWorld, write_profile
from tests.chains.signing import new_payer, pay_ins, stored
from tests.processes import PATIENCE_SECONDS, ROOT

STEPS = ["signature-stored", "before-sign", "signed:PAY_IN", "sent:PAY_IN", "confirmed:PAY_IN"]
NUMBER = 2


def main(folder: str, step: str, *urls: str) -> None:
    """Hand signatures in and work on them in a process that dies at a step."""

    def reached(at: str) -> None:
        if at == step:
            os.kill(os.getpid(), signal.SIGKILL)

    anvils = {chain: Anvil(chain, url) for chain, url in zip(CHAINS, urls, strict=True)}
    world = LiveWorld(Path(folder), anvils, Path(folder) / "profile.toml", reached)
    made = [world.pay(f"number {n}") for n in range(NUMBER)]
    payers = [new_payer(world, f"number {n}") for n in range(NUMBER)]
    world.step()
    for intent, payer in zip(made, payers, strict=True):
        payer.pay(intent)
    world.step(100)


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_this_step_each_signature_is_carried_out_once(
    step: str, tmp_path: Path, chains: dict[str, Anvil]
) -> None:
    write_profile(tmp_path, {chain: [one.url] for chain, one in chains.items()})
    chains[BASE].sign_dollars()
    died = subprocess.run(
        [sys.executable, "-m", "tests.chains.test_killed_signatures", str(tmp_path), step,
         *(chains[c].url for c in CHAINS)],
        capture_output=True, timeout=PATIENCE_SECONDS, cwd=ROOT,
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    world = LiveWorld(tmp_path, chains, tmp_path / "profile.toml")
    with world.services.store.read() as unit:
        made = unit.intents.get_many(range(1, NUMBER + 1))
    for number, intent in sorted(made.items()):
        payer = new_payer(world, f"number {number - 1}", dollars=0)
        if not stored(world, intent):
            # What was not stored was never taken: the payer hands it in again.
            payer.pay(intent)
        world.ends(intent, State.COMPLETED)
        world.settled(intent)
        [kept], [pay_in] = stored(world, intent), pay_ins(world, intent)
        assert (kept.state, kept.tx_id) == (SignatureState.PAID, pay_in.tx_id)
        assert payer.dollars == 100 * 10**6 - intent.terms.deposit_amount
    world.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
