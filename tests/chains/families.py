"""A running chain of each family with its hands, by the name that the catalogue gives the chain."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from crossway.adapters.chains.live.families import Opened, family
from crossway.adapters.chains.live.keys import Keyring
from crossway.adapters.chains.live.profile import read_profile
from crossway.catalogue import load
from tests.chains import anvil
from tests.chains.service import Hands, profile_of

CATALOGUE = load()
EVM = "BASE_MAINNET"


@contextmanager
def _evm() -> Iterator[Hands]:
    with anvil.running(EVM) as running:
        yield running


RUNNING: Mapping[str, Callable[[], AbstractContextManager[Hands]]] = {EVM: _evm}
# The least that a node of the family can be asked: a path and a body.
BARE: Mapping[str, tuple[str, dict[str, Any]]] = {
    EVM: ("", {"jsonrpc": "2.0", "id": 1, "method": "eth_blockNumber", "params": []}),
}


def opened(folder: Path, hands: Hands, url: str) -> Opened:
    """The chain as a profile opens it, through this URL."""
    path = profile_of(folder, [hands], {hands.chain: [url]})
    profile = read_profile(path, CATALOGUE).chains[hands.chain]
    kind = CATALOGUE.chains[hands.chain].kind
    return family(kind).open_chain(CATALOGUE, hands.chain, profile, {}, Keyring({}))
