"""How a sandbox provider checks people: by itself, as told, and the same way each time."""

import pytest

from crossway.domain.kyc import KycStatus, KycType, VerificationStatus
from crossway.ports.ramps import Document
from crossway.ports.sandbox import RampFaults
from tests.ramps import EMAIL, Ramp

BASIC, ADVANCED, NONE = KycType.BASIC, KycType.ADVANCED, KycType.NONE
PENDING, APPROVED, REJECTED = KycStatus.PENDING, KycStatus.APPROVED, KycStatus.REJECTED
NUMBER = {"idNumber": "A7654321"}
PHOTO = Document("idPhoto", "image/png", b"\x89PNG")


def stands(ramp: Ramp, email: str = EMAIL) -> tuple[KycType, KycStatus]:
    found = ramp.provider.get_kyc_status(email, "NG")
    return found.kyc_type, found.status


def test_somebody_unknown_has_not_started(ramp: Ramp) -> None:
    assert ramp.provider.get_kyc_status(EMAIL, "NG") == VerificationStatus()


def test_a_basic_check_passes_by_itself_after_some_seconds(ramp: Ramp) -> None:
    submitted = ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [])
    assert (submitted.kyc_type, submitted.status) == (BASIC, PENDING)
    assert submitted.submitted == {"idNumber"}
    assert submitted.passed is NONE
    ramp.wait(4)
    assert stands(ramp) == (BASIC, PENDING)
    ramp.wait(1)
    assert stands(ramp) == (BASIC, APPROVED)


def test_an_address_is_the_same_in_every_spelling(ramp: Ramp) -> None:
    ramp.switches.set_verification_status(ramp.name, " ADA@Example.com", "basic", "approved")
    assert stands(ramp) == (BASIC, APPROVED)
    assert stands(ramp, "eve@example.com") == (NONE, KycStatus.NOT_STARTED)


def test_an_advanced_check_begins_after_the_basic_one_and_waits_to_be_told(ramp: Ramp) -> None:
    ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [PHOTO])
    assert stands(ramp) == (BASIC, PENDING)
    ramp.wait(10**6)
    assert stands(ramp) == (ADVANCED, PENDING)
    assert ramp.provider.get_kyc_status(EMAIL, "NG").passed is BASIC
    ramp.switches.set_verification_status(ramp.name, EMAIL, "advanced", "approved")
    assert stands(ramp) == (ADVANCED, APPROVED)


def test_a_part_of_what_is_asked_starts_no_check(ramp: Ramp) -> None:
    ramp.provider.submit_kyc(EMAIL, "NG", {}, [PHOTO])
    ramp.wait(100)
    assert stands(ramp) == (NONE, KycStatus.NOT_STARTED)
    ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [])
    assert ramp.provider.get_kyc_status(EMAIL, "NG").submitted == {"idNumber", "idPhoto"}
    assert stands(ramp) == (BASIC, PENDING)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("approve", (ADVANCED, APPROVED)), ("manual", (BASIC, PENDING))],
)
def test_checks_pass_at_once_or_wait_for_a_person(
    ramp: Ramp, mode: str, expected: tuple[KycType, KycStatus]
) -> None:
    ramp.switches.inject_faults(ramp.name, RampFaults(kyc=mode))
    ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [PHOTO])
    ramp.wait(0 if mode == "approve" else 10**6)
    assert stands(ramp) == expected


def test_what_was_approved_stays_so_when_checking_changes(ramp: Ramp) -> None:
    ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [])
    ramp.wait(5)
    assert stands(ramp) == (BASIC, APPROVED)
    ramp.switches.inject_faults(ramp.name, RampFaults(kyc="manual"))
    assert stands(ramp) == (BASIC, APPROVED)


def test_a_number_of_zeros_is_rejected_and_a_right_one_is_checked_anew(ramp: Ramp) -> None:
    rejected = ramp.provider.submit_kyc(EMAIL, "NG", {"idNumber": "00000000"}, [])
    assert (rejected.kyc_type, rejected.status) == (BASIC, REJECTED)
    assert rejected.reason == "This could not be verified: idNumber"
    assert rejected.submitted == frozenset()
    ramp.wait(100)
    assert stands(ramp) == (BASIC, REJECTED)
    ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [])
    ramp.wait(5)
    assert stands(ramp) == (BASIC, APPROVED)
    assert ramp.provider.get_kyc_status(EMAIL, "NG").reason == ""


def test_a_rejected_advanced_check_leaves_the_basic_one(ramp: Ramp) -> None:
    ramp.switches.set_verification_status(ramp.name, EMAIL, "basic", "approved")
    rejected = ramp.provider.submit_kyc(EMAIL, "NG", {"idNumber": "0000"}, [])
    assert (rejected.kyc_type, rejected.status) == (ADVANCED, REJECTED)
    assert rejected.passed is BASIC


def test_handing_in_again_leaves_what_was_approved(ramp: Ramp) -> None:
    ramp.switches.set_verification_status(ramp.name, EMAIL, "advanced", "approved")
    for fields in (NUMBER, {"idNumber": "0000"}):
        ramp.provider.submit_kyc(EMAIL, "NG", fields, [])
        assert stands(ramp) == (ADVANCED, APPROVED)


def test_what_is_set_by_hand_stays_until_something_is_handed_in(ramp: Ramp) -> None:
    ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [])
    ramp.switches.set_verification_status(ramp.name, EMAIL, "basic", "pending")
    ramp.wait(10**6)
    assert stands(ramp) == (BASIC, PENDING)
    ramp.switches.set_verification_status(ramp.name, EMAIL, "basic", "rejected")
    assert ramp.provider.get_kyc_status(EMAIL, "NG").reason == "Rejected by hand"
    ramp.provider.submit_kyc(EMAIL, "NG", NUMBER, [])
    ramp.wait(5)
    assert stands(ramp) == (BASIC, APPROVED)
