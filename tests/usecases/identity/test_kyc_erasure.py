"""Forgetting a person: nothing of them is left, and the history of their orders is."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import Client, Principal
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.ramps import OrderState, RampOrder
from crossway.usecases.kyc import customers, verification
from crossway.usecases.kyc.submission_sync import submit_due
from tests.kyc_provider import BASIC, EMAIL, KycHarness, an_office
from tests.storage.ramp_records import an_order


@pytest.fixture
def office(tmp_path: Path) -> Iterator[KycHarness]:
    with an_office(tmp_path / "data") as made:
        yield made


@pytest.fixture
def other(office: KycHarness) -> Principal:
    """Another client."""
    client = Client("c-2", "Another", 0, None, 250, datetime(2026, 11, 21, tzinfo=UTC))
    office.world.store.write(lambda unit: unit.api_keys.add_client(client))
    return replace(office.world.caller, client=client)


def order_of_hers(office: KycHarness, **facts: Any) -> RampOrder:
    person = customers.get_or_create_customer(office.services, EMAIL)
    made: dict[str, Any] = {
        "customer_id": person.id,
        "encrypted_fields": office.services.vault.encrypt(b"fields"),
        "state": OrderState.COMPLETED,
        "instructions": {"Account name": "Ada"},
    }
    order = an_order(**made | facts)
    return office.world.store.write(lambda unit: unit.orders.add(order))


def read(office: KycHarness, order: RampOrder) -> RampOrder:
    with office.world.store.read() as unit:
        found = unit.orders.get(order.id)
        assert found is not None
        assert unit.orders.list_transitions(order.id)
    return found


def hand_in(office: KycHarness, caller: Principal) -> None:
    verification.submit_kyc(office.services, caller, "YELLOW_CARD", EMAIL, "NG", BASIC)


def test_an_operator_forgets_all_of_a_person(office: KycHarness, other: Principal) -> None:
    hand_in(office, office.world.caller)
    orders = [order_of_hers(office), order_of_hers(office, client_id=other.client.id)]
    person = customers.get_or_create_customer(office.services, EMAIL)
    assert (
        customers.erase_customer(office.services, office.world.operator, f" {EMAIL.upper()}") == 2
    )
    for order in orders:
        emptied = replace(order, customer_id=None, encrypted_fields=None, instructions={})
        assert read(office, order) == emptied
    with office.world.store.read() as unit:
        gone = unit.kyc_customers.get(person.id)
        assert unit.kyc_customers.list_submissions(person.id, "YELLOW_CARD", "NG") == []
    assert gone is not None
    assert gone.erased_at == office.services.clock.now()
    assert customers.decrypt_email(office.services, gone) == ""
    assert office.services.vault.blind_index(EMAIL) not in repr(gone)
    assert customers.erase_customer(*office.asked, EMAIL) == 0


def test_who_comes_back_after_an_erasure_is_somebody_new(office: KycHarness) -> None:
    before = order_of_hers(office)
    customers.erase_customer(office.services, office.world.operator, EMAIL)
    found = verification.assess_customer(*office.asked, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert (found.subject.customer_id, found.subject.used_micro_usd) == (None, 0)
    assert customers.get_or_create_customer(office.services, EMAIL).id != before.customer_id


def test_a_client_forgets_only_what_came_through_it(office: KycHarness, other: Principal) -> None:
    hand_in(office, other)
    mine, theirs = order_of_hers(office), order_of_hers(office, client_id=other.client.id)
    assert customers.erase_customer(*office.asked, EMAIL) == 1
    assert read(office, mine).encrypted_fields is None
    assert read(office, theirs) == theirs
    person = customers.get_or_create_customer(office.services, EMAIL)
    assert person.id == theirs.customer_id
    with office.world.store.read() as unit:
        assert unit.kyc_customers.list_submitted_fields(person.id, "YELLOW_CARD", "NG") == set(
            BASIC
        )
    assert customers.erase_customer(office.services, other, EMAIL) == 1
    with office.world.store.read() as unit:
        assert unit.kyc_customers.find_by_email(office.services.vault.blind_index(EMAIL)) is None


@pytest.mark.parametrize("state", [OrderState.PENDING, OrderState.INITIATED, OrderState.PROCESSING])
def test_nobody_is_forgotten_while_an_order_of_theirs_is_under_way(
    office: KycHarness, other: Principal, state: OrderState
) -> None:
    order = order_of_hers(office, state=state)
    for caller in (office.world.caller, office.world.operator):
        with pytest.raises(InvalidStatus, match=f"Order {order.id} of this user is under way"):
            customers.erase_customer(office.services, caller, EMAIL)
    assert read(office, order) == order
    assert customers.erase_customer(office.services, other, EMAIL) == 0


def test_a_provider_is_told_nothing_of_who_was_forgotten(office: KycHarness) -> None:
    office.desk.silent = True
    hand_in(office, office.world.caller)
    customers.erase_customer(*office.asked, EMAIL)
    office.desk.silent = False
    office.world.machine.seconds += 86_400
    assert submit_due(office.services) == 0
    assert office.desk.told == []


def test_an_erasure_is_audited_without_the_address(office: KycHarness) -> None:
    order_of_hers(office)
    customers.erase_customer(*office.asked, EMAIL)
    with office.world.store.read() as unit:
        (line,) = [line for line in unit.audit_log.list_recent(9) if line[2] == "customer erased"]
    assert (line[3]["orders"], line[3]["complete"]) == (1, True)
    assert EMAIL not in str(line)


@pytest.mark.parametrize("email", [None, "", "eve", 5])
def test_only_an_address_can_be_forgotten(office: KycHarness, email: object) -> None:
    with pytest.raises(InvalidInput, match="userEmail"):
        customers.erase_customer(*office.asked, email)
