"""Building and signing the bytes of an EVM transaction."""

from dataclasses import dataclass

import rlp  # type: ignore[import-untyped]
from coincurve import PrivateKey

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain_context import ChainParams
from crossway.adapters.chains.rpc.keys import KeyKind, KeyMissing, parse_hex_key
from crossway.ports.chain import SignedTx
from crossway.ports.signing import Signer

_TYPE_2 = b"\x02"
_EIP155_V = 35


@dataclass(frozen=True, slots=True)
class GasPrice:
    """The maximum price of a unit of gas, and the priority fee within it, in wei."""

    max_fee: int
    priority_fee: int


def gas_price(fee_units: int, params: ChainParams) -> GasPrice:
    """The price at which a transaction costs at most `fee_units`. Both parts rise with it, because
    nodes accept a replacement only then."""
    max_fee = fee_units // params.gas_limit
    return GasPrice(max_fee, max_fee * params.tip_percent // 100)


def sign_transaction(
    signer: Signer, chain_id: int, params: ChainParams, call: Call, nonce: int, fee_units: int
) -> SignedTx:
    """A signed transaction of this account; its id is the hash of its bytes."""
    price = gas_price(fee_units, params)
    gas, to = params.gas_limit, bytes.fromhex(call.to[2:])
    if params.fees == "legacy":
        fields = [nonce, price.max_fee, gas, to, call.value, call.data]
        parity, r, s = signer.sign(keccak256(rlp.encode([*fields, chain_id, 0, 0])))
        raw = bytes(rlp.encode([*fields, chain_id * 2 + _EIP155_V + parity, r, s]))
    else:
        fees = [price.priority_fee, price.max_fee]
        unsigned: list[object] = [chain_id, nonce, *fees, gas, to, call.value, call.data, []]
        parity, r, s = signer.sign(keccak256(_TYPE_2 + rlp.encode(unsigned)))
        raw = _TYPE_2 + bytes(rlp.encode([*unsigned, parity, r, s]))
    return SignedTx("0x" + keccak256(raw).hex(), raw, nonce, fee_units)


class LocalSigner:
    """Signs with a private key in memory. Neither `repr` nor any error shows the key."""

    __slots__ = ("_key", "address")

    def __init__(self, secret: bytes) -> None:
        try:
            self._key = PrivateKey(secret)
        except ValueError:
            raise KeyMissing("it is no private key") from None
        public = self._key.public_key.format(compressed=False)
        self.address = canonical_address("evm", "0x" + keccak256(public[1:])[-20:].hex())

    def __repr__(self) -> str:
        return f"LocalSigner({self.address})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a signer cannot be pickled")

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        signature = self._key.sign_recoverable(digest, hasher=None)
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
        return signature[64], r, s


KEYS: KeyKind[Signer] = KeyKind("a private key: 64 hex digits", parse_hex_key, LocalSigner)
