"""Killed at any step of payments over CCTP, or doubled, a service pays each recipient once."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.engine.loop import Engine
from crossway.usecases.money.reconciliation import reconcile
from tests.bridges.attestation_service import AttestationService
from tests.bridges.cctp_chains import FEE_RECIPIENT, CctpWorld, places
from tests.chains.anvil import Anvil
from tests.chains.live import ARBITRUM, BASE, CHAINS, write_profile
from tests.processes import PATIENCE_SECONDS, ROOT

AMOUNT, NUMBER = 25_000_000, 3
STEPS = [
    "before-sign",
    "signed:START",
    "sent:START",
    "before-bridge-poll",
    "bridge-polled",
    "signed:DELIVER",
    "sent:DELIVER",
]


def main(folder: str, step: str, service_url: str, *urls: str) -> None:
    """Make payments and work on them in a process that dies at a step."""
    reached_before: list[str] = []

    def reached(at: str) -> None:
        reached_before.append(at)
        # Every pass asks bridges: the second time something was sent before.
        if at == step and (at != "bridge-polled" or reached_before.count(at) == 2):
            os.kill(os.getpid(), signal.SIGKILL)

    anvils = {chain: Anvil(chain, url) for chain, url in zip(CHAINS, urls, strict=True)}
    attestations = AttestationService(url=service_url)
    world = CctpWorld(Path(folder), anvils, attestations, Path(folder) / "profile.toml", reached)
    world.step()
    world.record_openings()
    deposit_at_once(world)
    world.step(100)


def deposit_at_once(world: CctpWorld) -> None:
    """Payments whose deposits are in one block, so that they share their transactions."""
    base = world.anvils[BASE]
    for intent in [world.pay(f"number {n}") for n in range(NUMBER)]:
        base.send(intent.address, intent.terms.deposit_amount)
    base.mine()


def all_paid_once(world: CctpWorld) -> None:
    with world.services.store.read() as unit:
        made = list(unit.intents.get_many(range(1, NUMBER + 1)).values())
    assert len(made) == NUMBER
    for intent in made:
        world.ends(intent, State.COMPLETED)
        world.settled(intent)
    _conserved(world, made)
    assert reconcile(world.services, world.operator).sentences() == [
        "The books and the chains agree."
    ]


def _conserved(world: CctpWorld, made: list[Intent]) -> None:
    totals = sum(intent.terms.deposit_amount for intent in made)
    circle = world.anvils[ARBITRUM].balance(FEE_RECIPIENT)
    for intent in made:
        held = places(world, intent)
        assert (held.payer, held.deposit, held.recipient, held.source_contract) == (0, 0, AMOUNT, 0)
    rest = totals - NUMBER * AMOUNT - circle
    assert places(world, made[0]).destination_contract == rest


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_this_step_each_is_paid_once(
    step: str, tmp_path: Path, cctp_chains: dict[str, Anvil], attestations: AttestationService
) -> None:
    write_profile(tmp_path, {chain: [one.url] for chain, one in cctp_chains.items()})
    urls = [attestations.url, *(cctp_chains[c].url for c in CHAINS)]
    died = subprocess.run(
        [sys.executable, "-m", "tests.bridges.test_cctp_killed", str(tmp_path), step, *urls],
        capture_output=True, timeout=PATIENCE_SECONDS, cwd=ROOT,
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    world = CctpWorld(tmp_path, cctp_chains, attestations, tmp_path / "profile.toml")
    all_paid_once(world)
    with world.services.store.read() as unit:
        starts = unit.outbound_txs.list_by_intents(range(1, NUMBER + 1), OutboundTxKind.START)
    assert len({start.tx_id for start in starts}) == 1
    world.close()


def test_two_engines_send_and_deliver_each_payment_once(cctp_world: CctpWorld) -> None:
    world = cctp_world
    other = Engine(replace(world.services), "other", sole=True)
    world.step()
    world.record_openings()
    deposit_at_once(world)
    for _ in range(60):
        other.tick()
        world.step()
    all_paid_once(world)


if __name__ == "__main__":
    main(*sys.argv[1:])
