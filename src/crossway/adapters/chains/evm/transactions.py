"""Building and signing the bytes of an EVM transaction."""

from dataclasses import dataclass
from typing import Any

import rlp  # type: ignore[import-untyped]
from eth_account import Account
from eth_account._utils.legacy_transactions import (
    encode_transaction,
    serializable_unsigned_transaction_from_dict,
)
from eth_account.types import TransactionDictType

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain_context import ChainParams
from crossway.adapters.chains.rpc.keys import KeyHolder, KeyKind, KeyMissing, parse_hex_key
from crossway.adapters.chains.signers.external_key import Secp256k1Signer
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import SignedTx
from crossway.ports.signing import Signer, SigningRequest

_EIP155_V, _RECOVERY_V = 35, 27
_TYPE_2 = b"\x02"


@dataclass(frozen=True, slots=True)
class GasPrice:
    """The maximum price of a unit of gas, and the priority fee within it, in wei."""

    max_fee: int
    priority_fee: int


def gas_price(fee_units: int, params: ChainParams, tip: int, replaced_tip: int = 0) -> GasPrice:
    """The price at which one call costs at most `fee_units`, with this tip, in wei; a quarter
    above the tip of the transaction that it replaces, because nodes ask for a tenth."""
    max_fee = fee_units // params.gas_limit
    least = replaced_tip * 5 // 4 + 1 if replaced_tip else 0
    return GasPrice(max_fee, min(max(tip, least), max_fee))


def sign_transaction(
    signer: Signer,
    chain_id: int,
    params: ChainParams,
    call: Call,
    nonce: int,
    fee_units: int,
    price: GasPrice,
    action: OutboundCall | None = None,
    gas: int = 0,
) -> SignedTx:
    """A signed transaction of this account; its id is the hash of its bytes. `action` is the stored
    one that it carries out, for the signer to see; `gas` its limit, by default that of one call."""
    fields: TransactionDictType = {
        "nonce": nonce,
        "gas": gas or params.gas_limit,
        "to": bytes.fromhex(call.to[2:]),
        "value": call.value,
        "data": call.data,
    }
    if params.fees == "legacy":
        fields |= {"gasPrice": price.max_fee}
    else:
        fields |= {"maxFeePerGas": price.max_fee, "maxPriorityFeePerGas": price.priority_fee}
    raw = sign_fields(signer, chain_id, fields, action)
    return SignedTx("0x" + keccak256(raw).hex(), raw, nonce, fee_units)


def sign_fields(
    signer: Signer,
    chain_id: int,
    fields: TransactionDictType,
    action: OutboundCall | None = None,
) -> bytes:
    """The signed bytes of a transaction: a legacy one where it has a gas price, else type 2."""
    # The two halves of `Account.sign_transaction`, because the signature may come from elsewhere.
    unsigned = serializable_unsigned_transaction_from_dict({**fields, "chainId": chain_id})
    request = SigningRequest(_unsigned_bytes(unsigned, chain_id, fields), action)
    parity, r, s = signer.sign(bytes(unsigned.hash()), request)
    v = chain_id * 2 + _EIP155_V + parity if "gasPrice" in fields else parity
    return bytes(encode_transaction(unsigned, vrs=(v, r, s)))


def _unsigned_bytes(unsigned: Any, chain_id: int, fields: TransactionDictType) -> bytes:
    """The bytes whose hash is signed."""
    if "gasPrice" in fields:
        return bytes(rlp.encode(unsigned))
    names = ("nonce", "maxPriorityFeePerGas", "maxFeePerGas", "gas", "to", "value", "data")
    values = [fields[name] for name in names]
    return _TYPE_2 + bytes(rlp.encode([chain_id, *values, []]))


class LocalSigner(KeyHolder):
    """Signs with a private key in memory."""

    __slots__ = ("_account",)

    def __init__(self, secret: bytes) -> None:
        try:
            self._account = Account.from_key(secret)
        except ValueError:
            raise KeyMissing("it is no private key") from None
        super().__init__(self._account.address)

    def sign(self, digest: bytes, request: SigningRequest | None = None) -> tuple[int, int, int]:
        signed = self._account.unsafe_sign_hash(digest)
        return signed.v - _RECOVERY_V, signed.r, signed.s


KEYS: KeyKind[Signer] = KeyKind(
    "a private key: 64 hex digits", parse_hex_key, LocalSigner, "secp256k1", Secp256k1Signer
)
