"""Rent reclaim: closes state and marker accounts that are no longer needed."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from crossway.adapters.chains.rpc.client import RpcError, RpcRequest
from crossway.adapters.chains.rpc.operator_txs import OperatorTx, TxPlan
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.solana.chain import SolanaChain
from crossway.adapters.chains.solana.chain_context import CONFIRMED, ChainContext
from crossway.adapters.chains.solana.instructions import CLOSE, WRITE, AccountRole, instruction
from crossway.adapters.chains.solana.operator_txs import OperatorContext, build_plan, sign_tx
from crossway.adapters.chains.solana.rpc_schemas import Account, parse_account, parse_address
from crossway.adapters.chains.solana.transactions import LAMPORTS_PER_SIGNATURE
from crossway.domain.errors import Unreachable
from crossway.domain.money import format_units

# State and marker accounts: size, closing time, and payer.
_SIZE, _WHEN_AT, _WHO_AT = 48, 8, 16
# As many as fit into one transaction.
_MARKERS_PER_TX = 15


def plan_rent_reclaim(chain: SolanaChain) -> TxPlan:
    """The steps that close expired accounts that we paid for. Raises `Unreachable`, also if the
    node does not list a program's accounts."""
    operator, now = (
        OperatorContext(chain, chain.context.signer),
        int(chain.heads().time.timestamp()),
    )

    def build(session: RpcSession) -> list[OperatorTx]:
        old = [
            marker
            for marker in _fetch_markers(chain.context, session)
            if _is_closable(marker[1], now)
        ]
        parts = [old[at : at + _MARKERS_PER_TX] for at in range(0, len(old), _MARKERS_PER_TX)]
        return [_close_step(operator, part) for part in parts]

    return build_plan(operator, build)


def _fetch_markers(context: ChainContext, session: RpcSession) -> list[tuple[str, Account]]:
    payer = {"memcmp": {"offset": _WHO_AT, "bytes": context.accounts.relayer}}
    options = {
        "encoding": "base64",
        "commitment": CONFIRMED,
        "filters": [{"dataSize": _SIZE}, payer],
    }
    result = session.batch([RpcRequest("getProgramAccounts", (context.program.id, options))])[0]
    if isinstance(result, RpcError):
        raise Unreachable(f"the node does not list a program's accounts: {result.message}")
    return [_parse_marker(entry) for entry in as_list(result, "accounts")]


def _parse_marker(value: Any) -> tuple[str, Account]:
    data = as_object(value, "an account")
    marker = parse_account(data.get("account"))
    if marker is None:
        raise MalformedResponse("the node lists an account that does not exist")
    return parse_address(data.get("pubkey")), marker


def _is_closable(marker: Account, now: int) -> bool:
    """Whether it is expired and, for a start, whether its escrow was paid out."""
    if len(marker.data) != _SIZE or marker.data[:1] not in (b"S", b"F"):
        return False
    if int.from_bytes(marker.data[_WHEN_AT:_WHO_AT], "little") > now:
        return False
    return marker.data[:1] == b"F" or marker.data[1] == 1 or marker.data[2] == 0


def _close_step(operator: OperatorContext, part: Sequence[tuple[str, Account]]) -> OperatorTx:
    context = operator.chain.context
    lamports = sum(marker.lamports for _, marker in part)
    count = format_units(lamports, context.chain.native_decimals)
    instructions = []
    for address, _ in part:
        accounts: list[AccountRole] = [(address, WRITE), (context.accounts.relayer, WRITE)]
        instructions.append(instruction(context.program.id, bytes([CLOSE]) + bytes(8), accounts))
    notes = "1 old note" if len(part) == 1 else f"{len(part)} old notes"
    description = f"{notes} closed, for {count} {context.chain.native_symbol} back"
    cost = 2 * LAMPORTS_PER_SIGNATURE + operator.price() * context.params.units // 1_000_000
    return OperatorTx(
        description, 1, cost, partial(sign_tx, operator, instructions, operator.signers())
    )
