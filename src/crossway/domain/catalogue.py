"""Look-ups over the supported chains, tokens and symbols."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from crossway.domain.errors import InvalidInput, MissingInput
from crossway.domain.money import Token
from crossway.domain.price_risk import PriceRisk

ChainKind = Literal["evm", "solana", "starknet", "tron"]
MAINNET_SUFFIX = "_MAINNET"
# Coins whose symbol differs between chains and prices.
_PRICE_SYMBOLS = {"TRX": "TRON"}


@dataclass(frozen=True, slots=True)
class Confirmations:
    """Confirmations required by value: up to 100, 1 000, 10 000 USD, and above."""

    fast: int
    normal: int
    large: int
    finalized: int

    def depth_for_value(self, micro_usd: int) -> int:
        """The number of confirmations required for this value."""
        if micro_usd <= 100_000_000:
            return self.fast
        if micro_usd <= 1_000_000_000:
            return self.normal
        return self.large if micro_usd <= 10_000_000_000 else self.finalized


@dataclass(frozen=True, slots=True)
class Chain:
    """The static data of one chain; `transfer_cost_micro_usd` is an estimate. `across_pool` is the
    contract that deposits over Across go into, where our contracts know it; `public_rpc` a node for
    payers' wallets that do not know an EVM chain, empty on the others."""

    id: str
    kind: ChainKind
    chain_id: str
    caip2: str
    name: str
    testnet: bool
    native_symbol: str
    native_decimals: int
    block_time_seconds: float
    confirmations: Confirmations
    explorer_tx: str
    explorer_address: str
    cctp_domain: int | None
    transfer_cost_micro_usd: int
    finality_note: str = ""
    across_pool: str | None = None
    public_rpc: str = ""

    @property
    def fee_symbol(self) -> str:
        """The symbol under which the native coin has a price."""
        return _PRICE_SYMBOLS.get(self.native_symbol, self.native_symbol)

    def confirmation_seconds(self, micro_usd: int) -> int:
        """The expected time until a deposit of this value has its required confirmations."""
        depth = self.confirmations.depth_for_value(micro_usd)
        return ceil(self.block_time_seconds * (depth + 1))

    def tx_url(self, tx_hash: str) -> str:
        """The block explorer URL of a transaction."""
        return self.explorer_tx.replace("{tx}", tx_hash)

    def address_url(self, address: str) -> str:
        """The block explorer URL of an address."""
        return self.explorer_address.replace("{address}", address)


@dataclass(frozen=True)
class Catalogue:
    """All chains, all (chain, symbol) pairs, and the specification's symbols in its order.

    `burn_addresses` says by (family, address) what an address is that nobody has a key for, `risks`
    by symbol how a token's price moves.
    """

    chains: Mapping[str, Chain]
    tokens: Mapping[tuple[str, str], Token]
    symbols: tuple[str, ...]
    burn_addresses: Mapping[tuple[str, str], str] = field(default_factory=dict)
    risks: Mapping[str, PriceRisk] = field(default_factory=dict)
    by_address: Mapping[tuple[str, str], Token] = field(init=False)
    by_chain: Mapping[str, tuple[Token, ...]] = field(init=False)
    _test_addresses: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        by_address: dict[tuple[str, str], Token] = {}
        by_chain: dict[str, list[Token]] = {chain: [] for chain in self.chains}
        for token in self.tokens.values():
            # Two symbols can name one contract (USDT and USDT0): the first listed wins.
            by_address.setdefault((token.chain, token.address), token)
            by_chain[token.chain].append(token)
        object.__setattr__(self, "by_address", by_address)
        object.__setattr__(self, "by_chain", {c: tuple(t) for c, t in by_chain.items()})
        addresses: dict[bool, set[str]] = {True: set(), False: set()}
        for chain, address in by_address:
            addresses[self.chains[chain].testnet].add(address.casefold())
        object.__setattr__(self, "_test_addresses", frozenset(addresses[True] - addresses[False]))

    def chain(self, name: object, field_name: str = "chain") -> Chain:
        """The chain with this identifier; `BASE` means `BASE_MAINNET`."""
        if name is None:
            raise MissingInput(f"{field_name} is required")
        text = name if isinstance(name, str) else ""
        chain = self.chains.get(text) or self.chains.get(text + MAINNET_SUFFIX)
        if chain is None:
            raise InvalidInput(
                f"{field_name} must be one of the supported chains, such as BASE_MAINNET"
            )
        return chain

    def symbol(self, name: object, field_name: str = "amountSymbol") -> str:
        """A symbol of the specification; raises `InvalidInput` naming the field."""
        if name not in self.symbols:
            raise InvalidInput(
                f"{field_name} must be one of the supported token symbols, such as USDC"
            )
        return str(name)

    def token(self, chain: str, symbol: str, field_name: str = "token") -> Token:
        """The token of this symbol on this chain; raises `InvalidInput` where there is none."""
        token = self.tokens.get((chain, symbol))
        if token is None:
            raise InvalidInput(f"{field_name}: {symbol} is not available on {chain}")
        return self._usable(token, field_name)

    def token_at(self, chain: str, address: str, field_name: str = "tokenIn") -> Token:
        """The token at this canonical address; raises `InvalidInput` if unknown or disabled."""
        token = self.by_address.get((chain, address))
        if token is None:
            raise InvalidInput(f"{field_name} is not a supported token address on {chain}")
        return self._usable(token, field_name)

    def is_test_token(self, address: object) -> bool:
        """Whether an address, however spelt, is that of a token on test networks alone."""
        return isinstance(address, str) and address.casefold() in self._test_addresses

    def native_token(self, chain: str) -> str:
        """The address that represents the native coin; `native` where no symbol stands for it."""
        native_addresses = [token.address for token in self.by_chain[chain] if token.native]
        symbol_token = self.tokens.get((chain, self.chains[chain].native_symbol))
        return (
            native_addresses[0]
            if native_addresses
            else symbol_token.address
            if symbol_token
            else "native"
        )

    def decimals_of(self, symbol: str, chains: Iterable[str]) -> int:
        """The decimals of an amount in this symbol: 6 for USDC, which stands for USD.

        Otherwise those on the first of the given chains that has the token, else on any chain.
        """
        if symbol == "USDC":
            return 6
        for chain in (*chains, *self.chains):
            if (token := self.tokens.get((chain, symbol))) is not None:
                return token.decimals
        raise InvalidInput(f"amountSymbol: {symbol} is not available on any chain")

    @staticmethod
    def _usable(token: Token, field_name: str) -> Token:
        if not token.enabled:
            raise InvalidInput(
                f"{field_name}: {token.symbol} on {token.chain} is disabled: "
                f"{token.disabled_reason}"
            )
        return token
