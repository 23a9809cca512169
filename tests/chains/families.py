"""A running chain of each family with its hands, by the name that the catalogue gives the chain."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.rpc.family import ChainSettings
from crossway.adapters.chains.rpc.keys import Keyring
from crossway.adapters.chains.rpc.profile import read_profile
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.catalogue import load_catalogue
from tests.chains import anvil
from tests.chains.service import Hands, profile_of
from tests.chains.solana import node as solana
from tests.chains.starknet import network as starknet
from tests.chains.tron import node as tron

CATALOGUE = load_catalogue()
EVM, SOLANA, STARKNET, TRON = (f"{name}_MAINNET" for name in ("BASE", "SOLANA", "STARKNET", "TRON"))


class SolanaHands:
    """A cluster of Solana; `deposits` are the program's, or derived from a key."""

    chain, stock = SOLANA, solana.STOCK
    relayer, treasury = str(solana.RELAYER.pubkey()), str(solana.TREASURY.pubkey())
    key = solana.RELAYER.secret()

    def __init__(self, node: solana.Node) -> None:
        self.node, self.url = node, node.url
        self.token = solana.dollars(self.chain)
        self.wallet, self.pay, self.mine = node.wallet, node.pay, node.mine
        self.balance = node.balance

    def refuse(self, address: str, token: str | None = None) -> None:
        self.node.freeze(address, token or self.token)

    def fields(self) -> dict[str, Any]:
        return {"program": str(solana.PROGRAM)}


@contextmanager
def _evm() -> Iterator[Hands]:
    with anvil.running(EVM) as running:
        yield running


@contextmanager
def _solana() -> Iterator[Hands]:
    # A service judges by the machine's clock when a payment ends.
    with solana.running(SOLANA, time=int(time.time()) - 60) as running:
        yield SolanaHands(running)


@contextmanager
def _tron() -> Iterator[Hands]:
    with tron.running() as running:
        # A node of Tron objects to questions about a token that is not there.
        for token in CATALOGUE.by_chain[TRON]:
            if not token.native and token.address not in (tron.USDT, tron.FOREIGN):
                running.put_token(token.address)
        yield running


@contextmanager
def _starknet() -> Iterator[Hands]:
    with starknet.running(STARKNET) as running:
        yield running


# In the order in which a payment goes around.
RUNNING: Mapping[str, Callable[[], AbstractContextManager[Hands]]] = {
    EVM: _evm,
    SOLANA: _solana,
    TRON: _tron,
    STARKNET: _starknet,
}


@contextmanager
def all_running() -> Iterator[dict[str, Hands]]:
    """A chain of every family that this machine can run."""
    with ExitStack() as stack:
        found: dict[str, Hands] = {}
        for name, run in RUNNING.items():
            # What one family lacks takes nothing from the others; a test says who took no part.
            with suppress(pytest.skip.Exception):
                found[name] = stack.enter_context(run())
        yield found


def question(method: str) -> tuple[str, dict[str, Any]]:
    """A path and a body."""
    return "", {"jsonrpc": "2.0", "id": 1, "method": method, "params": []}


# The least that a node of the family can be asked.
BARE: Mapping[str, tuple[str, dict[str, Any]]] = {
    EVM: question("eth_blockNumber"),
    SOLANA: question("getSlot"),
    TRON: ("/jsonrpc", question("eth_blockNumber")[1]),
    STARKNET: question("starknet_blockNumber"),
}


def opened(folder: Path, hands: Hands, url: str) -> ChainOperator:
    """The chain as a profile opens it, through this URL."""
    path = profile_of(folder, [hands], {hands.chain: [url]})
    profile = read_profile(path, CATALOGUE).chains[hands.chain]
    kind = CATALOGUE.chains[hands.chain].kind
    return load_family(kind).open_chain(ChainSettings(CATALOGUE, hands.chain, profile, Keyring({})))
