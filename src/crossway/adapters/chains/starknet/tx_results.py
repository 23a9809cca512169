"""Results of included Starknet transactions: the transfers they made, or why they reverted."""

import re
from collections.abc import Mapping, Sequence

from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_object
from crossway.adapters.chains.rpc.tx_results import (
    REVERT_REASONS,
    UNKNOWN_REVERT,
    RevertReason,
    build_included_tx,
)
from crossway.adapters.chains.starknet.chain_context import (
    ChainContext,
    read_blocks,
    receipt_requests,
)
from crossway.adapters.chains.starknet.felts import (
    decode_short_string,
    join_u256,
    selector,
    to_felt,
    to_hex,
)
from crossway.adapters.chains.starknet.rpc_schemas import (
    Event,
    Receipt,
    parse_felts,
    parse_receipt,
)
from crossway.ports.chain import IncludedTx, TokenTransfer

TOKENS_MOVED = selector("TokensMoved")
_HEX = re.compile(r"0x[0-9a-fA-F]{1,64}")
_ERROR_NAME = re.compile(r"[A-Z][A-Z_]{3,30}")
# A token may refuse because of its recipient, or because the relayer lacks tokens.
_FILL_REFUSED = RevertReason(
    "the token refuses this payment, or the relayer's balance was too low", False
)
# Parts of the messages of nodes and tokens, the most specific first.
_MESSAGE_PARTS: Mapping[str, RevertReason] = {
    "insufficient max": RevertReason(
        "it needed more gas than its limit: raise l2_gas and data_gas in chain_params.toml", False
    ),
    "insufficient fee": RevertReason("the relayer holds too little STRK for fees", False),
    "insufficient": RevertReason("the relayer's balance was too low", False),
}


def read_receipts(session: RpcSession, tx_ids: Sequence[str]) -> dict[str, Receipt | None]:
    """The receipt of each transaction; None while it is in no accepted block."""
    results = session.batch(receipt_requests(tx_ids))
    return {i: parse_receipt(result, i) for i, result in zip(tx_ids, results, strict=True)}


def read_included(
    context: ChainContext, session: RpcSession, tx_ids: Sequence[str]
) -> dict[str, IncludedTx | None]:
    """The results of those that have a receipt; None where its block was replaced."""
    all_receipts = read_receipts(session, tx_ids)
    receipts = {i: receipt for i, receipt in all_receipts.items() if receipt is not None}
    if not receipts:
        return {}
    blocks = read_blocks(session, {receipt.height for receipt in receipts.values()})
    failed = {i: receipt for i, receipt in receipts.items() if not receipt.succeeded}
    reasons = {i: decode_revert(receipt.revert_reason) for i, receipt in failed.items()}
    refused = [i for i, reason in reasons.items() if reason == REVERT_REASONS["TRANSFER_FAILED"]]
    reasons |= dict.fromkeys(_fills(session, refused), _FILL_REFUSED)
    return {
        tx_id: build_included_tx(
            receipt, blocks[receipt.height], reasons.get(tx_id), _token_transfers(context, receipt)
        )
        for tx_id, receipt in receipts.items()
    }


def _fills(session: RpcSession, tx_ids: Sequence[str]) -> list[str]:
    """The transactions that pay a recipient."""
    method = "starknet_getTransactionByHash"
    results = session.call(*(RpcRequest(method, (hex(to_felt(i)),)) for i in tx_ids))
    fill = selector("fill")
    return [
        tx_id
        for tx_id, result in zip(tx_ids, results, strict=True)
        if fill in parse_felts(as_object(result, "a transaction").get("calldata"), "calldata")
    ]


def _token_transfers(context: ChainContext, receipt: Receipt) -> tuple[TokenTransfer, ...]:
    """The transfers that our contracts report; events of other contracts are ignored."""
    return tuple(
        parse_tokens_moved(event)
        for event in receipt.events
        if event.address in context.deployment.contracts
        and event.keys
        and event.keys[0] == TOKENS_MOVED
    )


def parse_tokens_moved(event: Event) -> TokenTransfer:
    """The transfer in a `TokensMoved` event of our contracts."""
    try:
        token, source, to, low, high = event.data
        amount = join_u256(low, high)
    except ValueError:
        raise MalformedResponse("the node returned a malformed event of our contracts") from None
    return TokenTransfer(to_hex(source), to_hex(to), to_hex(token), amount)


def decode_revert(message: str) -> RevertReason:
    """The reason in a node's message, which contains what contracts returned: as felts, and often
    as text, too."""
    names = [decode_short_string(int(felt, 16)) for felt in _HEX.findall(message)]
    names += _ERROR_NAME.findall(message)
    known = [REVERT_REASONS[name] for name in names if name in REVERT_REASONS]
    if known:
        return known[0]
    text = " ".join((message, *names)).lower()
    for part, reason in _MESSAGE_PARTS.items():
        if part in text:
            return reason
    return UNKNOWN_REVERT
