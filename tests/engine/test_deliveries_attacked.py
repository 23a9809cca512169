"""What a client does to its own webhooks changes nothing of another's."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.clients import Client
from crossway.domain.webhooks import DeliveryState
from crossway.usecases import deliveries, webhooks
from crossway.usecases.webhooks import WebhookChange
from tests.engine.deliveries import TellingWorld
from tests.receivers import Arrived, Receiver, receiving


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TellingWorld]:
    made = TellingWorld(f"sqlite:///{tmp_path / 'crossway.db'}", limit_seconds=5)
    yield made
    made.close()


def test_what_a_removed_webhook_answers_is_not_taken_for_another_clients_answer(
    world: TellingWorld,
) -> None:
    came, let_go = threading.Event(), threading.Event()

    def late(_: Arrived) -> int:
        came.set()
        let_go.wait(10)
        return 200

    other = Client("c-2", "Another shop", 0, None, 250, world.clock.now())
    world.store.write(lambda unit: unit.access.add_client(other))
    neighbour = replace(world.caller, client=other)
    with receiving(Receiver(answer=late)) as mine, receiving() as theirs:
        removed = world.webhook(mine.url).endpoint.id
        deliveries.test(world.services, world.caller, removed)
        world.dispatcher.tick()
        came.wait(10)
        webhooks.remove(world.services, world.caller, removed)
        asked = WebhookChange(url=theirs.url)
        made = webhooks.create(world.services, neighbour, asked).endpoint.id
        sent, _ = deliveries.test(world.services, neighbour, made)
        let_go.set()
        world.deliver()
    assert len(theirs.arrived) == 1
    seen = deliveries.one(world.services, neighbour, sent.id)
    assert (seen.delivery.state, seen.delivery.tries) == (DeliveryState.DELIVERED, 1)
    assert len(seen.tries) == 1
    assert made != removed
