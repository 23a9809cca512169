"""The migration that gives every record a mode: nothing is lost, nothing is in two worlds."""

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from crossway.domain.clients import ApiKey, Mode, Owner, OwnerFilter, Scope
from crossway.domain.intent import State
from crossway.domain.webhooks import Endpoint
from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.ports.webhook_repository import DeliveryFilter, NewDelivery
from crossway.storage.migrate import FOLDER, upgrade
from crossway.storage.store import SqlStore
from tests.storage.records import NOW, a_client, store_intent

BEFORE = "v1_0007"


def downgrade(store: SqlStore, revision: str = BEFORE) -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    with store.writer.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)


def add_key(store: SqlStore, client: str, mode: Mode) -> None:
    key = ApiKey(0, client, mode, frozenset(Scope), f"cr_{mode}_abcd", NOW, None, None)
    store.write(lambda unit: unit.api_keys.add_api_key(key, f"{client} {mode}"))


def add_webhook(store: SqlStore, client: str, mode: Mode) -> Endpoint:
    endpoint = Endpoint(
        0, client, f"https://{client}.example/", ("*",), "", client.encode(), None, None, True, "",
        None, NOW, NOW, mode,
    )  # fmt: skip
    return store.write(lambda unit: unit.webhooks.add(endpoint))


def deliver_all_events(store: SqlStore, webhook: Endpoint) -> None:
    """Deliver every event to one webhook, as it was before webhooks had a mode."""
    with store.read() as unit:
        events = unit.outbox.list_unsequenced(100)
    new = [NewDelivery(webhook.id, event.id, "", NOW) for event in events]
    store.write(lambda unit: unit.deliveries.add_many(new))


def owners(store: SqlStore) -> list[tuple[str, Mode]]:
    with store.read() as unit:
        return sorted((e.client_id, e.mode) for e in unit.webhooks.list_by_owner(OwnerFilter()))


def test_a_webhook_of_both_modes_becomes_two_and_keeps_every_delivery(store: SqlStore) -> None:
    store.write(lambda unit: unit.api_keys.add_client(a_client("c-2")))
    for client, mode in (("c-1", Mode.TEST), ("c-1", Mode.LIVE), ("c-2", Mode.TEST)):
        add_key(store, client, mode)
    intents = {mode: store_intent(store, mode=mode.value) for mode in Mode}
    webhook = add_webhook(store, "c-1", Mode.LIVE)
    add_webhook(store, "c-2", Mode.TEST)
    deliver_all_events(store, webhook)
    downgrade(store)
    upgrade(store.writer)
    assert owners(store) == [("c-1", Mode.LIVE), ("c-1", Mode.TEST), ("c-2", Mode.TEST)]
    with store.read() as unit:
        for mode in Mode:
            [endpoint] = unit.webhooks.list_by_owner(OwnerFilter("c-1", mode))
            assert (endpoint.secret, endpoint.url) == (webhook.secret, webhook.url)
            page = unit.deliveries.list_page(DeliveryFilter(webhook_id=endpoint.id), 10)
            assert [event.resource_id for _, event in page] == [intents[mode].id]
            assert [event.mode for _, event in page] == [mode]
            assert unit.intents.count_by_state(OwnerFilter("c-1", mode)) == {State.PENDING: 1}
    downgrade(store)
    with store.reader.connect() as db:
        assert db.execute(text("SELECT count(*) FROM webhooks")).scalar_one() == 2
        of_old = text("SELECT count(*) FROM deliveries WHERE webhook_id = :id")
        assert db.execute(of_old, {"id": webhook.id}).scalar_one() == 2
    upgrade(store.writer)


def test_a_webhook_goes_on_receiving_what_its_client_has_without_a_key(store: SqlStore) -> None:
    """Payments are made on the dashboard too, and a key may be revoked on the day of the update."""
    for client, modes in (("c-2", [Mode.LIVE]), ("c-3", [Mode.LIVE]), ("c-4", list(Mode))):
        store.write(lambda unit, id=client: unit.api_keys.add_client(a_client(id)))  # type: ignore[misc]
        for mode in modes:
            store_intent(store, client_id=client, mode=mode.value)
        deliver_all_events(store, add_webhook(store, client, Mode.TEST))
    add_key(store, "c-3", Mode.TEST)
    downgrade(store)
    upgrade(store.writer)
    assert owners(store) == [
        ("c-2", Mode.LIVE), ("c-3", Mode.LIVE), ("c-3", Mode.TEST),
        ("c-4", Mode.LIVE), ("c-4", Mode.TEST),
    ]  # fmt: skip
    with store.read() as unit:
        for endpoint in unit.webhooks.list_by_owner(OwnerFilter()):
            for _, event in unit.deliveries.list_page(DeliveryFilter(webhook_id=endpoint.id), 10):
                assert event.mode == endpoint.mode


def test_an_old_idempotent_answer_is_replayed_in_both_modes(store: SqlStore) -> None:
    owner = Owner("c-1", Mode.TEST)
    store.write(lambda unit: unit.api_keys.open_idempotency_slot(owner, "k", "body", NOW, "r", 9))
    store.write(lambda unit: unit.api_keys.store_response(owner, "k", "r", 201, b"{}"))
    downgrade(store)
    upgrade(store.writer)
    with store.read() as unit:
        slots = [unit.api_keys.get_idempotency_slot(Owner("c-1", mode), "k") for mode in Mode]
    assert slots[0] == slots[1]
    assert slots[0] is not None
    assert (slots[0].status, slots[0].body) == (201, b"{}")


def test_an_old_request_has_the_mode_of_its_key(store: SqlStore) -> None:
    lines = [
        LoggedRequest(0, NOW, f"r-{prefix}", "GET", "/v1/x", 200, 1, client, prefix, None, None)
        for client, prefix in (("c-1", "cr_live_abcd"), ("c-1", "cr_test_abcd"), (None, None))
    ]
    store.write(lambda unit: unit.request_log.add(lines))
    downgrade(store)
    upgrade(store.writer)
    with store.read() as unit:
        for mode in Mode:
            listed = unit.request_log.list_page(RequestFilter(mode=mode), 10)
            assert [line.key_prefix for line in listed] == [None, f"cr_{mode}_abcd"]
            own = unit.request_log.list_page(RequestFilter(client_id="c-1", mode=mode), 10)
            assert [line.mode for line in own] == [mode]
