"""A whole Crossway on real chains of this machine: a profile, its engine, and plain wallets."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eth_keyfile.keyfile import create_keyfile_json

from crossway.bootstrap import Service, build
from crossway.domain.clients import Caller, Client, Mode, Scope
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Role
from crossway.engine.actions import treasury_units
from crossway.engine.loop import Engine
from crossway.settings import Settings
from crossway.usecases.payments import intents
from crossway.usecases.payments.terms import CreateIntent
from tests.chains import anvil
from tests.chains.anvil import RELAYER, RELAYER_KEY, TREASURY, Anvil, dollars
from tests.promises.networks import made_up

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
CHAINS = (BASE, ARBITRUM)
AMOUNT = 25_000_000


def write_profile(
    folder: Path,
    urls: Mapping[str, Sequence[str]],
    quorum: int = 1,
    fast: int = 1,
    poll_seconds: float = 0,
) -> Path:
    """A profile as an operator writes it, with the relayer's key in an encrypted key store."""
    store, password = folder / "relayer.json", folder / "password"
    key = bytes.fromhex(RELAYER_KEY[2:])
    kept = create_keyfile_json(key, b"a long password", kdf="pbkdf2", iterations=1_000)
    store.write_text(json.dumps(kept))
    password.write_text("a long password\n")
    lines = ['prices = "fixed"', "most_settle_seconds = 0"]
    for chain, of_chain in urls.items():
        lines += [
            f"[chains.{chain}]",
            f"rpc = {json.dumps(list(of_chain))}",
            f"quorum = {quorum}",
            f'key = "keystore:{store}"',
            f'key_password = "file:{password}"',
            f'treasury = "{TREASURY}"',
            f"poll_seconds = {poll_seconds}",
            f"confirmations = {{ fast = {fast}, normal = 1, large = 2, finalized = 8 }}",
        ]
    path = folder / "profile.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


@dataclass
class Held:
    """What matters of one payment, in dollars' units, by who holds it."""

    payer: int
    recipient: int
    relayer: int
    treasury: int
    escrow: int
    deposit: int


class LiveWorld:
    """A service on two chains, whose engine and blocks a test moves on by hand."""

    def __init__(
        self,
        folder: Path,
        anvils: Mapping[str, Anvil],
        profile: Path | None = None,
        reached: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.anvils = anvils
        profile = profile or write_profile(folder, {c: [a.url] for c, a in anvils.items()})
        self.service: Service = build(
            Settings(
                _env_file=None,
                network="live",
                profile=profile,
                data_dir=folder / "data",
                database_url=f"sqlite:///{folder / 'crossway.db'}",
                log_level="error",
            )
        )
        self.services = replace(self.service.services, reached=reached)
        self.engine = Engine(self.services, "test", sole=True)
        client = Client("c-1", "A shop", 0, None, 250, self.services.clock.now())
        with self.services.store.read() as unit:
            known = unit.access.client(client.id)
        if known is None:
            self.services.store.write(lambda unit: unit.access.add_client(client))
        self.caller = Caller(client, Mode.LIVE, frozenset(Scope))
        self.operator = replace(self.caller, role=Role.ADMIN)

    def close(self) -> None:
        self.service.close()

    def pay(self, name: str = "one", source: str = BASE, to: str = ARBITRUM, **more: Any) -> Intent:
        """A new intent of 25 USDC."""
        asked: dict[str, Any] = {
            "amount": str(AMOUNT),
            "token_in": dollars(source),
            "source_chain": source,
            "destination_chain": to,
            "recipient": made_up(f"recipient {name}"),
            "refund_address": made_up(f"payer {name}"),
        }
        return intents.create(self.services, self.caller, CreateIntent(**(asked | more)))

    def deposit(self, intent: Intent, units: int | None = None, token: str | None = None) -> str:
        units = intent.terms.total_units if units is None else units
        return self.anvils[intent.terms.source_chain].pay(intent.address, units, token)

    def step(self, blocks: int = 1) -> None:
        """A block on each chain, and a pass of the engine before and after."""
        for _ in range(blocks):
            self.engine.tick()
            for one in self.anvils.values():
                one.mine()
            self.engine.tick()

    def until(self, what: Callable[[], bool], most: int = 120) -> None:
        for _ in range(most):
            if what():
                return
            self.step()
        raise AssertionError(f"not within {most} blocks")

    def ends(self, intent: Intent, state: State, most: int = 120) -> Intent:
        try:
            self.until(lambda: self.now(intent).state is state, most)
        except AssertionError:
            raise AssertionError(f"{self.now(intent).state}, not {state}: {self.words()}") from None
        return self.now(intent)

    def now(self, intent: Intent) -> Intent:
        return intents.by_id(self.services, self.operator, intent.id)

    def words(self) -> list[str]:
        with self.services.store.read() as unit:
            alarms = [one.message for one in unit.network.alarms()]
            waiting = [f"{t.duty}: {t.reason}" for t in unit.transfers.waiting(100)]
        return alarms + waiting

    def settled(self, intent: Intent) -> None:
        """Let everything that is owed be paid."""

        def over() -> bool:
            with self.services.store.read() as unit:
                transfers = unit.transfers.of([intent.id])
            return all(t.state in ("CONFIRMED", "FINAL", "CANCELLED", "FAILED") for t in transfers)

        self.until(over)

    def held(self, intent: Intent) -> Held:
        source = self.anvils[intent.terms.source_chain]
        to = self.anvils[intent.terms.destination_chain]
        return Held(
            payer=source.balance(intent.terms.refund_address),
            recipient=to.balance(intent.terms.recipient),
            relayer=sum(one.balance(RELAYER) for one in self.anvils.values()),
            treasury=sum(one.balance(TREASURY) for one in self.anvils.values()),
            escrow=source.balance(intent.bridger),
            deposit=source.balance(intent.address),
        )


def paid(intent: Intent, back: int = 0) -> Held:
    """What the terms say of a payment that worked, when all held nothing but the relayer."""
    costs, terms = intent.costs, intent.terms
    fees = costs.fees_units + costs.app_fee_units
    return Held(
        payer=back,
        recipient=terms.out_units,
        relayer=2 * anvil.STOCK - terms.out_units + terms.total_units - fees,
        treasury=treasury_units(intent),
        escrow=fees - treasury_units(intent),
        deposit=0,
    )


def given_back(units: int) -> Held:
    """What the terms say of a payment that was not started."""
    return Held(units, 0, 2 * anvil.STOCK, 0, 0, 0)


@contextmanager
def two_chains() -> Iterator[dict[str, Anvil]]:
    with anvil.running(BASE) as base, anvil.running(ARBITRUM) as arbitrum:
        yield {BASE: base, ARBITRUM: arbitrum}


def no_settings() -> None:
    """Nothing of this machine's environment says how a test's service is set up."""
    for name in [name for name in os.environ if name.startswith("CROSSWAY_")]:
        del os.environ[name]
