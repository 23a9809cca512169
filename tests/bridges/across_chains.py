"""The real SpokePool of Across and our contracts on anvil, a service whose payments Across carries,
and the parts of Across that a test plays: relayers, and the owner who returns deposits."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import FUNDS_DEPOSITED
from crossway.adapters.chains.evm.contracts import (
    BRIDGES,
    DEPLOYER,
    SALT,
    default_deployment,
    init_code,
)
from crossway.adapters.chains.words import address_word
from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.intent import Intent
from crossway.engine.loop import Engine
from tests.bridges.across_pools import pool_of, put_spoke_pool
from tests.bridges.across_service import AcrossService
from tests.bridges.cctp_chains import AheadClock, call
from tests.chains import anvil
from tests.chains.anvil import CATALOGUE, RICH, Anvil, dollars
from tests.chains.live import ARBITRUM, BASE, LiveWorld
from tests.chains.service import profile_of

_RELAY = (
    "(bytes32,bytes32,bytes32,bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,bytes)"
)
_LEAF = "(uint256,uint256,uint256[],uint32,address,address[])"
DEPLOYMENT = default_deployment()
BRIDGE = DEPLOYMENT.bridges["ACROSS"]


def invoke(
    one: Anvil, to: str, name: str, types: list[str], *values: Any, key: str = anvil.RICH_KEY
) -> bool:
    """A call in a block of its own; whether it worked."""
    selector = keccak256(f"{name}({','.join(types)})".encode())[:4]
    tx_id = one.transact(to, selector + encode(types, values), key=key)
    one.mine()
    return int(one.rpc("eth_getTransactionReceipt", tx_id)["status"], 16) == 1


def put_across(one: Anvil) -> None:
    """The pool at its address behind a proxy, owned by the rich account, and our contracts."""
    for name in ("Filler2", *BRIDGES):
        one.transact(DEPLOYER, SALT + init_code(name), gas=8_000_000)
        one.mine()
    pool = put_spoke_pool(one)
    call(one, dollars(one.chain), "approve(address,uint256)", pool, 2**256 - 1)


@contextmanager
def two_across_chains() -> Iterator[dict[str, Anvil]]:
    """Base and Arbitrum with Across."""
    with anvil.running(BASE) as base, anvil.running(ARBITRUM) as arbitrum:
        chains = {BASE: base, ARBITRUM: arbitrum}
        for one in chains.values():
            put_across(one)
        yield chains


class AcrossWorld(LiveWorld):
    """A service on two chains, whose payments Across carries, as a profile opens it. With each
    step, its clock goes on by `step_seconds`."""

    step_seconds = 4.0

    def __init__(
        self,
        folder: Path,
        anvils: Mapping[str, Anvil],
        service: AcrossService,
        reached: Callable[[str], None] = lambda step: None,
    ) -> None:
        profile = profile_of(folder, anvils.values(), bridges=("ACROSS",))
        text = profile.read_text() + f'[across]\nurl = "{service.url}"\n'
        profile.write_text(text)
        super().__init__(folder, anvils, profile, reached)
        self.across = service
        self.clock = AheadClock()
        self.services = replace(self.services, clock=self.clock)
        self.engine = Engine(self.services, "test", sole=True)

    def step(self, blocks: int = 1) -> None:
        for _ in range(blocks):
            self.clock.ahead += timedelta(seconds=self.step_seconds)
            super().step()

    def sent(self, **more: str) -> Intent:
        """A payment whose deposit our contract has put into the pool."""
        intent = self.pay(**more)
        self.deposit(intent)
        self.until(lambda: self.is_seen(intent))
        return intent

    def transfer(self, intent: Intent) -> BridgeTransfer:
        with self.services.store.read() as unit:
            return unit.bridge_transfers.get_many([intent.id])[intent.id]

    def is_seen(self, intent: Intent) -> bool:
        """Whether the service has read the deposit in the pool's record."""
        with self.services.store.read() as unit:
            transfer = unit.bridge_transfers.get_many([intent.id]).get(intent.id)
        return transfer is not None and bool(transfer.sent_message)

    def pass_time(self, seconds: int) -> None:
        """Time passes on the chains and for the service."""
        self.clock.ahead += timedelta(seconds=seconds)
        for one in self.anvils.values():
            one.rpc("evm_increaseTime", seconds)
            one.mine()

    def pass_deadline(self) -> None:
        """A final block of each chain is past the deadline of what was sent before."""
        self.pass_time(7_300)
        for one in self.anvils.values():
            one.mine(40)

    def fill(self, intent: Intent) -> bool:
        """A relayer, who has everything, fills a payment's deposit; whether it worked."""
        source = self.anvils[intent.terms.source_chain]
        relay = relay_in(source, self.transfer(intent).source_tx)
        return fill_relay(self.anvils[intent.terms.destination_chain], source, relay)

    def return_deposit(self, intent: Intent, units: int | None = None) -> None:
        """Across' owner relays a root whose leaf returns a deposit, and anybody carries it out."""
        source = self.anvils[intent.terms.source_chain]
        units = intent.terms.deposit_amount if units is None else units
        give_back(source, intent.terms.token_in, {intent.address: units})

    def owed(self, intent: Intent) -> int:
        """What the bridge owes the coordinator on the destination chain."""
        to = self.anvils[intent.terms.destination_chain]
        words = [address_word("evm", a) for a in (intent.coordinator, intent.terms.token_out)]
        data = keccak256(b"owed(address,address)")[:4] + b"".join(words)
        asked = {"to": intent.bridger, "data": "0x" + data.hex()}
        return int(to.rpc("eth_call", asked, "latest"), 16)


