"""What a transaction asks of the contracts: the calls that carry out an action."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.binding import bound, dest_words, source_words
from crossway.adapters.chains.starknet.contracts import Deployment
from crossway.adapters.chains.starknet.felts import PRIME, number, pair, selector, word
from crossway.domain.actions import Action, Output
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Terms
from crossway.domain.transfers import Duty

# Token, bridger, refundTo and coordinator among the words of the source terms.
_ADDRESSES = (2, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a contract's entry point."""

    to: str
    entry: str
    data: tuple[int, ...]


def executed(calls: Sequence[Call]) -> list[int]:
    """The calldata with which an account makes these calls one after the other."""
    felts = [len(calls)]
    for call in calls:
        felts += [number(call.to), selector(call.entry), len(call.data), *call.data]
    return felts


def calls_of(catalogue: Catalogue, at: Deployment, action: Action) -> list[Call]:
    """The calls of an action. Raises `ValueError` where the action does not fit its own terms."""
    terms = action.terms
    if terms is None:
        raise ValueError(f"the {action.duty} of {action.intent_key} does not carry its terms")
    hashes = bound(catalogue, terms, action.bridger, action.coordinator)
    if "0x" + hashes.key.hex() != action.intent_key:
        raise ValueError(f"the terms of {action.intent_key} are not those that it was named by")
    if action.duty is Duty.FILL:
        return _fill(at, hashes.source_hash, action.outputs[0])
    data = (
        *_source(catalogue, terms, action.bridger, action.coordinator),
        *word(keccak256(b"".join(dest_words(catalogue, terms)))),
    )
    first = action.outputs[0]
    if first.source == action.bridger:
        return [Call(action.bridger, "settle", (*data, *_payouts(action.outputs)))]
    if at.deposit_address(hashes.key) != first.source:
        raise ValueError(f"{first.source} is no deposit address of the contracts in use")
    if action.duty is Duty.START:
        return [Call(at.factory, "start", data)]
    token = number(first.token)
    if first.to == terms.refund_address:
        return [Call(at.factory, "refund", (*data, token))]
    return [Call(at.factory, "redirect", (*data, token, number(first.to)))]


def _source(catalogue: Catalogue, terms: Terms, bridger: str, coordinator: str) -> tuple[int, ...]:
    """The terms of the source chain, as the contracts take them: numbers as two halves each,
    addresses as one number. Raises `ValueError` for an address that the field does not hold."""
    felts: list[int] = []
    for place, one in enumerate(source_words(catalogue, terms, bridger, coordinator)):
        value = int.from_bytes(one, "big")
        if place not in _ADDRESSES:
            felts += pair(value)
        elif value < PRIME:
            felts.append(value)
        else:
            raise ValueError("an address of the terms does not fit into a number of Starknet")
    return tuple(felts)


def _fill(at: Deployment, source_hash: bytes, output: Output) -> list[Call]:
    if output.units is None:
        raise ValueError("a fill names what it pays")
    units, token = pair(output.units), output.token
    return [
        Call(token, "approve", (number(at.filler), *units)),
        Call(at.filler, "fill", (*word(source_hash), number(token), number(output.to), *units)),
    ]


def _payouts(outputs: Sequence[Output]) -> list[int]:
    paid = [(one.to, one.units) for one in outputs if one.units]
    felts = [len(paid)]
    for to, units in paid:
        felts += [number(to), *pair(units)]
    return felts


def used_call(to: str, keys: Collection[str]) -> Call:
    """Asks a contract which of these intents' keys it has used."""
    felts = [len(keys)]
    for key in keys:
        felts += word(bytes.fromhex(key[2:]))
    return Call(to, "used", tuple(felts))


def balance_call(token: str, owner: str, entry: str = "balance_of") -> Call:
    """Asks a token what an address holds; older ones know only the other spelling."""
    return Call(token, entry, (number(owner),))
