"""A KYC provider controlled by tests, and a world where it is the only provider."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.catalogue.fiat import load_fiat
from crossway.domain.clients import Mode, Owner
from crossway.domain.errors import Unreachable
from crossway.domain.kyc import KycStatus, KycType, VerificationStatus
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import Capabilities, Document, KycUser, ProviderRejected
from crossway.ports.services import Services
from tests.databases import new_sqlite
from tests.harness import CATALOGUE, Harness
from tests.processes import PATIENCE_SECONDS

FIAT = load_fiat()
OWNER = Owner("c-1", Mode.TEST)  # of the world's client
EMAIL = "ada.lovelace@example.com"
BASIC = {
    "firstName": "Augusta",
    "lastName": "Lovelace",
    "dateOfBirth": "1990-12-31",
    "idType": "NIN",
    "idNumber": "48151623421",
}
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + b"a face nobody else may see" * 9


@dataclass
class Submission:
    """One received submission."""

    user: KycUser
    country: str
    fields: Mapping[str, str]
    documents: Sequence[Document]

    @property
    def email(self) -> str:
        return self.user.email


@dataclass
class FakeKycProvider:
    """A fake KYC provider: tests set its statuses; it hangs while `may_respond` is not set."""

    name: ProviderName = ProviderName.YELLOW_CARD
    statuses: dict[str, VerificationStatus] = field(default_factory=dict)
    submissions: list[Submission] = field(default_factory=list)
    unavailable: bool = False
    rejection: str = ""
    runs_in_process: bool = False
    verifies_by_email_alone: bool = False
    may_respond: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.may_respond.set()

    @property
    def capabilities(self) -> Capabilities:
        return load_capabilities(self.name, CATALOGUE, FIAT)

    def get_kyc_status(self, user: KycUser, country: str) -> VerificationStatus:
        assert self.may_respond.wait(PATIENCE_SECONDS)
        if self.unavailable:
            raise Unreachable("no answer")
        return self.statuses.get(self._key(user), VerificationStatus())

    def submit_kyc(
        self, user: KycUser, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        if self.unavailable:
            raise Unreachable("no answer")
        if self.rejection:
            raise ProviderRejected(self.rejection)
        self.submissions.append(Submission(user, country, fields, documents))
        kyc_type = KycType.ADVANCED if documents else KycType.BASIC
        self.statuses[self._key(user)] = VerificationStatus(kyc_type, KycStatus.PENDING)
        return self.statuses[self._key(user)]

    def set_status(
        self, kyc_type: KycType, status: KycStatus, email: str = EMAIL
    ) -> VerificationStatus:
        """Set the status that it returns for a customer of the world's client."""
        key = self._key(KycUser(email, OWNER))
        self.statuses[key] = VerificationStatus(kyc_type, status)
        return self.statuses[key]

    def _key(self, user: KycUser) -> str:
        owner = "" if self.verifies_by_email_alone else f"{user.owner.client_id} {user.owner.mode} "
        return f"{owner}{user.email}"


@dataclass
class KycHarness:
    """A world with the fake KYC provider."""

    world: Harness
    services: Services
    provider: FakeKycProvider
    folder: Path

    @property
    def staff_args(self) -> tuple[Any, ...]:
        """The first arguments of every use case: services and caller."""
        return (self.services, self.world.caller)

    def bytes_on_disk(self) -> bytes:
        """The content of all files on disk, including the WAL."""
        return b"".join(p.read_bytes() for p in self.folder.rglob("*") if p.is_file())


@contextmanager
def new_kyc_harness(folder: Path, **desk: Any) -> Iterator[KycHarness]:
    """A world in its own folder whose only provider is the fake KYC provider."""
    folder.mkdir(exist_ok=True)
    world = Harness(new_sqlite(folder), chains=("BASE_MAINNET",))
    created = FakeKycProvider(**desk)
    services = replace(world.services, fiat=FIAT, ramps=(created,))
    yield KycHarness(world, services, created, folder)
    world.store.close()
