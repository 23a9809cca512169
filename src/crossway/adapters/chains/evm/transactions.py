"""Building and signing the bytes of an EVM transaction."""

from dataclasses import dataclass

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
from crossway.ports.chain import SignedTx
from crossway.ports.signing import Signer

_EIP155_V, _RECOVERY_V = 35, 27


@dataclass(frozen=True, slots=True)
class GasPrice:
    """The maximum price of a unit of gas, and the priority fee within it, in wei."""

    max_fee: int
    priority_fee: int


def gas_price(fee_units: int, params: ChainParams, tip: int, replaced_tip: int = 0) -> GasPrice:
    """The price at which a transaction costs at most `fee_units`, with this tip, in wei; a quarter
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
) -> SignedTx:
    """A signed transaction of this account; its id is the hash of its bytes."""
    fields: TransactionDictType = {
        "nonce": nonce,
        "gas": params.gas_limit,
        "to": bytes.fromhex(call.to[2:]),
        "value": call.value,
        "data": call.data,
    }
    if params.fees == "legacy":
        fields |= {"gasPrice": price.max_fee}
    else:
        fields |= {"maxFeePerGas": price.max_fee, "maxPriorityFeePerGas": price.priority_fee}
    raw = sign_fields(signer, chain_id, fields)
    return SignedTx("0x" + keccak256(raw).hex(), raw, nonce, fee_units)


def sign_fields(signer: Signer, chain_id: int, fields: TransactionDictType) -> bytes:
    """The signed bytes of a transaction: a legacy one where it has a gas price, else type 2."""
    # The two halves of `Account.sign_transaction`, because the signature may come from elsewhere.
    unsigned = serializable_unsigned_transaction_from_dict({**fields, "chainId": chain_id})
    parity, r, s = signer.sign(bytes(unsigned.hash()))
    v = chain_id * 2 + _EIP155_V + parity if "gasPrice" in fields else parity
    return bytes(encode_transaction(unsigned, vrs=(v, r, s)))


class LocalSigner(KeyHolder):
    """Signs with a private key in memory."""

    __slots__ = ("_account",)

    def __init__(self, secret: bytes) -> None:
        try:
            self._account = Account.from_key(secret)
        except ValueError:
            raise KeyMissing("it is no private key") from None
        super().__init__(self._account.address)

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        signed = self._account.unsafe_sign_hash(digest)
        return signed.v - _RECOVERY_V, signed.r, signed.s


KEYS: KeyKind[Signer] = KeyKind("a private key: 64 hex digits", parse_hex_key, LocalSigner)
