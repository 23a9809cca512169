"""A whole Crossway on real chains of this machine, of any families, moved on by hand."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from eth_account import Account

from crossway.bootstrap import Service, build
from crossway.domain.clients import Client, Mode, Principal, Scope
from crossway.domain.intent import Intent, State
from crossway.domain.roles import Role
from crossway.engine.loop import Engine
from crossway.settings import Settings
from crossway.usecases.money.inventory_adjustments import book_opening_balances
from crossway.usecases.payments import intents
from crossway.usecases.payments.create_intent import create_intent
from crossway.usecases.payments.intent_request import CreateIntentRequest
from tests.databases import fast, new_sqlite

AMOUNT = 25_000_000


class Hands(Protocol):
    """One chain of this machine with its plain wallets; `token` are the dollars that payments are
    in there, of which the relayer began with `stock`."""

    @property
    def chain(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def token(self) -> str: ...
    @property
    def relayer(self) -> str: ...
    @property
    def treasury(self) -> str: ...
    @property
    def stock(self) -> int: ...
    @property
    def key(self) -> bytes: ...
    def fields(self) -> dict[str, Any]:
        """What a profile says of this family alone."""
        ...

    def wallet(self, name: str) -> str: ...
    def pay(self, to: str, units: int, token: str | None = None) -> str: ...
    def mine(self, blocks: int = 1) -> None: ...
    def balance(self, address: str, token: str | None = None) -> int: ...
    def refuse(self, address: str, token: str | None = None) -> None: ...


H = TypeVar("H", bound=Hands)


@dataclass
class Held:
    """What matters of one payment, in dollars' units, by who holds it."""

    payer: int
    recipient: int
    relayer: int
    treasury: int
    escrow: int
    deposit: int


def profile_of(
    folder: Path,
    chains: Iterable[Hands],
    urls: Mapping[str, Sequence[str]] | None = None,
    quorum: int = 1,
    fast: int = 1,
    poll_seconds: float = 0,
    bridges: Sequence[str] = ("INVENTORY",),
    attestations: str = "",
) -> Path:
    """A profile as an operator writes it, with each relayer's key in an encrypted key store.
    `attestations` is the URL of a service that attests to messages of CCTP."""
    password = folder / "password"
    password.write_text("a long password\n")
    lines = ['prices = "fixed"', "most_settle_seconds = 0", f"bridges = {toml(list(bridges))}"]
    if attestations:
        lines += ["[cctp]", f'url = "{attestations}"', f'test_url = "{attestations}"']
    for one in chains:
        # Chains with the same key share its key store.
        store = folder / f"relayer-{one.relayer[-8:]}.json"
        kept = Account.encrypt(one.key, "a long password", kdf="pbkdf2", iterations=1_000)
        store.write_text(json.dumps(kept))
        lines += [
            f"[chains.{one.chain}]",
            f"rpc = {json.dumps(list(urls[one.chain] if urls else [one.url]))}",
            f"quorum = {quorum}",
            f'key = "keystore:{store}"',
            f'key_password = "file:{password}"',
            f'treasury = "{one.treasury}"',
            *([] if one.chain.startswith("STARKNET") else [f'relayer = "{one.relayer}"']),
            f"poll_seconds = {poll_seconds}",
            # Tests make a chain's time pass without waiting for it.
            "clock_seconds = 1e9",
            # The stand-ins are slow on a busy machine.
            "timeout_seconds = 60",
            f"confirmations = {{ fast = {fast}, normal = 1, large = 2, finalized = 8 }}",
            *(f"{name} = {toml(value)}" for name, value in one.fields().items()),
        ]
    path = folder / "profile.toml"
    path.write_text("\n".join(lines) + "\n")
    return path


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + " }"
    return json.dumps(value)


