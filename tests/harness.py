"""A complete Crossway on the simulated network, with a clock that tests advance."""

import base64
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from argon2 import PasswordHasher

from crossway.adapters.bridges.inventory import Inventory
from crossway.adapters.bridges.models import Across, Cctp, Gateway, Rhinofi
from crossway.adapters.chains.simulated.blocks.clock import SimulatedClock
from crossway.adapters.chains.simulated.blocks.network import SimulatedNetwork
from crossway.adapters.chains.simulated.bridging.bridge_end import SimulatedBridgeEnd
from crossway.adapters.chains.simulated.bridging.sandbox import SimulatedBridgeSandbox
from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.adapters.exchanges.simulated import SimulatedExchange
from crossway.adapters.passkeys import WebAuthnPasskeys
from crossway.adapters.passwords import Argon2PasswordHasher
from crossway.adapters.prices.fixed import FixedPrices
from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.adapters.ramps.sandbox.backend import SandboxBackend
from crossway.adapters.ramps.sandbox.controls import SandboxControls
from crossway.adapters.simulated_bridges.factory import (
    bridge_clients,
    inventory_bridges,
    simulated_bridges,
)
from crossway.adapters.simulated_bridges.reach import reach_of
from crossway.adapters.totp_codes import TotpCodes
from crossway.adapters.vault import open_vault
from crossway.catalogue import load_catalogue, reference_prices
from crossway.catalogue.fiat import load_fiat
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Client, Mode, Principal, Scope
from crossway.domain.intent import Intent, State
from crossway.domain.ramps import ProviderName
from crossway.domain.roles import Role
from crossway.engine.loop import Engine
from crossway.ports.bridge import Bridge
from crossway.ports.policy import Policy
from crossway.ports.process import ProcessState
from crossway.ports.services import Services
from crossway.storage.store import SqlStore, connect
from crossway.usecases.money import address_book
from crossway.usecases.payments import intents
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.simulator import chain_controls
from tests.databases import fast, migrate_database

