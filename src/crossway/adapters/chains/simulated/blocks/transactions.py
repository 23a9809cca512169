"""The bytes of a simulated transaction: one line of JSON and one line that signs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from typing import Any

import orjson

from crossway.adapters.chains.simulated.identities import tag, transaction_id
from crossway.domain.actions import Action
from crossway.ports.chain import Signed

SIGNATURE_LENGTH = 64
# Made by Crossway; by somebody else with Crossway's nonce; by the person at the sandbox.
CALL, OUTSIDE, DEPOSIT, OWN = "call", "outside", "deposit", "own"

# source, receiver, token, units (None: all that is there), required
OutputRow = tuple[str, str, str, int | None, bool]


@dataclass(slots=True)
class Transaction:
    """A transaction as its bytes tell it; `not_after` in epoch seconds, `mark` its marker's tag.

    A deposit's outputs come from nowhere; those of `OWN` are balances to be set.
    """

    tx_id: str
    raw: bytes
    kind: str
    account: str
    nonce: int
    fee_units: int
    outputs: list[OutputRow]
    mark: int | None
    not_after: float | None

    @property
    def by_hand(self) -> bool:
        """Whether the sandbox made it: no account, no nonce, no fee."""
        return not self.account


def sign_action(family: str, chain: str, action: Action, nonce: int, fee_units: int) -> Signed:
    """The signed bytes of an action, and the name which they determine."""
    raw = _bytes(
        {
            "kind": CALL,
            "chain": chain,
            "account": action.account,
            "nonce": str(nonce),
            "fee": str(fee_units),
            "duty": action.duty.value,
            "key": action.intent_key,
            "outputs": [
                (out.source, out.to, out.token, _text(out.units), out.required)
                for out in action.outputs
            ],
            "marker": action.marker,
            "not_after": action.not_after.timestamp() if action.not_after else None,
        },
        action.account,
    )
    return Signed(transaction_id(family, raw), raw, nonce, fee_units)


def by_hand(
    family: str, chain: str, kind: str, outputs: Sequence[OutputRow], number: int
) -> Transaction:
    """A transaction of the sandbox; `number` tells it from all others of its chain."""
    written = [(s, to, token, _text(units), req) for s, to, token, units, req in outputs]
    body = {
        "kind": kind,
        "chain": chain,
        "account": "",
        "nonce": "0",
        "fee": "0",
        "outputs": written,
        "marker": None,
        "not_after": None,
        "number": number,
    }
    raw = _bytes(body, "")
    tx_id = transaction_id(family, raw)
    return Transaction(tx_id, raw, kind, "", 0, 0, list(outputs), None, None)


def outside(family: str, chain: str, account: str, nonce: int, fee_units: int) -> Transaction:
    """A transaction that uses up an account's nonce and moves nothing."""
    body: dict[str, object] = {
        "kind": OUTSIDE,
        "chain": chain,
        "account": account,
        "nonce": str(nonce),
        "fee": str(fee_units),
        "outputs": [],
        "marker": None,
        "not_after": None,
    }
    return read(family, _bytes(body, account))


def read(family: str, raw: bytes, tx_id: str = "") -> Transaction:
    """The transaction that these bytes are; its name is computed unless it is known."""
    return _transaction(
        orjson.loads(raw[: -SIGNATURE_LENGTH - 1]), raw, tx_id or transaction_id(family, raw)
    )


def read_signed(family: str, chain: str, raw: bytes) -> Transaction | None:
    """The transaction of these bytes, or None when they are damaged or made for another chain."""
    line, _, signature = raw.rpartition(b"\n")
    try:
        body = orjson.loads(line)
        right = body["chain"] == chain and body["kind"] == CALL
        right = right and signature == _signature(line, body["account"])
        return _transaction(body, raw, transaction_id(family, raw)) if right else None
    except (KeyError, TypeError, ValueError):
        return None


def _transaction(body: Mapping[str, Any], raw: bytes, tx_id: str) -> Transaction:
    return Transaction(
        tx_id,
        raw,
        body["kind"],
        body["account"],
        int(body["nonce"]),
        int(body["fee"]),
        [
            (source, to, token, None if units is None else int(units), required)
            for source, to, token, units, required in body["outputs"]
        ],
        None if body["marker"] is None else tag(body["chain"], body["marker"]),
        body["not_after"],
    )


def _bytes(body: Mapping[str, object], account: str) -> bytes:
    line = orjson.dumps(body)
    return line + b"\n" + _signature(line, account)


def _signature(line: bytes, account: str) -> bytes:
    return blake2b(line, digest_size=SIGNATURE_LENGTH // 2, key=_key(account)).hexdigest().encode()


@lru_cache(maxsize=256)
def _key(account: str) -> bytes:
    """An account's key: no secret, for the simulated network guards no money."""
    return sha256(f"crossway simulated key {account}".encode()).digest()


def _text(units: int | None) -> str | None:
    return None if units is None else str(units)
