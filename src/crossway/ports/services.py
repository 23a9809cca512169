"""Services: the ports, operator policy and process state that every use case receives."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Literal

from crossway.domain.catalogue import Catalogue
from crossway.domain.fiat import Fiat
from crossway.ports.bridge import Bridge, BridgeClient, BridgeEnd
from crossway.ports.chain import Chain
from crossway.ports.clock import Clock
from crossway.ports.demo import DemoData
from crossway.ports.exchange import Exchange
from crossway.ports.inventory_bridge import InventoryBridge
from crossway.ports.mail import Mailer
from crossway.ports.network_costs import NetworkCosts
from crossway.ports.passwords import PasswordHasher
from crossway.ports.policy import Policy
from crossway.ports.prices import Prices
from crossway.ports.process import ProcessState
from crossway.ports.ramps import RampProvider
from crossway.ports.sandbox import BridgeSandbox, RampSandbox, Sandbox
from crossway.ports.second_factors import AuthenticatorCodes, PasskeyVerifier
from crossway.ports.store import Store
from crossway.ports.vault import Vault
from crossway.ports.webhooks import WebhookServices


@dataclass(frozen=True)
class Services:
    """One set of dependencies, shared by the API, the engine and the dashboard.

    `policy` holds the operator's rules, `process` what this process remembers and signals; every
    other field is a port or reference data. `executor` runs parallel calls to outside services.
    `find_demo` returns the demo data, None where it is not installed. Without
    `network_costs`, the catalogue's constants are charged, as on the simulated network.
    `bridge_clients` are the services of bridges that carry payments, by the bridge's name, and
    `bridge_ends` their contracts, by chain. `bridge_models` estimate in process, by the bridge's
    name, what is shown where its service does not answer. On the `exchange`, starts swap what
    bridges do not carry. `inventory_bridges` move inventory, by the bridge's name.
    """

    catalogue: Catalogue
    chains: Mapping[str, Chain]
    bridges: Sequence[Bridge]
    prices: Prices
    clock: Clock
    store: Store
    vault: Vault
    executor: Executor
    environment: Literal["simulated", "live"]
    network_costs: NetworkCosts | None = None
    bridge_models: Mapping[str, Bridge] = field(default_factory=dict)
    bridge_clients: Mapping[str, BridgeClient] = field(default_factory=dict)
    bridge_ends: Mapping[str, BridgeEnd] = field(default_factory=dict)
    exchange: Exchange | None = None
    inventory_bridges: Mapping[str, InventoryBridge] = field(default_factory=dict)
    sandbox: Sandbox | None = None
    bridge_sandbox: BridgeSandbox | None = None
    fiat: Fiat = field(default_factory=lambda: Fiat({}, {}, {}))
    ramps: Sequence[RampProvider] = ()
    ramp_sandbox: RampSandbox | None = None
    find_demo: Callable[[], DemoData | None] = lambda: None
    webhooks: WebhookServices | None = None
    passwords: PasswordHasher | None = None
    mailer: Mailer | None = None
    authenticator_codes: AuthenticatorCodes | None = None
    passkeys: PasskeyVerifier | None = None
    policy: Policy = field(default_factory=Policy)
    process: ProcessState = field(default_factory=ProcessState)
