"""Functions, events and errors of our contracts and of tokens, encoded and decoded by web3."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from eth_abi.exceptions import DecodingError
from eth_abi.grammar import parse
from eth_utils.abi import (
    event_abi_to_log_topic,
    function_abi_to_4byte_selector,
    function_signature_to_4byte_selector,
    get_abi_input_types,
)
from web3 import Web3
from web3.utils.abi import get_abi_element

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.contracts import load_artifact
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse

# Unlike eth-abi's own, it refuses bytes of another length instead of padding them. A `Contract`
# of web3 encodes by it, too, in twenty times its time.
_CODEC: Final = Web3().codec


def decode(types: Sequence[str], data: bytes, what: str) -> tuple[Any, ...]:
    """The values that a contract returned. Raises `MalformedResponse`."""
    try:
        return tuple(_CODEC.decode(types, data))
    except DecodingError:
        raise MalformedResponse(f"the node did not return {what}") from None


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a contract: its selector, and the types of its arguments."""

    selector: bytes
    types: tuple[str, ...]

    def encode(self, *arguments: object) -> bytes:
        """The data of a call; addresses as text or as 20 bytes."""
        return self.selector + _CODEC.encode(self.types, arguments)

    def decode(self, data: bytes) -> tuple[Any, ...]:
        """The arguments in the data of a call. Raises `MalformedResponse`."""
        return decode(self.types, data[len(self.selector) :], "a call of a contract")


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a contract: its topic, and the types of what its data hold."""

    topic: str
    types: tuple[str, ...]

    def decode(self, data: bytes) -> tuple[Any, ...]:
        """The values in the data of a log. Raises `MalformedResponse`."""
        return decode(self.types, data, "an event of a contract")


def _contract_function(contract: str, name: str) -> Function:
    element = get_abi_element(load_artifact(contract).abi, name)
    return Function(function_abi_to_4byte_selector(element), tuple(get_abi_input_types(element)))


def _token_function(signature: str) -> Function:
    arguments = signature[signature.index("(") :]
    types = () if arguments == "()" else parse(arguments).components
    selector = function_signature_to_4byte_selector(signature)
    return Function(selector, tuple(each.to_type_str() for each in types))


def _contract_event(contract: str, name: str) -> Event:
    element: Any = get_abi_element(load_artifact(contract).abi, name)
    types = tuple(each["type"] for each in element["inputs"] if not each["indexed"])
    return Event("0x" + event_abi_to_log_topic(element).hex(), types)


_CONTRACTS: Final = (
    *("IntentFactory", "Escrow", "Escrow2", "Filler", "Filler2"),
    *("CctpBridge", "CctpSwapBridge", "AcrossBridge", "StandingFactory"),
)
POOL_ERRORS: Final = (
    "DepositsArePaused",
    "InvalidQuoteTimestamp",
    "InvalidFillDeadline",
    "InvalidExclusiveRelayer",
    "DisabledRoute",
)
"""Of Across' SpokePool, with which a deposit into it reverts; none has an argument."""


def error_selectors() -> Iterator[tuple[str, bytes]]:
    """The name and the selector of each error with which our contracts revert, and of those of
    others that they pass on."""
    for contract in _CONTRACTS:
        for element in load_artifact(contract).abi:
            if element["type"] == "error":
                yield element["name"], function_abi_to_4byte_selector(element)
    for name in POOL_ERRORS:
        yield name, function_signature_to_4byte_selector(f"{name}()")


