"""The initial state of a simulated chain: its fee, its block time, and the operator's balances."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_into, insert_rows
from crossway.adapters.chains.simulated.blocks.derivation import (
    NATIVE,
    derive_address,
    lookup_tag,
    operator_addresses,
)
from crossway.adapters.chains.simulated.blocks.state import ChainState
from crossway.adapters.chains.simulated.blocks.tables import balances, chains
from crossway.adapters.chains.simulated.contracts.reach import EXCHANGES, POOL, BridgeReach
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.money import PICO_USD_DECIMALS, Token, units_for_micro_usd_up
from crossway.ports.chain_addresses import ChainAddresses

MAX_BLOCK_SECONDS = 1.0
# A new chain starts above its first height, so that its blocks can be reorged.
FIRST_HEIGHT, HEIGHT_AT_START = 0, 1_000
INVENTORY_MICRO_USD = 1_000_000 * 10**6
FEES_AT_START = 1_000_000
# How long a transaction may wait for a block, in seconds. The other families have no limit: there
# transactions wait for their nonce.
TX_LIFE_SECONDS = {"solana": 60, "tron": 60}
DEFAULT_PICO_USD = 10**PICO_USD_DECIMALS


@dataclass(frozen=True, slots=True)
class ChainFacts:
    """The constants of a simulated chain; a transaction costs `fee_units` of `native`.

    `tx_life_seconds` is None where transactions have nonces instead of a time limit, `reach` where
    no bridge's contracts are.
    """

    id: str
    chain_id: str
    family: str
    accounts: ChainAddresses
    own_set: frozenset[str]
    native: str
    fee_units: int
    block_seconds: float
    finalized_blocks: int
    tokens: Mapping[str, Token]
    holdings: Mapping[tuple[str, str], int]
    tx_life_seconds: int | None
    reach: BridgeReach | None = None

    @property
    def has_nonces(self) -> bool:
        """Whether an account's transactions are included in the order of their nonces."""
        return self.tx_life_seconds is None


def facts_of(
    catalogue: Catalogue,
    chain: Chain,
    pico_usd: Mapping[str, int],
    reach: BridgeReach | None = None,
    gas_accounts: int = 0,
) -> ChainFacts:
    """The constants of a chain of the catalogue on the simulated network."""
    accounts = _accounts(chain, reach, gas_accounts)
    tokens = catalogue.by_chain[chain.id]
    symbol = chain.fee_symbol
    price = pico_usd.get(symbol) or DEFAULT_PICO_USD
    fee = units_for_micro_usd_up(chain.transfer_cost_micro_usd, chain.native_decimals, price)
    native = _native(tokens, symbol)
    return ChainFacts(
        id=chain.id,
        chain_id=chain.chain_id,
        family=chain.kind,
        accounts=accounts,
        own_set=frozenset(
            (
                *accounts.senders,
                accounts.bridger,
                accounts.coordinator,
                accounts.treasury,
                *accounts.contracts,
            )
        ),
        native=native,
        fee_units=max(fee, 1),
        block_seconds=min(chain.block_time_seconds, MAX_BLOCK_SECONDS),
        finalized_blocks=chain.confirmations.finalized,
        tokens={token.symbol: token for token in tokens},
        holdings=_holdings(accounts, tokens, native, max(fee, 1), pico_usd),
        tx_life_seconds=TX_LIFE_SECONDS.get(chain.kind),
        reach=reach,
    )


def _accounts(chain: Chain, reach: BridgeReach | None, gas_accounts: int) -> ChainAddresses:
    count = gas_accounts if chain.kind == "evm" else 0
    own = replace(
        operator_addresses(chain.kind),
        exchange=EXCHANGES[chain.kind],
        gas_accounts=tuple(derive_address(chain.kind, f"own gas {n + 1}") for n in range(count)),
    )
    if reach is None:
        return own
    return replace(
        own,
        contracts=tuple(reach.collectors.values()),
        collectors=reach.collectors,
        pools=frozenset({POOL} if reach.has_across else ()),
    )


def create_chains(db: Connection, all_facts: Iterable[ChainFacts], now: float) -> None:
    """Create every chain that does not exist yet; of two concurrent calls one wins."""
    start = insert_into(db, chains).on_conflict_do_nothing().returning(chains.c.id)
    rows: list[tuple[str, str, int, str, str]] = []
    for facts in all_facts:
        state = ChainState(
            id=facts.id,
            base_height=HEIGHT_AT_START,
            base_at=now,
            block_seconds=facts.block_seconds,
            first_height=FIRST_HEIGHT,
            height=HEIGHT_AT_START,
            last_at=now,
            reorgs=[],
        )
        if db.execute(start, state.columns()).one_or_none() is not None:
            rows += (
                (facts.id, address, lookup_tag(facts.id, address), token, str(units))
                for (address, token), units in facts.holdings.items()
            )
    insert_rows(db, balances, rows)


def _native(tokens: Iterable[Token], symbol: str) -> str:
    native_addresses = (token.address for token in tokens if token.native)
    symbol_addresses = (token.address for token in tokens if token.symbol == symbol)
    return next(native_addresses, next(symbol_addresses, NATIVE))


def _holdings(
    accounts: ChainAddresses,
    tokens: Iterable[Token],
    native: str,
    fee_units: int,
    pico_usd: Mapping[str, int],
) -> dict[tuple[str, str], int]:
    """A million USD of every token for the relayer, and gas for every signing account."""
    holdings = {
        (accounts.relayer, token.address): units_for_micro_usd_up(
            INVENTORY_MICRO_USD, token.decimals, pico_usd.get(token.symbol) or DEFAULT_PICO_USD
        )
        for token in tokens
        if token.enabled
    }
    for signer in (*accounts.senders, accounts.bridger, accounts.coordinator):
        holdings[signer, native] = holdings.get((signer, native), 0) + FEES_AT_START * fee_units
    return holdings