START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC).timestamp()
SECRET_KEY = base64.urlsafe_b64encode(b"a secret key of 32 bytes, always")
# As weak as possible: tests do not depend on how long hashing takes.
PASSWORDS = Argon2PasswordHasher(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
POOL = ThreadPoolExecutor(16, thread_name_prefix="asking")


def with_shallow_depths(catalogue: Catalogue) -> Catalogue:
    chains = {}
    for chain in catalogue.chains.values():
        c = chain.confirmations
        chains[chain.id] = replace(
            chain,
            confirmations=replace(
                c, fast=min(c.fast, 3), normal=min(c.normal, 3), large=min(c.large, 3), finalized=8
            ),
        )
    return replace(catalogue, chains=chains)


@dataclass
class ManualClock:
    seconds: float = START

    def __call__(self) -> float:
        return self.seconds


def book_address(services: Services, operator: Principal, chain: str, address: str) -> None:
    """Add an address to the address book, so that money can be sent there by hand."""
    address_book.add_address(services, operator, chain, address, "Chosen by the payer")


CATALOGUE = with_shallow_depths(load_catalogue())
FIAT = load_fiat()
CAPABILITIES = [load_capabilities(name, CATALOGUE, FIAT) for name in ProviderName]
EXCHANGE = SimulatedExchange(CATALOGUE)
PRICES = {s: p.pico_usd for s, p in reference_prices().items()}


def _bridges(over_bridges: Collection[str]) -> Sequence[Bridge]:
    if not over_bridges:
        return tuple(bridge(CATALOGUE) for bridge in (Across, Cctp, Gateway, Rhinofi, Inventory))
    offered = simulated_bridges(CATALOGUE, EXCHANGE, inventory="INVENTORY" in over_bridges)
    return tuple(bridge for bridge in offered if bridge.name in over_bridges)


class Harness:
    """All parts are real; only the clock is manual."""

    def __init__(
        self,
        url: str,
        reached: Callable[[str], object] = lambda step: None,
        chains: Collection[str] = tuple(CATALOGUE.chains),
        over_bridges: Collection[str] = (),
        gas_accounts: int = 0,
        **policy: Any,
    ) -> None:
        """`over_bridges` alone carry payments, or move inventory for them, as the simulated network
        does by default; without any, the operator pays at the prices of all bridges, and no
        inventory is moved."""
        self.url, self.machine = url, ManualClock()
        migrate_database(url)
        writer, reader = connect(fast(url))
        self.store = SqlStore(writer, reader)
        self.clock = SimulatedClock(writer, reader, self.machine)
        self.network = SimulatedNetwork(
            CATALOGUE, writer, reader, self.clock, PRICES, reach_of(CATALOGUE), gas_accounts
        )
        self.sandbox = SimulatedSandbox(self.network)
        self.bridges = SimulatedBridgeSandbox(self.network)
        vault = open_vault([SECRET_KEY], self.store)
        self.ramps = SandboxControls(
            SandboxBackend(self.network, writer, reader), CAPABILITIES, FIAT.rates, vault
        )
        self.services = Services(
            catalogue=CATALOGUE,
            chains={c: SimulatedChain(self.network, c) for c in chains},
            bridges=_bridges(over_bridges),
            bridge_clients=bridge_clients(self.network),
            inventory_bridges=inventory_bridges(self.network, CATALOGUE) if over_bridges else {},
            bridge_ends={c: SimulatedBridgeEnd(self.network, c) for c in self.network.reach},
            bridge_sandbox=self.bridges,
            exchange=EXCHANGE,
            prices=FixedPrices(PRICES, datetime.fromtimestamp(START, UTC)),
            clock=self.clock,
            store=self.store,
            vault=vault,
            executor=POOL,
            environment="simulated",
            sandbox=self.sandbox,
            fiat=FIAT,
            ramps=self.ramps.providers,
            ramp_sandbox=self.ramps,
            policy=Policy(max_settle_seconds=20, **policy),
            passwords=PASSWORDS,
            authenticator_codes=TotpCodes(),
            passkeys=WebAuthnPasskeys(),
            process=ProcessState(failpoint=lambda step: (reached(step), None)[1]),
        )
        self.engine = Engine(self.services, "test", sole=True)
        client = Client("c-1", "A shop", 0, None, 250, datetime.fromtimestamp(START, UTC))
        with self.store.read() as unit:
            existing = unit.api_keys.get_client(client.id)
        if existing is None:
            self.store.write(lambda unit: unit.api_keys.add_client(client))
        self.caller = Principal(client, Mode.TEST, frozenset(Scope))
        self.operator = replace(self.caller, role=Role.ADMIN)

    def create_intent(
        self, source: str = "BASE_MAINNET", to: str = "ARBITRUM_MAINNET", **more: Any
    ) -> Intent:
        """A new intent of 25 USDC."""
        params: dict[str, Any] = {
            "amount": "25000000",
            "token_in": CATALOGUE.tokens[source, "USDC"].address,
            "source_chain": source,
            "destination_chain": to,
            "recipient": self.wallet(to, "recipient"),
            "refund_address": self.wallet(source, "refund"),
        }
        return create_intent(self.services, self.caller, CreateIntentRequest(**(params | more)))

    def wallet(self, chain: str, name: str) -> str:
        return self.services.chains[chain].deposit_address(f"wallet {name}")

    def deposit(self, intent: Intent, amount: str = "exact", **more: Any) -> str:
        return chain_controls.send_deposit(
            self.services, self.caller, intent.address, amount, **more
        ).tx_hash

    def pass_time(self, seconds: float, step: float = 1.0) -> None:
        """Let time pass in steps, with a pass of the engine after each."""
        end = self.machine.seconds + seconds
        while self.machine.seconds < end:
            self.machine.seconds = min(end, self.machine.seconds + step)
            self.engine.tick()

    def wait_for_state(self, intent: Intent, *states: State, within: float = 120) -> Intent:
        end = self.machine.seconds + within
        while (now := self.reload(intent)).state not in states:
            assert self.machine.seconds < end, f"{now.state} after {within} s, not {states}"
            self.pass_time(1)
        return now

    def book_address(self, chain: str, address: str) -> str:
        """Add an address to the address book, so that money can be sent there by hand."""
        book_address(self.services, self.operator, chain, address)
        return address

    def reload(self, intent: Intent) -> Intent:
        return intents.get_by_id(self.services, self.operator, intent.id)
