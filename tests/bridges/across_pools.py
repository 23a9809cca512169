"""The real SpokePool of Across on anvil, at the address that it has on that chain."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.words import address_word
from tests.chains.anvil import CATALOGUE, Anvil
from tests.npm_packages import ACROSS_CONTRACTS, npm_package

QUOTE_BUFFER, FILL_BUFFER = 3_600, 21_600
# Where a proxy of ERC-1967 keeps the address of its implementation.
IMPLEMENTATION_SLOT = hex(int.from_bytes(keccak256(b"eip1967.proxy.implementation"), "big") - 1)
_WETH = canonical_address("evm", "0x" + keccak256(b"wrapped ether of tests")[-20:].hex())


def pool_of(chain: str) -> str:
    pool = CATALOGUE.chains[chain].across_pool
    assert pool is not None
    return pool


def put_spoke_pool(one: Anvil, wrapped: str = _WETH) -> str:
    """Place the pool behind its proxy, owned by anvil's rich account; its address. The token
    `wrapped` is its native coin's."""
    pool = pool_of(one.chain)
    arguments = encode(
        ["address", "uint32", "uint32", "address"],
        [wrapped, QUOTE_BUFFER, FILL_BUFFER, "0x" + "00" * 20],
    )
    implementation = _deploy(one, _creation_code("Ethereum_SpokePool") + arguments)
    proxy = _deploy(
        one,
        _creation_code("ERC1967Proxy") + encode(["address", "bytes"], [implementation, b""]),
    )
    one.rpc("anvil_setCode", pool, one.rpc("eth_getCode", proxy, "latest"))
    word = "0x" + address_word("evm", implementation).hex()
    one.rpc("anvil_setStorageAt", pool, IMPLEMENTATION_SLOT, word)
    data = keccak256(b"initialize(uint32,address)")[:4]
    one.transact(pool, data + encode(["uint32", "address"], [0, _WETH]))
    one.mine()
    return pool


def put_handler(one: Anvil, address: str) -> None:
    """Place Across' MulticallHandler at an address."""
    deployed = _deploy(one, _creation_code("MulticallHandler"))
    one.rpc("anvil_setCode", address, one.rpc("eth_getCode", deployed, "latest"))


def _deploy(one: Anvil, creation_code: bytes) -> str:
    sender = one.rpc("eth_accounts")[0]
    transaction = {"from": sender, "data": "0x" + creation_code.hex(), "gas": hex(12_000_000)}
    name = one.rpc("eth_sendTransaction", transaction)
    one.mine()
    receipt = one.rpc("eth_getTransactionReceipt", name)
    assert receipt["status"] == "0x1", receipt
    return str(receipt["contractAddress"])


@cache
def _artifact(folder: Path, name: str) -> Any:
    path = folder / "dist" / "evm" / "artifacts" / f"{name}.sol" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _creation_code(name: str) -> bytes:
    return bytes.fromhex(_artifact(npm_package(*ACROSS_CONTRACTS), name)["bytecode"][2:])
