"""The rules of identity checks: every tier, usage, worth and status (wire.md §5)."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import pytest

from crossway.domain.kyc import (
    ORDERED,
    KycState,
    KycStatus,
    KycType,
    Requirement,
    Standing,
    Subject,
    Tier,
    asked_for,
    complete_type,
    judge,
    month_start,
    next_type,
    required_tier,
    room,
)

USD = 10**6
NONE, BASIC, ADVANCED = ORDERED
NOT_STARTED, PENDING, APPROVED, REJECTED = KycStatus
NAME, BIRTH = Requirement("name", "Name", "text"), Requirement("birth", "Birth", "date")
SELFIE = Requirement("selfie", "Photograph", "document")
BACK = Requirement("back", "Its back", "document", required=False)
TIERS = (
    Tier(ADVANCED, 10_000 * USD, "month", (NAME, SELFIE, BACK)),
    Tier(BASIC, 500 * USD, "month", (NAME, BIRTH)),
)
OPEN_TIERS = (Tier(NONE, 50 * USD, "order"), *TIERS)
LIMIT = {NONE: 0, BASIC: 500 * USD, ADVANCED: 10_000 * USD}
STANDINGS = [
    Standing(),
    *(Standing(t, s) for t, s in product((BASIC, ADVANCED), (PENDING, APPROVED, REJECTED))),
]
PASSED = {
    (NONE, NOT_STARTED): NONE,
    (BASIC, PENDING): NONE,
    (BASIC, REJECTED): NONE,
    (BASIC, APPROVED): BASIC,
    (ADVANCED, PENDING): BASIC,
    (ADVANCED, REJECTED): BASIC,
    (ADVANCED, APPROVED): ADVANCED,
}
USED = [0, 1, 499 * USD, 500 * USD, 501 * USD, 9_999 * USD, 10_000 * USD, 20_000 * USD]
WORTHS = [1, USD, 2 * USD, 500 * USD, 500 * USD + 1, 10_000 * USD, 10_000 * USD + 1]


def subject(used: int = 0, worth: int | None = None, elsewhere: bool = False) -> Subject:
    return Subject("YELLOW_CARD", "a…@e….com", "p", "NG", "NGN", used, worth, elsewhere)


def state(standing: Standing, used: int = 0, worth: int | None = None) -> KycState:
    return judge(subject(used, worth), TIERS, standing, ())


@pytest.mark.parametrize("standing", STANDINGS)
@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("worth", WORTHS)
def test_an_order_goes_where_the_limit_of_the_passed_check_is_not_used_up(
    standing: Standing, used: int, worth: int
) -> None:
    passed = PASSED[standing.kyc_type, standing.status]
    found = state(standing, used, worth)
    enough = [t for t in (BASIC, ADVANCED) if used + worth <= LIMIT[t]]
    assert standing.passed is passed
    assert found.limit_micro_usd == LIMIT[passed]
    assert found.remaining_micro_usd == max(LIMIT[passed] - used, 0)
    assert found.required is (enough[0] if enough else None)
    assert found.can_proceed is (bool(enough) and ORDERED.index(passed) >= ORDERED.index(enough[0]))
    if not enough:
        helps = False
    else:
        rejected = standing.status is REJECTED
        helps = not (rejected and ORDERED.index(standing.kyc_type) <= ORDERED.index(enough[0]))
    assert found.blocked is (not found.can_proceed and not helps)


@pytest.mark.parametrize("standing", STANDINGS)
@pytest.mark.parametrize("used", USED)
def test_without_an_order_in_mind_nothing_is_required(standing: Standing, used: int) -> None:
    found = state(standing, used)
    assert (found.required, found.can_proceed) == (None, None)
    assert (found.kyc_type, found.status) == (standing.kyc_type, standing.status)
    passed = PASSED[standing.kyc_type, standing.status]
    no_more = passed is ADVANCED or standing.status is REJECTED
    assert found.blocked is (used >= LIMIT[passed] and no_more)


def test_a_tier_for_each_order_knows_no_month() -> None:
    (free, *_) = OPEN_TIERS
    assert room(free, 10**12) == 50 * USD
    assert room(None, 0) == 0
    assert required_tier(OPEN_TIERS, 10**12, 50 * USD) == free
    assert required_tier(OPEN_TIERS, 0, 50 * USD + 1) == TIERS[1]
    found = judge(subject(10**12, 50 * USD), OPEN_TIERS, Standing(), ())
    assert (found.can_proceed, found.monthly, found.required) == (True, False, NONE)


def test_who_passed_more_than_a_country_knows_holds_its_highest() -> None:
    only_basic = TIERS[1:]
    found = judge(subject(0, 500 * USD), only_basic, Standing(ADVANCED, APPROVED), ())
    assert (found.limit_micro_usd, found.can_proceed) == (500 * USD, True)
    assert judge(subject(0, 1), (), Standing(ADVANCED, APPROVED), ()).blocked


def test_what_is_missing_leads_to_the_required_check() -> None:
    def missing(standing: Standing, worth: int | None = None, *handed_in: str) -> list[str]:
        found = judge(subject(0, worth), TIERS, standing, handed_in)
        return [one.key for one in found.missing]

    assert missing(Standing()) == ["name", "birth"]
    assert missing(Standing(), USD, "name") == ["birth"]
    assert missing(Standing(), 600 * USD) == ["name", "birth", "selfie"]
    assert missing(Standing(BASIC, APPROVED)) == ["name", "selfie"]
    assert missing(Standing(BASIC, APPROVED, submitted=frozenset({"name"}))) == ["selfie"]
    assert missing(Standing(BASIC, APPROVED), USD) == []
    assert missing(Standing(ADVANCED, APPROVED)) == []


def test_what_a_provider_did_not_take_is_missing_again() -> None:
    rejected = Standing(BASIC, REJECTED, submitted=frozenset({"name"}))
    found = judge(subject(), TIERS, rejected, {"name", "birth"})
    assert [one.key for one in found.missing] == ["birth"]
    silent = judge(subject(), TIERS, Standing(BASIC, REJECTED), {"name", "birth"})
    assert silent.missing == ()


@pytest.mark.parametrize("standing", STANDINGS)
def test_a_provider_that_checks_on_its_own_page_asks_for_nothing_here(standing: Standing) -> None:
    fine = judge(subject(0, 9_000 * USD, elsewhere=True), TIERS, standing, ())
    assert fine.missing == ()
    assert fine.can_proceed is (standing.status is not REJECTED)
    too_much = judge(subject(0, 10_001 * USD, elsewhere=True), TIERS, standing, ())
    assert not too_much.can_proceed
    assert too_much.blocked


@pytest.mark.parametrize(
    ("passed", "handed_in", "complete"),
    [
        (NONE, (), None),
        (NONE, ("name",), None),
        (NONE, ("selfie",), None),
        (NONE, ("name", "birth"), BASIC),
        (NONE, ("name", "birth", "selfie"), ADVANCED),
        (BASIC, ("name", "birth"), None),
        (BASIC, ("name", "selfie"), ADVANCED),
        (ADVANCED, ("name", "birth", "selfie"), None),
    ],
)
def test_a_check_is_complete_with_all_that_must_be_handed_in(
    passed: KycType, handed_in: tuple[str, ...], complete: KycType | None
) -> None:
    assert complete_type(TIERS, passed, handed_in) is complete


def test_everything_is_asked_for_once() -> None:
    keys = [one.key for one in asked_for(TIERS, NONE, ADVANCED)]
    assert keys == ["name", "birth", "selfie", "back"]
    assert asked_for(TIERS, ADVANCED, ADVANCED) == asked_for(TIERS, NONE, None) == ()
    assert [next_type(TIERS, one) for one in ORDERED] == [BASIC, ADVANCED, None]
    assert complete_type(TIERS[:1], NONE, {"name", "selfie"}) is None


@pytest.mark.parametrize("now", ["2026-11-01T00:00:00", "2026-11-30T23:59:59.999999"])
def test_a_month_begins_at_its_first_midnight_in_utc(now: str) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert month_start(at) == datetime(2026, 11, 1, tzinfo=UTC)


def test_a_state_shows_what_the_provider_says() -> None:
    said = Standing(BASIC, REJECTED, "https://verify.example", reason="Blurred")
    found = state(said)
    assert (found.verification_url, found.reason) == ("https://verify.example", "Blurred")
    assert state(replace(said, reason="")).reason == ""
