"""Where the simulated bridges reach, and the addresses of their contracts."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from crossway.adapters.chains.addresses import address_from_digest
from crossway.domain.quotes import BridgeName

_HUNDREDTHS_IN_WHOLE: Final = 1_000_000


def _address(name: str) -> str:
    return address_from_digest("evm", sha256(f"crossway simulated {name}".encode()).digest())


CCTP_FAST, CCTP_STANDARD, ACROSS = "CCTP_FAST", "CCTP_STANDARD", "ACROSS"
CCTP_SWAP_FAST, CCTP_SWAP_STANDARD = "CCTP_SWAP_FAST", "CCTP_SWAP_STANDARD"
"""The names of the contracts, as quotes give them."""
SWAPPING: Final = {CCTP_FAST: CCTP_SWAP_FAST, CCTP_STANDARD: CCTP_SWAP_STANDARD}
"""Those that swap the deposit before they send it, by those that do not."""
MIN_FINALITY: Final = {
    CCTP_FAST: 1000,
    CCTP_STANDARD: 2000,
    CCTP_SWAP_FAST: 1000,
    CCTP_SWAP_STANDARD: 2000,
}
"""The least finality for which each contract of CCTP asks: soft-final, and final."""
COLLECTORS: Final = {name: _address(f"bridge {name}") for name in MIN_FINALITY} | {
    ACROSS: _address(f"bridge {ACROSS}")
}
MESSENGER: Final = _address("CCTP token messenger")
"""Of CCTP: takes what is burnt, and is the recipient of every burn's message."""
TRANSMITTER: Final = _address("CCTP message transmitter")
"""Of CCTP: emits the messages of burns."""
FEE_RECIPIENT: Final = _address("CCTP fee recipient")
POOL: Final = _address("Across pool")
"""Of Across: holds what was deposited."""
ACROSS_RELAYER: Final = _address("Across relayer")
_BRIDGE_OF: Final = {COLLECTORS[name]: BridgeName.CCTP for name in MIN_FINALITY} | {
    COLLECTORS[ACROSS]: BridgeName.ACROSS
}
_FAMILIES: Final = ("evm", "solana", "tron", "starknet")
EXCHANGES: Final = {
    kind: address_from_digest(kind, sha256(b"crossway simulated exchange").digest())
    for kind in _FAMILIES
}
"""Where tokens are bought and sold, by the chain's family; a model, which has what it is asked
for."""
EXCHANGE: Final = EXCHANGES["evm"]
EXCHANGE_NAME: Final = "EXCHANGE"
"""By which the exchange is told to sell nothing."""
TOO_DEAR: Final = "the swap costs more than the deposit"


def bridge_of(collector: str) -> BridgeName | None:
    """The bridge of a contract; None where it is none of theirs."""
    return _BRIDGE_OF.get(collector)


@dataclass(frozen=True, slots=True)
class BridgeReach:
    """What bridges have on one simulated chain, whose id on chain is `number`.

    `domain` and `usdc` are those of CCTP, None and empty where it does not reach; `fast_rate` is
    its fee for fast messages in hundredths of a basis point, None where it has none.
    `chains` are all EVM chains, by their number.
    """

    chain: str
    number: int
    testnet: bool
    domain: int | None
    usdc: str
    fast_rate: int | None
    has_across: bool
    chains: Mapping[int, str]

    def fast_fee(self, amount: int) -> int | None:
        """What CCTP takes for a fast message about an amount; None where it has none."""
        if self.fast_rate is None:
            return None
        return -(-amount * self.fast_rate // _HUNDREDTHS_IN_WHOLE)

    @property
    def collectors(self) -> Mapping[str, str]:
        """The contracts that are there, by name."""
        names = [*(MIN_FINALITY if self.domain is not None else ()), *[ACROSS] * self.has_across]
        return {name: COLLECTORS[name] for name in names}
