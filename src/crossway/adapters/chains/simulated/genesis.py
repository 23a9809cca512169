"""How a simulated chain begins: its fee, its pace, and what Crossway's accounts hold there."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection
from sqlalchemy.dialects import postgresql, sqlite

from crossway.adapters.chains.simulated.identities import NATIVE, own_addresses, tag
from crossway.adapters.chains.simulated.sets import put
from crossway.adapters.chains.simulated.state import ChainState
from crossway.adapters.chains.simulated.tables import balances, chains
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.money import PICO_USD_DECIMALS, Token, units_for_micro_usd_up
from crossway.ports.chain import ChainAddresses

LONGEST_BLOCK_SECONDS = 1.0
# A network that is new has a past, too, so that blocks of it can be reorganised.
FIRST_HEIGHT, HEIGHT_AT_START = 0, 1_000
INVENTORY_MICRO_USD = 1_000_000 * 10**6
FEES_AT_START = 1_000_000
# The symbols list this coin under another name.
LISTED_AS = {"TRX": "TRON"}
WITHOUT_PRICE = 10**PICO_USD_DECIMALS


@dataclass(frozen=True, slots=True)
class Facts:
    """What never changes about a simulated chain; `fee_units` of `native` cost a transaction."""

    id: str
    chain_id: str
    family: str
    own: ChainAddresses
    own_set: frozenset[str]
    native: str
    fee_units: int
    block_seconds: float
    finalized_blocks: int
    tokens: Mapping[str, Token]
    holdings: Mapping[tuple[str, str], int]


def facts_of(catalogue: Catalogue, chain: Chain, pico_usd: Mapping[str, int]) -> Facts:
    """A chain of the catalogue as the simulated network runs it."""
    own = own_addresses(chain.kind)
    tokens = catalogue.by_chain[chain.id]
    symbol = LISTED_AS.get(chain.native_symbol, chain.native_symbol)
    price = pico_usd.get(symbol) or WITHOUT_PRICE
    fee = units_for_micro_usd_up(chain.transfer_cost_micro_usd, chain.native_decimals, price)
    native = _native(tokens, symbol)
    return Facts(
        id=chain.id,
        chain_id=chain.chain_id,
        family=chain.kind,
        own=own,
        own_set=frozenset((own.relayer, own.bridger, own.coordinator, own.treasury)),
        native=native,
        fee_units=max(fee, 1),
        block_seconds=min(chain.block_time_seconds, LONGEST_BLOCK_SECONDS),
        finalized_blocks=chain.confirmations.finalized,
        tokens={token.symbol: token for token in tokens},
        holdings=_holdings(own, tokens, native, max(fee, 1), pico_usd),
    )


def begin(db: Connection, all_facts: Iterable[Facts], now: float) -> None:
    """Start every chain that has not started yet; of two that try at once, one does."""
    make = sqlite.insert if db.dialect.name == "sqlite" else postgresql.insert
    start = make(chains).on_conflict_do_nothing().returning(chains.c.id)
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
                (facts.id, address, tag(facts.id, address), token, str(units))
                for (address, token), units in facts.holdings.items()
            )
    put(db, balances, rows)


def _native(tokens: Iterable[Token], symbol: str) -> str:
    marked = (token.address for token in tokens if token.native)
    named = (token.address for token in tokens if token.symbol == symbol)
    return next(marked, next(named, NATIVE))


def _holdings(
    own: ChainAddresses,
    tokens: Iterable[Token],
    native: str,
    fee_units: int,
    pico_usd: Mapping[str, int],
) -> dict[tuple[str, str], int]:
    """The relayer can pay out a million USD of every token; who signs can pay for it."""
    held = {
        (own.relayer, token.address): units_for_micro_usd_up(
            INVENTORY_MICRO_USD, token.decimals, pico_usd.get(token.symbol) or WITHOUT_PRICE
        )
        for token in tokens
        if token.enabled
    }
    for signer in (own.relayer, own.bridger, own.coordinator):
        held[signer, native] = held.get((signer, native), 0) + FEES_AT_START * fee_units
    return held
