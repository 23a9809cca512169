"""The chains under conformance test, each with its test controls."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.family import EvmFamily
from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.family import SolanaFamily
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.family import StarknetFamily
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.family import TronFamily
from crossway.ports.chain import Chain
from crossway.ports.chain_calls import PublicCall
from tests.chains import anvil
from tests.chains.solana import node as solana
from tests.chains.solana.cluster import HASH_LIFE
from tests.chains.starknet import network as starknet
from tests.chains.tron import node as tron
from tests.conformance.simulated_network import SimulatedNetwork
from tests.simulation import catalogue


class Network(Protocol):
    """A chain under test, with the controls that tests need."""

    chain: Chain
    token: str
    foreign_token: str
    life: int
    """Blocks after which what was signed can no longer land; 0 where its nonce alone decides."""

    def wallet(self, name: str) -> str: ...
    def pay(self, to: str, units: int, token: str | None = None) -> str: ...
    def mine(self, blocks: int = 1) -> None: ...
    def reorganise(self, depth: int) -> None: ...
    def refuse(self, address: str) -> None: ...
    def expiry(self, seconds: float) -> datetime: ...
    def carry_out(self, call: PublicCall) -> None:
        """Mine exactly this call by an account that is none of ours, whether it works or not."""
        ...


class AnvilNetwork:
    """A real EVM chain on this machine."""

    life = 0

    def __init__(self, running: anvil.Anvil, token: str, foreign: str) -> None:
        self.anvil = running
        self.opened = open_evm(running)
        self.chain: Chain = self.opened
        self.token, self.foreign_token = token, foreign

    def wallet(self, name: str) -> str:
        return made_up(name)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        return self.anvil.pay(to, units, token or self.token)

    def mine(self, blocks: int = 1) -> None:
        self.anvil.mine(blocks)

    def reorganise(self, depth: int) -> None:
        self.anvil.reorganise(depth)

    def refuse(self, address: str) -> None:
        self.anvil.refuse(address, self.token)

    def expiry(self, seconds: float) -> datetime:
        return anvil.in_seconds(self.anvil, seconds)

    def carry_out(self, call: PublicCall) -> None:
        self.anvil.carry_out(call.contract, call.data)


class SolanaNetwork:
    """Real programs of Solana on this machine, behind a node's JSON-RPC."""

    life = HASH_LIFE + 1

    def __init__(self, node: solana.Node, deposits: str) -> None:
        self.node = node
        self.opened = open_solana(node, deposits=deposits)
        self.chain: Chain = self.opened
        self.token, self.foreign_token = solana.dollars(node.chain), SOLANA_EUROS

    def wallet(self, name: str) -> str:
        address = self.node.wallet(name)
        if name.startswith("payer"):
            # A payer of a token has a token account.
            self.node.give(address, 0, self.token)
        return address

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        return self.node.pay(to, units, token or self.token)

    def mine(self, blocks: int = 1) -> None:
        self.node.mine(blocks)

    def reorganise(self, depth: int) -> None:
        self.node.reorganise(depth)

    def refuse(self, address: str) -> None:
        self.node.freeze(address, self.token)

    def expiry(self, seconds: float) -> datetime:
        return self.node.in_seconds(seconds)

    def carry_out(self, call: PublicCall) -> None:
        self.node.carry_out(call.data)


class StarknetNetwork:
    """Real contracts of Starknet on this machine, behind a node's JSON-RPC."""

    life = 0

    def __init__(self, node: starknet.Starknet, token: str, foreign: str) -> None:
        self.node = node
        self.opened = open_starknet(node)
        self.chain: Chain = self.opened
        self.token, self.foreign_token = token, foreign

    def wallet(self, name: str) -> str:
        return self.node.wallet(name)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        return self.chain.canonical_address(self.node.pay(to, units, token or self.token))

    def mine(self, blocks: int = 1) -> None:
        self.node.mine(blocks)

    def reorganise(self, depth: int) -> None:
        self.node.reorganise(depth)

    def refuse(self, address: str) -> None:
        self.node.refuse(address, self.token)

    def expiry(self, seconds: float) -> datetime:
        return self.node.time + timedelta(seconds=seconds)

    def carry_out(self, call: PublicCall) -> None:
        self.node.carry_out(call.contract, call.data)


