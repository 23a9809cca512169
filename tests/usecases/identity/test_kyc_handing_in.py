"""Handing in fields and documents: kept at once, told when complete, told again until it is."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import KycAssessment, KycStatus, KycType
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import Document, ProviderRejected
from crossway.usecases.kyc import verification
from crossway.usecases.kyc.submission_sync import REJECTED_REASON, submit_due
from crossway.usecases.ramp_provider_calls import PROVIDER_TIMEOUT_SECONDS
from tests.kyc_provider import BASIC, EMAIL, PNG, KycHarness, an_office

ADDRESS = {"address": "12 Marina Road, Lagos"}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[KycHarness]:
    with an_office(tmp_path / "data") as made:
        yield made


def submit(office: KycHarness, fields: object, **changes: Any) -> KycAssessment:
    asked: dict[str, Any] = {"provider": "YELLOW_CARD", "email": EMAIL, "country": "NG"}
    return verification.submit_kyc(*office.asked, **{**asked, "fields": fields, **changes})


def add(
    office: KycHarness, key: str, media_type: str = "image/png", content: bytes = PNG
) -> KycAssessment:
    return verification.add_document(
        *office.asked, "YELLOW_CARD", EMAIL, "NG", key, media_type, content, "NGN"
    )


def missing(found: KycAssessment) -> list[str]:
    return [one.key for one in found.missing]


def test_a_provider_is_told_once_a_check_is_complete(office: KycHarness) -> None:
    first = {key: BASIC[key] for key in ("firstName", "lastName", "dateOfBirth")}
    found = submit(office, first)
    assert missing(found) == ["idType", "idNumber"]
    assert (found.status, office.desk.told) == (KycStatus.NOT_STARTED, [])
    found = submit(office, {key: BASIC[key] for key in ("idType", "idNumber")})
    assert (found.kyc_type, found.status) == (KycType.BASIC, KycStatus.PENDING)
    assert missing(found) == []
    (told,) = office.desk.told
    assert (told.email, told.country, told.fields, told.documents) == (EMAIL, "NG", BASIC, [])


def test_documents_go_with_the_check_that_asks_for_them(office: KycHarness) -> None:
    office.desk.says(KycType.BASIC, KycStatus.APPROVED)
    assert missing(submit(office, ADDRESS)) == ["idDocumentFront", "selfie"]
    add(office, "idDocumentFront")
    found = add(office, "selfie")
    assert (found.kyc_type, found.status) == (KycType.ADVANCED, KycStatus.PENDING)
    (told,) = office.desk.told
    assert told.fields == ADDRESS
    assert list(told.documents) == [
        Document(key, "image/png", PNG) for key in ("idDocumentFront", "selfie")
    ]


def test_fields_and_documents_can_come_together(office: KycHarness) -> None:
    files = [Document(key, "image/png", PNG) for key in ("idDocumentFront", "selfie")]
    submit(office, BASIC | ADDRESS, documents=files)
    (told,) = office.desk.told
    assert told.fields == BASIC | ADDRESS
    assert len(told.documents) == 2
    submit(office, None, documents=files[:1])


def test_what_is_handed_in_again_replaces_what_it_was(office: KycHarness) -> None:
    submit(office, BASIC)
    submit(office, {"lastName": "King"})
    assert [one.fields["lastName"] for one in office.desk.told] == ["Lovelace", "King"]


def test_a_provider_that_gives_no_answer_is_told_later(office: KycHarness) -> None:
    office.desk.silent = True
    found = submit(office, BASIC)
    assert (found.kyc_type, found.status) == (KycType.BASIC, KycStatus.PENDING)
    assert missing(found) == []
    assert submit_due(office.services) == 0
    for waited in (60, 60, 120, 240):
        office.world.machine.seconds += waited
        assert submit_due(office.services) == 1
        assert submit_due(office.services) == 0
    office.desk.silent = False
    office.world.machine.seconds += 3600
    assert submit_due(office.services) == 1
    (told,) = office.desk.told
    assert told.fields == BASIC
    office.world.machine.seconds += 86_400
    assert submit_due(office.services) == 0


def test_a_provider_that_hangs_is_told_later_as_well(office: KycHarness) -> None:
    office.desk.opens.clear()
    begun = monotonic()
    found = submit(office, BASIC)
    assert monotonic() - begun < PROVIDER_TIMEOUT_SECONDS + 4
    assert (found.status, missing(found)) == (KycStatus.PENDING, [])
    office.desk.opens.set()
    office.world.machine.seconds += 61
    assert submit_due(office.services) == 1
    assert office.desk.told[0].fields == BASIC


def test_what_a_provider_does_not_take_is_said_and_can_be_handed_in_again(
    office: KycHarness,
) -> None:
    office.desk.refuses = "The number is not known"
    with pytest.raises(ProviderRejected, match="The number is not known"):
        submit(office, BASIC)
    found = verification.assess_customer(*office.asked, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert (found.kyc_type, found.status, found.reason) == (
        KycType.BASIC,
        KycStatus.REJECTED,
        REJECTED_REASON,
    )
    office.desk.refuses = ""
    assert submit(office, {"idNumber": "48151623422"}).status is KycStatus.PENDING
    assert office.desk.told[0].fields == BASIC | {"idNumber": "48151623422"}


def test_a_refusal_that_comes_later_is_shown(office: KycHarness) -> None:
    office.desk.silent = True
    submit(office, BASIC)
    office.desk.silent, office.desk.refuses = False, "No"
    office.world.machine.seconds += 61
    assert submit_due(office.services) == 1
    office.world.machine.seconds += 86_400
    assert submit_due(office.services) == 0
    found = verification.assess_customer(*office.asked, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert found.status is KycStatus.REJECTED


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"fields": {}}, "^fields must be an object"),
        ({"fields": None}, "^fields must be an object"),
        ({"fields": {"idNumber": "1", "shoe": "42"}}, "^fields.idNumber .*; fields.shoe "),
        ({"fields": {"selfie": "x"}}, "^fields.selfie is a document"),
        ({"country": None}, "^countryCode must be a country of YELLOW_CARD"),
        ({"country": "IN"}, "^countryCode"),
        ({"country": "NG", "currency": "KES"}, "^countryCode"),
        ({"provider": "X"}, "^provider"),
        ({"email": ""}, "^userEmail"),
        ({"documents": [Document("selfie", "image/png", b"x")]}, "^selfie"),
    ],
)
def test_each_bad_field_is_refused_by_name_and_nothing_is_kept(
    office: KycHarness, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        submit(office, **{"fields": BASIC, **changes})
    with office.world.store.read() as unit:
        assert unit.kyc_customers.list_page(10) == []


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
def test_a_document_that_is_not_what_it_says_is_refused(
    office: KycHarness, key: str, media_type: str, content: bytes
) -> None:
    with pytest.raises(InvalidInput, match=r"^key|^selfie"):
        add(office, key, media_type, content)


def test_nothing_is_handed_in_where_a_provider_has_its_own_page(tmp_path: Path) -> None:
    with (
        an_office(tmp_path / "data", name=ProviderName.ONRAMP_MONEY) as office,
        pytest.raises(
            InvalidInput, match="verifies users on its own page and takes no submissions here"
        ),
    ):
        verification.submit_kyc(*office.asked, "ONRAMP_MONEY", EMAIL, "IN", BASIC)


def test_handing_in_is_audited_without_what_was_handed_in(office: KycHarness) -> None:
    submit(office, BASIC)
    with office.world.store.read() as unit:
        (line,) = [
            line for line in unit.audit_log.list_recent(9) if line[2] == "KYC data submitted"
        ]
    assert line[3]["keys"] == list(BASIC)
    assert not any(value in str(line) for value in (EMAIL, *BASIC.values()) if value != "NIN")
