"""What an operator has done on a chain by hand: contracts deployed, tokens approved."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from crossway.adapters.chains.binding import WORD, address_word, number_word
from crossway.adapters.chains.evm.calldata import ALLOWANCE, BALANCE_OF, Call, selector
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import (
    DEPLOYER,
    SALT,
    Deployment,
    artifact,
    init_code,
)
from crossway.adapters.chains.evm.transactions import signed
from crossway.adapters.chains.evm.wire import data_of, hash_of, integer, receipt
from crossway.adapters.chains.live.errands import Done, Errand, Plan, Sent
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units
from crossway.ports.chain import Signed
from crossway.ports.signing import Signer

EVERYTHING = 2**256 - 1
_APPROVE = selector("approve(address,uint256)")
_KEPT = selector("kept(address,address)")
_WITHDRAW = selector("withdraw(address,address,uint256)")
_DEPLOYED = ("IntentFactory", "Escrow", "Filler")
_PATIENCE_SECONDS, _LOOK_SECONDS = 600.0, 1.0
_SPARE_GAS = 40_000


def contract_addresses(at: Deployment) -> dict[str, str]:
    """Each contract that must be there, and where."""
    placed = dict(zip(_DEPLOYED, (at.factory, at.escrow, at.filler), strict=True))
    return {**placed, "DepositAddress": at.implementation}


def contract_trouble(line: Line, at: Deployment) -> dict[str, str]:
    """Of each contract what is wrong with it, empty where it has the artifact's code."""
    wanted = contract_addresses(at)
    answers = line.ask(*(Question("eth_getCode", (a, "latest")) for a in wanted.values()))
    found = {}
    for (name, address), answer in zip(wanted.items(), answers, strict=True):
        code = data_of(answer, "code")
        right = artifact(name, at.family).same_code(code)
        found[name] = "" if right else "not deployed" if not code else f"other code at {address}"
    return found


def deployment_plan(chain: EvmChain, signer: Signer) -> Plan:
    """What is missing on a chain. Raises `Unreachable`, or `ValueError` with a sentence where the
    contracts cannot be put there."""
    at = chain.ground.at

    def missing(line: Line) -> list[tuple[str, Call]]:
        trouble = contract_trouble(line, at)
        if not data_of(line.ask(Question("eth_getCode", (DEPLOYER, "latest")))[0], "code"):
            raise ValueError(
                f"{chain.id} lacks the deterministic deployer {DEPLOYER}: it must be put there "
                "first (docs/going-live.md says how)"
            )
        wrong = [f"{name}: {said}" for name, said in trouble.items() if said.startswith("other")]
        if wrong:
            raise ValueError(f"{chain.id}: {'; '.join(wrong)}")
        return [
            (f"{name} at {contract_addresses(at)[name]}", Call(DEPLOYER, SALT + init_code(name)))
            for name in _DEPLOYED
            if trouble[name]
        ]

    return _plan(chain, signer, missing)


def approval_plan(chain: EvmChain, tokens: Sequence[Token], units: int) -> Plan:
    """Let the filler take up to `units` of each token from the relayer. An allowance that is
    something else already is taken back first, as some tokens ask for."""
    ground = chain.ground

    def wanted(line: Line) -> list[tuple[str, Call]]:
        calls = []
        for token in tokens:
            now = allowances(line, ground.own.relayer, ground.at.filler, [token.address])
            if now[token.address] == units:
                continue
            if now[token.address] and units:
                calls.append((f"no {token.symbol} allowed for now", _approve(chain, token, 0)))
            much = format_units(units, token.decimals)
            words = "any amount of" if units == EVERYTHING else much
            calls.append((f"{words} {token.symbol} allowed", _approve(chain, token, units)))
        return calls

    return _plan(chain, ground.signer, wanted)


def withdrawal_plan(chain: EvmChain, token: Token, to: str, units: int) -> Plan:
    """Take out of the escrow what stayed there of our own payments: what bridges charge."""
    words = address_word("evm", token.address), address_word("evm", to), number_word(units)
    call = Call(chain.ground.at.escrow, _WITHDRAW + b"".join(words))
    what = f"{format_units(units, token.decimals)} {token.symbol} from the escrow to {to}"
    return _plan(chain, chain.ground.signer, lambda line: [(what, call)])


