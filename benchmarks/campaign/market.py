"""What can be paid: chains, tokens and wallets, drawn from a random source."""

import random
import tomllib
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from crossway.adapters.chains.addresses import address_from_digest

CHAINS_FILE = Path(__file__).parents[2] / "src/crossway/catalogue/chains.toml"
STABLE, VOLATILE = ("USDC", "USDT", "DAI"), ("ETH", "WETH", "WBTC", "LINK", "SOL", "POL", "TRON")
SAME_CHAIN_SHARE, VOLATILE_SHARE, LARGE_SHARE = 0.1, 0.25, 0.02
# Of payments: between EVM chains, most of which a bridge joins, with what none carries to USDC.
SWAP_SHARE, BOUGHT = 0.15, "USDC"
SMALL_USD, LARGE_USD = (1, 60), (2_000, 20_000)


@dataclass(frozen=True, slots=True)
class ChainFacts:
    """A chain's family, and its depths in blocks: of a small amount, and of finality."""

    kind: str
    fast: int
    finalized: int


@cache
def chain_facts() -> dict[str, ChainFacts]:
    """The main networks."""
    tables = tomllib.loads(CHAINS_FILE.read_text())
    return {
        name: ChainFacts(table["kind"], table["confirmations"]["fast"], table["finalized_blocks"])
        for name, table in tables.items()
        if isinstance(table, dict) and name.endswith("_MAINNET")
    }


def new_wallet(chain: str, name: str) -> str:
    """An address that nobody else has."""
    return address_from_digest(chain_facts()[chain].kind, sha256(name.encode()).digest())


class Market:
    """Tokens by chain, as the API lists them: symbol, address, whether native."""

    def __init__(self, tokens: dict[str, list[dict[str, Any]]]) -> None:
        self.tokens = {chain: tokens[chain] for chain in chain_facts() if tokens.get(chain)}

    def draw_chain(self, rng: random.Random) -> str:
        """A chain; each family is as likely as the others."""
        kind = rng.choice(("evm", "solana", "starknet", "tron"))
        return rng.choice([c for c in self.tokens if chain_facts()[c].kind == kind])

    def draw_route(self, rng: random.Random) -> tuple[str, str]:
        """Source and destination."""
        source = self.draw_chain(rng)
        return source, source if rng.random() < SAME_CHAIN_SHARE else self.draw_chain(rng)

    def draw_token(self, rng: random.Random, chain: str) -> dict[str, Any]:
        """A token to pay with."""
        symbols = VOLATILE if rng.random() < VOLATILE_SHARE else STABLE
        offered = [token for token in self.tokens[chain] if token["symbol"] in symbols]
        return rng.choice(offered or self.tokens[chain][:1])

    def draw_swap(
        self, rng: random.Random
    ) -> tuple[str, str, dict[str, Any], list[dict[str, Any]]]:
        """Source, destination, a token to pay with and those to pay out, which are another."""
        evm = [c for c in self.tokens if chain_facts()[c].kind == "evm" and self._listed(c, BOUGHT)]
        source, destination = rng.sample(evm, 2)
        paid = [token for token in self.tokens[source] if token["symbol"] != BOUGHT]
        return source, destination, rng.choice(paid), self._listed(destination, BOUGHT)

    def _listed(self, chain: str, symbol: str) -> list[dict[str, Any]]:
        return [token for token in self.tokens[chain] if token["symbol"] == symbol]

    def other_token(self, rng: random.Random, chain: str, symbol: str) -> str:
        """A symbol that is not this one."""
        return str(rng.choice([t["symbol"] for t in self.tokens[chain] if t["symbol"] != symbol]))

    def native_token(self, chain: str) -> str:
        """The chain's own coin if it is listed, else any token."""
        listed = [token["symbol"] for token in self.tokens[chain] if token["native"]]
        return str((listed or [self.tokens[chain][-1]["symbol"]])[0])

    def create_body(self, rng: random.Random, name: str) -> dict[str, Any]:
        """The body of a payment whose recipient and payer nobody shares."""
        if rng.random() < SWAP_SHARE:
            source, destination, token, out = self.draw_swap(rng)
        else:
            source, destination = self.draw_route(rng)
            token = self.draw_token(rng, source)
            same = self._listed(destination, token["symbol"])
            out = same if rng.random() < 0.5 else []
        usd = LARGE_USD if rng.random() < LARGE_SHARE else SMALL_USD
        body = {
            "amount": str(rng.randint(usd[0] * 10**6, usd[1] * 10**6)),
            "tokenIn": token["address"],
            "source_chain": source,
            "destination_chain": destination,
            "recipient": new_wallet(destination, f"{name} recipient"),
            "refund_address": new_wallet(source, f"{name} payer"),
            "metadata": {"campaign": name},
        }
        if rng.random() < 0.3:
            body["sender"] = new_wallet(source, f"{name} sender")
        if out:
            body["tokenOut"] = out[0]["address"]
        return body
