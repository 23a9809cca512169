"""The bytes of a transaction: written here, signed by whoever holds the key."""

from dataclasses import dataclass

import rlp  # type: ignore[import-untyped]

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.traits import Traits
from crossway.ports.chain import Signed
from crossway.ports.signing import Signer

_TYPE_2 = b"\x02"
_LEGACY_V = 35


@dataclass(frozen=True, slots=True)
class Price:
    """What is offered for a unit of gas, at most, and of it to whoever makes the block."""

    most: int
    tip: int


def price_of(fee_units: int, traits: Traits) -> Price:
    """The price that makes a transaction cost at most this; both parts rise with it, as a node
    takes a replacement only then."""
    most = fee_units // traits.gas
    return Price(most, most * traits.tip_percent // 100)


def signed(
    signer: Signer, chain_id: int, traits: Traits, call: Call, nonce: int, fee_units: int
) -> Signed:
    """A transaction of this account, whose name follows from its bytes."""
    price = price_of(fee_units, traits)
    to = bytes.fromhex(call.to[2:])
    if traits.fees == "legacy":
        fields = [nonce, price.most, traits.gas, to, call.value, call.data]
        parity, r, s = signer.sign(keccak256(rlp.encode([*fields, chain_id, 0, 0])))
        raw = bytes(rlp.encode([*fields, chain_id * 2 + _LEGACY_V + parity, r, s]))
    else:
        fields = [chain_id, nonce, price.tip, price.most, traits.gas, to, call.value, call.data]
        unsigned: list[object] = [*fields, []]
        parity, r, s = signer.sign(keccak256(_TYPE_2 + rlp.encode(unsigned)))
        raw = _TYPE_2 + bytes(rlp.encode([*unsigned, parity, r, s]))
    return Signed("0x" + keccak256(raw).hex(), raw, nonce, fee_units)
