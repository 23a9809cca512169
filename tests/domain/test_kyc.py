"""KYC rules for every tier, usage, order value and status."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import pytest

from crossway.domain.kyc import (
    KYC_TYPES,
    KycAssessment,
    KycContext,
    KycStatus,
    KycType,
    Requirement,
    Tier,
    VerificationStatus,
    assess_kyc,
    highest_complete_type,
    month_start,
    next_type,
    remaining_limit,
    required_tier,
    requirements_between,
)

USD = 10**6
NONE, BASIC, ADVANCED = KYC_TYPES
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
    VerificationStatus(),
    *(
        VerificationStatus(t, s)
        for t, s in product((BASIC, ADVANCED), (PENDING, APPROVED, REJECTED))
    ),
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


def subject(used: int = 0, worth: int | None = None, elsewhere: bool = False) -> KycContext:
    return KycContext("YELLOW_CARD", "a…@e….com", "p", "NG", "NGN", used, worth, elsewhere)


def state(standing: VerificationStatus, used: int = 0, worth: int | None = None) -> KycAssessment:
    return assess_kyc(subject(used, worth), TIERS, standing, ())


@pytest.mark.parametrize("standing", STANDINGS)
@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("worth", WORTHS)
def test_an_order_proceeds_within_the_limit_of_the_approved_level(
    standing: VerificationStatus, used: int, worth: int
) -> None:
    passed = PASSED[standing.kyc_type, standing.status]
    result = state(standing, used, worth)
    enough = [t for t in (BASIC, ADVANCED) if used + worth <= LIMIT[t]]
    assert standing.passed is passed
    assert result.limit_micro_usd == LIMIT[passed]
    assert result.remaining_micro_usd == max(LIMIT[passed] - used, 0)
    assert result.required is (enough[0] if enough else None)
    assert result.can_proceed is (
        bool(enough) and KYC_TYPES.index(passed) >= KYC_TYPES.index(enough[0])
    )
    if not enough:
        helps = False
    else:
        rejected = standing.status is REJECTED
        helps = not (rejected and KYC_TYPES.index(standing.kyc_type) <= KYC_TYPES.index(enough[0]))
    assert result.blocked is (not result.can_proceed and not helps)


@pytest.mark.parametrize("standing", STANDINGS)
@pytest.mark.parametrize("used", USED)
def test_without_an_order_nothing_is_required(standing: VerificationStatus, used: int) -> None:
    result = state(standing, used)
    assert (result.required, result.can_proceed) == (None, None)
    assert (result.kyc_type, result.status) == (standing.kyc_type, standing.status)
    passed = PASSED[standing.kyc_type, standing.status]
    no_more = passed is ADVANCED or standing.status is REJECTED
    assert result.blocked is (used >= LIMIT[passed] and no_more)


def test_a_per_order_tier_ignores_monthly_usage() -> None:
    (free, *_) = OPEN_TIERS
    assert remaining_limit(free, 10**12) == 50 * USD
    assert remaining_limit(None, 0) == 0
    assert required_tier(OPEN_TIERS, 10**12, 50 * USD) == free
    assert required_tier(OPEN_TIERS, 0, 50 * USD + 1) == TIERS[1]
    result = assess_kyc(subject(10**12, 50 * USD), OPEN_TIERS, VerificationStatus(), ())
    assert (result.can_proceed, result.monthly, result.required) == (True, False, NONE)


def test_a_level_above_all_tiers_gets_the_highest_tier() -> None:
    only_basic = TIERS[1:]
    result = assess_kyc(
        subject(0, 500 * USD), only_basic, VerificationStatus(ADVANCED, APPROVED), ()
    )
    assert (result.limit_micro_usd, result.can_proceed) == (500 * USD, True)
    assert assess_kyc(subject(0, 1), (), VerificationStatus(ADVANCED, APPROVED), ()).blocked


def test_missing_requirements_lead_to_the_required_level() -> None:
    def missing(
        standing: VerificationStatus, worth: int | None = None, *handed_in: str
    ) -> list[str]:
        result = assess_kyc(subject(0, worth), TIERS, standing, handed_in)
        return [item.key for item in result.missing]

    assert missing(VerificationStatus()) == ["name", "birth"]
    assert missing(VerificationStatus(), USD, "name") == ["birth"]
    assert missing(VerificationStatus(), 600 * USD) == ["name", "birth", "selfie"]
    assert missing(VerificationStatus(BASIC, APPROVED)) == ["name", "selfie"]
    assert missing(VerificationStatus(BASIC, APPROVED, submitted=frozenset({"name"}))) == ["selfie"]
    assert missing(VerificationStatus(BASIC, APPROVED), USD) == []
    assert missing(VerificationStatus(ADVANCED, APPROVED)) == []


def test_rejected_fields_are_missing_again() -> None:
    rejected = VerificationStatus(BASIC, REJECTED, submitted=frozenset({"name"}))
    result = assess_kyc(subject(), TIERS, rejected, {"name", "birth"})
    assert [item.key for item in result.missing] == ["birth"]
    silent = assess_kyc(subject(), TIERS, VerificationStatus(BASIC, REJECTED), {"name", "birth"})
    assert silent.missing == ()


@pytest.mark.parametrize("standing", STANDINGS)
def test_a_provider_hosted_check_requires_nothing_here(standing: VerificationStatus) -> None:
    fine = assess_kyc(subject(0, 9_000 * USD, elsewhere=True), TIERS, standing, ())
    assert fine.missing == ()
    assert fine.can_proceed is (standing.status is not REJECTED)
    too_much = assess_kyc(subject(0, 10_001 * USD, elsewhere=True), TIERS, standing, ())
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
def test_a_level_is_complete_when_all_requirements_are_submitted(
    passed: KycType, handed_in: tuple[str, ...], complete: KycType | None
) -> None:
    assert highest_complete_type(TIERS, passed, handed_in) is complete


def test_requirements_are_not_repeated() -> None:
    keys = [item.key for item in requirements_between(TIERS, NONE, ADVANCED)]
    assert keys == ["name", "birth", "selfie", "back"]
    assert (
        requirements_between(TIERS, ADVANCED, ADVANCED)
        == requirements_between(TIERS, NONE, None)
        == ()
    )
    assert [next_type(TIERS, kyc_type) for kyc_type in KYC_TYPES] == [BASIC, ADVANCED, None]
    assert highest_complete_type(TIERS[:1], NONE, {"name", "selfie"}) is None


@pytest.mark.parametrize("now", ["2026-11-01T00:00:00", "2026-11-30T23:59:59.999999"])
def test_a_month_begins_at_its_first_midnight_in_utc(now: str) -> None:
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)
    assert month_start(at) == datetime(2026, 11, 1, tzinfo=UTC)


def test_an_assessment_shows_the_providers_status() -> None:
    said = VerificationStatus(BASIC, REJECTED, "https://verify.example", reason="Blurred")
    result = state(said)
    assert (result.verification_url, result.reason) == ("https://verify.example", "Blurred")
    assert state(replace(said, reason="")).reason == ""
