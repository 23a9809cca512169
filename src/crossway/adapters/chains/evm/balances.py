"""Balances of many addresses: by BalanceLens, a contract that is never deployed, or one by one."""

from collections.abc import Mapping, Sequence

from crossway.adapters.chains.evm.abi import ALLOWANCE, BALANCE_OF
from crossway.adapters.chains.evm.calldata import ZERO, Call, call_request, is_native
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.contracts import load_artifact
from crossway.adapters.chains.evm.rpc_schemas import parse_data, parse_quantity
from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.words import WORD, address_word, number_word

# So few addresses are read one by one, which every node supports.
_FEW_ADDRESSES = 3


def lens_requests(
    context: ChainContext, addresses: Sequence[str], token: str, block: str
) -> list[RpcRequest]:
    """Requests for the balances of these addresses, `lens_size` in each."""
    size = context.params.lens_size
    return [
        RpcRequest("eth_call", ({"data": lens_code(addresses[start : start + size], token)}, block))
        for start in range(0, len(addresses), size)
    ]


def lens_code(addresses: Sequence[str], token: str) -> str:
    """The lens with its arguments, which returns the balances when it is deployed."""
    # By hand: every scan asks for every address, and a codec takes ten times as long.
    words = [address_word("evm", ZERO if is_native(token) else token), number_word(2 * WORD)]
    words += [number_word(len(addresses)), *(address_word("evm", a) for a in addresses)]
    return "0x" + (load_artifact("BalanceLens").bytecode + b"".join(words)).hex()


def parse_lens_results(
    context: ChainContext, addresses: Sequence[str], results: Sequence[object]
) -> dict[str, int]:
    """The balances in the results of `lens_requests`."""
    balances: dict[str, int] = {}
    size = context.params.lens_size
    for start, result in zip(range(0, len(addresses), size), results, strict=True):
        part, words = addresses[start : start + size], parse_data(result, "balances")
        if len(words) != (len(part) + 1) * WORD:
            raise MalformedResponse("the node returned other balances than requested")
        for index, address in enumerate(part, start=1):
            balances[address] = int.from_bytes(words[index * WORD : (index + 1) * WORD], "big")
    return balances


def read_balances(
    context: ChainContext,
    session: RpcSession,
    addresses: Sequence[str],
    token: str,
    block: str = "latest",
) -> Mapping[str, int]:
    """The balance of each address at a block, in base units of a token."""
    if len(addresses) <= _FEW_ADDRESSES or not context.params.lens_size:
        return _read_individually(session, addresses, token, block)
    results = session.batch(lens_requests(context, addresses, token, block))
    if any(isinstance(result, RpcError) for result in results):
        return _read_individually(session, addresses, token, block)
    return parse_lens_results(context, addresses, results)


def _read_individually(
    session: RpcSession, addresses: Sequence[str], token: str, block: str
) -> Mapping[str, int]:
    if is_native(token):
        results = session.call(*(native_balance_request(a, block) for a in addresses))
        return {a: parse_quantity(n, "a balance") for a, n in zip(addresses, results, strict=True)}
    calls = [Call(token, BALANCE_OF.encode(address)) for address in addresses]
    requests = [call_request(call, block) for call in calls]
    results = session.batch(requests)
    if any(isinstance(result, RpcError) for result in results):
        # Where there is no contract, some nodes return an error and others nothing.
        deployed = _has_code(session, token, block)
        results = session.call(*requests) if deployed else ["0x"] * len(requests)
    balances = {}
    for address, result in zip(addresses, results, strict=True):
        word = parse_data(result, "a balance")
        if len(word) < WORD:
            if _has_code(session, token, block):
                raise MalformedResponse(f"{token} does not return a balance")
            # Nobody holds anything of a token without a contract.
            return dict.fromkeys(addresses, 0)
        balances[address] = int.from_bytes(word[:WORD], "big")
    return balances


def native_balance_request(address: str, block: str = "latest") -> RpcRequest:
    """Request the native balance of an address."""
    return RpcRequest("eth_getBalance", (address, block))


def _has_code(session: RpcSession, address: str, block: str) -> bool:
    return bool(parse_data(session.call(code_request(address, block))[0], "code"))


def code_request(address: str, block: str = "latest") -> RpcRequest:
    """Request the code at an address."""
    return RpcRequest("eth_getCode", (address, block))


def allowances(
    session: RpcSession, owner: str, spender: str, tokens: Sequence[str]
) -> dict[str, int]:
    """What `spender` may take of each token from `owner`, in base units."""
    return _read_first_words(session, tokens, ALLOWANCE.encode(owner, spender))


def token_balances(session: RpcSession, owner: str, tokens: Sequence[str]) -> dict[str, int]:
    """The owner's balance of each token, in base units."""
    return _read_first_words(session, tokens, BALANCE_OF.encode(owner))


def _read_first_words(session: RpcSession, tokens: Sequence[str], data: bytes) -> dict[str, int]:
    results = session.batch([call_request(Call(token, data)) for token in tokens])
    words = {}
    for token, result in zip(tokens, results, strict=True):
        # A contract that does not answer like a token counts as 0.
        returned = b"" if isinstance(result, RpcError) else parse_data(result)
        words[token] = int.from_bytes(returned[:WORD], "big")
    return words
