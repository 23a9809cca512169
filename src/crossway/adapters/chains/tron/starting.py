"""What must be there before Tron is worked: contracts, TRX for fees, approvals; in words."""

from collections.abc import Iterator

from crossway.adapters.chains.evm.errands import allowances, holdings
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.contracts import addresses
from crossway.adapters.chains.tron.errands import trouble_of
from crossway.adapters.chains.tron.forms import named, plain
from crossway.adapters.chains.tron.resources import CHAIN_ID_VOTE
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token


def missing(chain: TronChain) -> list[str]:
    """What is missing, a sentence each. A chain that gives no answer lacks nothing that is known:
    it is worked once it answers."""
    ground = chain.ground
    try:
        found = ground.nodes.one(lambda line: list(_contracts(ground, line)))
        found += [f"{chain.id}: {said}" for said in wrong_votes(chain)]
        found += list(_coins(chain))
        if not found:
            found = ground.nodes.one(lambda line: list(_approvals(ground, line)))
        return found
    except Unreachable:
        return []


def wrong_votes(chain: TronChain) -> Iterator[str]:
    """Where the network reads its own chain id in another way than our contracts count on."""
    if chain.post.prices().short_chain_id is False:
        yield (
            f"{CHAIN_ID_VOTE} is not voted for on this network: contracts read another chain id "
            "there, and no payment could be started"
        )


def _contracts(ground: Ground, line: Line) -> Iterator[str]:
    name, placed = ground.chain.id, addresses(ground.at)
    for contract, trouble in trouble_of(line, ground).items():
        if not trouble:
            continue
        if not placed[contract]:
            if contract != "DepositAddress":
                yield (
                    f"{name}: the profile does not name the {contract}: run crossway contracts "
                    f"deploy --chain {name}, and write down what it tells"
                )
        elif trouble == "not deployed":
            yield f"{name}: the {contract} is not deployed at {named(placed[contract])}"
        else:
            yield f"{name}: at {named(placed[contract])} lies another contract than the {contract}"


def _coins(chain: TronChain) -> Iterator[str]:
    """An account that was never used must have TRX; later, that it is short is an alarm."""
    relayer, symbol = chain.own.relayer, chain.ground.chain.native_symbol
    if chain.native_balance(relayer) < chain.fee_units() and chain.next_nonce(relayer) == 0:
        yield f"{chain.id}: the relayer {relayer} has no {symbol} for fees: send some to it"


def payable(ground: Ground) -> dict[str, Token]:
    """The tokens that recipients can be paid in, by their plain addresses."""
    tokens = ground.catalogue.by_chain[ground.chain.id]
    return {plain(t.address): t for t in tokens if t.enabled and not t.native}


def _approvals(ground: Ground, line: Line) -> Iterator[str]:
    name, owner, tokens = ground.chain.id, ground.own.relayer, payable(ground)
    held = holdings(line, owner, list(tokens))
    allowed = allowances(line, owner, ground.at.filler, list(tokens))
    for place, token in tokens.items():
        if held[place] and not allowed[place]:
            yield (
                f"{name}: the relayer's {token.symbol} is not approved for payments: run "
                f"crossway contracts approve --chain {name} --token {token.symbol}"
            )
