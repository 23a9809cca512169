"""Identity checks with the sandbox providers, from nobody known to the highest tier."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.kyc import KycAssessment, KycStatus, KycType
from crossway.ports.sandbox import RampFaults
from crossway.usecases.kyc import verification
from crossway.usecases.kyc.submission_sync import submit_due
from tests.databases import new_sqlite
from tests.harness import Harness
from tests.kyc_provider import BASIC, PNG

EMAIL = "grace@example.org"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    made = Harness(new_sqlite(tmp_path, tmp_path / "migrated.db"), chains=("BASE_MAINNET",))
    yield made
    made.store.close()


def state(
    world: Harness, amount: str | None = None, provider: str = "YELLOW_CARD"
) -> KycAssessment:
    asked = (provider, EMAIL, "NG", "NGN", amount)
    return verification.assess_customer(world.services, world.operator, *asked)


def hand_in(world: Harness, fields: dict[str, str]) -> KycAssessment:
    return verification.submit_kyc(
        world.services, world.operator, "YELLOW_CARD", EMAIL, "NG", fields
    )


def test_somebody_passes_both_checks_one_after_the_other(world: Harness) -> None:
    assert state(world, "100").required is KycType.BASIC
    assert hand_in(world, BASIC).status is KycStatus.PENDING
    world.machine.seconds += 10
    assert state(world, "500").can_proceed
    found = state(world, "500.01")
    assert (found.required, found.can_proceed, found.blocked) == (KycType.ADVANCED, False, False)
    hand_in(world, {"address": "12 Marina Road"})
    for key in ("idDocumentFront", "selfie"):
        asked = ("YELLOW_CARD", EMAIL, "NG", key, "image/png", PNG)
        found = verification.add_document(world.services, world.operator, *asked)
    assert (found.kyc_type, found.status) == (KycType.ADVANCED, KycStatus.PENDING)
    assert found.missing == ()
    assert state(world, "500").can_proceed
    world.ramps.set_verification_status("YELLOW_CARD", EMAIL, "advanced", "approved")
    found = state(world, "10000")
    assert (found.can_proceed, found.remaining_micro_usd) == (True, 10_000 * 10**6)
    assert state(world, "100", provider="FONBNK").kyc_type is KycType.NONE


def test_a_provider_that_was_down_learns_all_of_it_once_it_is_back(world: Harness) -> None:
    world.ramps.inject_faults("YELLOW_CARD", RampFaults(down_seconds=90))
    found = hand_in(world, BASIC)
    assert (found.kyc_type, found.status) == (KycType.BASIC, KycStatus.PENDING)
    for _ in range(4):
        world.machine.seconds += 61
        submit_due(world.services)
    world.machine.seconds += 10
    assert state(world, "100").can_proceed


def test_a_number_that_cannot_be_verified_is_missing_again(world: Harness) -> None:
    found = hand_in(world, BASIC | {"idNumber": "00000000000"})
    assert (found.kyc_type, found.status) == (KycType.BASIC, KycStatus.REJECTED)
    assert "idNumber" in found.reason
    assert [one.key for one in found.missing] == ["idNumber"]
    assert state(world, "100").blocked
    assert hand_in(world, {"idNumber": "12345678901"}).status is KycStatus.PENDING
    world.machine.seconds += 10
    assert state(world, "100").can_proceed
