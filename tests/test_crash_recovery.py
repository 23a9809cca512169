"""After a crash at any failpoint, Crossway resumes: nothing is lost or paid twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from crossway.domain.intent import Intent, State
from tests.databases import Snapshots, new_sqlite
from tests.harness import CATALOGUE, Harness
from tests.invariants import check_invariants, list_intents, nothing_outstanding
from tests.processes import PATIENCE_SECONDS

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")
DUTIES = ("START", "FILL", "REIMBURSE", "REFUND", "RETURN_EXCESS")
STEPS = [
    "created",
    "before-credit",
    "credited",
    "before-sign",
    *(f"{step}:{duty}" for duty in DUTIES for step in ("signed", "sent", "confirmed")),
    "before-confirm",
    "before-expiry",
    "expired",
]
ENDS = {"exact": State.COMPLETED, "over": State.COMPLETED, "short": State.REFUNDED,
        "nothing": State.EXPIRED, "twice": State.COMPLETED, "foreign": State.COMPLETED}  # fmt: skip


def create_payments(world: Harness) -> None:
    """Six payments with different outcomes, from creation to the end."""
    made: dict[str, Intent] = {}
    for name in ENDS:
        made[name] = world.create_intent(
            recipient=world.wallet("ARBITRUM_MAINNET", f"recipient {name}"),
            metadata={"name": name},
        )
    world.pass_time(2)
    for name in ("exact", "over", "short"):
        world.deposit(made[name], name)
    world.deposit(made["twice"])
    euros = CATALOGUE.tokens["BASE_MAINNET", "EURC"].address
    world.deposit(made["foreign"], "5000000", token=euros)
    world.deposit(made["foreign"])
    world.pass_time(20)
    world.deposit(made["twice"], str(made["twice"].terms.deposit_amount))
    world.pass_time(40, step=2)
    world.pass_time(3700, step=600)
    world.pass_time(30, step=3)


def main(url: str, step: str) -> None:
    """Run the payments in a process that is killed at a failpoint."""

    def reached(at: str) -> None:
        if at == step:
            os.kill(os.getpid(), signal.SIGKILL)

    create_payments(Harness(url, reached, CHAINS))


@pytest.fixture(scope="module")
def snapshots(tmp_path_factory: pytest.TempPathFactory) -> Snapshots:
    """The database at every failpoint of the payments."""
    folder = tmp_path_factory.mktemp("failpoints")
    url = new_sqlite(folder)
    taken = Snapshots(url, folder)
    world = Harness(url, taken.take, CHAINS)
    create_payments(world)
    world.store.close()
    return taken


def go_on(world: Harness) -> None:
    """After the restart, do what remained manually and let time pass."""
    world.machine.seconds += 5
    named = {intent.metadata.get("name"): intent for intent in list_intents(world)}
    for name in ("exact", "over", "short", "twice", "foreign"):
        intent = named.get(name)
        if intent is None or world.sandbox.holdings(intent.address) or intent.received_amount:
            continue
        if intent.state is State.PENDING:
            world.deposit(intent, name if name in ("over", "short") else "exact")
    for _ in range(30):
        world.pass_time(60, step=3)
        if nothing_outstanding(world):
            break
        # Those that were never paid expire after an hour.
        world.pass_time(1800, step=300)
    world.pass_time(30, step=3)


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_a_failpoint_loses_nothing_and_pays_nothing_twice(
    step: str, snapshots: Snapshots
) -> None:
    check_recovery(snapshots.url_of(step))


# Stored and not sent; sent and not noted; between a deposit's detection and its credit.
@pytest.mark.parametrize("step", ["before-credit", "signed:FILL", "sent:REIMBURSE"])
def test_a_killed_process_loses_nothing_and_pays_nothing_twice(step: str, tmp_path: Path) -> None:
    url = new_sqlite(tmp_path)
    died = subprocess.run(
        [sys.executable, "-m", "tests.test_crash_recovery", url, step],
        capture_output=True,
        timeout=PATIENCE_SECONDS,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
    check_recovery(url)


def check_recovery(url: str) -> None:
    """A new process finishes what the database of a crashed one holds."""
    world = Harness(url, chains=CHAINS)
    go_on(world)
    assert nothing_outstanding(world)
    check_invariants(world)
    ends = {intent.metadata["name"]: intent.state for intent in list_intents(world)}
    assert ends == {name: ENDS[name] for name in ends}
    world.store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
