"""What an operator has done on Tron by hand: contracts created, tokens approved."""

import time
from collections.abc import Callable, Sequence
from functools import partial

from crossway.adapters.chains.binding import WORD, address_word, number_word
from crossway.adapters.chains.evm.calldata import ZERO, Call, selector
from crossway.adapters.chains.evm.contracts import artifact, deployment_at, init_code
from crossway.adapters.chains.evm.errands import (
    EVERYTHING,
    allowances,
    contract_trouble,
)
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.wire import data_of, integer
from crossway.adapters.chains.live.errands import Done, Errand, Placed, Plan, Sent
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question
from crossway.adapters.chains.tron.chain import TronChain
from crossway.adapters.chains.tron.contracts import FAMILY, NAMES, addresses
from crossway.adapters.chains.tron.customs import customs
from crossway.adapters.chains.tron.forms import named, plain
from crossway.adapters.chains.tron.resources import whole
from crossway.adapters.chains.tron.transactions import (
    Frame,
    call_raw,
    created_at,
    creation_raw,
    signed,
)
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token, format_units
from crossway.ports.chain import Signed
from crossway.ports.signing import Signer

UNIT = "energy"
_APPROVE = selector("approve(address,uint256)")
_KEPT = selector("kept(address,address)")
_WITHDRAW = selector("withdraw(address,address,uint256)")
_FACTORY_OF = selector("INTENTS()")
_PATIENCE_SECONDS, _LOOK_SECONDS = 300.0, 1.0
_SPARE_ENERGY = 40_000

Write = Callable[[Frame, int], bytes]
"""The unsigned bytes of an errand, for a frame and a limit of sun for its energy."""


def trouble_of(line: Line, ground: Ground) -> dict[str, str]:
    """Of each contract what is wrong with it: its code, and what its constructor was told."""
    at, placed = ground.at, addresses(ground.at)
    if not any(placed.values()):
        return dict.fromkeys(placed, "not deployed")
    found = contract_trouble(line, at)
    found |= {name: "not deployed" for name, address in placed.items() if not address}
    if not found["Escrow"]:
        call = {"to": at.escrow, "data": "0x" + _FACTORY_OF.hex()}
        said = data_of(line.ask(Question("eth_call", (call, "latest")))[0], "an address")
        if said[-WORD:] != address_word("evm", at.factory):
            found["Escrow"] = "other code than this factory's escrow"
    return found


def contracts(chain: TronChain, in_profile: dict[str, str]) -> list[Placed]:
    """Each contract; one that the profile does not name yet is no use to the service."""
    found = chain.ground.nodes.one(lambda line: trouble_of(line, chain.ground))
    placed = addresses(chain.ground.at)
    fields = {contract: field for field, contract in NAMES.items()}
    told = []
    for name, trouble in found.items():
        address = named(placed[name]) if placed[name] else "an unknown address"
        field = fields.get(name, "")
        if not trouble and field and in_profile.get(field) != address:
            trouble = f'there; the profile must name it: contracts.{field} = "{address}"'
        told.append(Placed(name, address, trouble))
    return told


def deployment_plan(chain: TronChain, signer: Signer) -> Plan:
    """What is missing. Each contract gets the address that follows from the transaction that
    creates it. Raises `Unreachable`, or `ValueError` with a sentence where there is no way."""
    ground, owner = chain.ground, plain(signer.address)
    trouble = ground.nodes.one(lambda line: trouble_of(line, ground))
    if wrong := [f"{name}: {said}" for name, said in trouble.items() if said.startswith("other")]:
        raise ValueError(f"{chain.id}: {'; '.join(wrong)}")
    missing = [name for name in NAMES.values() if trouble[name]]
    if "IntentFactory" in missing and len(missing) < len(NAMES):
        raise ValueError(
            f"{chain.id}: an escrow knows one factory: take all of contracts out of the profile, "
            "or name the factory"
        )
    prefix = ground.at.prefix
    asked: list[dict[str, str]] = []
    wanted: list[tuple[str, Write]] = []
    for name in missing:
        code = init_code(name, prefix, ground.at.factory, FAMILY)
        asked.append({"from": owner, "data": "0x" + code.hex()})
        wanted.append((name, partial(_creation, chain, owner, name)))
    return _plan(chain, signer, wanted, asked, _deploy)


def _creation(chain: TronChain, owner: str, name: str, frame: Frame, limit: int) -> bytes:
    at = chain.ground.at
    code = init_code(name, at.prefix, at.factory, FAMILY)
    return creation_raw(owner, name, code, frame, limit)


def _deploy(
    chain: TronChain, signer: Signer, name: str, write: Write, energy: int, sent: Sent
) -> Done:
    """Create a contract, and from now on know where it is."""
    done = _carry_out(chain, signer, name, write, energy, sent)
    if not done.worked:
        return done
    at = chain.ground.at
    new = plain(created_at(done.tx_id, plain(signer.address)))
    chain.ground.at = deployment_at(
        new if name == "IntentFactory" else at.factory,
        new if name == "Escrow" else at.escrow,
        new if name == "Filler" else at.filler,
        at.prefix,
        FAMILY,
    )
    return done


