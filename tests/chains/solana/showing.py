"""How a node shows a transaction: its message, and what it did to lamports and tokens."""

import base64
from typing import Any

import base58
from solders.account import Account
from solders.message import MessageV0
from solders.pubkey import Pubkey

from tests.chains.solana.cluster import Landed

_TOKEN_PROGRAMS = (
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
    "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
)


def shown(one: Landed, encoding: str | None) -> dict[str, Any]:
    """`transaction`, `meta` and `version`."""
    version = 0 if isinstance(one.signed.message, MessageV0) else "legacy"
    content: Any = _message(one)
    if encoding in ("base64", "base58"):
        code = base64.b64encode if encoding == "base64" else base58.b58encode
        content = [code(bytes(one.signed)).decode(), encoding]
    return {"transaction": content, "meta": _meta(one), "version": version}


def _message(one: Landed) -> dict[str, Any]:
    message = one.signed.message
    head = message.header
    return {
        "signatures": [str(signature) for signature in one.signed.signatures],
        "message": {
            "accountKeys": [str(key) for key in message.account_keys],
            "header": {
                "numRequiredSignatures": head.num_required_signatures,
                "numReadonlySignedAccounts": head.num_readonly_signed_accounts,
                "numReadonlyUnsignedAccounts": head.num_readonly_unsigned_accounts,
            },
            "recentBlockhash": str(message.recent_blockhash),
            "instructions": [_instruction(each, None) for each in message.instructions],
        },
    }


def _instruction(one: Any, height: int | None) -> dict[str, Any]:
    return {
        "programIdIndex": one.program_id_index,
        "accounts": list(one.accounts),
        "data": base58.b58encode(bytes(one.data)).decode(),
        "stackHeight": height,
    }


def _meta(one: Landed) -> dict[str, Any]:
    keys = one.signed.message.account_keys
    inner = [
        {
            "index": index,
            "instructions": [_instruction(i.instruction(), i.stack_height()) for i in each],
        }
        for index, each in enumerate(one.meta.inner_instructions())
        if each
    ]
    return {
        "err": one.err,
        "status": {"Ok": None} if one.err is None else {"Err": one.err},
        "fee": one.meta.fee(),
        "computeUnitsConsumed": one.meta.compute_units_consumed(),
        "preBalances": [_lamports(one.before[key]) for key in keys],
        "postBalances": [_lamports(one.after[key]) for key in keys],
        "preTokenBalances": _tokens(keys, one.before),
        "postTokenBalances": _tokens(keys, one.after),
        "logMessages": one.meta.logs(),
        "innerInstructions": inner,
        "loadedAddresses": {"readonly": [], "writable": []},
        "rewards": [],
    }


def _lamports(account: Account | None) -> int:
    return account.lamports if account else 0


def _tokens(keys: list[Pubkey], accounts: dict[Pubkey, Account | None]) -> list[dict[str, Any]]:
    found = []
    for index, key in enumerate(keys):
        one = accounts[key]
        if one is None or str(one.owner) not in _TOKEN_PROGRAMS or len(one.data) < 165:
            continue
        if len(one.data) > 165 and one.data[165] != 2:
            continue
        units = str(int.from_bytes(one.data[64:72], "little"))
        found.append(
            {
                "accountIndex": index,
                "mint": str(Pubkey(one.data[:32])),
                "owner": str(Pubkey(one.data[32:64])),
                "programId": str(one.owner),
                "uiTokenAmount": {"amount": units, "decimals": 0, "uiAmountString": units},
            }
        )
    return found