class RealWorld(Generic[H]):
    """A service whose engine and blocks a test moves on by hand."""

    def __init__(
        self,
        folder: Path,
        hands: Mapping[str, H],
        profile: Path | None = None,
        reached: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.hands = hands
        self.service: Service = build(
            Settings(
                _env_file=None,
                network="live",
                profile=profile or profile_of(folder, hands.values()),
                data_dir=folder / "data",
                database_url=fast(new_sqlite(folder)),
                # One person acts in these tests, and at once.
                second_person_above_usd="off",
                address_delay_hours=0,
                # What anvil asks for gas is far more than rollups do.
                signature_allowance_micro_usd=10**7,
                log_level="error",
            ),
            signs=True,
        )
        self.services = replace(
            self.service.services, process=replace(self.service.services.process, failpoint=reached)
        )
        self.engine = Engine(self.services, "test", sole=True)
        client = Client("c-1", "A shop", 0, None, 250, self.services.clock.now())
        with self.services.store.read() as unit:
            known = unit.api_keys.get_client(client.id)
        if known is None:
            self.services.store.write(lambda unit: unit.api_keys.add_client(client))
        self.caller = Principal(client, Mode.LIVE, frozenset(Scope))
        self.operator = replace(self.caller, role=Role.ADMIN)

    def record_openings(self) -> None:
        """What an operator does on the first day."""
        book_opening_balances(self.services, self.operator)

    def close(self) -> None:
        self.service.close()

    def ask(self, name: str, source: str, to: str, **more: Any) -> Intent:
        """A new intent of 25 dollars."""
        asked: dict[str, Any] = {
            "amount": str(AMOUNT),
            "token_in": self.hands[source].token,
            "source_chain": source,
            "destination_chain": to,
            "token_out": self.hands[to].token,
            "recipient": self.hands[to].wallet(f"recipient {name}"),
            "refund_address": self.hands[source].wallet(f"payer {name}"),
        }
        return create_intent(self.services, self.caller, CreateIntentRequest(**(asked | more)))

    def deposit(self, intent: Intent, units: int | None = None, token: str | None = None) -> str:
        units = intent.terms.deposit_amount if units is None else units
        return self.hands[intent.terms.source_chain].pay(intent.address, units, token)

    def step(self, blocks: int = 1) -> None:
        """A block on each chain, and a pass of the engine before and after."""
        for _ in range(blocks):
            self.engine.tick()
            for one in self.hands.values():
                one.mine()
            self.engine.tick()

    def until(self, what: Callable[[], bool], most: int = 120) -> None:
        for _ in range(most):
            if what():
                return
            self.step()
        raise AssertionError(f"not within {most} blocks: {self.words()}")

    def ends(self, intent: Intent, state: State, most: int = 120) -> Intent:
        try:
            self.until(lambda: self.now(intent).state is state, most)
        except AssertionError:
            raise AssertionError(f"{self.now(intent).state}, not {state}: {self.words()}") from None
        return self.now(intent)

    def now(self, intent: Intent) -> Intent:
        return intents.get_by_id(self.services, self.operator, intent.id)

    def words(self) -> list[str]:
        with self.services.store.read() as unit:
            alarms = [one.message for one in unit.alerts.list_active()]
            waiting = [
                f"{t.kind}: {t.reason}" for t in unit.outbound_txs.list_needing_attention(100)
            ]
        return alarms + waiting

    def settled(self, intent: Intent) -> None:
        """Let everything that is owed be paid."""

        def over() -> bool:
            with self.services.store.read() as unit:
                transfers = unit.outbound_txs.list_by_intents([intent.id])
            return all(t.state in ("CONFIRMED", "FINAL", "CANCELLED", "FAILED") for t in transfers)

        self.until(over)

    def held(self, intent: Intent) -> Held:
        source = self.hands[intent.terms.source_chain]
        to = self.hands[intent.terms.destination_chain]
        return Held(
            payer=source.balance(intent.terms.refund_address),
            recipient=to.balance(intent.terms.recipient),
            relayer=sum(one.balance(one.relayer) for one in self.hands.values()),
            treasury=sum(one.balance(one.treasury) for one in self.hands.values()),
            escrow=source.balance(intent.bridger),
            deposit=source.balance(intent.address),
        )


def fees(intent: Intent) -> int:
    """What of a payment is neither the recipient's nor pays the relayer back."""
    return intent.costs.fees_units + intent.costs.app_fee_units


def paid(intent: Intent, stock: int, back: int = 0) -> Held:
    """What the terms say of a payment that worked, when all held nothing but the relayer."""
    terms = intent.terms
    return Held(
        payer=back,
        recipient=terms.payout_amount,
        relayer=stock - terms.payout_amount + terms.deposit_amount - fees(intent),
        treasury=intent.costs.treasury_units,
        escrow=fees(intent) - intent.costs.treasury_units,
        deposit=0,
    )
