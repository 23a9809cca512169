"""Services for tests: the real catalogue, bridges and prices; chains that know only addresses."""

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from cryptography.fernet import Fernet

from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.models import Across, Cctp, Gateway, Rhinofi
from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.prices.fixed import FixedPrices
from crossway.adapters.vault import FernetVault
from crossway.catalogue import load_catalogue, reference_prices
from crossway.catalogue.fiat import load_fiat
from crossway.domain.clients import Client, Mode, Principal, Scope
from crossway.domain.errors import Unreachable
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.services import Services

CATALOGUE = load_catalogue()
FIAT = load_fiat()
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
POOL = ThreadPoolExecutor(16, thread_name_prefix="asking")
PRICES = FixedPrices({s: p.pico_usd for s, p in reference_prices().items()}, NOW)
BRIDGES = tuple(b(CATALOGUE) for b in (Across, Cctp, Gateway, Rhinofi, Inventory))


@dataclass
class FixedClock:
    """A clock that stands still until it is set."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at

    def machine(self) -> datetime:
        return self.at


@dataclass
class AddressChain:
    """The part of a chain that quotes and balance look-ups need."""

    id: str
    kind: str
    balances_by_address: dict[tuple[str, str], int] = field(default_factory=dict)
    unavailable: bool = False
    accounts: ChainAddresses = field(default_factory=lambda: ChainAddresses("", "", "", ""))

    def canonical_address(self, text: str) -> str:
        return canonical_address(self.kind, text)

    def balances(self, addresses: Collection[str], token: str) -> Mapping[str, int]:
        if self.unavailable:
            raise Unreachable("the node is down")
        return {address: self.balances_by_address.get((address, token), 0) for address in addresses}


@dataclass
class KillSwitchStore:
    """A store that holds kill switches only."""

    off: dict[str, str] = field(default_factory=dict)

    @contextmanager
    def read(self) -> Iterator[Any]:
        yield SimpleNamespace(kill_switches=SimpleNamespace(get_reasons=lambda: dict(self.off)))


def services(**changes: Any) -> Services:
    """Services with defaults; any part can be replaced."""
    created: Any = Services(
        catalogue=CATALOGUE,
        chains={c.id: AddressChain(c.id, c.kind) for c in CATALOGUE.chains.values()},  # type: ignore[misc]
        bridges=BRIDGES,
        prices=PRICES,
        clock=FixedClock(),
        store=KillSwitchStore(),  # type: ignore[arg-type]
        vault=FernetVault([Fernet.generate_key()], b"index key"),
        executor=POOL,
        environment="simulated",
        fiat=FIAT,
    )
    return replace(created, **changes)


def caller(mode: Mode = Mode.TEST, app_fee_bps: int = 0, cap: int | None = None) -> Principal:
    """A client's principal with every scope."""
    client = Client("client", "A shop", app_fee_bps, cap, 250, NOW)
    return Principal(client, mode, frozenset(Scope))


def address(chain: str, symbol: str = "USDC") -> str:
    """The address of a token."""
    return CATALOGUE.tokens[chain, symbol].address
