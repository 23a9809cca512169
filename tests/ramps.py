"""Sandbox providers on a simulated network in their own database, with round numbers."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

from crossway.adapters.ramps.sandbox.backend import SandboxBackend
from crossway.adapters.ramps.sandbox.controls import SandboxControls
from crossway.adapters.ramps.sandbox.tables import METADATA
from crossway.domain.clients import Mode, Owner
from crossway.domain.fiat import RATE_SCALE, Currency, Rate
from crossway.domain.kyc import KycType, Requirement, Tier
from crossway.domain.money import Token
from crossway.domain.payment_channels import Channel, ChannelType, Field
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import (
    Capabilities,
    KycUser,
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
USER = KycUser(EMAIL, Owner("c-1", Mode.TEST))
UNITS = 10_000_000
FIAT = 1_530_000
DELIVER_SECONDS = 15
PAY_SECONDS, TRANSFER_SECONDS = 1_800, 3_600


def channel(direction: Direction, **changes: Any) -> Channel:
    """A bank transfer: a fee of one per cent and 50 naira; payouts need an account number."""
    on = direction is Direction.ON
    account = Field("accountNumber", "Account number", "string", pattern="[0-9]{10}")
    created = Channel(
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
    return replace(created, **changes)


ON, OFF = channel(Direction.ON), channel(Direction.OFF)
TIERS = (
    Tier(KycType.BASIC, 500_000_000, "month", (Requirement("idNumber", "ID number", "text"),)),
    Tier(KycType.ADVANCED, 10**10, "month", (Requirement("idPhoto", "ID photo", "document"),)),
)


def capabilities(**changes: Any) -> Capabilities:
    """A provider of naira by bank transfer with USDC on Base and a spread of half a per cent."""
    created = Capabilities(
        name=ProviderName.YELLOW_CARD,
        title="Yellow Card",
        website="https://example.invalid",
        channels=(ON, OFF),
        tokens=(USDC,),
        kyc_mode="here",
        tiers={"": TIERS},
        spreads_bps={"": 50},
    )
    return replace(created, **changes)


class DigestVault:
    """The part of a vault that sandbox providers need: blind indexes."""

    def encrypt(self, plain: bytes) -> bytes:
        raise NotImplementedError

    def decrypt(self, sealed: bytes) -> bytes:
        raise NotImplementedError

    def reencrypt(self, sealed: bytes) -> bytes | None:
        raise NotImplementedError

    def blind_index(self, text: str) -> str:
        return sha256(f"key {text}".encode()).hexdigest()


class SandboxRamp:
    """One sandbox provider with its controls and its simulated network."""

    def __init__(
        self,
        url: str,
        can: Capabilities | None = None,
        machine: ManualClock | None = None,
        wait: Callable[[float], None] = lambda seconds: None,
    ) -> None:
        self.simulation = Simulation(url, machine)
        METADATA.create_all(self.simulation.writing)
        self.backend = SandboxBackend(
            self.simulation.network, self.simulation.writing, self.simulation.reading
        )
        self.capabilities = can or capabilities()
        self.controls = SandboxControls(
            self.backend, [self.capabilities], RATES, DigestVault(), wait
        )
        [self.provider] = self.controls.providers
        self.name = self.capabilities.name.value

    def reopen(self) -> "SandboxRamp":
        """Another process on the same database and the same machine."""
        return SandboxRamp(self.simulation.url, self.capabilities, self.simulation.machine)

    def now(self) -> datetime:
        return datetime.fromtimestamp(self.backend.now(), UTC)

    def pass_time(self, seconds: float) -> None:
        self.simulation.pass_time(seconds)

    def updates(self, reference: str) -> list[ProviderUpdate]:
        return list(self.provider.fetch_updates([reference])[reference])

    def statuses(self, reference: str) -> list[ProviderOrderStatus]:
        return [report.status for report in self.updates(reference)]

    def balance(self, address: str, token: Token = USDC) -> int:
        chain = self.simulation.chain(token.chain)
        return chain.balances([address], token.address)[address]

    def pay(self, address: str, units: int, sender: str | None = None) -> str:
        """Send crypto to an address."""
        sent = self.simulation.sandbox.deposit(
            USDC.chain, address, USDC.address, units, sender=sender
        )
        return sent.tx_hash

    def deposit_address(self, name: str = "intent") -> str:
        """A deposit address."""
        return self.simulation.chain().deposit_address(name)


def quote_request(
    direction: Direction = Direction.ON, units: int = UNITS, **changes: Any
) -> ProviderQuoteRequest:
    """A quote request for ten USDC."""
    return replace(ProviderQuoteRequest(direction, NGN, "NG", USDC, units), **changes)


def order_request(
    ramp: SandboxRamp,
    direction: Direction = Direction.ON,
    reference: str = "order-1",
    **changes: Any,
) -> OrderRequest:
    """An order of ten USDC."""
    on = direction is Direction.ON
    fields: Mapping[str, str] = {} if on else {"accountNumber": "0123456789"}
    created = OrderRequest(
        reference=reference,
        direction=direction,
        currency=NGN,
        country="NG",
        channel=ON if on else OFF,
        token=USDC,
        amount=UNITS,
        fiat_minor=FIAT,
        fee_minor=20_000,
        to_address=ramp.deposit_address() if on else "",
        refund_address="" if on else ramp.deposit_address("the seller's wallet"),
        email=EMAIL,
        fields=fields,
    )
    return replace(created, **changes)