def relay_in(source: Anvil, tx_id: str) -> tuple[Any, ...]:
    """What a relayer makes of the pool's log of a deposit."""
    receipt = source.rpc("eth_getTransactionReceipt", tx_id)
    (log,) = (log for log in receipt["logs"] if log["topics"][0] == FUNDS_DEPOSITED.topic)
    values = FUNDS_DEPOSITED.decode(bytes.fromhex(log["data"][2:]))
    token_in, token_out, paid, output, _, deadline, exclusivity, recipient, relayer = values[:9]
    ends = bytes.fromhex(log["topics"][3][2:]), recipient, relayer, token_in, token_out
    numbers = paid, output, int(CATALOGUE.chains[source.chain].chain_id)
    deposit_id = int(log["topics"][2], 16)
    return *ends, *numbers, deposit_id, deadline, exclusivity, values[9]


def fill_relay(to: Anvil, source: Anvil, relay: tuple[Any, ...]) -> bool:
    """A relayer, who has everything, fills a deposit of another chain; whether it worked."""
    types = [_RELAY, "uint256", "bytes32"]
    repaid_at = int(CATALOGUE.chains[source.chain].chain_id)
    account = address_word("evm", RICH.address)
    return invoke(to, pool_of(to.chain), "fillRelay", types, relay, repaid_at, account)


def give_back(source: Anvil, token: str, units: Mapping[str, int]) -> str:
    """Across' owner relays a root whose leaf returns deposits of a token, by account, and anybody
    carries it out, in this transaction."""
    chain_id, pool = int(CATALOGUE.chains[source.chain].chain_id), pool_of(source.chain)
    leaf = (0, chain_id, list(units.values()), 0, token, list(units))
    root = keccak256(encode([_LEAF], [leaf]))
    assert invoke(source, pool, "relayRootBundle", ["bytes32", "bytes32"], root, bytes(32))
    topic = keccak256(b"RelayedRootBundle(uint32,bytes32,bytes32)")
    asked = {"address": pool, "fromBlock": "0x0", "topics": ["0x" + topic.hex()]}
    number = len(source.rpc("eth_getLogs", asked)) - 1
    types = ["uint32", _LEAF, "bytes32[]"]
    assert invoke(source, pool, "executeRelayerRefundLeaf", types, number, leaf, [])
    return str(source.rpc("eth_getBlockByNumber", "latest", False)["transactions"][0])


@dataclass(frozen=True, slots=True)
class Places:
    """Who holds what of one payment, in units of USDC."""

    payer: int
    deposit: int
    pool: int
    recipient: int
    source_contract: int
    destination_contract: int


def places(world: AcrossWorld, intent: Intent) -> Places:
    terms = intent.terms
    source, to = world.anvils[terms.source_chain], world.anvils[terms.destination_chain]
    return Places(
        payer=source.balance(terms.refund_address),
        deposit=source.balance(intent.address),
        pool=source.balance(pool_of(source.chain)),
        recipient=to.balance(terms.recipient),
        source_contract=source.balance(intent.bridger),
        destination_contract=to.balance(intent.bridger),
    )


def pause_pool(one: Anvil, paused: bool) -> None:
    """The owner of a pool stops deposits, or allows them again."""
    assert invoke(one, pool_of(one.chain), "pauseDeposits", ["bool"], paused)
