"""After a crash during delivery, every event is delivered at least once and in order."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from crossway.domain.clients import OwnerFilter
from crossway.domain.webhooks import DeliveryState
from tests.engine.webhook_world import WebhookWorld
from tests.processes import PATIENCE_SECONDS
from tests.receivers import running_receiver

PAYMENTS = 12


def main(url: str, hook: str, step: str, count: str) -> None:
    """Pay and deliver in a process that crashes when it has reached a failpoint `count` times."""
    left = int(count)

    def reached(at: str) -> None:
        nonlocal left
        left -= at == step
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    world = WebhookWorld(url, max_concurrent=4, reached=reached)
    world.create_webhook(hook)
    intents = [world.create_intent(metadata={"number": number}) for number in range(PAYMENTS)]
    for intent in intents:
        world.deposit(intent)
    world.pass_time(20)
    world.deliver()
    raise AssertionError(f"{step} was not reached {count} times")


@pytest.mark.parametrize(
    ("step", "count"), [("claimed", 1), ("posted", 3), ("posted", 30), ("settled", 2)]
)
def test_a_process_killed_during_delivery_loses_no_event(
    step: str, count: int, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    with running_receiver() as receiver:
        died = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.test_crash_recovery_deliveries",
                url,
                receiver.url,
                step,
                str(count),
            ],
            capture_output=True,
            timeout=PATIENCE_SECONDS,
        )
        assert died.returncode == -signal.SIGKILL, died.stderr.decode()[-2000:]
        world = WebhookWorld(url, max_concurrent=4)
        [webhook] = [item.id for item in all_of(world)]
        # Not before: the receiver may still be reading what the killed process sent last.
        before = len(receiver.requests)
        world.advance_and_deliver(120)
        states = {delivery.state for delivery in world.list_deliveries(webhook)}
        world.close()
        arrived = list(receiver.requests)
    assert states == {DeliveryState.DELIVERED}
    stories: dict[int, list[str]] = {}
    for one in arrived:
        story = stories.setdefault(one.event["data"]["id"], [])
        if one.event["type"] not in story:
            story.append(one.event["type"])
    whole = ["intent_created", "intent_funded", "intent_initiated", "intent_completed"]
    assert list(stories.values()) == [whole] * PAYMENTS
    twice = [n for n in Counter(request.event["id"] for request in arrived).values() if n > 1]
    assert len(twice) <= min(before, 48)
    assert set(twice) <= {2}


def all_of(world: WebhookWorld) -> list:  # type: ignore[type-arg]
    with world.store.read() as unit:
        return unit.webhooks.list_by_owner(OwnerFilter("c-1"))


if __name__ == "__main__":
    main(*sys.argv[1:])
