"""A provider that checks identities by hand, and a world where it is the only one."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.catalogue.fiat import load_fiat
from crossway.domain.errors import Unreachable
from crossway.domain.kyc import KycStatus, KycType, VerificationStatus
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import Capabilities, Document, ProviderRejected
from crossway.ports.services import Services
from tests.databases import new_sqlite
from tests.harness import CATALOGUE, Harness

FIAT = load_fiat()
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
    """One time that something was handed over."""

    email: str
    country: str
    fields: Mapping[str, str]
    documents: Sequence[Document]


@dataclass
class FakeKycProvider:
    """What checking identities needs of a provider; a person sets what it answers, and it answers
    nothing while it is not open."""

    name: ProviderName = ProviderName.YELLOW_CARD
    people: dict[str, VerificationStatus] = field(default_factory=dict)
    told: list[Submission] = field(default_factory=list)
    silent: bool = False
    refuses: str = ""
    runs_in_process: bool = False
    opens: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.opens.set()

    @property
    def capabilities(self) -> Capabilities:
        return load_capabilities(self.name, CATALOGUE, FIAT)

    def get_kyc_status(self, email: str, country: str) -> VerificationStatus:
        assert self.opens.wait(60)
        if self.silent:
            raise Unreachable("no answer")
        return self.people.get(email, VerificationStatus())

    def submit_kyc(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> VerificationStatus:
        if self.silent:
            raise Unreachable("no answer")
        if self.refuses:
            raise ProviderRejected(self.refuses)
        self.told.append(Submission(email, country, fields, documents))
        kyc_type = KycType.ADVANCED if documents else KycType.BASIC
        return self.says(kyc_type, KycStatus.PENDING, email)

    def says(self, kyc_type: KycType, status: KycStatus, email: str = EMAIL) -> VerificationStatus:
        """Let it say this of somebody from now on."""
        self.people[email] = VerificationStatus(kyc_type, status)
        return self.people[email]


@dataclass
class KycHarness:
    """A world with a desk."""

    world: Harness
    services: Services
    desk: FakeKycProvider
    folder: Path

    @property
    def asked(self) -> tuple[Any, ...]:
        """What every question begins with."""
        return (self.services, self.world.caller)

    def stored(self) -> bytes:
        """Everything that lies on disk, what is not yet in the database file included."""
        return b"".join(p.read_bytes() for p in self.folder.rglob("*") if p.is_file())


@contextmanager
def an_office(folder: Path, **desk: Any) -> Iterator[KycHarness]:
    """A world in a folder of its own whose only provider is a desk."""
    folder.mkdir(exist_ok=True)
    world = Harness(new_sqlite(folder, folder.parent / "migrated.db"), chains=("BASE_MAINNET",))
    made = FakeKycProvider(**desk)
    services = replace(world.services, fiat=FIAT, ramps=(made,))
    yield KycHarness(world, services, made, folder)
    world.store.close()
