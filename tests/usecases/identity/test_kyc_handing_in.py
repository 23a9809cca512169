"""Handing in fields and documents: kept at once, told when complete, told again until it is."""

from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.kyc import KycState, KycStatus, KycType
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import Document, ProviderRefused
from crossway.usecases.identity import kyc
from crossway.usecases.identity.handover import REFUSED, hand_over_due
from crossway.usecases.ramps.timing import PATIENCE_SECONDS
from tests.identity_desk import BASIC, EMAIL, PNG, Office, an_office

ADDRESS = {"address": "12 Marina Road, Lagos"}


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with an_office(tmp_path / "data") as made:
        yield made


def submit(office: Office, fields: object, **changes: Any) -> KycState:
    asked: dict[str, Any] = {"provider": "YELLOW_CARD", "email": EMAIL, "country": "NG"}
    return kyc.submit(*office.asked, **{**asked, "fields": fields, **changes})


def add(office: Office, key: str, media_type: str = "image/png", content: bytes = PNG) -> KycState:
    return kyc.add_document(
        *office.asked, "YELLOW_CARD", EMAIL, "NG", key, media_type, content, "NGN"
    )


def missing(found: KycState) -> list[str]:
    return [one.key for one in found.missing]


def test_a_provider_is_told_once_a_check_is_complete(office: Office) -> None:
    first = {key: BASIC[key] for key in ("firstName", "lastName", "dateOfBirth")}
    found = submit(office, first)
    assert missing(found) == ["idType", "idNumber"]
    assert (found.status, office.desk.told) == (KycStatus.NOT_STARTED, [])
    found = submit(office, {key: BASIC[key] for key in ("idType", "idNumber")})
    assert (found.kyc_type, found.status) == (KycType.BASIC, KycStatus.PENDING)
    assert missing(found) == []
    (told,) = office.desk.told
    assert (told.email, told.country, told.fields, told.documents) == (EMAIL, "NG", BASIC, [])


def test_documents_go_with_the_check_that_asks_for_them(office: Office) -> None:
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


def test_fields_and_documents_can_come_together(office: Office) -> None:
    files = [Document(key, "image/png", PNG) for key in ("idDocumentFront", "selfie")]
    submit(office, BASIC | ADDRESS, documents=files)
    (told,) = office.desk.told
    assert told.fields == BASIC | ADDRESS
    assert len(told.documents) == 2
    submit(office, None, documents=files[:1])


def test_what_is_handed_in_again_replaces_what_it_was(office: Office) -> None:
    submit(office, BASIC)
    submit(office, {"lastName": "King"})
    assert [one.fields["lastName"] for one in office.desk.told] == ["Lovelace", "King"]


def test_a_provider_that_gives_no_answer_is_told_later(office: Office) -> None:
    office.desk.silent = True
    found = submit(office, BASIC)
    assert (found.kyc_type, found.status) == (KycType.BASIC, KycStatus.PENDING)
    assert missing(found) == []
    assert hand_over_due(office.services) == 0
    for waited in (60, 60, 120, 240):
        office.world.hand.seconds += waited
        assert hand_over_due(office.services) == 1
        assert hand_over_due(office.services) == 0
    office.desk.silent = False
    office.world.hand.seconds += 3600
    assert hand_over_due(office.services) == 1
    (told,) = office.desk.told
    assert told.fields == BASIC
    office.world.hand.seconds += 86_400
    assert hand_over_due(office.services) == 0


def test_a_provider_that_hangs_is_told_later_as_well(office: Office) -> None:
    office.desk.opens.clear()
    begun = monotonic()
    found = submit(office, BASIC)
    assert monotonic() - begun < PATIENCE_SECONDS + 4
    assert (found.status, missing(found)) == (KycStatus.PENDING, [])
    office.desk.opens.set()
    office.world.hand.seconds += 61
    assert hand_over_due(office.services) == 1
    assert office.desk.told[0].fields == BASIC


def test_what_a_provider_does_not_take_is_said_and_can_be_handed_in_again(office: Office) -> None:
    office.desk.refuses = "The number is not known"
    with pytest.raises(ProviderRefused, match="The number is not known"):
        submit(office, BASIC)
    found = kyc.state(*office.asked, "YELLOW_CARD", EMAIL, "NG", "NGN")
    assert (found.kyc_type, found.status, found.reason) == (
        KycType.BASIC,
        KycStatus.REJECTED,
        REFUSED,
    )
    office.desk.refuses = ""
    assert submit(office, {"idNumber": "48151623422"}).status is KycStatus.PENDING
    assert office.desk.told[0].fields == BASIC | {"idNumber": "48151623422"}


def test_a_refusal_that_comes_later_is_shown(office: Office) -> None:
    office.desk.silent = True
    submit(office, BASIC)
    office.desk.silent, office.desk.refuses = False, "No"
    office.world.hand.seconds += 61
    assert hand_over_due(office.services) == 1
    office.world.hand.seconds += 86_400
    assert hand_over_due(office.services) == 0
    found = kyc.state(*office.asked, "YELLOW_CARD", EMAIL, "NG", "NGN")
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
    office: Office, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInput, match=named):
        submit(office, **{"fields": BASIC, **changes})
    with office.world.store.read() as unit:
        assert unit.people.page(10) == []


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
    office: Office, key: str, media_type: str, content: bytes
) -> None:
    with pytest.raises(InvalidInput, match=r"^key|^selfie"):
        add(office, key, media_type, content)


def test_nothing_is_handed_in_where_a_provider_has_its_own_page(tmp_path: Path) -> None:
    with (
        an_office(tmp_path / "data", name=ProviderName.ONRAMP_MONEY) as office,
        pytest.raises(InvalidInput, match="checks identities on its own page"),
    ):
        kyc.submit(*office.asked, "ONRAMP_MONEY", EMAIL, "IN", BASIC)


def test_handing_in_is_audited_without_what_was_handed_in(office: Office) -> None:
    submit(office, BASIC)
    with office.world.store.read() as unit:
        (line,) = [line for line in unit.network.audited(9) if "handed in" in line[2]]
    assert line[3]["keys"] == list(BASIC)
    assert not any(value in str(line) for value in (EMAIL, *BASIC.values()) if value != "NIN")
