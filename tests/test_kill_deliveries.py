"""Killed while it delivers, Crossway loses no event: at least once, and in order."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from crossway.domain.webhooks import DeliveryState
from tests.engine.webhook_world import WebhookWorld
from tests.receivers import running_receiver

PAYMENTS = 12


def main(url: str, hook: str, step: str, count: str) -> None:
    """Pay and deliver in a process that dies when it reaches a step for the so manieth time."""
    left = int(count)

    def reached(at: str) -> None:
        nonlocal left
        left -= at == step
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    world = WebhookWorld(url, max_concurrent=4, reached=reached)
    world.webhook(hook)
    made = [world.pay(metadata={"number": number}) for number in range(PAYMENTS)]
    for intent in made:
        world.deposit(intent)
    world.pass_time(20)
    world.deliver()
    raise AssertionError(f"{step} was not reached {count} times")


@pytest.mark.parametrize(
    ("step", "count"), [("claimed", 1), ("posted", 3), ("posted", 30), ("settled", 2)]
)
def test_a_process_killed_while_it_delivers_loses_no_event(
    step: str, count: int, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    with running_receiver() as receiver:
        died = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.test_kill_deliveries",
                url,
                receiver.url,
                step,
                str(count),
            ],
            capture_output=True,
            timeout=120,
        )
        assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
        before = len(receiver.arrived)
        world = WebhookWorld(url, max_concurrent=4)
        [webhook] = [one.id for one in all_of(world)]
        world.later(120)
        states = {one.state for one in world.deliveries(webhook)}
        world.close()
        arrived = list(receiver.arrived)
    assert states == {DeliveryState.DELIVERED}
    stories: dict[int, list[str]] = {}
    for one in arrived:
        story = stories.setdefault(one.event["data"]["id"], [])
        if one.event["type"] not in story:
            story.append(one.event["type"])
    whole = ["intent_created", "intent_funded", "intent_initiated", "intent_completed"]
    assert list(stories.values()) == [whole] * PAYMENTS
    twice = [n for n in Counter(one.event["id"] for one in arrived).values() if n > 1]
    assert len(twice) <= min(before, 48)
    assert set(twice) <= {2}


def all_of(world: WebhookWorld) -> list:  # type: ignore[type-arg]
    with world.store.read() as unit:
        return unit.webhooks.list_by_client("c-1")


if __name__ == "__main__":
    main(*sys.argv[1:])
