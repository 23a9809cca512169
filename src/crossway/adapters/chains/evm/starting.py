"""What must be there before a live chain is worked: contracts, gas money, approvals; in words."""

from collections.abc import Iterator

from crossway.adapters.chains.binding import WORD, address_word
from crossway.adapters.chains.evm.calldata import ALLOWANCE, BALANCE_OF
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import artifact
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.wire import data_of, integer
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.domain.errors import Unreachable


def missing(chain: EvmChain) -> list[str]:
    """What is missing, a sentence each. A chain that gives no answer lacks nothing that is known:
    it is worked once it answers."""
    ground = chain.ground
    try:
        fee = chain.fee_units()
        return ground.nodes.one(
            lambda line: [*_contracts(ground, line), *_money(ground, line, fee)]
        )
    except Unreachable:
        return []


def _contracts(ground: Ground, line: Line) -> Iterator[str]:
    name, at = ground.chain.id, ground.at
    wanted = {"IntentFactory": at.factory, "Escrow": at.escrow, "Filler": at.filler}
    answers = line.ask(*(Question("eth_getCode", (a, "latest")) for a in wanted.values()))
    for (contract, address), answer in zip(wanted.items(), answers, strict=True):
        code = data_of(answer, "code")
        if not code:
            yield (
                f"{name}: the {contract} is not deployed at {address}: run "
                f"crossway contracts deploy --chain {name}"
            )
        elif not artifact(contract).same_code(code):
            yield f"{name}: at {address} lies another contract than the {contract}"


def _money(ground: Ground, line: Line, fee_units: int) -> Iterator[str]:
    """An account that was never used must have gas money; later, that it is short is an alarm."""
    name, relayer = ground.chain.id, ground.own.relayer
    nonce, coins = line.ask(
        Question("eth_getTransactionCount", (relayer, "latest")),
        Question("eth_getBalance", (relayer, "latest")),
    )
    short = integer(coins, "a balance") < fee_units
    if short and integer(nonce, "a nonce") == 0:
        symbol = ground.chain.native_symbol
        yield f"{name}: the relayer {relayer} has no {symbol} for fees: send some to it"
    tokens = [t for t in ground.catalogue.by_chain[name] if t.enabled and not t.native]
    owner = address_word("evm", relayer)
    filler = address_word("evm", ground.at.filler)
    held = _words(line, [t.address for t in tokens], BALANCE_OF + owner)
    allowed = _words(line, [t.address for t in tokens], ALLOWANCE + owner + filler)
    for token in tokens:
        if held[token.address] and not allowed[token.address]:
            yield (
                f"{name}: the relayer's {token.symbol} is not approved for payments: run "
                f"crossway contracts approve --chain {name} --token {token.symbol}"
            )


def _words(line: Line, tokens: list[str], data: bytes) -> dict[str, int]:
    """What each token answers; one that does not answer holds and allows nothing."""
    asked = [Question("eth_call", ({"to": t, "data": "0x" + data.hex()}, "latest")) for t in tokens]
    answers = line.tell(asked)
    return {
        token: 0 if isinstance(answer, Objection) else int.from_bytes(data_of(answer)[:WORD], "big")
        for token, answer in zip(tokens, answers, strict=True)
    }
