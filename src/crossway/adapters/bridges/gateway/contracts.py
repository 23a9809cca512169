"""What Circle Gateway's contracts on an EVM chain are called with, and how they answer."""

from dataclasses import dataclass
from typing import Final

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import Event, Function
from crossway.adapters.chains.evm.bridge_end import revert_sentence


def _function(signature: str) -> Function:
    return Function(keccak256(signature.encode())[:4], _types(signature))


def _types(signature: str) -> tuple[str, ...]:
    return tuple(signature[signature.index("(") + 1 : -1].split(","))


DEPOSIT_SIGNATURE: Final = "deposit(address,uint256)"
ADD_DELEGATE_SIGNATURE: Final = "addDelegate(address,address)"
REMOVE_DELEGATE_SIGNATURE: Final = "removeDelegate(address,address)"
INITIATE_SIGNATURE: Final = "initiateWithdrawal(address,uint256)"
WITHDRAW_SIGNATURE: Final = "withdraw(address)"

DEPOSIT: Final = _function(DEPOSIT_SIGNATURE)
DEPOSIT_FOR: Final = _function("depositFor(address,address,uint256)")
ADD_DELEGATE: Final = _function(ADD_DELEGATE_SIGNATURE)
REMOVE_DELEGATE: Final = _function(REMOVE_DELEGATE_SIGNATURE)
IS_AUTHORIZED: Final = _function("isAuthorizedForBalance(address,address,address)")
AVAILABLE: Final = _function("availableBalance(address,address)")
WITHDRAWING: Final = _function("withdrawingBalance(address,address)")
WITHDRAWAL_BLOCK: Final = _function("withdrawalBlock(address,address)")
INITIATE: Final = _function(INITIATE_SIGNATURE)
WITHDRAW: Final = _function(WITHDRAW_SIGNATURE)
MINT: Final = _function("gatewayMint(bytes,bytes)")
PAUSED: Final = Function(keccak256(b"paused()")[:4], ())
IS_USED: Final = _function("isTransferSpecHashUsed(bytes32)")

DEPOSITED: Final = Event(
    "0x" + keccak256(b"Deposited(address,address,address,uint256)").hex(), ("uint256",)
)
"""Token, depositor and sender are its topics."""
ATTESTATION_USED: Final = Event(
    "0x"
    + keccak256(b"AttestationUsed(address,address,bytes32,uint32,bytes32,bytes32,uint256)").hex(),
    ("uint32", "bytes32", "bytes32", "uint256"),
)
"""Token, recipient and the spec's hash are its topics."""


@dataclass(frozen=True, slots=True)
class MintRefusal:
    """Why a mint would revert now. `attested`: the attestation itself is by Circle's signer, as
    the contract verifies that before what it refuses here."""

    name: str
    reason: str
    attested: bool


EXPIRED: Final = "AttestationExpiredAtIndex(uint32,uint256,uint256)"
_REFUSALS: Final = {
    keccak256(signature.encode())[:4]: MintRefusal(signature, reason, attested)
    for signature, reason, attested in (
        (EXPIRED, "the attestation has expired", True),
        ("TransferSpecHashUsed(bytes32)", "it was minted already", True),
        ("InvalidAttestationSigner()", "the attestation is not by Circle", False),
        ("AccountDenylisted(address)", "Circle has denylisted the relayer", False),
        ("EnforcedPause()", "Circle has paused the minter", False),
        (
            "InvalidAttestationDestinationCallerAtIndex(uint32,address,address)",
            "another account may mint it",
            True,
        ),
        (
            "InvalidAttestationDestinationDomainAtIndex(uint32,uint32,uint32)",
            "it is for another chain",
            True,
        ),
    )
}


def read_refusal(data: bytes) -> MintRefusal:
    """The refusal that the data of a revert mean."""
    sentence = revert_sentence(data) or "the contract refuses it"
    return _REFUSALS.get(data[:4], MintRefusal("", sentence, False))
