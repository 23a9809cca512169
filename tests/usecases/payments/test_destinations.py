"""Every payment has a destination address, for every pair of chain families."""

from itertools import permutations

import pytest

from crossway.adapters.chains.addresses import canonical_address
from crossway.domain.intent import Intent
from crossway.usecases.payments import intents
from tests.harness import CATALOGUE, Harness


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    return Harness(f"sqlite:///{tmp_path_factory.mktemp('world') / 'crossway.db'}")


def create_intent(world: Harness, source: str, to: str) -> Intent:
    symbols = [{t.symbol for t in CATALOGUE.by_chain[c] if t.enabled} for c in (source, to)]
    symbol = next(s for s in ("USDC", "USDT", "ETH") if s in symbols[0])
    out = next(s for s in ("USDC", "USDT", "ETH") if s in symbols[1])
    return world.create_intent(
        source,
        to,
        token_in=CATALOGUE.tokens[source, symbol].address,
        token_out=CATALOGUE.tokens[to, out].address,
    )


def test_every_pair_of_all_chains_has_a_destination_address(world: Harness) -> None:
    families = set()
    for source, to in permutations(CATALOGUE.chains, 2):
        chain_pair, other = CATALOGUE.chains[source], CATALOGUE.chains[to]
        if chain_pair.testnet != other.testnet:
            continue
        intent = create_intent(world, source, to)
        families.add((chain_pair.kind, other.kind))
        assert canonical_address(chain_pair.kind, intent.address) == intent.address
        assert (
            canonical_address(other.kind, intent.destination_address) == intent.destination_address
        )
        chain = world.services.chains[to]
        assert intent.destination_address == chain.deposit_address(intent.intent_hash)
        destination = intents.get_destination_address(world.services, world.caller, intent.address)
        assert destination == intent.destination_address
        has_account = chain_pair.kind == "solana"
        assert (intent.deposit_token_account is not None) is has_account
    kinds = {chain.kind for chain in CATALOGUE.chains.values()}
    assert families == {(a, b) for a in kinds for b in kinds if a != b or a == "evm"}
