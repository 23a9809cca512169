"""Search finds the record that an identifier names, and never another client's."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.errors import Forbidden, InvalidInput, InvalidStatus
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Role
from crossway.usecases.payments import notes_and_saved_views, search, timeline
from crossway.usecases.payments import notes_and_saved_views as notes
from crossway.usecases.payments.checkout_urls import create_token
from tests.storage.records import a_client
from tests.usecases.ramp_world import ADA, RampWorld

ORDER = {"orderId": "ORD-77", "customer": "eve@example.com"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[RampWorld]:
    built = RampWorld(f"sqlite:///{tmp_path / 'world.db'}")
    yield built
    built.store.close()


def best_match(world: RampWorld, text: str) -> tuple[str, int | str] | None:
    hits = search.search(world.services, world.operator, text).best_match
    return (hits.kind, hits.id) if hits else None


@pytest.fixture
def paid(world: RampWorld) -> Intent:
    """A completed payment, beside another to the same recipient."""
    world.create_intent()
    intent = world.create_intent(metadata=ORDER)
    world.deposit(intent)
    return world.wait_for_state(intent, State.COMPLETED)


def test_every_identifier_of_a_payment_finds_it(world: RampWorld, paid: Intent) -> None:
    entries = timeline.get_timeline(world.services, world.operator, paid.id)
    [deposit] = entries.deposits
    page = create_token(world.services, paid.id)
    for text in (
        str(paid.id),
        f"#{paid.id}",
        paid.address,
        paid.address.lower(),
        paid.address.upper(),
        paid.destination_address,
        paid.intent_hash,
        deposit.incoming.tx_hash,
        f"https://basescan.org/tx/{deposit.incoming.tx_hash}",
        *(attempt.signed.tx_id for attempt in entries.attempts),
        *(move.id for move in entries.transitions),
        "ord-77",
        f"ethereum:{paid.address}@8453?value=1",
        f"eip155:8453:{paid.address}",
        f"http://localhost:8600/intent?id={paid.id}",
        f"http://localhost:8600/pay/{page}",
        "eve@example.com",
    ):
        assert best_match(world, text) == ("payment", paid.id), text


def test_a_shared_identifier_lists_all_hits_with_reasons(world: RampWorld, paid: Intent) -> None:
    hits = search.search(world.services, world.operator, paid.terms.recipient)
    assert hits.best_match is None
    assert {hit.matched_field for hit in hits.hits} == {"recipient"}
    assert [hit.id for hit in hits.hits] == [paid.id, paid.id - 1]


def test_orders_customers_clients_and_requests_are_found(world: RampWorld) -> None:
    order = world.create_on_ramp()
    assert best_match(world, f"order {order.id}") == ("order", order.id)
    assert best_match(world, order.provider_reference) == ("order", order.id)
    assert best_match(world, order.reference) == ("order", order.id)
    hits = search.search(world.services, world.operator, ADA.upper())
    assert hits.best_match is not None
    assert hits.best_match.kind == "customer"
    assert {"customer", "order", "payment"} == {hit.kind for hit in hits.hits}
    assert best_match(world, world.caller.client.name) == ("client", world.caller.client.id)
    assert best_match(world, "order 99") is None


@pytest.mark.parametrize("text", ["", "  ", "%", "nobody", "0x", "https://[x", "9" * 400, "\0"])
def test_unknown_text_finds_nothing(world: RampWorld, paid: Intent, text: str) -> None:
    assert search.search(world.services, world.operator, text).hits == ()


def test_a_client_finds_only_its_own_records(world: RampWorld, paid: Intent) -> None:
    stranger = replace(
        world.caller, client=a_client("c-9"), mode=Mode.TEST, scopes=frozenset(Scope)
    )
    for text in (str(paid.id), paid.address, "ord-77", ADA, world.caller.client.id):
        assert search.search(world.services, stranger, text).hits == ()
    mine = search.search(world.services, world.caller, paid.address).best_match
    assert mine is not None
    assert mine.id == paid.id


def test_notes_appear_in_the_timeline_and_viewers_cannot_add_any(
    world: RampWorld, paid: Intent
) -> None:
    notes.add_note(world.services, world.operator, paid.id, "  The payer called.  ")
    entries = timeline.get_timeline(world.services, world.operator, paid.id)
    assert [(note.author, note.text) for note in entries.notes] == [
        (world.operator.actor_name, "The payer called.")
    ]
    with pytest.raises(Forbidden):
        notes.add_note(world.services, staff_principal("Vera", Role.VIEWER), paid.id, "I was here")
    for words in ("  ", "x" * 2_001):
        with pytest.raises(InvalidInput, match="note"):
            notes.add_note(world.services, world.operator, paid.id, words)


def test_saved_views_are_shared_by_the_team(world: RampWorld) -> None:
    services, ada = world.services, staff_principal("Ada")
    vera = staff_principal("Vera", Role.VIEWER)
    created = notes_and_saved_views.save_view(
        services, ada, "intents", " Held  up ", "all=exception%3Astuck", True
    )
    assert [view.name for view in notes_and_saved_views.list_views(services, vera, "intents")] == [
        "Held up"
    ]
    with pytest.raises(InvalidStatus, match="named Held up already exists, saved by Ada"):
        notes_and_saved_views.save_view(services, ada, "intents", "held UP", "all=x")
    for refused in (
        lambda: notes_and_saved_views.save_view(services, vera, "intents", "Mine", "all=x"),
        lambda: notes_and_saved_views.update_view(services, vera, created.id, "Mine"),
        lambda: notes_and_saved_views.delete_view(services, vera, created.id),
    ):
        with pytest.raises(Forbidden):
            refused()
    notes_and_saved_views.update_view(services, ada, created.id, "Stuck", is_default=False)
    notes_and_saved_views.delete_view(services, ada, created.id)
    assert notes_and_saved_views.list_views(services, vera, "intents") == []


def test_a_refund_estimate_states_the_network_fee(world: RampWorld) -> None:
    intent = world.create_intent()
    assert timeline.estimate_refund(world.services, intent) is None
    world.deposit(intent, "short")
    world.pass_time(20)
    out = timeline.estimate_refund(world.services, world.reload(intent))
    assert out is not None
    assert out.fee_units > 0
    assert out.fee_micro_usd is not None
    assert not out.is_dust
