"""KYC of a sandbox provider: automatic, set by hand, and deterministic."""

from dataclasses import replace

import pytest

from crossway.domain.clients import Mode, Owner
from crossway.domain.kyc import KycStatus, KycType, VerificationStatus
from crossway.ports.ramps import Document, KycUser
from crossway.ports.sandbox import RampFaults
from tests.ramps import EMAIL, USER, SandboxRamp

BASIC, ADVANCED, NONE = KycType.BASIC, KycType.ADVANCED, KycType.NONE
PENDING, APPROVED, REJECTED = KycStatus.PENDING, KycStatus.APPROVED, KycStatus.REJECTED
NUMBER = {"idNumber": "A7654321"}
PHOTO = Document("idPhoto", "image/png", b"\x89PNG")


def stands(
    ramp: SandboxRamp, email: str = EMAIL, owner: Owner = USER.owner
) -> tuple[KycType, KycStatus]:
    status = ramp.provider.get_kyc_status(KycUser(email, owner), "NG")
    return status.kyc_type, status.status


def test_an_unknown_customer_has_not_started(ramp: SandboxRamp) -> None:
    assert ramp.provider.get_kyc_status(USER, "NG") == VerificationStatus()


def test_a_basic_check_is_approved_after_some_seconds(ramp: SandboxRamp) -> None:
    submitted = ramp.provider.submit_kyc(USER, "NG", NUMBER, [])
    assert (submitted.kyc_type, submitted.status) == (BASIC, PENDING)
    assert submitted.submitted == {"idNumber"}
    assert submitted.passed is NONE
    ramp.pass_time(4)
    assert stands(ramp) == (BASIC, PENDING)
    ramp.pass_time(1)
    assert stands(ramp) == (BASIC, APPROVED)


def test_every_spelling_of_an_email_address_is_one_customer(ramp: SandboxRamp) -> None:
    ramp.controls.set_kyc_status(
        ramp.name, replace(USER, email=" ADA@Example.com"), "basic", "approved"
    )
    assert stands(ramp) == (BASIC, APPROVED)


def test_the_same_person_of_another_owner_is_another_user(ramp: SandboxRamp) -> None:
    ramp.controls.set_kyc_status(ramp.name, USER, "basic", "approved")
    for owner in (Owner("c-2", Mode.TEST), Owner("c-1", Mode.LIVE)):
        assert stands(ramp, owner=owner) == (KycType.NONE, KycStatus.NOT_STARTED)
        ramp.controls.set_kyc_status(ramp.name, KycUser(EMAIL, owner), "basic", "rejected")
    assert stands(ramp) == (BASIC, APPROVED)
    assert stands(ramp, "eve@example.com") == (NONE, KycStatus.NOT_STARTED)


def test_an_advanced_check_follows_the_basic_one_and_needs_manual_approval(
    ramp: SandboxRamp,
) -> None:
    ramp.provider.submit_kyc(USER, "NG", NUMBER, [PHOTO])
    assert stands(ramp) == (BASIC, PENDING)
    ramp.pass_time(10**6)
    assert stands(ramp) == (ADVANCED, PENDING)
    assert ramp.provider.get_kyc_status(USER, "NG").passed is BASIC
    ramp.controls.set_kyc_status(ramp.name, USER, "advanced", "approved")
    assert stands(ramp) == (ADVANCED, APPROVED)


def test_an_incomplete_submission_starts_no_check(ramp: SandboxRamp) -> None:
    ramp.provider.submit_kyc(USER, "NG", {}, [PHOTO])
    ramp.pass_time(100)
    assert stands(ramp) == (NONE, KycStatus.NOT_STARTED)
    ramp.provider.submit_kyc(USER, "NG", NUMBER, [])
    assert ramp.provider.get_kyc_status(USER, "NG").submitted == {"idNumber", "idPhoto"}
    assert stands(ramp) == (BASIC, PENDING)


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("approve", (ADVANCED, APPROVED)), ("manual", (BASIC, PENDING))],
)
def test_checks_pass_at_once_or_wait_for_approval(
    ramp: SandboxRamp, mode: str, expected: tuple[KycType, KycStatus]
) -> None:
    ramp.controls.inject_faults(ramp.name, RampFaults(kyc=mode))
    ramp.provider.submit_kyc(USER, "NG", NUMBER, [PHOTO])
    ramp.pass_time(0 if mode == "approve" else 10**6)
    assert stands(ramp) == expected


def test_approvals_survive_a_change_of_the_kyc_mode(ramp: SandboxRamp) -> None:
    ramp.provider.submit_kyc(USER, "NG", NUMBER, [])
    ramp.pass_time(5)
    assert stands(ramp) == (BASIC, APPROVED)
    ramp.controls.inject_faults(ramp.name, RampFaults(kyc="manual"))
    assert stands(ramp) == (BASIC, APPROVED)


def test_an_id_number_of_zeros_is_rejected_and_a_valid_one_checked_again(ramp: SandboxRamp) -> None:
    rejected = ramp.provider.submit_kyc(USER, "NG", {"idNumber": "00000000"}, [])
    assert (rejected.kyc_type, rejected.status) == (BASIC, REJECTED)
    assert rejected.reason == "This could not be verified: idNumber"
    assert rejected.submitted == frozenset()
    ramp.pass_time(100)
    assert stands(ramp) == (BASIC, REJECTED)
    ramp.provider.submit_kyc(USER, "NG", NUMBER, [])
    ramp.pass_time(5)
    assert stands(ramp) == (BASIC, APPROVED)
    assert ramp.provider.get_kyc_status(USER, "NG").reason == ""


def test_a_rejected_advanced_check_keeps_the_basic_approval(ramp: SandboxRamp) -> None:
    ramp.controls.set_kyc_status(ramp.name, USER, "basic", "approved")
    rejected = ramp.provider.submit_kyc(USER, "NG", {"idNumber": "0000"}, [])
    assert (rejected.kyc_type, rejected.status) == (ADVANCED, REJECTED)
    assert rejected.passed is BASIC


def test_a_new_submission_keeps_earlier_approvals(ramp: SandboxRamp) -> None:
    ramp.controls.set_kyc_status(ramp.name, USER, "advanced", "approved")
    for fields in (NUMBER, {"idNumber": "0000"}):
        ramp.provider.submit_kyc(USER, "NG", fields, [])
        assert stands(ramp) == (ADVANCED, APPROVED)


def test_a_status_set_by_hand_stays_until_the_next_submission(ramp: SandboxRamp) -> None:
    ramp.provider.submit_kyc(USER, "NG", NUMBER, [])
    ramp.controls.set_kyc_status(ramp.name, USER, "basic", "pending")
    ramp.pass_time(10**6)
    assert stands(ramp) == (BASIC, PENDING)
    ramp.controls.set_kyc_status(ramp.name, USER, "basic", "rejected")
    assert ramp.provider.get_kyc_status(USER, "NG").reason == "Rejected by hand"
    ramp.provider.submit_kyc(USER, "NG", NUMBER, [])
    ramp.pass_time(5)
    assert stands(ramp) == (BASIC, APPROVED)
