"""What a payer's wallet signs for a token, and whose signature it is (EIP-712)."""

from collections.abc import Mapping
from typing import Any, Final

from eth_account import Account
from eth_account.messages import SignableMessage, encode_typed_data

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.permit2 import permit_data
from crossway.adapters.chains.words import WORD, address_word, number_word
from crossway.domain.payer_signatures import Authorization, SignatureStandard
from crossway.ports.payer_signatures import SigningDomain

_PRIMARY: Final = "TransferWithAuthorization"
_DOMAIN: Final = (
    *(("name", "string"), ("version", "string")),
    *(("chainId", "uint256"), ("verifyingContract", "address")),
)
_TRANSFER: Final = (
    *(("from", "address"), ("to", "address"), ("value", "uint256")),
    *(("validAfter", "uint256"), ("validBefore", "uint256"), ("nonce", "bytes32")),
)
# Half of the order of secp256k1: of the two signatures of one message, tokens take the lower one.
_HIGHEST_S: Final = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0
_SIZE: Final = 2 * WORD + 1
_RECOVERY_V: Final = 27


def typed_data(
    chain_id: int, authorization: Authorization, domain: SigningDomain
) -> dict[str, Any]:
    """As `TakesSignatures.typed_data`. Numbers are decimal texts, which every wallet reads."""
    if authorization.standard is SignatureStandard.PERMIT2:
        return permit_data(chain_id, authorization, domain.spender)
    return {
        # Some wallets sign an empty domain where its type is missing.
        "types": {"EIP712Domain": _fields(_DOMAIN), _PRIMARY: _fields(_TRANSFER)},
        "primaryType": _PRIMARY,
        "domain": {
            "name": domain.name,
            "version": domain.version,
            "chainId": chain_id,
            "verifyingContract": authorization.token,
        },
        "message": {
            "from": authorization.payer,
            "to": authorization.to,
            "value": str(authorization.amount),
            "validAfter": str(authorization.valid_after),
            "validBefore": str(authorization.valid_before),
            "nonce": authorization.nonce,
        },
    }


def parse_signature(
    chain_id: int, authorization: Authorization, domain: SigningDomain, text: str
) -> bytes:
    """As `TakesSignatures.parse_signature`."""
    try:
        raw = bytes.fromhex(text.removeprefix("0x"))
    except ValueError:
        raise ValueError("the signature is not hex") from None
    if len(raw) != _SIZE:
        raise ValueError("the signature must have 65 bytes")
    v = raw[-1] + (0 if raw[-1] >= _RECOVERY_V else _RECOVERY_V)
    if v not in (_RECOVERY_V, _RECOVERY_V + 1):
        raise ValueError("the signature's last byte must be 27 or 28")
    if int.from_bytes(raw[WORD : 2 * WORD], "big") > _HIGHEST_S:
        raise ValueError("the signature's s is too high")
    signature = raw[:-1] + bytes([v])
    message = _signable(typed_data(chain_id, authorization, domain))
    try:
        signer = Account.recover_message(message, signature=signature)
    # Each of the libraries beneath raises errors of its own.
    except Exception:
        raise ValueError("the signature is not valid") from None
    if signer != authorization.payer:
        raise ValueError("the signature is not the payer's, or for something else")
    return signature


def domain_separator(chain_id: int, token: str, domain: SigningDomain) -> bytes:
    """What a token must return for this domain, on this chain."""
    kind = ",".join(f"{type_} {name}" for name, type_ in _DOMAIN)
    words = [f"EIP712Domain({kind})", domain.name, domain.version]
    hashes = b"".join(keccak256(word.encode()) for word in words)
    return keccak256(hashes + number_word(chain_id) + address_word("evm", token))


def _fields(pairs: tuple[tuple[str, str], ...]) -> list[Mapping[str, str]]:
    return [{"name": name, "type": type_} for name, type_ in pairs]


def _signable(data: dict[str, Any]) -> SignableMessage:
    return encode_typed_data(full_message={**data, "message": _with_numbers(data["message"])})


def _with_numbers(message: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _with_numbers(value)
        if isinstance(value, Mapping)
        else int(value)
        if value.isdecimal()
        else value
        for name, value in message.items()
    }
