"""Circle Gateway's contracts, API and figures by network and chain."""

from dataclasses import dataclass
from typing import Final

from crossway.adapters.bridges.base import apply_rate, chain_family, load_data, parse_rate
from crossway.adapters.bridges.gateway.api import GatewayApi
from crossway.domain.catalogue import Chain
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.quotes import BridgeName

USDC: Final = "USDC"
DAY_SECONDS: Final = 86_400
_PERCENT: Final = 100


@dataclass(frozen=True, slots=True)
class GatewayContracts:
    """Circle's contracts, which have the same address on every EVM chain of a network, and the URL
    of its API."""

    wallet: str
    minter: str
    api: str


@dataclass(frozen=True, slots=True)
class GatewayApis:
    """The clients of the APIs of main and of test networks."""

    main: GatewayApi
    test: GatewayApi

    def of(self, testnet: bool) -> GatewayApi:
        """That of main or of test networks."""
        return self.test if testnet else self.main

    def close(self) -> None:
        """Close the connections of both."""
        self.main.close()
        self.test.close()


def gateway_contracts(testnet: bool) -> GatewayContracts:
    """Circle's contracts of main or of test networks."""
    network = load_data(BridgeName.GATEWAY)["network"]
    return GatewayContracts(**network["test" if testnet else "main"])


def has_gateway(chain: Chain) -> bool:
    """Whether Gateway's contracts are on an EVM chain. Its domain is that of CCTP then."""
    sources = load_data(BridgeName.GATEWAY)["source"]
    is_listed = chain_family(chain.id) in sources
    return is_listed and chain.kind == "evm" and chain.cctp_domain is not None


def final_seconds(chain: Chain) -> int:
    """How long a deposit on a chain usually takes until it is final."""
    row = load_data(BridgeName.GATEWAY)["source"][chain_family(chain.id)]
    seconds: int = row["settle_seconds"]
    return seconds


def mint_seconds() -> int:
    """How long Circle usually takes to attest."""
    seconds: int = load_data(BridgeName.GATEWAY)["fill_seconds"]
    return seconds


def documented_fee(source: Chain, destination: Chain, amount: int) -> int:
    """What Circle's documentation says that it takes of a balance on top of an amount, in units of
    USDC."""
    data = load_data(BridgeName.GATEWAY)
    gas_usd = data["source"][chain_family(source.id)]["gas_usd"]
    return transfer_fee(source, destination, amount) + parse_decimal(
        "gas_usd", gas_usd, MICRO_USD_DECIMALS
    )


def transfer_fee(source: Chain, destination: Chain, amount: int) -> int:
    """The share of that which is not gas: none within one chain."""
    if source.id == destination.id:
        return 0
    return apply_rate(amount, parse_rate(load_data(BridgeName.GATEWAY)["transfer_bps"]))


def offered_fee(source: Chain, destination: Chain, amount: int, estimate: int) -> int | None:
    """The highest fee that a burn intent offers where Circle estimates this one, in units of USDC;
    None where it estimates far more than it documents, which is taken for a mistake."""
    data = load_data(BridgeName.GATEWAY)
    if estimate > documented_fee(source, destination, amount) * int(data["most_fee_factor"]):
        return None
    return -(-estimate * (_PERCENT + int(data["fee_margin_percent"])) // _PERCENT)


def intent_blocks(source: Chain) -> int:
    """For how many blocks of its source chain a burn intent is signed."""
    days = int(load_data(BridgeName.GATEWAY)["intent_days"])
    return int(days * DAY_SECONDS / contract_block_seconds(source))


def contract_block_seconds(chain: Chain) -> float:
    """How long a block usually takes of those that contracts on a chain count."""
    row = load_data(BridgeName.GATEWAY)["source"][chain_family(chain.id)]
    return float(row.get("contract_block_seconds", chain.block_time_seconds))
