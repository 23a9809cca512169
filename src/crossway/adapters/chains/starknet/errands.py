"""What an operator has done on a chain by hand: contracts deployed, what stayed taken out."""

import time
from collections.abc import Sequence
from functools import partial

from crossway.adapters.chains.live.errands import Done, Errand, Placed, Plan, Sent
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.starknet.calldata import Call, executed
from crossway.adapters.chains.starknet.chain import StarknetChain
from crossway.adapters.chains.starknet.contracts import (
    CLASSES,
    UNIVERSAL_DEPLOYER,
    arguments,
    class_hash,
    deployment,
)
from crossway.adapters.chains.starknet.felts import number, pair
from crossway.adapters.chains.starknet.ground import (
    Ground,
    ask_call,
    ask_nonce,
    ask_receipts,
    block_id,
)
from crossway.adapters.chains.starknet.sending import objection, submission
from crossway.adapters.chains.starknet.transactions import Bounds, bounds_of, invocation, signed
from crossway.adapters.chains.starknet.wire import (
    CONTRACT_NOT_FOUND,
    Malformed,
    felt,
    hash_of,
    receipt,
    rows,
    table,
    u256,
)
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units

UNIT = "L2 gas"
_CLASS_NOT_FOUND = 28
_PATIENCE_SECONDS, _LOOK_SECONDS = 600.0, 1.0
_NOT_DECLARED = "its class is not declared"


def contract_addresses() -> dict[str, str]:
    """Each contract that must be there, and where; the class behind deposit addresses is none."""
    at = deployment()
    return {"IntentFactory": at.factory, "Escrow": at.escrow, "Filler": at.filler}


def placed() -> list[Placed]:
    """Where everything lies or will lie, asking no node."""
    found = [Placed(name, address, "") for name, address in contract_addresses().items()]
    return [*found, Placed("deposit class", class_hash("DepositAddress"), "")]


def trouble(line: Line) -> list[Placed]:
    """What is wrong with each contract; a class that is not declared stands in its way."""
    wanted = contract_addresses()
    asked = [
        Question("starknet_getClassHashAt", (block_id("latest"), hex(number(address))))
        for address in wanted.values()
    ]
    found = []
    undeclared = set(_undeclared(line, ["DepositAddress"]))
    for (name, address), answer in zip(wanted.items(), line.tell(asked), strict=True):
        found.append(Placed(name, address, _wrong(line, name, answer)))
    said = _NOT_DECLARED if undeclared else ""
    return [*found, Placed("deposit class", class_hash("DepositAddress"), said)]


def _wrong(line: Line, name: str, answer: object) -> str:
    if not isinstance(answer, Objection):
        right = hash_of(answer, "a class") == class_hash(name)
        return "" if right else "another class lies there"
    if answer.code != CONTRACT_NOT_FOUND:
        raise Unreachable(f"the node objects: {answer.message}")
    return _NOT_DECLARED if _undeclared(line, [name]) else "not deployed"


def _undeclared(line: Line, names: Sequence[str]) -> list[str]:
    """Those whose class the network does not know."""
    asked = [
        Question("starknet_getClass", (block_id("latest"), hex(number(class_hash(name)))))
        for name in names
    ]
    found = []
    for name, answer in zip(names, line.tell(asked), strict=True):
        if isinstance(answer, Objection):
            if answer.code != _CLASS_NOT_FOUND:
                raise Unreachable(f"the node objects: {answer.message}")
            found.append(name)
    return found


def deployment_plan(chain: StarknetChain) -> Plan:
    """What is missing on a chain. Raises `Unreachable`, or `ValueError` with a sentence where the
    contracts cannot be put there."""
    found = chain.ground.nodes.one(trouble)
    if undeclared := [one.name for one in found if one.trouble == _NOT_DECLARED]:
        raise ValueError(f"{chain.id}: {declaring(undeclared)}")
    if other := [one for one in found if one.trouble.startswith("another")]:
        raise ValueError(f"{chain.id}: {other[0].name}: {other[0].trouble}")
    wanted = [(f"{one.name} at {one.address}", _deploy(one.name)) for one in found if one.trouble]
    return _plan(chain, wanted)


def declaring(names: Sequence[str]) -> str:
    """What to do about classes that are not declared."""
    files = [name if name in CLASSES else "DepositAddress" for name in names]
    return (
        f"the classes of {', '.join(files)} are not declared: declare each once with `starkli "
        "declare artifacts/NAME.sierra.json` from crossway/adapters/chains/starknet, or with "
        "sncast (docs/going-live.md says how)"
    )