class TronNetwork:
    """Tron on this machine, behind a node proxy."""

    life = tron.LIFE_SECONDS // tron.BLOCK_SECONDS + 1

    def __init__(self, node: tron.Tron, token: str, foreign: str) -> None:
        self.node = node
        self.opened = open_tron(node)
        self.chain: Chain = self.opened
        self.token, self.foreign_token = token, foreign

    def wallet(self, name: str) -> str:
        return self.node.wallet(name)

    def pay(self, to: str, units: int, token: str | None = None) -> str:
        return self.node.pay(to, units, token or self.token)

    def mine(self, blocks: int = 1) -> None:
        self.node.mine(blocks)

    def reorganise(self, depth: int) -> None:
        self.node.reorganise(depth)

    def refuse(self, address: str) -> None:
        self.node.refuse(address, self.token)

    def expiry(self, seconds: float) -> datetime:
        return self.node.in_seconds(seconds)

    def carry_out(self, call: PublicCall) -> None:
        self.node.carry_out(call.contract, call.data)


def made_up(name: str) -> str:
    """An address derived from a name."""
    return anvil.canonical_address("evm", "0x" + anvil.keccak256(name.encode())[-20:].hex())


def open_evm(running: anvil.Anvil, *urls: str, quorum: int = 1) -> EvmChain:
    """The chain opened from an operator's profile, without caching the head."""
    profile = ChainProfile(
        rpc=list(urls) or [running.url],
        key="env:KEY",
        treasury=anvil.TREASURY,
        poll_seconds=0,
        clock_seconds=1e9,
        quorum=quorum,
    )
    return EvmFamily().open_chain(settings(running.chain, profile, KEY=anvil.RELAYER_KEY)).chain


def open_solana(
    node: solana.Node, *urls: str, quorum: int = 1, deposits: str = "program"
) -> SolanaChain:
    """The cluster opened from an operator's profile, without caching the head."""
    profile = ChainProfile.model_validate(
        {
            "rpc": list(urls) or [node.url],
            "key": "env:KEY",
            "treasury": str(solana.TREASURY.pubkey()),
            "program": str(solana.PROGRAM),
            "deposits": deposits,
            "deposit_key": "env:DEPOSIT_KEY" if deposits == "derived" else "",
            "poll_seconds": 0,
            "clock_seconds": 1e9,
            "quorum": quorum,
        }
    )
    environment = {
        "KEY": str(list(bytes(solana.RELAYER))),
        "DEPOSIT_KEY": "0x" + "d7" * 32,
    }
    return SolanaFamily().open_chain(settings(node.chain, profile, **environment)).chain


def open_starknet(node: starknet.Starknet, *urls: str, quorum: int = 1) -> StarknetChain:
    """The chain as an operator's profile opens it; asks for its head every time, and gives its
    interpreted contracts time on a busy machine."""
    profile = ChainProfile(
        timeout_seconds=60,
        rpc=list(urls) or [node.url],
        key="env:KEY",
        treasury=node.treasury,
        account=node.relayer,
        poll_seconds=0,
        clock_seconds=1e9,
        quorum=quorum,
    )
    key = "0x" + node.key.hex()
    return StarknetFamily().open_chain(settings(node.chain, profile, KEY=key)).chain


def open_tron(node: tron.Tron, *urls: str, quorum: int = 1) -> TronChain:
    """Tron opened from an operator's profile, without caching the head."""
    profile = ChainProfile(
        rpc=list(urls) or [node.url],
        key="env:KEY",
        treasury=node.treasury,
        contracts=node.contracts,
        poll_seconds=0,
        clock_seconds=1e9,
        quorum=quorum,
    )
    return TronFamily().open_chain(settings(node.chain, profile, KEY=anvil.RELAYER_KEY)).chain


def settings(name: str, profile: ChainProfile, **environment: str) -> ChainSettings:
    """A chain of the catalogue with the keys of an environment."""
    return ChainSettings(catalogue(), name, profile, Keyring(environment))


