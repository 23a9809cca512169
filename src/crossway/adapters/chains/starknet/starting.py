"""What must be there before a live chain is worked: contracts, account, gas money; in words."""

from collections.abc import Iterator

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection
from crossway.adapters.chains.starknet import balances, errands
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.ground import Ground, ask_nonce
from crossway.adapters.chains.starknet.signer_check import signer_trouble
from crossway.adapters.chains.starknet.wire import felt
from crossway.domain.errors import Unreachable

# What deploying an account by itself leaves it at.
_NEVER_USED = 1


def missing(chain: StarknetChain) -> list[str]:
    """What is missing, a sentence each. A chain that gives no answer lacks nothing that is known:
    it is worked once it answers."""
    ground = chain.ground
    try:
        fee = chain.fee_units()
        return ground.nodes.one(
            lambda line: [*_contracts(ground, line), *_account(ground, line, fee)]
        )
    except Unreachable:
        return []


def _contracts(ground: Ground, line: Line) -> Iterator[str]:
    name = ground.chain.id
    for one in errands.trouble(line):
        if one.trouble.startswith("another"):
            yield f"{name}: {one.name} at {one.address}: {one.trouble}"
        elif one.trouble:
            yield (
                f"{name}: {one.name} at {one.address}: {one.trouble}: run "
                f"crossway contracts deploy --chain {name}"
            )


def _account(ground: Ground, line: Line, fee_units: int) -> Iterator[str]:
    """An account that was never used must have gas money; later, that it is short is an alarm."""
    name, relayer = ground.chain.id, ground.own.relayer
    if said := signer_trouble(ground, line):
        yield f"{name}: {said}"
        return
    answer = line.tell([ask_nonce(relayer)])[0]
    used = not isinstance(answer, Objection) and felt(answer, "a nonce") > _NEVER_USED
    if used:
        return
    if balances.read(ground, line, [relayer], ground.coin)[relayer] < fee_units:
        symbol = ground.chain.native_symbol
        yield f"{name}: the relayer {relayer} has no {symbol} for fees: send some to it"
