"""Where somebody stands with a provider, what stops an order (service.md §12–14, wire.md §5)."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput, KycRequired, Unreachable
from crossway.domain.kyc import KycAssessment, KycStatus, KycType
from crossway.domain.ramps import OrderState, ProviderName
from crossway.usecases.kyc import customers, verification
from tests.kyc_provider import EMAIL, KycHarness, an_office
from tests.storage.ramp_records import an_order
from tests.storage.records import run_concurrently

USD = 10**6
NONE, BASIC, ADVANCED = KycType
APPROVED, REJECTED = KycStatus.APPROVED, KycStatus.REJECTED


@pytest.fixture
def office(tmp_path: Path) -> Iterator[KycHarness]:
    with an_office(tmp_path / "data") as made:
        yield made


def state(office: KycHarness, amount: object = None, **changes: Any) -> KycAssessment:
    asked: dict[str, Any] = {"provider": "YELLOW_CARD", "email": EMAIL, "country": "NG"}
    asked |= {"currency": "NGN", "amount": amount} | changes
    return verification.assess_customer(*office.asked, **asked)


def buys(office: KycHarness, worth_usd: int, days_ago: float = 0, **facts: Any) -> str:
    """An order of the person; answers the person's number."""
    person = customers.get_or_create_customer(office.services, EMAIL)
    at = office.services.clock.now() - timedelta(days=days_ago)
    order = an_order(customer_id=person.id, value_micro_usd=worth_usd * USD, created_at=at, **facts)
    office.world.store.write(lambda unit: unit.orders.add(order))
    return person.id


def test_nobody_known_has_started_nothing_and_asking_makes_nobody_known(office: KycHarness) -> None:
    found = state(office)
    assert (found.kyc_type, found.status) == (NONE, KycStatus.NOT_STARTED)
    assert (found.limit_micro_usd, found.subject.used_micro_usd) == (0, 0)
    assert (found.required, found.can_proceed, found.blocked) == (None, None, False)
    assert "idNumber" in {one.key for one in found.missing}
    with office.world.store.read() as unit:
        assert unit.kyc_customers.list_page(10) == []


@pytest.mark.parametrize("amount", ["100", 100, 100.0, "100.000000"])
def test_with_an_amount_it_says_what_is_required_and_whether_it_can_go(
    office: KycHarness, amount: object
) -> None:
    found = state(office, amount)
    assert (found.required, found.can_proceed, found.subject.order_micro_usd) == (
        BASIC,
        False,
        100 * USD,
    )
    office.desk.says(BASIC, APPROVED)
    assert state(office, amount).can_proceed
    assert state(office, "500.000001").required is ADVANCED


def test_the_limit_is_used_up_by_this_months_orders(office: KycHarness) -> None:
    office.desk.says(BASIC, APPROVED)
    buys(office, 300)
    buys(office, 150, provider=ProviderName.FONBNK)
    buys(office, 100, state=OrderState.CANCELLED)
    buys(office, 100, days_ago=20.51)
    buys(office, 0, days_ago=20.5)
    found = state(office, "200")
    assert (found.subject.used_micro_usd, found.remaining_micro_usd) == (300 * USD, 200 * USD)
    assert found.can_proceed
    assert not state(office, "200.000001").can_proceed


def test_a_month_is_the_calendars_by_the_services_clock(office: KycHarness) -> None:
    office.desk.says(BASIC, APPROVED)
    office.world.machine.seconds = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC).timestamp()
    buys(office, 500)
    assert not state(office, "1").can_proceed
    office.world.machine.seconds += 1
    found = state(office, "500")
    assert (found.can_proceed, found.subject.used_micro_usd) == (True, 0)


def test_a_rejected_check_blocks_and_a_higher_one_keeps_the_lower(office: KycHarness) -> None:
    office.desk.says(BASIC, REJECTED)
    assert state(office, "10").blocked
    office.desk.says(ADVANCED, REJECTED)
    assert state(office, "10").can_proceed
    assert state(office, "900").blocked
    office.desk.says(ADVANCED, APPROVED)
    assert state(office, "10000.01").blocked