Opener = Callable[[Path], AbstractContextManager[Network]]


@contextmanager
def simulated(name: str, folder: Path) -> Iterator[Network]:
    created = SimulatedNetwork(folder, name)
    yield created
    created.simulation.close()


_ANVILS: dict[str, anvil.Anvil] = {}
BASE = "BASE_MAINNET"
COIN = "0x" + "0" * 40
EUROS = anvil.CATALOGUE.tokens[BASE, "EURC"].address


@contextmanager
def on_anvil(kind: str, folder: Path) -> Iterator[Network]:
    """One anvil for the whole run, reset after each test."""
    running = _ANVILS["one"]
    before = running.rpc("evm_snapshot")
    token, euros = anvil.dollars(BASE), EUROS
    if kind == "silent":
        running.rpc("anvil_setCode", token, anvil.token_code("Silent"))
    asked_for, other = (COIN, token) if kind == "coin" else (token, euros)
    created = AnvilNetwork(running, asked_for, other)
    yield created
    created.opened.close()
    running.sent.clear()
    running.rpc("evm_revert", before)


@contextmanager
def anvils() -> Iterator[None]:
    """The anvil that the networks on it share."""
    with anvil.running(BASE) as running:
        running.put_token(EUROS)
        _ANVILS["one"] = running
        yield
    _ANVILS.clear()


SOLANA_EUROS = anvil.CATALOGUE.tokens["SOLANA_MAINNET", "EURC"].address


@contextmanager
def on_solana(deposits: str, folder: Path) -> Iterator[Network]:
    """A cluster of its own, with deposit addresses of the program or of derived keys."""
    with solana.running() as node:
        node.put_mint(SOLANA_EUROS)
        node.give(str(solana.RICH.pubkey()), solana.STOCK, SOLANA_EUROS)
        created = SolanaNetwork(node, deposits)
        yield created
        created.opened.close()


@contextmanager
def on_starknet(symbol: str, folder: Path) -> Iterator[Network]:
    """One chain for the whole run, put back after each test."""
    with starknet.shared() as node:
        created = StarknetNetwork(node, starknet.address_of(symbol), starknet.address_of("ETH"))
        yield created
        created.opened.close()


_TRONS: list[tron.Tron] = []


@contextmanager
def on_tron(kind: str, folder: Path) -> Iterator[Network]:
    """One chain for the whole run, put back after each test."""
    node = _TRONS[0]
    before, sent = node.anvil.rpc("evm_snapshot"), node.machine.remembered()
    if kind in ("Plain", "Silent"):
        node.anvil.rpc("anvil_setCode", tron.to_evm_address(tron.USDT), anvil.token_code(kind))
    asked_for, other = (tron.TRX, tron.USDT) if kind == "coin" else (tron.USDT, tron.FOREIGN)
    created = TronNetwork(node, asked_for, other)
    yield created
    created.opened.close()
    node.machine.put_back(sent)
    node.anvil.rpc("evm_revert", before)


@contextmanager
def trons() -> Iterator[None]:
    """The chain that the networks on Tron share."""
    with tron.running() as running:
        _TRONS.append(running)
        yield
    _TRONS.clear()


NETWORKS: dict[str, Opener] = {
    "simulated evm": partial(simulated, "BASE_MAINNET"),
    "simulated solana": partial(simulated, "SOLANA_MAINNET"),
    "simulated starknet": partial(simulated, "STARKNET_MAINNET"),
    "simulated tron": partial(simulated, "TRON_MAINNET"),
    "anvil": partial(on_anvil, "plain"),
    "anvil token that answers nothing": partial(on_anvil, "silent"),
    "anvil native coin": partial(on_anvil, "coin"),
    "tron token that answers true": partial(on_tron, "Plain"),
    "tron token that answers nothing": partial(on_tron, "Silent"),
    "tron token that answers false": partial(on_tron, "Denying"),
    "tron native coin": partial(on_tron, "coin"),
    "solana": partial(on_solana, "program"),
    "solana with derived keys": partial(on_solana, "derived"),
    "starknet": partial(on_starknet, "USDC"),
    "starknet older token": partial(on_starknet, "USDT"),
}
