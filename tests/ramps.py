"""Sandbox providers on a simulated network in a database of their own, with round figures."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

from crossway.adapters.ramps.sandbox.backend import SandboxBackend
from crossway.adapters.ramps.sandbox.controls import SandboxControls
from crossway.adapters.ramps.sandbox.tables import METADATA
from crossway.domain.fiat import RATE_SCALE, Currency, Rate
from crossway.domain.kyc import KycType, Requirement, Tier
from crossway.domain.money import Token
from crossway.domain.payment_channels import Channel, ChannelType, Field
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import (
    Capabilities,
    OrderRequest,
    ProviderOrderStatus,
    ProviderQuoteRequest,
    ProviderUpdate,
)
from tests.simulation import BASE, ManualClock, Simulation, catalogue

NGN = Currency("NGN", "Nigerian Naira", "₦", 2)
USDC = catalogue().tokens[BASE, "USDC"]
RATES = {"NGN": Rate("NGN", 1_500 * RATE_SCALE, date(2026, 11, 1))}
EMAIL = "ada@example.com"
UNITS = 10_000_000
FIAT = 1_530_000
DELIVER_SECONDS = 15
PAY_SECONDS, TRANSFER_SECONDS = 1_800, 3_600


def channel(direction: Direction, **changes: Any) -> Channel:
    """A bank transfer: one per cent and 50 naira, with an account where it pays out."""
    on = direction is Direction.ON
    account = Field("accountNumber", "Account number", "string", pattern="[0-9]{10}")
    made = Channel(
        id=f"bank-{'in' if on else 'out'}",
        name="Bank transfer",
        type=ChannelType.BANK_TRANSFER,
        direct=True,
        direction=direction,
        currency="NGN",
        countries=("NG",),
        min_minor=150_000,
        max_minor=500_000_000,
        fee_fixed_minor=5_000,
        fee_bps=100,
        fields=() if on else (account,),
        pay_seconds=PAY_SECONDS,
        deliver_seconds=TRANSFER_SECONDS,
    )
    return replace(made, **changes)


ON, OFF = channel(Direction.ON), channel(Direction.OFF)
TIERS = (
    Tier(KycType.BASIC, 500_000_000, "month", (Requirement("idNumber", "ID number", "text"),)),
    Tier(KycType.ADVANCED, 10**10, "month", (Requirement("idPhoto", "ID photo", "document"),)),
)


def capabilities(**changes: Any) -> Capabilities:
    """A provider of naira by bank, with USDC on Base, half a per cent beside the reference."""
    made = Capabilities(
        name=ProviderName.YELLOW_CARD,
        title="Yellow Card",
        website="https://example.invalid",
        channels=(ON, OFF),
        tokens=(USDC,),
        kyc_mode="here",
        tiers={"": TIERS},
        spreads_bps={"": 50},
    )
    return replace(made, **changes)


class Digests:
    """Of a vault, what a sandbox provider needs."""

    def encrypt(self, plain: bytes) -> bytes:
        raise NotImplementedError

    def decrypt(self, sealed: bytes) -> bytes:
        raise NotImplementedError

    def reencrypt(self, sealed: bytes) -> bytes | None:
        raise NotImplementedError

    def blind_index(self, text: str) -> str:
        return sha256(f"key {text}".encode()).hexdigest()


class Ramp:
    """One sandbox provider, the hands around it, and the network under it."""

    def __init__(
        self,
        url: str,
        can: Capabilities | None = None,
        machine: ManualClock | None = None,
        wait: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self.simulation = Simulation(url, machine)
        METADATA.create_all(self.simulation.writing)
        self.office = SandboxBackend(
            self.simulation.network, self.simulation.writing, self.simulation.reading
        )
        self.can = can or capabilities()
        self.switches = SandboxControls(self.office, [self.can], RATES, Digests(), wait)
        [self.provider] = self.switches.providers
        self.name = self.can.name.value

    def again(self) -> "Ramp":
        """Another process on the same database and the same machine."""
        return Ramp(self.simulation.url, self.can, self.simulation.machine)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.office.now(), UTC)

    def wait(self, seconds: float) -> None:
        self.simulation.wait(seconds)

    def told(self, reference: str) -> list[ProviderUpdate]:
        return list(self.provider.fetch_updates([reference])[reference])

    def outcomes(self, reference: str) -> list[ProviderOrderStatus]:
        return [report.status for report in self.told(reference)]

    def holds(self, address: str, token: Token = USDC) -> int:
        chain = self.simulation.chain(token.chain)
        return chain.balances([address], token.address)[address]

    def pay(self, address: str, units: int, sender: str | None = None) -> str:
        """Crypto arrives at an address."""
        sent = self.simulation.sandbox.deposit(
            USDC.chain, address, USDC.address, units, sender=sender
        )
        return sent.tx_hash

    def intent(self, name: str = "intent") -> str:
        """A deposit address."""
        return self.simulation.chain().deposit_address(name)


def ask(
    direction: Direction = Direction.ON, units: int = UNITS, **changes: Any
) -> ProviderQuoteRequest:
    """A question for the price of ten USDC."""
    return replace(ProviderQuoteRequest(direction, NGN, "NG", USDC, units), **changes)


def opening(
    ramp: Ramp, direction: Direction = Direction.ON, reference: str = "order-1", **changes: Any
) -> OrderRequest:
    """An order of ten USDC."""
    on = direction is Direction.ON
    fields: Mapping[str, str] = {} if on else {"accountNumber": "0123456789"}
    made = OrderRequest(
        reference=reference,
        direction=direction,
        currency=NGN,
        country="NG",
        channel=ON if on else OFF,
        token=USDC,
        amount=UNITS,
        fiat_minor=FIAT,
        fee_minor=20_000,
        to_address=ramp.intent() if on else "",
        refund_address="" if on else ramp.intent("the seller's wallet"),
        email=EMAIL,
        fields=fields,
    )
    return replace(made, **changes)
