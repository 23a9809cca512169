"""What pools of an exchange on an EVM chain ask for, as one node of it says."""

from collections.abc import Sequence
from typing import Final

from eth_abi.abi import encode
from eth_utils.abi import function_signature_to_4byte_selector

from crossway.adapters.chains.evm.abi import decode
from crossway.adapters.chains.evm.calldata import Call, call_request
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.pool_paths import PoolPath

_QUOTE: Final = function_signature_to_4byte_selector("quoteExactOutput(bytes,uint256)")


class EvmSwapQuoter:
    """Asks Uniswap's QuoterV2. A node that lies can make a payment dearer, which comes back, or
    have its swap fail, which leaves it refundable: one node's word does."""

    def __init__(self, context: ChainContext) -> None:
        self._context = context

    def quote(self, quoter: str, asked: Sequence[tuple[PoolPath, int]]) -> Sequence[int | None]:
        """What each exact output costs along its path, in units; None where its pools do not have
        it, or do not exist. Raises `Unreachable`."""
        requests = [
            call_request(
                Call(quoter, _QUOTE + encode(["bytes", "uint256"], [path.encode(), output]))
            )
            for path, output in asked
        ]
        results = self._context.pool.first(lambda session: session.batch(requests))
        return [
            None
            if isinstance(result, RpcError)
            else int(decode(("uint256",), parse_data(result, "a quote")[:32], "a quote")[0])
            for result in results
        ]