START = _contract_function("IntentFactory", "start")
REFUND = _contract_function("IntentFactory", "refund")
REDIRECT = _contract_function("IntentFactory", "redirect")
SET_AGENT = _contract_function("IntentFactory", "setAgent")
IS_AUTHORIZED = _contract_function("IntentFactory", "isAuthorized")
EXECUTED = _contract_function("IntentFactory", "executed")
SETTLE = _contract_function("Escrow", "settle")
RETAINED = _contract_function("Escrow", "retained")
WITHDRAW = _contract_function("Escrow", "withdraw")
FACTORY_OF = _contract_function("Escrow", "FACTORY")
RECLAIM = _contract_function("Escrow2", "reclaim")
SET_PAYEE = _contract_function("Escrow2", "setPayee")
PAYEES = _contract_function("Escrow2", "payees")
FILL = _contract_function("Filler", "fill")
FILL_UNTIL = _contract_function("Filler2", "fill")
BALANCE_OF = _token_function("balanceOf(address)")
ALLOWANCE = _token_function("allowance(address,address)")
APPROVE = _token_function("approve(address,uint256)")
TRANSFER = _token_function("transfer(address,uint256)")
DOMAIN_SEPARATOR = _token_function("DOMAIN_SEPARATOR()")
TOKEN_NAME = _token_function("name()")
TOKEN_VERSION = _token_function("version()")
AUTHORIZATION_STATE = _token_function("authorizationState(address,bytes32)")
TRANSFER_WITH_AUTHORIZATION = _token_function(
    "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
)
"""Of tokens with EIP-3009: payer, receiver, amount, the two times, nonce, and the signature."""
AUTHORIZATION_USED = "0x" + keccak256(b"AuthorizationUsed(address,bytes32)").hex()
AUTHORIZATION_CANCELED = "0x" + keccak256(b"AuthorizationCanceled(address,bytes32)").hex()
PERMIT_PAY_IN = _contract_function("PermitPayIn", "pay")
NONCE_BITMAP = _token_function("nonceBitmap(address,uint256)")
"""Of Permit2: the word with this number of an account's used nonces."""
NONCES_INVALIDATED = Event(
    "0x" + keccak256(b"UnorderedNonceInvalidation(address,uint256,uint256)").hex(),
    ("uint256", "uint256"),
)
"""Of Permit2, whose account is a topic: the number of a word, and the bits of its nonces."""
DEPOSIT_WITH_ID = _token_function("depositWithId(address,uint256,uint256)")
"""Of rhino.fi's bridge contract: token, amount, and the number of what was agreed."""
TOKENS_MOVED = _contract_event("IntentFactory", "TokensMoved")
SEND_OVER_CCTP = _contract_function("CctpBridge", "startAndBridge")
SWAP_AND_SEND = _contract_function("CctpSwapBridge", "startAndBridge")
SEND_OVER_ACROSS = _contract_function("AcrossBridge", "startAndBridge")
DELIVER = _contract_function("CctpBridge", "deliver")
GIVE_BACK = _contract_function("CctpBridge", "giveBack")
RELEASE = _contract_function("CctpBridge", "release")
UNPARK = _contract_function("CctpBridge", "unpark")
STATES_OF = _contract_function("CctpBridge", "statesOf")
"""The escrow has one with the same arguments, and returns the first of its two results."""
OWED = _contract_function("CctpBridge", "owed")
PARKED = _contract_function("CctpBridge", "parked")
FORWARD = _contract_function("StandingFactory", "forward")
RECOVER = _contract_function("StandingFactory", "recover")
RUN_BATCH = _contract_function("CallBatch", "run")
SENT = _contract_event("CctpBridge", "Sent")
SWAPPED = _contract_event("CctpSwapBridge", "Swapped")
ARRIVED = _contract_event("CctpBridge", "Arrived")
MESSAGE_SENT = Event("0x" + keccak256(b"MessageSent(bytes)").hex(), ("bytes",))
"""Of Circle's MessageTransmitterV2."""
FUNDS_DEPOSITED = Event(
    "0x"
    + keccak256(
        b"FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,"
        b"bytes32,bytes32,bytes32,bytes)"
    ).hex(),
    (
        *("bytes32", "bytes32", "uint256", "uint256"),
        *("uint32", "uint32", "uint32", "bytes32", "bytes32", "bytes"),
    ),
)
"""Of Across' SpokePool; destination chain, deposit id and depositor are its topics."""
