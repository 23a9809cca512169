"""What Across' SpokePool is called with for inventory, and the events by which it answers."""

from typing import Final

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import Event, Function

_RELAY: Final = (
    "(bytes32,bytes32,bytes32,bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,bytes)"
)


def _function(signature: str) -> Function:
    types = signature[signature.index("(") + 1 : -1]
    return Function(keccak256(signature.encode())[:4], tuple(types.split(",")) if types else ())


def _topic(signature: str) -> str:
    return "0x" + keccak256(signature.encode()).hex()


UNSAFE_DEPOSIT: Final = _function(
    "unsafeDeposit(bytes32,bytes32,bytes32,bytes32,uint256,uint256,uint256,bytes32,uint256,uint32,"
    "uint32,uint32,bytes)"
)
"""A deposit whose number follows from its sender, depositor and nonce: known before it is sent."""
FILL_STATUSES: Final = _function("fillStatuses(bytes32)")
PAUSED_DEPOSITS: Final = _function("pausedDeposits()")
WRAPPED_NATIVE_TOKEN: Final = _function("wrappedNativeToken()")
QUOTE_TIME_BUFFER: Final = _function("depositQuoteTimeBuffer()")
FILL_DEADLINE_BUFFER: Final = _function("fillDeadlineBuffer()")
SLOW_FILL_REQUESTED, FILLED = 1, 2
"""Of `fillStatuses`."""
RELAY_HASH: Final = Function(b"", (_RELAY, "uint256"))
"""What is hashed of a relay, with its destination chain."""
INSTRUCTIONS: Final = Function(b"", ("((address,bytes,uint256)[],address)",))
"""The message to Across' MulticallHandler: calls, and who gets what is left after them."""
FILLED_RELAY: Final = Event(
    _topic(
        "FilledRelay(bytes32,bytes32,uint256,uint256,uint256,uint256,uint256,uint32,uint32,bytes32,"
        "bytes32,bytes32,bytes32,bytes32,(bytes32,bytes32,uint256,uint8))"
    ),
    (
        *("bytes32", "bytes32", "uint256", "uint256", "uint256", "uint32", "uint32", "bytes32"),
        *("bytes32", "bytes32", "bytes32", "(bytes32,bytes32,uint256,uint8)"),
    ),
)
"""Origin chain, deposit id and relayer are its topics."""
REFUND_EXECUTED: Final = Event(
    _topic(
        "ExecutedRelayerRefundRoot(uint256,uint256,uint256[],uint32,uint32,address,address[],bool,"
        "address)"
    ),
    ("uint256", "uint256[]", "address", "address[]", "bool", "address"),
)
"""The chain, the bundle's number and the leaf's are its topics."""
