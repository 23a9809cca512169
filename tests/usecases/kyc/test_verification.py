"""The KYC status of a customer, and orders blocked by it."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import OwnerFilter, Scope
from crossway.domain.errors import InvalidInput, KycRequired, Unreachable
from crossway.domain.kyc import KycAssessment, KycStatus, KycType
from crossway.domain.ramps import OrderState, ProviderName
from crossway.domain.roles import Role
from crossway.ports.kyc_check_repository import KycCheckFilter
from crossway.usecases.kyc import customers, verification
from tests.kyc_provider import EMAIL, OWNER, KycHarness, new_kyc_harness
from tests.storage.ramp_records import an_order
from tests.storage.records import run_concurrently

USD = 10**6
NONE, BASIC, ADVANCED = KycType
APPROVED, REJECTED = KycStatus.APPROVED, KycStatus.REJECTED


@pytest.fixture
def kyc(tmp_path: Path) -> Iterator[KycHarness]:
    with new_kyc_harness(tmp_path / "data") as world:
        yield world


def state(kyc: KycHarness, amount: object = None, **changes: Any) -> KycAssessment:
    params: dict[str, Any] = {"provider": "YELLOW_CARD", "email": EMAIL, "country": "NG"}
    params |= {"currency": "NGN", "amount": amount} | changes
    return verification.assess_customer(*kyc.staff_args, **params)


def store_order_of_customer(
    kyc: KycHarness, worth_usd: int, days_ago: float = 0, **facts: Any
) -> str:
    """Store an order of the customer and return the customer's id."""
    person = customers.get_or_create_customer(kyc.services, OWNER, EMAIL)
    at = kyc.services.clock.now() - timedelta(days=days_ago)
    order = an_order(customer_id=person.id, value_micro_usd=worth_usd * USD, created_at=at, **facts)
    kyc.world.store.write(lambda unit: unit.orders.add(order))
    return person.id


def test_an_unknown_customer_has_not_started_and_reading_creates_none(kyc: KycHarness) -> None:
    result = state(kyc)
    assert (result.kyc_type, result.status) == (NONE, KycStatus.NOT_STARTED)
    assert (result.limit_micro_usd, result.subject.used_micro_usd) == (0, 0)
    assert (result.required, result.can_proceed, result.blocked) == (None, None, False)
    assert "idNumber" in {item.key for item in result.missing}
    with kyc.world.store.read() as unit:
        index = kyc.services.vault.blind_index(EMAIL)
        assert unit.kyc_customers.list_by_email(OwnerFilter(), index) == []


@pytest.mark.parametrize("amount", ["100", 100, 100.0, "100.000000"])
def test_with_an_amount_the_status_states_requirements_and_eligibility(
    kyc: KycHarness, amount: object
) -> None:
    result = state(kyc, amount)
    assert (result.required, result.can_proceed, result.subject.order_micro_usd) == (
        BASIC,
        False,
        100 * USD,
    )
    kyc.provider.set_status(BASIC, APPROVED)
    assert state(kyc, amount).can_proceed
    assert state(kyc, "500.000001").required is ADVANCED


def test_orders_of_this_month_count_towards_the_limit(kyc: KycHarness) -> None:
    kyc.provider.set_status(BASIC, APPROVED)
    store_order_of_customer(kyc, 300)
    store_order_of_customer(kyc, 150, provider=ProviderName.FONBNK)
    store_order_of_customer(kyc, 100, state=OrderState.CANCELLED)
    store_order_of_customer(kyc, 100, days_ago=20.51)
    store_order_of_customer(kyc, 0, days_ago=20.5)
    result = state(kyc, "200")
    assert (result.subject.used_micro_usd, result.remaining_micro_usd) == (300 * USD, 200 * USD)
    assert result.can_proceed
    assert not state(kyc, "200.000001").can_proceed


def test_a_month_is_a_calendar_month_of_the_service_clock(kyc: KycHarness) -> None:
    kyc.provider.set_status(BASIC, APPROVED)
    kyc.world.machine.seconds = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC).timestamp()
    store_order_of_customer(kyc, 500)
    assert not state(kyc, "1").can_proceed
    kyc.world.machine.seconds += 1
    result = state(kyc, "500")
    assert (result.can_proceed, result.subject.used_micro_usd) == (True, 0)


def test_a_rejected_check_blocks_but_a_lower_approval_remains(kyc: KycHarness) -> None:
    kyc.provider.set_status(BASIC, REJECTED)
    assert state(kyc, "10").blocked
    kyc.provider.set_status(ADVANCED, REJECTED)
    assert state(kyc, "10").can_proceed
    assert state(kyc, "900").blocked
    kyc.provider.set_status(ADVANCED, APPROVED)
    assert state(kyc, "10000.01").blocked


