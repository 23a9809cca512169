"""A provider that checks identities by hand, and a world where it is the only one."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Any

from crossway.adapters.ramps.capabilities import capabilities
from crossway.catalogue.fiat import load_fiat
from crossway.domain.errors import Unreachable
from crossway.domain.kyc import KycStatus, KycType, Standing
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import Capabilities, Document, ProviderRefused
from crossway.ports.services import Services
from tests.databases import new_sqlite
from tests.world import CATALOGUE, World

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
class Told:
    """One time that something was handed over."""

    email: str
    country: str
    fields: Mapping[str, str]
    documents: Sequence[Document]


@dataclass
class Desk:
    """What checking identities needs of a provider; a person sets what it answers, and it answers
    nothing while it is not open."""

    name: ProviderName = ProviderName.YELLOW_CARD
    people: dict[str, Standing] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)
    silent: bool = False
    refuses: str = ""
    at_once: bool = False
    opens: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.opens.set()

    @property
    def capabilities(self) -> Capabilities:
        return capabilities(self.name, CATALOGUE, FIAT)

    def standing(self, email: str, country: str) -> Standing:
        assert self.opens.wait(60)
        if self.silent:
            raise Unreachable("no answer")
        return self.people.get(email, Standing())

    def submit(
        self, email: str, country: str, fields: Mapping[str, str], documents: Sequence[Document]
    ) -> Standing:
        if self.silent:
            raise Unreachable("no answer")
        if self.refuses:
            raise ProviderRefused(self.refuses)
        self.told.append(Told(email, country, fields, documents))
        kyc_type = KycType.ADVANCED if documents else KycType.BASIC
        return self.says(kyc_type, KycStatus.PENDING, email)

    def says(self, kyc_type: KycType, status: KycStatus, email: str = EMAIL) -> Standing:
        """Let it say this of somebody from now on."""
        self.people[email] = Standing(kyc_type, status)
        return self.people[email]


@dataclass
class Office:
    """A world with a desk."""

    world: World
    services: Services
    desk: Desk
    folder: Path

    @property
    def asked(self) -> tuple[Any, ...]:
        """What every question begins with."""
        return (self.services, self.world.caller)

    def stored(self) -> bytes:
        """Everything that lies on disk, what is not yet in the database file included."""
        return b"".join(p.read_bytes() for p in self.folder.rglob("*") if p.is_file())


@contextmanager
def an_office(folder: Path, **desk: Any) -> Iterator[Office]:
    """A world in a folder of its own whose only provider is a desk."""
    folder.mkdir(exist_ok=True)
    world = World(new_sqlite(folder, folder.parent / "migrated.db"), chains=("BASE_MAINNET",))
    made = Desk(**desk)
    services = replace(world.services, fiat=FIAT, ramps=(made,))
    yield Office(world, services, made, folder)
    world.store.close()
