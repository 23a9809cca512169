"""What a client does to its own webhooks changes nothing of another's."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.clients import Caller, Client
from crossway.domain.webhooks import DeliveryState
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookChange
from tests.engine.deliveries import TellingWorld
from tests.receivers import Arrived, Receiver, receiving


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TellingWorld]:
    made = TellingWorld(f"sqlite:///{tmp_path / 'crossway.db'}", limit_seconds=5)
    yield made
    made.close()


def another_client(world: TellingWorld) -> Caller:
    other = Client("c-2", "Another shop", 0, None, 250, world.clock.now())
    world.store.write(lambda unit: unit.access.add_client(other))
    return replace(world.caller, client=other)


def test_what_a_removed_webhook_answers_is_not_taken_for_another_clients_answer(
    world: TellingWorld,
) -> None:
    came, let_go = threading.Event(), threading.Event()

    def late(_: Arrived) -> int:
        came.set()
        let_go.wait(10)
        return 200

    neighbour = another_client(world)
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


def test_one_client_with_many_endpoints_that_hang_keeps_no_other_waiting(tmp_path: Path) -> None:
    world = TellingWorld(f"sqlite:///{tmp_path / 'small.db'}", limit_seconds=10, at_once=16)
    neighbour, let_go = another_client(world), threading.Event()
    hanging = Receiver(answer=lambda _: 200 if let_go.wait(20) else 500)
    with receiving(hanging) as hung, receiving() as well:
        own = world.webhook(well.url).endpoint.id
        for _ in range(10):
            asked = WebhookChange(url=hung.url)
            made = webhooks.create(world.services, neighbour, asked).endpoint.id
            for _ in range(4):
                deliveries.test(world.services, neighbour, made)
        world.dispatcher.start()
        hung.wait_for(12)
        deliveries.test(world.services, world.caller, own)
        well.wait_for(1, within=5)
        assert len(hung.arrived) == 12
        let_go.set()
    world.close()


def test_what_a_receiver_answers_is_kept_without_secrets_and_e_mail_addresses(
    world: TellingWorld,
) -> None:
    text = b"thanks, ada@example.com; my key is cr_test_0123456789abcdef, my secret whsec_YWJj"
    with receiving(Receiver(text=text)) as receiver:
        told = world.webhook(receiver.url)
        sent, _ = deliveries.test(world.services, world.caller, told.endpoint.id)
        world.deliver()
    (one,) = deliveries.one(world.services, world.caller, sent.id).tries
    assert one.answer == "thanks, [e-mail]; my key is cr_test_0123…, my secret whsec_…"