def approval_plan(chain: TronChain, tokens: Sequence[Token], units: int) -> Plan:
    """Let the filler take up to `units` of each token from the relayer. An allowance that is
    something else already is taken back first, as some tokens ask for."""
    ground = chain.ground
    owner, filler = ground.own.relayer, ground.at.filler
    if filler == ZERO:
        raise ValueError(f"{chain.id}: the profile does not name the filler yet")
    places = [plain(token.address) for token in tokens]
    allowed = ground.nodes.one(lambda line: allowances(line, owner, filler, places))
    calls: list[tuple[str, Call]] = []
    for token, address in zip(tokens, places, strict=True):
        now = allowed[address]
        if now == units:
            continue
        if now and units:
            calls.append((f"no {token.symbol} allowed for now", _approve(address, filler, 0)))
        much = "any amount of" if units == EVERYTHING else format_units(units, token.decimals)
        calls.append((f"{much} {token.symbol} allowed", _approve(address, filler, units)))
    return _calls_plan(chain, calls)


def withdrawal_plan(chain: TronChain, token: Token, to: str, units: int) -> Plan:
    """Take out of the escrow what stayed there of our own payments: what bridges charge."""
    words = (address_word("tron", token.address), address_word("tron", to), number_word(units))
    what = f"{format_units(units, token.decimals)} {token.symbol} from the escrow to {to}"
    return _calls_plan(chain, [(what, Call(chain.ground.at.escrow, _WITHDRAW + b"".join(words)))])


def kept_units(chain: TronChain, token: str) -> int:
    """What stayed in the escrow of our own settled payments, in units of a token."""
    ground = chain.ground
    words = address_word("evm", ground.own.coordinator) + address_word("tron", token)
    call = {"to": ground.at.escrow, "data": "0x" + (_KEPT + words).hex()}
    answer = ground.nodes.one(lambda line: line.ask(Question("eth_call", (call, "latest"))))
    return int.from_bytes(data_of(answer[0], "a balance")[:WORD], "big")


def _approve(token: str, filler: str, units: int) -> Call:
    return Call(token, _APPROVE + address_word("evm", filler) + number_word(units))


def _calls_plan(chain: TronChain, calls: Sequence[tuple[str, Call]]) -> Plan:
    ground = chain.ground
    owner = ground.own.relayer
    asked = [{"from": owner, "to": call.to, "data": call.hex} for _, call in calls]
    wanted: list[tuple[str, Write]] = [
        (what, partial(call_raw, owner, call)) for what, call in calls
    ]
    return _plan(chain, ground.signer, wanted, asked, _carry_out)


def _plan(
    chain: TronChain,
    signer: Signer,
    wanted: Sequence[tuple[str, Write]],
    asked: Sequence[dict[str, str]],
    carry_out: Callable[[TronChain, Signer, str, Write, int, Sent], Done],
) -> Plan:
    charged, byte_sun = chain.post.prices().energy_sun, chain.post.prices().byte_sun
    questions = [Question("eth_estimateGas", (one,)) for one in asked]
    funds = Question("eth_getBalance", (plain(signer.address), "latest"))
    answers = chain.ground.nodes.one(lambda line: line.tell([funds, *questions]))
    errands = []
    for (what, write), answer in zip(wanted, answers[1:], strict=True):
        if isinstance(answer, Objection):
            raise ValueError(f"{chain.id}: {what}: the node objects: {answer.message}")
        energy = integer(answer, "energy") * 5 // 4 + _SPARE_ENERGY
        size = customs().bytes + (
            len(artifact(what, FAMILY).bytecode) if what in NAMES.values() else 0
        )
        send = partial(carry_out, chain, signer, what, write, energy)
        errands.append(Errand(what, energy, energy * charged + size * byte_sun, send))
    return Plan(tuple(errands), signer.address, integer(answers[0], "a balance"), UNIT)


def _carry_out(
    chain: TronChain, signer: Signer, what: str, write: Write, energy: int, sent: Sent
) -> Done:
    chain.heads()
    raw = write(chain.post.frame(), energy * chain.post.prices().energy_sun)
    one = signed(signer, raw, 0, 0)
    sent(one.tx_id)
    if said := chain.broadcast([one])[0]:
        raise ValueError(f"{chain.id}: the node does not take the transaction: {said}")
    return _awaited(chain, one)


def _awaited(chain: TronChain, one: Signed) -> Done:
    until = time.monotonic() + _PATIENCE_SECONDS
    asked = Question("/wallet/gettransactioninfobyid", ({"value": one.tx_id},))
    while time.monotonic() < until:
        try:
            info = chain.ground.nodes.one(lambda line: line.ask(asked)[0])
        except Unreachable:
            info = {}
        if isinstance(info, dict) and info:
            told = info.get("receipt", {})
            worked = info.get("result") != "FAILED"
            return Done(one.tx_id, worked, whole(told.get("energy_usage_total", 0), UNIT))
        time.sleep(_LOOK_SECONDS)
    raise Unreachable(f"{one.tx_id} is not in a block after {_PATIENCE_SECONDS:.0f} s: look for it")
