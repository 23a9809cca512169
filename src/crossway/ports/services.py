"""Everything a use case may reach for, in one place."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Client, Key
from crossway.domain.fiat import Fiat
from crossway.domain.pricing import ServiceFee
from crossway.ports.chain import Chain
from crossway.ports.clock import Clock
from crossway.ports.demo import Demo
from crossway.ports.passwords import Passwords
from crossway.ports.process import BridgeHealth, Doors, Pulse, Retention, Stock, Unwritten
from crossway.ports.quoting import Bridge, Prices
from crossway.ports.ramps import RampProvider
from crossway.ports.sandbox import RampSandbox, Sandbox
from crossway.ports.sign_in import SignInMemory, Vigilance
from crossway.ports.store import Store
from crossway.ports.vault import Vault
from crossway.ports.webhooks import Outgoing


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a comparison waits for its bridges, in seconds.

    All have until `deadline`; once `enough` have answered, each of the rest gets `grace`, and
    each further answer shortens that by `shrink`.
    """

    deadline: float = 2.5
    enough: int = 2
    grace: float = 0.4
    shrink: float = 0.5


@dataclass(frozen=True, slots=True)
class Policy:
    """The operator's own rules; times in seconds. Books and chains are compared every day at
    `reconcile_at_hour` (UTC), None for never."""

    service_fee: ServiceFee = ServiceFee()
    intent_life_seconds: int = 3600
    start_margin_seconds: int = 60
    quote_life_seconds: int = 60
    patience: Patience = Patience()
    ramp_patience: Patience = Patience(deadline=4.0, grace=1.5)
    dust_factor: int = 1
    late_watch_seconds: int = 30 * 86_400
    most_settle_seconds: int | None = None
    reconcile_at_hour: int | None = None


@dataclass
class KeyMemory:
    """What this process knows of keys without asking the store.

    `seen` is a key and its client by the key's hash with the time.monotonic() of the look-up;
    `used` the last uses that are not written yet, `written` the time.monotonic() of the last write.
    """

    seen: dict[str, tuple[float, Key, Client]] = field(default_factory=dict)
    used: dict[int, datetime] = field(default_factory=dict)
    written: float = 0.0


@dataclass
class SwitchMemory:
    """What this process knows to be switched off without asking the store.

    `known` is what was read, with the epoch and the time.monotonic() from before it was read. A
    switch made here begins a new epoch, and what was read before counts no more.
    """

    epoch: object = field(default_factory=object)
    known: tuple[object, float, Mapping[str, str]] | None = None


@dataclass(frozen=True)
class Services:
    """The one set of parts that API, engine and dashboard share; `wake` rouses the engine.

    `first_keys` answers the keys of the first run by mode, once: after that it is empty.
    """

    catalogue: Catalogue
    chains: Mapping[str, Chain]
    bridges: Sequence[Bridge]
    prices: Prices
    clock: Clock
    store: Store
    vault: Vault
    asking: Executor
    network: Literal["simulated", "live"]
    sandbox: Sandbox | None = None
    fiat: Fiat = field(default_factory=lambda: Fiat({}, {}, {}))
    ramps: Sequence[RampProvider] = ()
    ramp_sandbox: RampSandbox | None = None
    demo: Demo | None = None
    outgoing: Outgoing | None = None
    passwords: Passwords | None = None
    vigilance: Vigilance = field(default_factory=Vigilance)
    policy: Policy = field(default_factory=Policy)
    wake: Callable[[], None] = lambda: None
    reached: Callable[[str], None] = lambda step: None
    pause: Callable[[], None] = lambda: time.sleep(0.02)
    first_keys: Callable[[], Mapping[str, str]] = dict
    keys: KeyMemory = field(default_factory=KeyMemory)
    switches: SwitchMemory = field(default_factory=SwitchMemory)
    sign_in: SignInMemory = field(default_factory=SignInMemory)
    doors: Doors = field(default_factory=Doors)
    retention: Retention = field(default_factory=Retention)
    pulse: Pulse = field(default_factory=Pulse)
    unwritten: Unwritten = field(default_factory=Unwritten)
    stock: Stock = field(default_factory=Stock)
    bridge_health: BridgeHealth = field(default_factory=BridgeHealth)
