"""The bytes of a simulated transaction: one line of JSON and one line that signs it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256
from typing import Any

import orjson

from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag, transaction_id
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import SignedTx

SIGNATURE_LENGTH = 64
# Sent by the engine; by a third party with the engine's nonce; by the simulator (last three).
CALL, FOREIGN = "call", "outside"
DEPOSIT, SET_BALANCE, STRANGER = "deposit", "own", "stranger"

# source, receiver, token, units (None: all that is there), required
OutputRow = tuple[str, str, str, int | None, bool]


@dataclass(slots=True)
class Transaction:
    """A parsed transaction; `not_after` in epoch seconds.

    The outputs of a DEPOSIT are minted; those of SET_BALANCE are balances to set; a STRANGER moves
    what is there. Instead of its outputs, a call of a bridge's `contract` is executed.
    """

    tx_id: str
    raw: bytes
    kind: str
    account: str
    nonce: int
    fee_units: int
    outputs: list[OutputRow]
    marker_tag: int | None
    not_after: float | None
    contract: ContractCall | None = None

    @property
    def mints(self) -> bool:
        """Whether its outputs come from outside of the simulated network."""
        return self.kind == DEPOSIT

    @property
    def is_simulator_tx(self) -> bool:
        """Whether the simulator made it: it has no account, nonce or fee."""
        return not self.account


def sign_call(
    family: str,
    chain: str,
    action: OutboundCall,
    nonce: int,
    fee_units: int,
    contract: ContractCall | None = None,
) -> SignedTx:
    """Sign a call; the transaction id follows from the bytes."""
    called = {} if contract is None else {"contract": contract.as_body()}
    raw = _bytes(
        {
            **called,
            "kind": CALL,
            "chain": chain,
            "account": action.account,
            "nonce": str(nonce),
            "fee": str(fee_units),
            "duty": action.kind.value,
            "key": action.intent_hash,
            "outputs": [
                (out.source, out.to, out.token, _text(out.amount), out.required)
                for out in action.outputs
            ],
            "marker": action.marker,
            "not_after": action.not_after.timestamp() if action.not_after else None,
        },
        action.account,
    )
    return SignedTx(transaction_id(family, raw), raw, nonce, fee_units, action.account)


def simulator_tx(
    family: str,
    chain: str,
    kind: str,
    outputs: Sequence[OutputRow],
    number: int,
    contract: ContractCall | None = None,
) -> Transaction:
    """A transaction of the simulator; `number` makes it unique on its chain."""
    written = [(s, to, token, _text(units), req) for s, to, token, units, req in outputs]
    body: dict[str, object] = {
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
    if contract is not None:
        body["contract"] = contract.as_body()
    raw = _bytes(body, "")
    tx_id = transaction_id(family, raw)
    return Transaction(tx_id, raw, kind, "", 0, 0, list(outputs), None, None, contract)


def foreign_nonce_tx(
    family: str, chain: str, account: str, nonce: int, fee_units: int
) -> Transaction:
    """A transaction that uses an account's nonce and transfers nothing."""
    body: dict[str, object] = {
        "kind": FOREIGN,
        "chain": chain,
        "account": account,
        "nonce": str(nonce),
        "fee": str(fee_units),
        "outputs": [],
        "marker": None,
        "not_after": None,
    }
    return parse(family, _bytes(body, account))


def parse(family: str, raw: bytes, tx_id: str = "") -> Transaction:
    """Parse a transaction; its id is computed unless given."""
    return _transaction(
        orjson.loads(raw[: -SIGNATURE_LENGTH - 1]), raw, tx_id or transaction_id(family, raw)
    )


def parse_signed(family: str, chain: str, raw: bytes) -> Transaction | None:
    """Parse a signed transaction; None if it is damaged or for another chain."""
    payload, _, signature = raw.rpartition(b"\n")
    try:
        body = orjson.loads(payload)
        is_valid = body["chain"] == chain and body["kind"] == CALL
        is_valid = is_valid and signature == _signature(payload, body["account"])
        return _transaction(body, raw, transaction_id(family, raw)) if is_valid else None
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
        None if body["marker"] is None else lookup_tag(body["chain"], body["marker"]),
        body["not_after"],
        ContractCall.of_body(body["contract"]) if "contract" in body else None,
    )


def _bytes(body: Mapping[str, object], account: str) -> bytes:
    payload = orjson.dumps(body)
    return payload + b"\n" + _signature(payload, account)


def _signature(payload: bytes, account: str) -> bytes:
    return (
        blake2b(payload, digest_size=SIGNATURE_LENGTH // 2, key=_key(account)).hexdigest().encode()
    )


@lru_cache(maxsize=256)
def _key(account: str) -> bytes:
    """An account's key; not secret, because the simulated network holds no real money."""
    return sha256(f"crossway simulated key {account}".encode()).digest()


def _text(units: int | None) -> str | None:
    return None if units is None else str(units)
