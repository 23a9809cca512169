"""Balances of many addresses in one call: by a contract that is never deployed, else one by one."""

from collections.abc import Mapping, Sequence

from crossway.adapters.chains.binding import WORD, address_word, number_word
from crossway.adapters.chains.evm.calldata import BALANCE_OF, ZERO, is_native
from crossway.adapters.chains.evm.contracts import artifact
from crossway.adapters.chains.evm.ground import Ground
from crossway.adapters.chains.evm.wire import Malformed, data_of, integer
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection, Question

# So few are asked for one by one: every node can do that.
_FEW = 3


def lens_questions(
    ground: Ground, addresses: Sequence[str], token: str, block: str
) -> list[Question]:
    """Ask for the balances of these addresses, so many at a time."""
    size = ground.traits.lens
    return [
        Question("eth_call", ({"data": "0x" + _lens(addresses[at : at + size], token)}, block))
        for at in range(0, len(addresses), size)
    ]


def _lens(addresses: Sequence[str], token: str) -> str:
    words = [address_word("evm", ZERO if is_native(token) else token), number_word(2 * WORD)]
    words += [number_word(len(addresses)), *(address_word("evm", one) for one in addresses)]
    return (artifact("BalanceLens").bytecode + b"".join(words)).hex()


def lens_answers(
    ground: Ground, addresses: Sequence[str], answers: Sequence[object]
) -> dict[str, int]:
    """The balances that the answers hold."""
    found: dict[str, int] = {}
    size = ground.traits.lens
    for at, answer in zip(range(0, len(addresses), size), answers, strict=True):
        part, words = addresses[at : at + size], data_of(answer, "balances")
        if len(words) != (len(part) + 1) * WORD:
            raise Malformed("the node answered other balances than were asked for")
        for place, address in enumerate(part, start=1):
            found[address] = int.from_bytes(words[place * WORD : (place + 1) * WORD], "big")
    return found


def read(
    ground: Ground, line: Line, addresses: Sequence[str], token: str, block: str = "latest"
) -> Mapping[str, int]:
    """Units of a token at each address at a block."""
    if len(addresses) <= _FEW or not ground.traits.lens:
        return _singly(line, addresses, token, block)
    answers = line.tell(lens_questions(ground, addresses, token, block))
    if any(isinstance(one, Objection) for one in answers):
        return _singly(line, addresses, token, block)
    return lens_answers(ground, addresses, answers)


def _singly(line: Line, addresses: Sequence[str], token: str, block: str) -> Mapping[str, int]:
    if is_native(token):
        asked = [Question("eth_getBalance", (address, block)) for address in addresses]
        answers = line.ask(*asked)
        return {a: integer(n, "a balance") for a, n in zip(addresses, answers, strict=True)}
    asked = [
        Question(
            "eth_call",
            ({"to": token, "data": "0x" + (BALANCE_OF + address_word("evm", a)).hex()}, block),
        )
        for a in addresses
    ]
    found = {}
    answers = line.tell(asked)
    if any(isinstance(answer, Objection) for answer in answers):
        # Some nodes object where there is no contract, others answer nothing.
        there = data_of(line.ask(Question("eth_getCode", (token, block)))[0], "code")
        answers = line.ask(*asked) if there else ["0x"] * len(asked)
    for address, answer in zip(addresses, answers, strict=True):
        word = data_of(answer, "a balance")
        if len(word) < WORD:
            if data_of(line.ask(Question("eth_getCode", (token, block)))[0], "code"):
                raise Malformed(f"{token} does not answer what an address holds")
            # Where there is no such contract, nobody holds anything of it.
            return dict.fromkeys(addresses, 0)
        found[address] = int.from_bytes(word[:WORD], "big")
    return found