def test_the_address_is_shown_masked_and_found_in_any_spelling(office: KycHarness) -> None:
    office.desk.says(BASIC, APPROVED)
    found = state(office, email=f" {EMAIL.upper()} ")
    assert (found.subject.email, found.kyc_type) == ("a…@e….com", BASIC)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"provider": "PAYPAL"}, "provider must be one of FONBNK, ONRAMP_MONEY, PAYCREST"),
        ({"provider": None}, "provider must be one of"),
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
def test_each_bad_field_is_refused_by_name(
    office: KycHarness, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        state(office, **changes)


def test_a_provider_that_gives_no_answer_is_unknown_not_not_started(office: KycHarness) -> None:
    office.desk.silent = True
    with pytest.raises(Unreachable):
        state(office)


def test_requirements_are_the_countrys(office: KycHarness) -> None:
    found = verification.get_requirements(*office.asked, "YELLOW_CARD", None, "XOF")
    assert (found.country, found.currency, found.verifies) == ("SN", "XOF", "here")
    assert [tier.kyc_type for tier in found.tiers] == [BASIC, ADVANCED]
    with pytest.raises(InvalidInput, match="countryCode"):
        verification.get_requirements(*office.asked, "YELLOW_CARD", "NG", "XOF")


def gate(office: KycHarness, worth_usd: int, email: str | None = EMAIL) -> KycAssessment:
    name = office.desk.name
    country, currency = ("IN", "INR") if name is ProviderName.ONRAMP_MONEY else ("NG", "NGN")
    return verification.assess_order(
        office.services, name, email, country, currency, worth_usd * USD
    )


def test_an_order_is_stopped_by_the_check_that_it_requires(office: KycHarness) -> None:
    assert not gate(office, 1).can_proceed
    office.desk.says(BASIC, APPROVED)
    assert gate(office, 500).can_proceed
    assert not gate(office, 501).can_proceed
    assert not gate(office, 1, email=None).can_proceed


def test_a_provider_with_its_own_page_lets_everybody_go_there(tmp_path: Path) -> None:
    with an_office(tmp_path / "data", name=ProviderName.ONRAMP_MONEY) as office:
        assert gate(office, 100).can_proceed
        assert gate(office, 100, email=None).can_proceed
        office.desk.says(BASIC, REJECTED)
        assert gate(office, 100).blocked


def test_two_orders_at_once_never_exceed_the_limit(office: KycHarness) -> None:
    office.desk.says(BASIC, APPROVED)
    allowed = gate(office, 300)
    person = customers.get_or_create_customer(office.services, EMAIL)
    order = an_order(
        customer_id=person.id,
        value_micro_usd=300 * USD,
        created_at=office.services.clock.now(),
    )

    def opens(number: int) -> KycAssessment:
        def work(unit: Any) -> None:
            verification.recheck_limit(office.services, unit, allowed, person.id)
            unit.orders.add(replace(order, reference=f"r-{number}", intent_address=f"i-{number}"))

        try:
            office.world.store.write(work)
        except KycRequired as stopped:
            return stopped.assessment
        return allowed

    found = run_concurrently([lambda n=n: opens(n) for n in range(6)])  # type: ignore[misc]
    assert found.count(allowed) == 1
    stopped = next(one for one in found if one is not allowed)
    assert (stopped.can_proceed, stopped.remaining_micro_usd) == (False, 200 * USD)


def test_one_address_is_one_person_whoever_comes_first(office: KycHarness) -> None:
    found = run_concurrently([lambda: customers.get_or_create_customer(office.services, EMAIL)] * 8)
    assert len({person.id for person in found}) == 1
    assert customers.decrypt_email(office.services, found[0]) == EMAIL
    assert customers.masked_email(office.services, found[0]) == "a…@e….com"
    assert customers.get_masked_email(office.services, found[0].id) == "a…@e….com"
    assert (
        customers.get_masked_email(office.services, None)
        == customers.get_masked_email(office.services, "p")
        == ""
    )
    gone = replace(found[0], encrypted_email=None)
    assert customers.masked_email(office.services, gone) == ""
