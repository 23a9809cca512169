"""KYC with the sandbox providers, from an unknown customer to the highest tier."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.kyc import KycAssessment, KycStatus, KycType
from crossway.ports.ramps import KycUser
from crossway.ports.sandbox import RampFaults
from crossway.usecases.kyc import verification
from crossway.usecases.kyc.submission_sync import submit_due
from tests.databases import new_sqlite
from tests.harness import Harness
from tests.kyc_provider import BASIC, OWNER, PNG

EMAIL = "grace@example.org"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    world = Harness(new_sqlite(tmp_path), chains=("BASE_MAINNET",))
    yield world
    world.store.close()


def kyc_status(
    world: Harness, amount: str | None = None, provider: str = "YELLOW_CARD"
) -> KycAssessment:
    args = (provider, EMAIL, "NG", "NGN", amount)
    return verification.assess_customer(world.services, world.operator, *args)


def submit(world: Harness, fields: dict[str, str]) -> KycAssessment:
    return verification.submit_kyc(
        world.services, world.operator, "YELLOW_CARD", EMAIL, "NG", fields
    )


def test_a_customer_passes_basic_then_advanced_kyc(world: Harness) -> None:
    assert kyc_status(world, "100").required is KycType.BASIC
    assert submit(world, BASIC).status is KycStatus.PENDING
    world.machine.seconds += 10
    assert kyc_status(world, "500").can_proceed
    result = kyc_status(world, "500.01")
    assert (result.required, result.can_proceed, result.blocked) == (KycType.ADVANCED, False, False)
    submit(world, {"address": "12 Marina Road"})
    for key in ("idDocumentFront", "selfie"):
        args = ("YELLOW_CARD", EMAIL, "NG", key, "image/png", PNG)
        result = verification.add_document(world.services, world.operator, *args)
    assert (result.kyc_type, result.status) == (KycType.ADVANCED, KycStatus.PENDING)
    assert result.missing == ()
    assert kyc_status(world, "500").can_proceed
    world.ramps.set_kyc_status("YELLOW_CARD", KycUser(EMAIL, OWNER), "advanced", "approved")
    result = kyc_status(world, "10000")
    assert (result.can_proceed, result.remaining_micro_usd) == (True, 10_000 * 10**6)
    assert kyc_status(world, "100", provider="FONBNK").kyc_type is KycType.NONE


def test_a_submission_is_synchronised_once_the_provider_responds_again(world: Harness) -> None:
    world.ramps.inject_faults("YELLOW_CARD", RampFaults(down_seconds=90))
    result = submit(world, BASIC)
    assert (result.kyc_type, result.status) == (KycType.BASIC, KycStatus.PENDING)
    for _ in range(4):
        world.machine.seconds += 61
        submit_due(world.services)
    world.machine.seconds += 10
    assert kyc_status(world, "100").can_proceed


def test_a_rejected_id_number_is_missing_again(world: Harness) -> None:
    result = submit(world, BASIC | {"idNumber": "00000000000"})
    assert (result.kyc_type, result.status) == (KycType.BASIC, KycStatus.REJECTED)
    assert "idNumber" in result.reason
    assert [item.key for item in result.missing] == ["idNumber"]
    assert kyc_status(world, "100").blocked
    assert submit(world, {"idNumber": "12345678901"}).status is KycStatus.PENDING
    world.machine.seconds += 10
    assert kyc_status(world, "100").can_proceed
