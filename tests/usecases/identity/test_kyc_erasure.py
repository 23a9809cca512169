"""Forgetting a person: nothing of them is left, and the history of their orders is."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import Caller, Client
from crossway.domain.errors import InvalidInput, WrongState
from crossway.domain.ramps import OrderState, RampOrder
from crossway.usecases.identity import kyc
from crossway.usecases.identity.handover import hand_over_due
from tests.identity_desk import BASIC, EMAIL, Office, an_office
from tests.storage.ramp_records import an_order


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with an_office(tmp_path / "data") as made:
        yield made


@pytest.fixture
def other(office: Office) -> Caller:
    """Another client."""
    client = Client("c-2", "Another", 0, None, 250, datetime(2026, 11, 21, tzinfo=UTC))
    office.world.store.write(lambda unit: unit.access.add_client(client))
    return replace(office.world.caller, client=client)


def order_of_hers(office: Office, **facts: Any) -> RampOrder:
    person = kyc.person_of(office.services, EMAIL)
    made: dict[str, Any] = {
        "person_id": person.id,
        "sealed": office.services.vault.seal(b"fields"),
        "state": OrderState.COMPLETED,
        "instructions": {"Account name": "Ada"},
    }
    order = an_order(**made | facts)
    return office.world.store.write(lambda unit: unit.orders.add(order))


def read(office: Office, order: RampOrder) -> RampOrder:
    with office.world.store.read() as unit:
        found = unit.orders.get(order.id)
        assert found is not None
        assert unit.orders.moves(order.id)
    return found


def hand_in(office: Office, caller: Caller) -> None:
    kyc.submit(office.services, caller, "YELLOW_CARD", EMAIL, "NG", BASIC)


def test_an_operator_forgets_all_of_a_person(office: Office, other: Caller) -> None:
    hand_in(office, office.world.caller)
    orders = [order_of_hers(office), order_of_hers(office, client_id=other.client.id)]
    person = kyc.person_of(office.services, EMAIL)
    assert kyc.erase(office.services, office.world.operator, f" {EMAIL.upper()}") == 2
    for order in orders:
        emptied = replace(order, person_id=None, sealed=None, instructions={})
        assert read(office, order) == emptied
    with office.world.store.read() as unit:
        gone = unit.people.get(person.id)
        assert unit.people.submitted(person.id, "YELLOW_CARD", "NG") == []
    assert gone is not None
    assert gone.erased_at == office.services.clock.now()
    assert kyc.reveal_email(office.services, gone) == ""
    assert office.services.vault.index(EMAIL) not in repr(gone)
    assert kyc.erase(*office.asked, EMAIL) == 0


def test_who_comes_back_after_an_erasure_is_somebody_new(office: Office) -> None:
    before = order_of_hers(office)
    kyc.erase(office.services, office.world.operator, EMAIL)
    found = kyc.state(*office.asked, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert (found.subject.person_id, found.subject.used_micro_usd) == (None, 0)
    assert kyc.person_of(office.services, EMAIL).id != before.person_id


def test_a_client_forgets_only_what_came_through_it(office: Office, other: Caller) -> None:
    hand_in(office, other)
    mine, theirs = order_of_hers(office), order_of_hers(office, client_id=other.client.id)
    assert kyc.erase(*office.asked, EMAIL) == 1
    assert read(office, mine).sealed is None
    assert read(office, theirs) == theirs
    person = kyc.person_of(office.services, EMAIL)
    assert person.id == theirs.person_id
    with office.world.store.read() as unit:
        assert unit.people.submitted_keys(person.id, "YELLOW_CARD", "NG") == set(BASIC)
    assert kyc.erase(office.services, other, EMAIL) == 1
    with office.world.store.read() as unit:
        assert unit.people.find(office.services.vault.index(EMAIL)) is None


@pytest.mark.parametrize("state", [OrderState.PENDING, OrderState.INITIATED, OrderState.PROCESSING])
def test_nobody_is_forgotten_while_an_order_of_theirs_is_under_way(
    office: Office, other: Caller, state: OrderState
) -> None:
    order = order_of_hers(office, state=state)
    for caller in (office.world.caller, office.world.operator):
        with pytest.raises(WrongState, match=f"Order {order.id} of this user is under way"):
            kyc.erase(office.services, caller, EMAIL)
    assert read(office, order) == order
    assert kyc.erase(office.services, other, EMAIL) == 0


def test_a_provider_is_told_nothing_of_who_was_forgotten(office: Office) -> None:
    office.desk.silent = True
    hand_in(office, office.world.caller)
    kyc.erase(*office.asked, EMAIL)
    office.desk.silent = False
    office.world.hand.seconds += 86_400
    assert hand_over_due(office.services) == 0
    assert office.desk.told == []


def test_an_erasure_is_audited_without_the_address(office: Office) -> None:
    order_of_hers(office)
    kyc.erase(*office.asked, EMAIL)
    with office.world.store.read() as unit:
        (line,) = [line for line in unit.network.audited(9) if line[2] == "person erased"]
    assert (line[3]["orders"], line[3]["whole"]) == (1, True)
    assert EMAIL not in str(line)


@pytest.mark.parametrize("email", [None, "", "eve", 5])
def test_only_an_address_can_be_forgotten(office: Office, email: object) -> None:
    with pytest.raises(InvalidInput, match="userEmail"):
        kyc.erase(*office.asked, email)