def test_the_email_address_is_masked_and_found_in_any_spelling(kyc: KycHarness) -> None:
    kyc.provider.set_status(BASIC, APPROVED)
    result = state(kyc, email=f" {EMAIL.upper()} ")
    assert (result.subject.email, result.kyc_type) == ("a…@e….com", BASIC)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"provider": "PAYPAL"}, "provider must be one of FONBNK, ONRAMP_MONEY, PAYCREST"),
        ({"provider": None}, "provider is required"),
        ({"email": None}, "userEmail is required"),
        ({"email": "eve"}, "userEmail must be"),
        ({"currency": "XXX"}, "fiatCurrency"),
        ({"currency": None}, "fiatCurrency"),
        ({"country": "KE"}, "countryCode"),
        ({"country": 5}, "countryCode"),
        ({"currency": "INR", "country": "IN"}, "provider: YELLOW_CARD does not serve INR in IN"),
        ({"amount": "-1"}, "cryptoAmount"),
        ({"amount": "0"}, "cryptoAmount must be greater than zero"),
        ({"amount": "1.0000001"}, "cryptoAmount"),
        ({"amount": True}, "cryptoAmount"),
        ({"amount": 1e-9}, "cryptoAmount"),
        ({"amount": "x", "amount_field": "amount"}, "^amount "),
    ],
)
def test_each_invalid_field_is_rejected_by_name(
    kyc: KycHarness, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        state(kyc, **changes)


def test_an_unreachable_provider_is_an_error_and_not_the_status_not_started(
    kyc: KycHarness,
) -> None:
    kyc.provider.unavailable = True
    with pytest.raises(Unreachable):
        state(kyc)


def test_requirements_depend_on_the_country(kyc: KycHarness) -> None:
    results = verification.get_requirements(*kyc.staff_args, "YELLOW_CARD", None, "XOF")
    assert (results.country, results.currency, results.verifies) == ("SN", "XOF", "here")
    assert [tier.kyc_type for tier in results.tiers] == [BASIC, ADVANCED]
    with pytest.raises(InvalidInput, match="countryCode"):
        verification.get_requirements(*kyc.staff_args, "YELLOW_CARD", "NG", "XOF")


def get_blocking_reason(
    kyc: KycHarness, worth_usd: int, email: str | None = EMAIL
) -> KycAssessment:
    name = kyc.provider.name
    country, currency = ("IN", "INR") if name is ProviderName.ONRAMP_MONEY else ("NG", "NGN")
    return verification.assess_order(
        *kyc.staff_args, name, email, country, currency, worth_usd * USD
    )


def test_an_order_without_the_required_kyc_is_rejected(kyc: KycHarness) -> None:
    assert not get_blocking_reason(kyc, 1).can_proceed
    kyc.provider.set_status(BASIC, APPROVED)
    assert get_blocking_reason(kyc, 500).can_proceed
    assert not get_blocking_reason(kyc, 501).can_proceed
    assert not get_blocking_reason(kyc, 1, email=None).can_proceed


def test_a_hosted_provider_admits_everybody(tmp_path: Path) -> None:
    with new_kyc_harness(tmp_path / "data", name=ProviderName.ONRAMP_MONEY) as kyc:
        assert get_blocking_reason(kyc, 100).can_proceed
        assert get_blocking_reason(kyc, 100, email=None).can_proceed
        kyc.provider.set_status(BASIC, REJECTED)
        assert get_blocking_reason(kyc, 100).blocked


def test_concurrent_orders_never_exceed_the_limit(kyc: KycHarness) -> None:
    kyc.provider.set_status(BASIC, APPROVED)
    allowed = get_blocking_reason(kyc, 300)
    person = customers.get_or_create_customer(kyc.services, OWNER, EMAIL)
    order = an_order(
        customer_id=person.id,
        value_micro_usd=300 * USD,
        created_at=kyc.services.clock.now(),
    )

    def opens(number: int) -> KycAssessment:
        def work(unit: Any) -> None:
            verification.recheck_limit(kyc.services, unit, allowed, person.id)
            unit.orders.add(replace(order, reference=f"r-{number}", intent_address=f"i-{number}"))

        try:
            kyc.world.store.write(work)
        except KycRequired as stopped:
            return stopped.assessment
        return allowed

    result = run_concurrently([lambda n=n: opens(n) for n in range(6)])  # type: ignore[misc]
    assert result.count(allowed) == 1
    stopped = next(item for item in result if item is not allowed)
    assert (stopped.can_proceed, stopped.remaining_micro_usd) == (False, 200 * USD)


def test_one_email_address_is_one_customer_under_concurrency(kyc: KycHarness) -> None:
    result = run_concurrently(
        [lambda: customers.get_or_create_customer(kyc.services, OWNER, EMAIL)] * 8
    )
    assert len({person.id for person in result}) == 1
    assert customers.decrypt_email(kyc.services, result[0]) == EMAIL
    assert customers.masked_email(kyc.services, result[0]) == "a…@e….com"
    assert customers.get_masked_email(kyc.services, result[0].id) == "a…@e….com"
    assert (
        customers.get_masked_email(kyc.services, None)
        == customers.get_masked_email(kyc.services, "p")
        == ""
    )
    without_email = replace(result[0], encrypted_email=None)
    assert customers.masked_email(kyc.services, without_email) == ""


READER = frozenset({Scope.READ})


@pytest.mark.parametrize(
    ("reading", "working"),
    [
        ({"role": Role.VIEWER}, {"role": Role.OPERATOR}),
        ({"scopes": READER}, {"scopes": READER | {Scope.WRITE}}),
    ],
    ids=["staff", "API key"],
)
def test_what_somebody_asks_who_may_only_read_is_not_recorded(
    kyc: KycHarness, reading: dict[str, Any], working: dict[str, Any]
) -> None:
    """The same question by somebody who may work on payments is."""
    customers.get_or_create_customer(kyc.services, OWNER, EMAIL)
    asked: list[list[tuple[ProviderName, KycStatus | None]]] = []
    for changes in (reading, working):
        caller = replace(kyc.world.caller, **changes)
        verification.assess_customer(kyc.services, caller, "YELLOW_CARD", EMAIL, "NG", "NGN")
        with kyc.world.store.read() as unit:
            checks = unit.kyc_checks.list_page(KycCheckFilter(), 10)
        asked.append([(check.provider, check.status) for check in checks])
    assert asked == [[], [(ProviderName.YELLOW_CARD, KycStatus.NOT_STARTED)]]
