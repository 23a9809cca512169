"""Tokens that payers' signatures move by Permit2, through our contract as its spender."""

from collections.abc import Mapping
from typing import Any, Final

from crossway.adapters.chains.evm.abi import NONCE_BITMAP, NONCES_INVALIDATED
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.rpc_schemas import Log
from crossway.domain.payer_signatures import Authorization

PERMIT2: Final = "0x000000000022D473030F116dDEE9F6B43aC78BA3"
"""The same on every chain that has it."""
PRIMARY: Final = "PermitWitnessTransferFrom"
_TYPES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "EIP712Domain": (
        *(("name", "string"), ("chainId", "uint256"), ("verifyingContract", "address")),
    ),
    PRIMARY: (
        *(("permitted", "TokenPermissions"), ("spender", "address"), ("nonce", "uint256")),
        *(("deadline", "uint256"), ("witness", "Deposit")),
    ),
    "TokenPermissions": (("token", "address"), ("amount", "uint256")),
    "Deposit": (("to", "address"),),
}
_BITS: Final = 8


def permit_data(chain_id: int, one: Authorization, spender: str) -> dict[str, Any]:
    """What a wallet signs for Permit2. It is valid up to its deadline, which is the last second
    before `valid_before`."""
    return {
        "types": {
            name: [{"name": field, "type": type_} for field, type_ in fields]
            for name, fields in _TYPES.items()
        },
        "primaryType": PRIMARY,
        "domain": {"name": "Permit2", "chainId": chain_id, "verifyingContract": PERMIT2},
        "message": {
            "permitted": {"token": one.token, "amount": str(one.amount)},
            "spender": spender,
            "nonce": str(int(one.nonce, 16)),
            "deadline": str(one.valid_before - 1),
            "witness": {"to": one.to},
        },
    }


def nonce_call(one: Authorization) -> Call:
    """The call that returns the word of nonces that this one is a bit of."""
    return Call(PERMIT2, NONCE_BITMAP.encode(one.payer, int(one.nonce, 16) >> _BITS))


def nonce_bit(one: Authorization) -> int:
    """The bit of a nonce in its word."""
    return 1 << (int(one.nonce, 16) & 0xFF)


def cancels(log: Log, one: Authorization) -> bool:
    """Whether a log of Permit2 says that the owner made this nonce worthless."""
    if not log.topics or log.topics[0] != NONCES_INVALIDATED.topic:
        return False
    word, mask = NONCES_INVALIDATED.decode(log.data)
    return int(word) == int(one.nonce, 16) >> _BITS and bool(int(mask) & nonce_bit(one))
