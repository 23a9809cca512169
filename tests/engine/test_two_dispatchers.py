"""Two dispatchers on one PostgreSQL database share deliveries: none twice, none left."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from crossway.domain.public_ids import RecordKind
from crossway.domain.webhooks import DeliveryState
from tests.databases import new_postgres
from tests.engine.webhook_world import WebhookWorld
from tests.receivers import running_receiver
from tests.record_numbers import public_id


@pytest.fixture
def url(postgres_url: str) -> Iterator[str]:
    with new_postgres(postgres_url) as database_url:
        yield database_url


def test_two_dispatchers_share_deliveries_and_keep_their_order(url: str) -> None:
    one, two = WebhookWorld(url), WebhookWorld(url)
    two.machine = one.machine
    with running_receiver() as receiver, running_receiver() as other:
        webhooks = [one.create_webhook(each.url) for each in (receiver, other)]
        intents = [one.create_intent(metadata={"number": number}) for number in range(10)]
        for intent in intents:
            one.deposit(intent)
        with ThreadPoolExecutor(2) as pool:
            one.pass_time(10)
            list(pool.map(WebhookWorld.deliver, (one, two)))
            one.pass_time(20)
            list(pool.map(WebhookWorld.deliver, (one, two)))
            one.deliver()
    for each, webhook in ((receiver, webhooks[0]), (other, webhooks[1])):
        events = [arrived.verify(webhook.secret) for arrived in each.requests]
        assert len({event["id"] for event in events}) == len(events) == 40
        for intent in intents:
            number = public_id(one.services, RecordKind.INTENT, intent.id)
            story = [e["type"] for e in events if e["data"]["id"] == number]
            assert story == [
                "intent_created",
                "intent_funded",
                "intent_initiated",
                "intent_completed",
            ]
        states = {delivery.state for delivery in one.list_deliveries(webhook.endpoint.id)}
        assert states == {DeliveryState.DELIVERED}
    for world in (two, one):
        world.close()
