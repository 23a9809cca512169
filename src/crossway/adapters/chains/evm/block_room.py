"""How much gas one transaction may use, and contracts that need more than a block has."""

from dataclasses import dataclass
from typing import Any, Final

from crossway.adapters.chains.evm.chain_context import ChainParams, block_request
from crossway.adapters.chains.evm.contracts import SALT, artifact_of, init_code, load_artifact
from crossway.adapters.chains.evm.rpc_schemas import parse_block, parse_quantity
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import as_object
from crossway.domain.catalogue import Chain

# Yellow paper, EIP-2028, EIP-3860: a transaction, a creation, a byte of data (zero or not) and of
# deployed code, a word of the code that creates it.
_TX_GAS, _CREATE_GAS, _ZERO_GAS, _DATA_GAS, _CODE_GAS, _WORD_GAS = 21_000, 32_000, 4, 16, 200, 2
_WORD: Final = 32


@dataclass(frozen=True, slots=True)
class BlockRoom:
    """The gas of the blocks that an account's transactions go into, and the base fee there in wei
    where it is not the usual one; 0 otherwise."""

    gas: int
    base_fee: int = 0


def read_room(session: RpcSession, params: ChainParams, account: str) -> BlockRoom:
    """The room of the newest block, or of the large ones that an account has chosen, on a chain
    that has blocks of two sizes."""
    if not params.big_block_gas:
        return BlockRoom(_gas_limit(session.call(block_request("latest"))[0]))
    newest, chosen, price = session.batch(
        [
            block_request("latest"),
            RpcRequest("eth_usingBigBlocks", (account,)),
            RpcRequest("eth_bigBlockGasPrice"),
        ]
    )
    if chosen is True:
        base_fee = 0 if isinstance(price, RpcError) else parse_quantity(price, "a gas price")
        return BlockRoom(params.big_block_gas, base_fee)
    # The newest block may be a large one; the one before it is not.
    parent = hex(parse_block(newest).height - 1)
    before = session.call(block_request(parent))[0]
    return BlockRoom(min(_gas_limit(newest), _gas_limit(before)))


def _gas_limit(block: Any) -> int:
    return parse_quantity(as_object(block, "a block").get("gasLimit"), "a gas limit")


def least_deployment_gas(name: str) -> int:
    """Deploying a contract takes this gas and what its constructor uses."""
    data = SALT + init_code(name)
    deployed = len(load_artifact(artifact_of(name)).runtime)
    of_data = sum(_DATA_GAS if byte else _ZERO_GAS for byte in data)
    words = -(-len(data) // _WORD)
    return _TX_GAS + _CREATE_GAS + of_data + _CODE_GAS * deployed + _WORD_GAS * words


def describe_lack(chain: Chain, params: ChainParams, what: str, gas: int, room: BlockRoom) -> str:
    """Why a transaction cannot be included, and what to do."""
    way = "there it cannot be sent"
    if params.big_block_gas:
        way = "have the account use big blocks (docs/going-live.md)"
    return (
        f"{chain.id}: {what} needs {gas:,} gas and a block of {chain.name} has {room.gas:,}: {way}"
    )
