"""Erasure of a customer: personal data is deleted, the order history stays."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from crossway.domain.clients import Client, Owner, OwnerFilter, Principal
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.public_ids import RecordKind
from crossway.domain.ramps import OrderState, RampOrder
from crossway.ports.kyc_check_repository import KycCheckFilter
from crossway.ports.store import UnitOfWork
from crossway.usecases.kyc import customers, verification
from crossway.usecases.kyc.submission_sync import submit_due
from tests.kyc_provider import BASIC, EMAIL, OWNER, KycHarness, new_kyc_harness
from tests.processes import wait_until
from tests.record_numbers import public_id
from tests.storage.ramp_records import an_order


@pytest.fixture
def kyc(tmp_path: Path) -> Iterator[KycHarness]:
    with new_kyc_harness(tmp_path / "data") as world:
        yield world


@pytest.fixture
def other_client(kyc: KycHarness) -> Principal:
    """Another client's principal."""
    client = Client("c-2", "Another", 0, None, 250, datetime(2026, 11, 21, tzinfo=UTC))
    kyc.world.store.write(lambda unit: unit.api_keys.add_client(client))
    return replace(kyc.world.caller, client=client)


def create_order_of_customer(kyc: KycHarness, **facts: Any) -> RampOrder:
    owner = Owner(facts.get("client_id", OWNER.client_id), OWNER.mode)
    person = customers.get_or_create_customer(kyc.services, owner, EMAIL)
    made: dict[str, Any] = {
        "customer_id": person.id,
        "encrypted_fields": kyc.services.vault.encrypt(b"fields"),
        "state": OrderState.COMPLETED,
        "instructions": {"Account name": "Ada"},
    }
    order = an_order(**made | facts)
    return kyc.world.store.write(lambda unit: unit.orders.add(order))


def read(kyc: KycHarness, order: RampOrder) -> RampOrder:
    with kyc.world.store.read() as unit:
        results = unit.orders.get(order.id)
        assert results is not None
        assert unit.orders.list_transitions(order.id)
    return results


def submit(kyc: KycHarness, caller: Principal) -> None:
    verification.submit_kyc(kyc.services, caller, "YELLOW_CARD", EMAIL, "NG", BASIC)


def test_an_operator_erases_all_data_of_a_customer(
    kyc: KycHarness, other_client: Principal
) -> None:
    submit(kyc, kyc.world.caller)
    orders = [
        create_order_of_customer(kyc),
        create_order_of_customer(kyc, client_id=other_client.client.id),
    ]
    person = customers.get_or_create_customer(kyc.services, OWNER, EMAIL)
    assert customers.erase_customer(kyc.services, kyc.world.operator, f" {EMAIL.upper()}") == 2
    for order in orders:
        emptied = replace(order, customer_id=None, encrypted_fields=None, instructions={})
        assert read(kyc, order) == emptied
    with kyc.world.store.read() as unit:
        customer = unit.kyc_customers.get(person.id)
        assert unit.kyc_customers.list_submissions(person.id, "YELLOW_CARD", "NG") == []
    assert customer is not None
    assert customer.erased_at == kyc.services.clock.now()
    assert customers.decrypt_email(kyc.services, customer) == ""
    assert kyc.services.vault.blind_index(EMAIL) not in repr(customer)
    assert customers.erase_customer(*kyc.staff_args, EMAIL) == 0


def test_an_erased_customer_who_returns_is_a_new_customer(kyc: KycHarness) -> None:
    before = create_order_of_customer(kyc)
    customers.erase_customer(kyc.services, kyc.world.operator, EMAIL)
    status = verification.assess_customer(*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert (status.subject.customer_id, status.subject.used_micro_usd) == (None, 100_000_000)
    assert customers.get_or_create_customer(kyc.services, OWNER, EMAIL).id != before.customer_id


def test_an_assessment_that_saw_a_customer_before_their_erasure_records_nothing(
    kyc: KycHarness,
) -> None:
    store = kyc.world.store
    submit(kyc, kyc.world.caller)
    kyc.provider.set_status(KycType.BASIC, KycStatus.APPROVED)
    owner = customers.get_or_create_customer(kyc.services, OWNER, EMAIL)
    arguments = (*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", "NGN")
    late = Thread(target=verification.assess_customer, args=arguments, daemon=True)

    def erase(unit: UnitOfWork) -> None:
        late.start()  # It reads what was committed before, and waits for this to write.
        wait_until("the assessment has something to record", lambda: store.waiting > 0)
        unit.kyc_customers.erase(owner.id, kyc.services.clock.now(), kyc.services.clock.now())
        unit.kyc_checks.delete(owner.id)

    store.write(erase)
    late.join()
    with store.read() as unit:
        assert unit.kyc_checks.list_page(KycCheckFilter(), 10) == []


def test_a_client_erases_only_its_own_data(kyc: KycHarness, other_client: Principal) -> None:
    submit(kyc, other_client)
    mine, theirs = (
        create_order_of_customer(kyc),
        create_order_of_customer(kyc, client_id=other_client.client.id),
    )
    assert customers.erase_customer(*kyc.staff_args, EMAIL) == 1
    assert read(kyc, mine).encrypted_fields is None
    assert read(kyc, theirs) == theirs
    person = customers.get_or_create_customer(kyc.services, other_client.owner, EMAIL)
    assert person.id == theirs.customer_id
    with kyc.world.store.read() as unit:
        assert unit.kyc_customers.list_submitted_fields(person.id, "YELLOW_CARD", "NG") == set(
            BASIC
        )
    assert customers.erase_customer(kyc.services, other_client, EMAIL) == 1
    with kyc.world.store.read() as unit:
        index = kyc.services.vault.blind_index(EMAIL)
        assert unit.kyc_customers.list_by_email(OwnerFilter(), index) == []


@pytest.mark.parametrize("state", [OrderState.PENDING, OrderState.INITIATED, OrderState.PROCESSING])
def test_no_customer_with_an_open_order_is_erased(
    kyc: KycHarness, other_client: Principal, state: OrderState
) -> None:
    order = create_order_of_customer(kyc, state=state)
    number = public_id(kyc.services, RecordKind.ORDER, order.id)
    for caller in (kyc.world.caller, kyc.world.operator):
        with pytest.raises(InvalidStatus, match=f"Order {number} of this user is under way"):
            customers.erase_customer(kyc.services, caller, EMAIL)
    assert read(kyc, order) == order
    assert customers.erase_customer(kyc.services, other_client, EMAIL) == 0


def test_erased_data_is_not_sent_to_a_provider(kyc: KycHarness) -> None:
    kyc.provider.unavailable = True
    submit(kyc, kyc.world.caller)
    customers.erase_customer(*kyc.staff_args, EMAIL)
    kyc.provider.unavailable = False
    kyc.world.machine.seconds += 86_400
    assert submit_due(kyc.services) == 0
    assert kyc.provider.submissions == []


def test_an_erasure_is_audited_without_the_email_address(kyc: KycHarness) -> None:
    create_order_of_customer(kyc)
    customers.erase_customer(*kyc.staff_args, EMAIL)
    with kyc.world.store.read() as unit:
        (line,) = [line for line in unit.audit_log.list_recent(9) if line[2] == "customer erased"]
    assert line[3]["orders"] == 1
    assert EMAIL not in str(line)


@pytest.mark.parametrize("email", [None, "", "eve", 5])
def test_an_erasure_needs_an_email_address(kyc: KycHarness, email: object) -> None:
    with pytest.raises(InvalidInput, match="userEmail"):
        customers.erase_customer(*kyc.staff_args, email)