def kept_units(chain: EvmChain, token: str) -> int:
    """What stayed in the escrow of our own settled payments, in units of a token."""
    owner = address_word("evm", chain.own.coordinator)
    call = {"to": chain.ground.at.escrow, "data": "0x" + (_KEPT + owner).hex()}
    call["data"] += address_word("evm", token).hex()
    answer = chain.ground.nodes.one(lambda line: line.ask(Question("eth_call", (call, "latest"))))
    return int.from_bytes(data_of(answer[0], "a balance")[:WORD], "big")


def _approve(chain: EvmChain, token: Token, units: int) -> Call:
    filler = address_word("evm", chain.ground.at.filler)
    return Call(token.address, _APPROVE + filler + number_word(units))


def _plan(
    chain: EvmChain, signer: Signer, wanted: Callable[[Line], Sequence[tuple[str, Call]]]
) -> Plan:
    price = chain.fee_units() // chain.ground.traits.gas + 1

    def work(line: Line) -> Plan:
        calls = wanted(line)
        answers = line.tell([_estimate(signer.address, call) for _, call in calls])
        errands = []
        for (what, call), answer in zip(calls, answers, strict=True):
            if isinstance(answer, Objection):
                raise ValueError(f"{chain.id}: {what}: the node objects: {answer.message}")
            gas = _gas(answer)
            send = partial(_carry_out, chain, signer, call, gas, price)
            errands.append(Errand(what, gas, gas * price, send))
        funds = line.ask(Question("eth_getBalance", (signer.address, "latest")))[0]
        return Plan(tuple(errands), signer.address, integer(funds, "a balance"), "gas")

    return chain.ground.nodes.one(work)


def _gas(estimate: object) -> int:
    """What is offered: an errand that comes before can make one dearer than it seems now, as
    writing over nothing costs more than writing over something."""
    return integer(estimate, "gas") * 5 // 4 + _SPARE_GAS


def _estimate(account: str, call: Call) -> Question:
    return Question(
        "eth_estimateGas",
        ({"from": account, "to": call.to, "data": call.hex, "value": hex(call.value)},),
    )


def _carry_out(
    chain: EvmChain, signer: Signer, call: Call, gas: int, price: int, sent: Sent
) -> Done:
    ground = chain.ground
    count = Question("eth_getTransactionCount", (signer.address, "pending"))
    nonce = ground.nodes.one(lambda line: integer(line.ask(count)[0], "a nonce"))
    customs = replace(ground.traits, gas=gas)
    made = signed(signer, int(ground.chain.chain_id), customs, call, nonce, price * gas)
    sent(made.tx_id)
    _send(chain, made)
    return _awaited(chain, made.tx_id)


def _send(chain: EvmChain, transaction: Signed) -> None:
    question = Question("eth_sendRawTransaction", ("0x" + transaction.raw.hex(),))
    answer = chain.ground.nodes.one(lambda line: line.tell([question])[0])
    if isinstance(answer, Objection):
        raise ValueError(f"{chain.id}: the node does not take the transaction: {answer.message}")
    hash_of(answer, "a transaction's name")


def _awaited(chain: EvmChain, tx_id: str) -> Done:
    question, until = Question("eth_getTransactionReceipt", (tx_id,)), time.monotonic()
    until += _PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            answer = chain.ground.nodes.one(lambda line: line.ask(question)[0])
        except Unreachable:
            answer = None
        if (found := receipt(answer, tx_id)) is not None:
            return Done(tx_id, found.worked, integer(answer["gasUsed"], "gas"))
        time.sleep(_LOOK_SECONDS)
    raise Unreachable(f"{tx_id} is not in a block after {_PATIENCE_SECONDS:.0f} s: look for it")


def allowances(line: Line, owner: str, spender: str, tokens: Sequence[str]) -> dict[str, int]:
    """What `spender` may take of each token from `owner`."""
    return _words(
        line, tokens, ALLOWANCE + address_word("evm", owner) + address_word("evm", spender)
    )


def holdings(line: Line, owner: str, tokens: Sequence[str]) -> dict[str, int]:
    """What `owner` holds of each token."""
    return _words(line, tokens, BALANCE_OF + address_word("evm", owner))


def _words(line: Line, tokens: Sequence[str], data: bytes) -> dict[str, int]:
    asked = [Question("eth_call", ({"to": t, "data": "0x" + data.hex()}, "latest")) for t in tokens]
    found = {}
    for token, answer in zip(tokens, line.tell(asked), strict=True):
        # What does not answer like a token holds and allows nothing.
        data_said = b"" if isinstance(answer, Objection) else data_of(answer)
        found[token] = int.from_bytes(data_said[:WORD], "big")
    return found
