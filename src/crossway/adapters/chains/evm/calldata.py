"""What a transaction asks of the contracts: the call that carries out an action."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.addresses import canonical, keccak256
from crossway.adapters.chains.binding import (
    WORD,
    address_word,
    bound,
    dest_words,
    number_word,
    source_words,
)
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.domain.actions import Action, Output
from crossway.domain.catalogue import Catalogue, ChainKind
from crossway.domain.transfers import Duty

_SOURCE = "(uint256,uint256,address,uint256,address,address,address,uint256)"
ZERO = "0x" + "0" * 40


def selector(signature: str) -> bytes:
    """The four bytes by which a contract knows a function or an error."""
    return keccak256(signature.encode())[:4]


START = selector(f"start({_SOURCE},bytes32)")
REFUND = selector(f"refund({_SOURCE},bytes32,address)")
REDIRECT = selector(f"redirect({_SOURCE},bytes32,address,address)")
SETTLE = selector(f"settle({_SOURCE},bytes32,(address,uint256)[])")
FILL = selector("fill(bytes32,address,address,uint256)")
USED = selector("used(bytes32[])")
BALANCE_OF = selector("balanceOf(address)")
ALLOWANCE = selector("allowance(address,address)")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a contract, whose address is plain on every family of chains that is called so;
    `value` in units of the native coin goes along."""

    to: str
    data: bytes
    value: int = 0

    @property
    def hex(self) -> str:
        """The data as nodes take it."""
        return "0x" + self.data.hex()


def call_of(catalogue: Catalogue, at: Deployment, action: Action) -> Call:
    """The call of an action. Raises `ValueError` where the action does not fit its own terms."""
    terms = action.terms
    if terms is None:
        raise ValueError(f"the {action.duty} of {action.intent_key} does not carry its terms")
    hashes = bound(catalogue, terms, action.bridger, action.coordinator)
    if "0x" + hashes.key.hex() != action.intent_key:
        raise ValueError(f"the terms of {action.intent_key} are not those that it was named by")
    kind = catalogue.chains[action.chain].kind
    if action.duty is Duty.FILL:
        return _fill(kind, at, hashes.source_hash, action.outputs[0])
    source = b"".join(source_words(catalogue, terms, action.bridger, action.coordinator))
    words = source + keccak256(b"".join(dest_words(catalogue, terms)))
    first = action.outputs[0]
    if first.source == action.bridger:
        return Call(_plain(kind, action.bridger), SETTLE + words + _payouts(kind, action.outputs))
    if at.deposit_address(hashes.key) != _plain(kind, first.source):
        raise ValueError(f"{first.source} is no deposit address of the contracts in use")
    if action.duty is Duty.START:
        return Call(at.factory, START + words)
    token = address_word(kind, first.token)
    if first.to == terms.refund_address:
        return Call(at.factory, REFUND + words + token)
    return Call(at.factory, REDIRECT + words + token + address_word(kind, first.to))


def _plain(kind: ChainKind, address: str) -> str:
    if kind == "evm":
        return address
    return canonical("evm", "0x" + address_word(kind, address)[-20:].hex())


def _fill(kind: ChainKind, at: Deployment, source_hash: bytes, output: Output) -> Call:
    if output.units is None:
        raise ValueError("a fill names what it pays")
    token = address_word(kind, output.token)
    words = (source_hash, token, address_word(kind, output.to), number_word(output.units))
    value = 0 if any(token) else output.units
    return Call(at.filler, FILL + b"".join(words), value)


def _payouts(kind: ChainKind, outputs: Sequence[Output]) -> bytes:
    """An array of receivers and units, after nine words and the place where it begins."""
    paid = [(one.to, one.units) for one in outputs if one.units]
    words = [number_word(10 * WORD), number_word(len(paid))]
    for to, units in paid:
        words += [address_word(kind, to), number_word(units)]
    return b"".join(words)


def used_call(to: str, keys: Collection[str]) -> Call:
    """Asks a contract which of these intents' keys it has used."""
    words = [number_word(WORD), number_word(len(keys))]
    words += [bytes.fromhex(key[2:]) for key in keys]
    return Call(to, USED + b"".join(words))


def is_native(token: str) -> bool:
    """Whether this stands for the chain's own coin."""
    return token in ("native", ZERO)
