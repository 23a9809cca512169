"""Submissions: stored at once, sent to the provider when complete, retried until received."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.clients import OwnerFilter
from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import KycAssessment, KycStatus, KycType
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import Document, ProviderRejected
from crossway.usecases.kyc import verification
from crossway.usecases.kyc.submission_sync import REJECTED_REASON, submit_due
from tests.kyc_provider import BASIC, EMAIL, PNG, KycHarness, new_kyc_harness

ADDRESS = {"address": "12 Marina Road, Lagos"}


@pytest.fixture
def kyc(tmp_path: Path) -> Iterator[KycHarness]:
    with new_kyc_harness(tmp_path / "data") as world:
        yield world


def submit(kyc: KycHarness, fields: object, **changes: Any) -> KycAssessment:
    params: dict[str, Any] = {"provider": "YELLOW_CARD", "email": EMAIL, "country": "NG"}
    return verification.submit_kyc(*kyc.staff_args, **{**params, "fields": fields, **changes})


def add(
    kyc: KycHarness, key: str, media_type: str = "image/png", content: bytes = PNG
) -> KycAssessment:
    return verification.add_document(
        *kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", key, media_type, content, "NGN"
    )


def missing_keys(status: KycAssessment) -> list[str]:
    return [item.key for item in status.missing]


def test_a_complete_submission_is_sent_to_the_provider_once(kyc: KycHarness) -> None:
    first = {key: BASIC[key] for key in ("firstName", "lastName", "dateOfBirth")}
    result = submit(kyc, first)
    assert missing_keys(result) == ["idType", "idNumber"]
    assert (result.status, kyc.provider.submissions) == (KycStatus.NOT_STARTED, [])
    result = submit(kyc, {key: BASIC[key] for key in ("idType", "idNumber")})
    assert (result.kyc_type, result.status) == (KycType.BASIC, KycStatus.PENDING)
    assert missing_keys(result) == []
    (submissions,) = kyc.provider.submissions
    assert (submissions.email, submissions.country, submissions.fields, submissions.documents) == (
        EMAIL,
        "NG",
        BASIC,
        [],
    )


def test_documents_are_sent_with_the_level_that_requires_them(kyc: KycHarness) -> None:
    kyc.provider.set_status(KycType.BASIC, KycStatus.APPROVED)
    assert missing_keys(submit(kyc, ADDRESS)) == ["idDocumentFront", "selfie"]
    add(kyc, "idDocumentFront")
    result = add(kyc, "selfie")
    assert (result.kyc_type, result.status) == (KycType.ADVANCED, KycStatus.PENDING)
    (submissions,) = kyc.provider.submissions
    assert submissions.fields == ADDRESS
    assert list(submissions.documents) == [
        Document(key, "image/png", PNG) for key in ("idDocumentFront", "selfie")
    ]


def test_fields_and_documents_can_come_together(kyc: KycHarness) -> None:
    files = [Document(key, "image/png", PNG) for key in ("idDocumentFront", "selfie")]
    submit(kyc, BASIC | ADDRESS, documents=files)
    (submissions,) = kyc.provider.submissions
    assert submissions.fields == BASIC | ADDRESS
    assert len(submissions.documents) == 2
    submit(kyc, None, documents=files[:1])


def test_a_second_submission_replaces_the_first(kyc: KycHarness) -> None:
    submit(kyc, BASIC)
    submit(kyc, {"lastName": "King"})
    assert [submission.fields["lastName"] for submission in kyc.provider.submissions] == [
        "Lovelace",
        "King",
    ]


def test_a_submission_to_an_unreachable_provider_is_retried(kyc: KycHarness) -> None:
    kyc.provider.unavailable = True
    result = submit(kyc, BASIC)
    assert (result.kyc_type, result.status) == (KycType.BASIC, KycStatus.PENDING)
    assert missing_keys(result) == []
    assert submit_due(kyc.services) == 0
    for waited in (60, 60, 120, 240):
        kyc.world.machine.seconds += waited
        assert submit_due(kyc.services) == 1
        assert submit_due(kyc.services) == 0
    kyc.provider.unavailable = False
    kyc.world.machine.seconds += 3600
    assert submit_due(kyc.services) == 1
    (submissions,) = kyc.provider.submissions
    assert submissions.fields == BASIC
    kyc.world.machine.seconds += 86_400
    assert submit_due(kyc.services) == 0


def test_a_submission_to_a_hanging_provider_is_retried(kyc: KycHarness) -> None:
    # It answers nothing before `set`.
    kyc.provider.may_respond.clear()
    result = submit(kyc, BASIC)
    assert (result.status, missing_keys(result)) == (KycStatus.PENDING, [])
    kyc.provider.may_respond.set()
    kyc.world.machine.seconds += 61
    assert submit_due(kyc.services) == 1
    assert kyc.provider.submissions[0].fields == BASIC


def test_a_rejected_submission_shows_the_reason_and_can_be_repeated(
    kyc: KycHarness,
) -> None:
    kyc.provider.rejection = "The number is not known"
    with pytest.raises(ProviderRejected, match="The number is not known"):
        submit(kyc, BASIC)
    status = verification.assess_customer(*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert (status.kyc_type, status.status, status.reason) == (
        KycType.BASIC,
        KycStatus.REJECTED,
        REJECTED_REASON,
    )
    kyc.provider.rejection = ""
    assert submit(kyc, {"idNumber": "48151623422"}).status is KycStatus.PENDING
    assert kyc.provider.submissions[0].fields == BASIC | {"idNumber": "48151623422"}


def test_a_later_rejection_is_shown(kyc: KycHarness) -> None:
    kyc.provider.unavailable = True
    submit(kyc, BASIC)
    kyc.provider.unavailable, kyc.provider.rejection = False, "No"
    kyc.world.machine.seconds += 61
    assert submit_due(kyc.services) == 1
    kyc.world.machine.seconds += 86_400
    assert submit_due(kyc.services) == 0
    status = verification.assess_customer(*kyc.staff_args, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert status.status is KycStatus.REJECTED


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"fields": {}}, "^fields must be an object"),
        ({"fields": None}, "^fields must be an object"),
        ({"fields": {"idNumber": "1", "shoe": "42"}}, "^fields.idNumber .*; fields.shoe "),
        ({"fields": {"selfie": "x"}}, "^fields.selfie is a document"),
        ({"country": None}, "^countryCode or fiatCurrency is required$"),
        ({"country": "IN"}, "^countryCode"),
        ({"country": "NG", "currency": "KES"}, "^countryCode"),
        ({"provider": "X"}, "^provider"),
        ({"email": ""}, "^userEmail"),
        ({"documents": [Document("selfie", "image/png", b"x")]}, "^selfie"),
    ],
)
def test_each_invalid_field_is_rejected_by_name_and_nothing_is_stored(
    kyc: KycHarness, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        submit(kyc, **{"fields": BASIC, **changes})
    with kyc.world.store.read() as unit:
        index = kyc.services.vault.blind_index(EMAIL)
        assert unit.kyc_customers.list_by_email(OwnerFilter(), index) == []


@pytest.mark.parametrize(
    ("key", "media_type", "content"),
    [
        ("selfie", "image/jpeg", PNG),
        ("selfie", "image/png", b"plain text"),
        ("firstName", "image/png", PNG),
        ("passport", "image/png", PNG),
        ("selfie", "image/png", PNG + bytes(5 * 2**20)),
    ],
)
def test_a_document_must_match_its_declared_type(
    kyc: KycHarness, key: str, media_type: str, content: bytes
) -> None:
    with pytest.raises(InvalidInput, match=r"^key|^selfie"):
        add(kyc, key, media_type, content)


def test_a_hosted_provider_accepts_no_submission(tmp_path: Path) -> None:
    with (
        new_kyc_harness(tmp_path / "data", name=ProviderName.ONRAMP_MONEY) as kyc,
        pytest.raises(
            InvalidInput, match="verifies users on its own page and takes no submissions here"
        ),
    ):
        verification.submit_kyc(*kyc.staff_args, "ONRAMP_MONEY", EMAIL, "IN", BASIC)


def test_submissions_are_audited_without_their_content(kyc: KycHarness) -> None:
    submit(kyc, BASIC)
    with kyc.world.store.read() as unit:
        (line,) = [
            line for line in unit.audit_log.list_recent(9) if line[2] == "KYC data submitted"
        ]
    assert line[3]["keys"] == list(BASIC)
    assert not any(value in str(line) for value in (EMAIL, *BASIC.values()) if value != "NIN")