def _deploy(name: str) -> Call:
    given = arguments(name)
    data = (number(class_hash(name)), 0, 0, len(given), *given)
    return Call(UNIVERSAL_DEPLOYER, "deployContract", data)


def withdrawal_plan(chain: StarknetChain, token: Token, to: str, units: int) -> Plan:
    """Take out of the escrow what stayed there of our own payments: what bridges charge."""
    data = (number(token.address), number(to), *pair(units))
    what = f"{format_units(units, token.decimals)} {token.symbol} from the escrow to {to}"
    return _plan(chain, [(what, Call(chain.ground.at.escrow, "withdraw", data))])


def kept_units(chain: StarknetChain, token: str) -> int:
    """What stayed in the escrow of our own settled payments, in units of a token."""
    data = (number(chain.own.coordinator), number(token))
    asked = ask_call(Call(chain.ground.at.escrow, "kept", data))
    return u256(chain.ground.nodes.one(lambda line: line.ask(asked))[0], "a balance")


def nothing(chain: StarknetChain) -> Plan:
    """No errand: recipients are paid by transactions that allow what they pay themselves."""
    return Plan((), chain.own.relayer, chain.native_balance(chain.own.relayer), UNIT)


def _plan(chain: StarknetChain, wanted: Sequence[tuple[str, Call]]) -> Plan:
    ground, relayer = chain.ground, chain.own.relayer
    fee = chain.fee_units()

    def work(line: Line) -> list[Errand]:
        errands = []
        for what, call in wanted:
            answer = line.tell([_estimate(ground, line, call, fee)])[0]
            if isinstance(answer, Objection):
                raise ValueError(f"{chain.id}: {what}: the node objects: {answer.message}")
            bounds = _roomy(bounds_of(ground.traits, fee), rows(answer, "an estimate")[0])
            send = partial(_carry_out, ground, call, bounds)
            errands.append(Errand(what, bounds.l2_gas, bounds.most, send))
        return errands

    errands = ground.nodes.one(work)
    return Plan(tuple(errands), relayer, chain.native_balance(relayer), UNIT)


def _estimate(ground: Ground, line: Line, call: Call, fee: int) -> Question:
    """Ask what a call would use, as our account would make it now."""
    account = ground.own.relayer
    nonce = felt(line.ask(ask_nonce(account))[0], "a nonce")
    bounds = bounds_of(ground.traits, fee)
    asked = invocation(account, executed([call]), nonce, bounds, ())
    return Question("starknet_estimateFee", ([asked], ["SKIP_VALIDATE"], block_id("latest")))


def _roomy(bounds: Bounds, told: object) -> Bounds:
    """Half as much again as was estimated, and what checking the signature needs."""
    used = table(told, "an estimate")
    l2_gas = felt(used.get("l2_gas_consumed"), "gas") * 3 // 2 + 1_000_000
    data_gas = felt(used.get("l1_data_gas_consumed"), "gas") * 3 // 2 + 500
    return Bounds(l2_gas, bounds.l2_price, data_gas, bounds.data_price, bounds.tip)


def _carry_out(ground: Ground, call: Call, bounds: Bounds, sent: Sent) -> Done:
    account = ground.own.relayer
    nonce = ground.nodes.one(lambda line: felt(line.ask(ask_nonce(account))[0], "a nonce"))
    made = signed(ground.signer, ground.chain_id, account, [call], nonce, bounds, bounds.most)
    sent(made.tx_id)
    answer = ground.nodes.one(lambda line: line.tell([submission(made)])[0])
    if said := objection(answer, made):
        raise ValueError(f"{ground.chain.id}: the node does not take the transaction: {said}")
    return _awaited(ground, made.tx_id)


def _awaited(ground: Ground, tx_id: str) -> Done:
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        try:
            answer = ground.nodes.one(lambda line: line.tell(ask_receipts([tx_id]))[0])
            if (found := receipt(answer, tx_id)) is not None:
                return Done(tx_id, found.worked, _gas(answer))
        except Unreachable:
            # Whatever a node does not tell now, it may tell in a moment.
            pass
        time.sleep(_LOOK_SECONDS)
    raise Unreachable(f"{tx_id} is not in a block after {_PATIENCE_SECONDS:.0f} s: look for it")


def _gas(answer: object) -> int:
    used = table(table(answer, "a receipt").get("execution_resources"), "resources").get("l2_gas")
    if not isinstance(used, int):
        raise Malformed("the node answered something else than gas")
    return used
