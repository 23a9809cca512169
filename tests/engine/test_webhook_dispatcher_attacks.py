"""A client's webhooks cannot affect those of other clients."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.clients import Client, Principal
from crossway.domain.webhooks import DeliveryState
from crossway.usecases.developers import deliveries, webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate
from tests.engine.webhook_world import WebhookWorld
from tests.processes import PATIENCE_SECONDS
from tests.receivers import ReceivedRequest, Receiver, running_receiver


@pytest.fixture
def world(tmp_path: Path) -> Iterator[WebhookWorld]:
    built = WebhookWorld(f"sqlite:///{tmp_path / 'crossway.db'}", limit_seconds=5)
    yield built
    built.close()


def another_client(world: WebhookWorld) -> Principal:
    other = Client("c-2", "Another shop", 0, None, 250, world.clock.now())
    world.store.write(lambda unit: unit.api_keys.add_client(other))
    return replace(world.caller, client=other)


def test_a_response_for_a_deleted_webhook_is_not_attributed_to_another_client(
    world: WebhookWorld,
) -> None:
    done, let_go = threading.Event(), threading.Event()

    def late(_: ReceivedRequest) -> int:
        done.set()
        let_go.wait(PATIENCE_SECONDS)
        return 200

    neighbour = another_client(world)
    with running_receiver(Receiver(status_for=late)) as mine, running_receiver() as theirs:
        removed = world.create_webhook(mine.url).endpoint.id
        deliveries.send_test_event(world.services, world.caller, removed)
        world.dispatcher.tick()
        done.wait(PATIENCE_SECONDS)
        webhooks.delete_webhook(world.services, world.caller, removed)
        update = WebhookUpdate(url=theirs.url)
        webhook = webhooks.create_webhook(world.services, neighbour, update).endpoint.id
        sent, _ = deliveries.send_test_event(world.services, neighbour, webhook)
        let_go.set()
        world.deliver()
    assert len(theirs.requests) == 1
    observed = deliveries.get_delivery(world.services, neighbour, sent.id)
    assert (observed.delivery.state, observed.delivery.attempt_count) == (
        DeliveryState.DELIVERED,
        1,
    )
    assert len(observed.attempts) == 1
    assert webhook != removed


def test_hanging_endpoints_of_one_client_do_not_delay_other_clients(tmp_path: Path) -> None:
    url, limit_seconds = f"sqlite:///{tmp_path / 'small.db'}", 4 * PATIENCE_SECONDS
    world = WebhookWorld(url, limit_seconds, max_concurrent=16)
    neighbour, let_go = another_client(world), threading.Event()
    hanging = Receiver(status_for=lambda _: 200 if let_go.wait(limit_seconds) else 500)
    with running_receiver(hanging) as hung, running_receiver() as well:
        own = world.create_webhook(well.url).endpoint.id
        for _ in range(10):
            update = WebhookUpdate(url=hung.url)
            webhook = webhooks.create_webhook(world.services, neighbour, update).endpoint.id
            for _ in range(4):
                deliveries.send_test_event(world.services, neighbour, webhook)
        world.dispatcher.start()
        hung.wait_for(12)
        deliveries.send_test_event(world.services, world.caller, own)
        well.wait_for(1)
        assert len(hung.requests) == 12
        let_go.set()
    world.close()


def test_responses_are_stored_without_secrets_and_email_addresses(
    world: WebhookWorld,
) -> None:
    text = b"thanks, ada@example.com; my key is cr_test_0123456789abcdef, my secret whsec_YWJj"
    with running_receiver(Receiver(response_body=text)) as receiver:
        webhook = world.create_webhook(receiver.url)
        sent, _ = deliveries.send_test_event(world.services, world.caller, webhook.endpoint.id)
        world.deliver()
    (one,) = deliveries.get_delivery(world.services, world.caller, sent.id).attempts
    assert one.response == "thanks, [e-mail]; my key is cr_test_0123…, my secret whsec_…"
