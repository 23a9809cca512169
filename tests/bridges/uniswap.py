"""The real factory and quoter of Uniswap v3 on anvil, at the addresses that they have on a chain,
and pools in which a market maker of ours trades."""

import json
from collections.abc import Mapping
from math import isqrt
from pathlib import Path
from typing import Any, Final

from eth_abi.abi import decode, encode

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.words import address_word
from tests.chains.anvil import Anvil, compiled
from tests.npm_packages import UNISWAP_CORE, UNISWAP_PERIPHERY, npm_package
from tests.processes import ROOT

# https://developers.uniswap.org, "Deployments" of v3; a test compares the factories and the wrapped
# coins with SwapChains.sol.
_FIRST: Final = "0x1F98431c8aD98523631AE4a59f267346ea31F984"
FACTORIES: Final = {
    "ETHEREUM_MAINNET": _FIRST,
    "BASE_MAINNET": "0x33128a8fC17869897dcE68Ed026d694621f6FDfD",
    "ARBITRUM_MAINNET": _FIRST,
}
_QUOTER: Final = "0x61fFE014bA17989E743c5F6cB21bF9697530B21e"
QUOTERS: Final = {
    "ETHEREUM_MAINNET": _QUOTER,
    "BASE_MAINNET": "0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a",
    "ARBITRUM_MAINNET": _QUOTER,
}
WRAPPED: Final = {
    "ETHEREUM_MAINNET": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    "BASE_MAINNET": "0x4200000000000000000000000000000000000006",
    "ARBITRUM_MAINNET": "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
}
MAKER = canonical_address("evm", "0x" + keccak256(b"a market maker of tests")[-20:].hex())
_TICK_SPACINGS: Final = {500: 10, 3_000: 60, 10_000: 200}
_LAST_TICK: Final = 887_272
_GAS: Final = 10_000_000  # A pool is a contract of its own.


def put_uniswap(one: Anvil) -> None:
    """Factory, quoter, wrapped coin and market maker, each at its address."""
    stand_ins = compiled(ROOT / "contracts" / "evm" / "test" / "SwapStandIns.sol")
    one.rpc("anvil_setCode", WRAPPED[one.chain], stand_ins["WrappedStandIn"])
    one.rpc("anvil_setCode", MAKER, stand_ins["MarketMaker"])
    core, periphery = npm_package(*UNISWAP_CORE), npm_package(*UNISWAP_PERIPHERY)
    factory, wrapped = FACTORIES[one.chain], WRAPPED[one.chain]
    _construct(one, factory, _creation_code(core, "UniswapV3Factory"))
    arguments = encode(["address", "address"], [factory, wrapped])
    _construct(one, QUOTERS[one.chain], _creation_code(periphery, "lens/QuoterV2") + arguments)


def put_pool(one: Anvil, amounts: Mapping[str, int], fee: int = 3_000) -> str:
    """A pool of two tokens, which anyone can mint, with these amounts of them over all prices; its
    address. Its price is their ratio. `fee` is in hundredths of a basis point: 500, 3000 or
    10000."""
    (token0, amount0), (token1, amount1) = sorted(amounts.items(), key=lambda i: int(i[0], 16))
    _call(one, FACTORIES[one.chain], "createPool(address,address,uint24)", token0, token1, fee)
    pool = pool_of(one, token0, token1, fee)
    _call(one, pool, "initialize(uint160)", isqrt((amount1 << 192) // amount0))
    for token, amount in amounts.items():
        # A little more, as pools round up what they ask for.
        _call(one, token, "mint(address,uint256)", MAKER, amount + amount // 1_000)
    last = _LAST_TICK - _LAST_TICK % _TICK_SPACINGS[fee]
    provide = "provide(address,int24,int24,uint128)"
    _call(one, MAKER, provide, pool, -last, last, isqrt(amount0 * amount1))
    return pool


def sell(one: Anvil, pool: str, token: str, units: int) -> None:
    """The market maker sells so much of a token in a pool: its price in the other one falls."""
    _call(one, token, "mint(address,uint256)", MAKER, units)
    _call(one, MAKER, "sell(address,address,uint256)", pool, token, units)


def pool_of(one: Anvil, token: str, other: str, fee: int) -> str:
    """The address of a pool that the factory lists, or the zero address."""
    types = ["address", "address", "uint24"]
    data = keccak256(b"getPool(address,address,uint24)")[:4] + encode(types, [token, other, fee])
    at = one.rpc("eth_call", {"to": FACTORIES[one.chain], "data": "0x" + data.hex()}, "latest")
    return canonical_address("evm", "0x" + at[-40:])


def path(*tokens_and_fees: str | int) -> bytes:
    """A path as our contract and the quoter take it for exact outputs: what is bought, the fee of
    the pool, its other token, and so on until what is paid in."""
    return b"".join(
        part.to_bytes(3, "big") if isinstance(part, int) else address_word("evm", part)[-20:]
        for part in tokens_and_fees
    )


def quoted_input(one: Anvil, along: bytes, output: int) -> int:
    """What the quoter says that an exact output costs along a path."""
    selector = keccak256(b"quoteExactOutput(bytes,uint256)")[:4]
    data = selector + encode(["bytes", "uint256"], [along, output])
    asked = {"to": QUOTERS[one.chain], "data": "0x" + data.hex()}
    answer = bytes.fromhex(one.rpc("eth_call", asked, "latest")[2:])
    return int(decode(["uint256"], answer)[0])


def _call(one: Anvil, to: str, signature: str, *values: Any) -> None:
    """A call by a plain wallet that works, in a block of its own."""
    types = signature.partition("(")[2].rstrip(")").split(",")
    data = keccak256(signature.encode())[:4] + encode(types, values)
    name = one.transact(to, data, gas=_GAS)
    one.mine()
    assert one.rpc("eth_getTransactionReceipt", name)["status"] == "0x1", (to, signature, values)


def _construct(one: Anvil, at: str, creation_code: bytes) -> None:
    """Leave what a creation code leaves, at a given address: it runs there as a call, which writes
    its storage, and returns the code that stays."""
    one.rpc("anvil_setCode", at, "0x" + creation_code.hex())
    runtime = one.rpc("eth_call", {"to": at, "gas": hex(30_000_000)}, "latest")
    one.transact(at, gas=_GAS)
    one.mine()
    one.rpc("anvil_setCode", at, runtime)


def _creation_code(package: Path, name: str) -> bytes:
    last = name.rpartition("/")[2]
    found = package / "artifacts" / "contracts" / f"{name}.sol" / f"{last}.json"
    artifact: Any = json.loads(found.read_text(encoding="utf-8"))
    return bytes.fromhex(artifact["bytecode"][2:])
