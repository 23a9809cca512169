"""What a node of a cluster answers to each question of Solana's JSON-RPC."""

import base64
from collections.abc import Callable
from typing import Any

import base58
from solders.account import Account
from solders.hash import Hash
from solders.message import MessageV0
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata

from tests.chains.solana.cluster import HASH_LIFE, Block, Cluster, Landed, error_json
from tests.chains.solana.showing import shown

GENESIS = {
    "SOLANA_MAINNET": "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
    "SOLANA_TESTNET": "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG",
}
_TOKEN_PROGRAMS = (
    Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
    Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"),
)


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


class Answers:
    """One method a question; `settings` is the last parameter when that is an object."""

    def __init__(self, cluster: Cluster, chain: str) -> None:
        self.cluster, self.chain = cluster, chain
        # Transactions that this one of a node's machines does not have yet.
        self.lacking: set[str] = set()

    def to(self, method: str, params: list[Any]) -> Any:
        how: Callable[..., Any] | None = getattr(self, f"on_{method}", None)
        if how is None:
            raise Refusal(-32601, "Method not found")
        params = list(params)
        # The filter of getTokenAccountsByOwner is an object, too, and comes before the settings.
        filtered = method == "getTokenAccountsByOwner" and len(params) == 2
        last = params and isinstance(params[-1], dict) and not filtered
        settings = {k: v for k, v in (params.pop() if last else {}).items() if v is not None}
        with self.cluster.lock:
            return how(*params, settings=settings)

    # Where the cluster stands.

    def _block(self, settings: dict[str, Any]) -> Block:
        final = settings.get("commitment", "finalized") == "finalized"
        return self.cluster.finalized if final else self.cluster.newest

    def _told(self, settings: dict[str, Any], value: Any) -> dict[str, Any]:
        slot = self._block(settings).slot
        if settings.get("minContextSlot", 0) > slot:
            raise Refusal(
                -32016, "Minimum context slot has not been reached", {"contextSlot": slot}
            )
        return {"context": {"apiVersion": "2.2.0", "slot": slot}, "value": value}

    def on_getGenesisHash(self, settings: Any) -> str:
        return GENESIS[self.chain]

    def on_getHealth(self, settings: Any) -> str:
        return "ok"

    def on_getVersion(self, settings: Any) -> dict[str, Any]:
        return {"solana-core": "2.2.0", "feature-set": 0}

    def on_getSlot(self, settings: dict[str, Any]) -> int:
        return self._block(settings).slot

    def on_getBlockHeight(self, settings: dict[str, Any]) -> int:
        return self._block(settings).height

    def on_getEpochInfo(self, settings: dict[str, Any]) -> dict[str, Any]:
        block = self._block(settings)
        return {
            "absoluteSlot": block.slot,
            "blockHeight": block.height,
            "epoch": 0,
            "slotIndex": block.slot,
            "slotsInEpoch": 432_000,
        }

    def on_getLatestBlockhash(self, settings: dict[str, Any]) -> Any:
        block = self._block(settings)
        value = {"blockhash": str(block.hash), "lastValidBlockHeight": block.height + HASH_LIFE}
        return self._told(settings, value)

    def on_isBlockhashValid(self, block_hash: str, settings: dict[str, Any]) -> Any:
        return self._told(settings, self.cluster.age(Hash.from_string(block_hash)) is not None)

    def on_getBlock(self, slot: int, settings: dict[str, Any]) -> Any:
        block = self._found(slot)
        told: dict[str, Any] = {
            "blockhash": str(block.hash),
            "blockHeight": block.height,
            "blockTime": block.time,
            "parentSlot": block.parent,
            "previousBlockhash": str(self._before(block)),
        }
        if settings.get("transactionDetails") == "signatures":
            return {**told, "signatures": [one.name for one in block.landed]}
        if settings.get("transactionDetails", "full") == "full":
            told["transactions"] = [shown(one, settings.get("encoding")) for one in block.landed]
        return told

    def on_getBlockTime(self, slot: int, settings: Any) -> int:
        return self._found(slot).time

    def on_getBlocks(self, first: int, last: int | None = None, settings: Any = None) -> list[int]:
        top = self.cluster.newest.slot if last is None else last
        return [block.slot for block in self.cluster.blocks if first <= block.slot <= top]

    def _found(self, slot: int) -> Block:
        block = self.cluster.at(slot)
        if block is not None:
            return block
        if slot > self.cluster.newest.slot:
            raise Refusal(-32004, f"Block not available for slot {slot}")
        raise Refusal(-32007, f"Slot {slot} was skipped, or missing due to ledger jump")

    def _before(self, block: Block) -> Hash:
        before = self.cluster.at(block.parent)
        return before.hash if before else Hash.default()

    # Accounts.

    def on_getAccountInfo(self, address: str, settings: dict[str, Any]) -> Any:
        return self._told(settings, self._account(address, settings))

    def on_getMultipleAccounts(self, addresses: list[str], settings: dict[str, Any]) -> Any:
        if len(addresses) > 100:
            raise Refusal(-32602, "Too many inputs provided; max 100")
        return self._told(settings, [self._account(one, settings) for one in addresses])

    def on_getProgramAccounts(self, program: str, settings: dict[str, Any]) -> Any:
        found = []
        for address in map(str, self.cluster.touched):
            one = self._read(address, settings)
            if one is None or str(one.owner) != program:
                continue
            if all(_passes(one.data, which) for which in settings.get("filters", [])):
                found.append({"pubkey": address, "account": self._account(address, settings)})
        return found

    def on_getBalance(self, address: str, settings: dict[str, Any]) -> Any:
        one = self._read(address, settings)
        return self._told(settings, one.lamports if one else 0)

    def on_getMinimumBalanceForRentExemption(self, size: int, settings: Any) -> int:
        return self.cluster.svm.minimum_balance_for_rent_exemption(size)

    def on_getTokenAccountBalance(self, address: str, settings: dict[str, Any]) -> Any:
        one = self._read(address, settings)
        if one is None or one.owner not in _TOKEN_PROGRAMS or len(one.data) < 165:
            raise Refusal(-32602, "Invalid param: could not find account")
        mint = self._read(str(Pubkey(one.data[:32])), settings)
        assert mint is not None
        units, decimals = int.from_bytes(one.data[64:72], "little"), mint.data[44]
        return self._told(
            settings,
            {
                "amount": str(units),
                "decimals": decimals,
                "uiAmountString": str(units / 10**decimals),
            },
        )

    def on_getTokenAccountsByOwner(self, owner: str, which: Any, settings: dict[str, Any]) -> Any:
        found = []
        for key in self.cluster.touched:
            one = self._read(str(key), settings)
            if one is None or one.owner not in _TOKEN_PROGRAMS or len(one.data) < 165:
                continue
            mint = str(Pubkey(one.data[:32]))
            wanted = which.get("mint", mint) == mint
            wanted &= which.get("programId", str(one.owner)) == str(one.owner)
            if wanted and str(Pubkey(one.data[32:64])) == owner:
                account = self._account(str(key), settings)
                found.append({"pubkey": str(key), "account": account})
        return self._told(settings, found)

    def _read(self, address: str, settings: dict[str, Any]) -> Account | None:
        try:
            key = Pubkey.from_string(address)
        except ValueError:
            raise Refusal(-32602, "Invalid param: Invalid") from None
        return self.cluster.account_at(key, self._block(settings).slot)

    def _account(self, address: str, settings: dict[str, Any]) -> Any:
        one = self._read(address, settings)
        if one is None:
            return None
        part = settings.get("dataSlice") or {"offset": 0, "length": len(one.data)}
        data = one.data[part["offset"] : part["offset"] + part["length"]]
        return {"lamports": one.lamports, "owner": str(one.owner), "executable": one.executable,
                "rentEpoch": 2**64 - 1, "space": len(one.data),
                "data": [base64.b64encode(data).decode(), "base64"]}  # fmt: skip

    # Transactions.

    def on_sendTransaction(self, raw: str, settings: dict[str, Any]) -> str:
        signed = self._decoded(raw, settings)
        if not all(signed.verify_with_results()):
            raise Refusal(-32003, "Transaction signature verification failure")
        if not settings.get("skipPreflight"):
            err, logs, units = self._tried(signed)
            if err is not None:
                data = {"err": err, "logs": logs, "accounts": None, "unitsConsumed": units}
                raise Refusal(-32002, f"Transaction simulation failed: {words(err)}", data)
        return self.cluster.send(signed)

    def on_simulateTransaction(self, raw: str, settings: dict[str, Any]) -> Any:
        verified, replaced = (
            bool(settings.get(key)) for key in ("sigVerify", "replaceRecentBlockhash")
        )
        if verified and replaced:
            raise Refusal(-32602, "sigVerify may not be used with replaceRecentBlockhash")
        err, logs, units = self._tried(self._decoded(raw, settings), verified, replaced)
        value = {"err": err, "logs": logs, "accounts": None, "unitsConsumed": units}
        if replaced:
            value["replacementBlockhash"] = self.on_getLatestBlockhash(settings)["value"]
        return self._told(settings, value)

    def _tried(
        self, signed: VersionedTransaction, verified: bool = True, replaced: bool = False
    ) -> tuple[Any, list[str], int]:
        if str(signed.signatures[0]) in self.cluster.landed:
            return "AlreadyProcessed", [], 0
        if not replaced and self.cluster.age(signed.message.recent_blockhash) is None:
            return "BlockhashNotFound", [], 0
        said = self.cluster.simulate(signed, verified)
        err = error_json(said.err()) if isinstance(said, FailedTransactionMetadata) else None
        return err, said.meta().logs(), said.meta().compute_units_consumed()

    def _decoded(self, raw: str, settings: dict[str, Any]) -> VersionedTransaction:
        by_64 = settings.get("encoding", "base58") == "base64"
        data = base64.b64decode(raw) if by_64 else base58.b58decode(raw)
        if len(data) > 1232:
            raise Refusal(-32602, f"base64 encoded too large: {len(data)} bytes (max: 1232)")
        try:
            return VersionedTransaction.from_bytes(data)
        except ValueError:
            raise Refusal(-32602, "failed to deserialize a transaction") from None

    def on_getSignatureStatuses(self, names: list[str], settings: dict[str, Any]) -> Any:
        if len(names) > 256:
            raise Refusal(-32602, "Too many inputs provided; max 256")
        found = [self.cluster.landed.get(one) for one in names]
        # Without the history a node looks at what is recent alone.
        since = 0 if settings.get("searchTransactionHistory") else self._recent()
        told = [self._status(one) if one and one.slot >= since else None for one in found]
        return self._told({"commitment": "processed"}, told)

    def _recent(self) -> int:
        return self.cluster.blocks[-HASH_LIFE:][0].slot

    def _status(self, one: Landed | None) -> Any:
        if one is None:
            return None
        final = one.slot <= self.cluster.finalized.slot
        return {
            "slot": one.slot,
            "err": one.err,
            "confirmations": None if final else 1,
            "confirmationStatus": "finalized" if final else "confirmed",
            "status": {"Ok": None} if one.err is None else {"Err": one.err},
        }

    def on_getTransaction(self, name: str, settings: Any) -> Any:
        asked = settings if isinstance(settings, dict) else {}
        one = None if name in self.lacking else self.cluster.landed.get(name)
        if one is None or one.slot > self._block(asked).slot:
            return None
        versioned = isinstance(one.signed.message, MessageV0)
        if versioned and asked.get("maxSupportedTransactionVersion") is None:
            raise Refusal(
                -32015, "Transaction version (0) is not supported by the requesting client"
            )
        block = self.cluster.at(one.slot)
        assert block is not None
        return {"slot": one.slot, "blockTime": block.time, **shown(one, asked.get("encoding"))}

    def on_getSignaturesForAddress(self, address: str, settings: dict[str, Any]) -> Any:
        top = self._block(settings).slot
        found = list(reversed(self.cluster.touched.get(Pubkey.from_string(address), ())))
        names = [one.name for one in found]
        if settings.get("before") in names:
            found = found[names.index(settings["before"]) + 1 :]
        names = [one.name for one in found]
        if settings.get("until") in names:
            found = found[: names.index(settings["until"])]
        listed = [one for one in found if one.slot <= top][: settings.get("limit", 1000)]
        return [
            {"signature": one.name, "slot": one.slot, "err": one.err, "memo": None,
             "blockTime": getattr(self.cluster.at(one.slot), "time", None),
             "confirmationStatus": self._status(one)["confirmationStatus"]}
            for one in listed
        ]  # fmt: skip

    def on_getRecentPrioritizationFees(self, _: Any = None, settings: Any = None) -> Any:
        return [{"slot": b.slot, "prioritizationFee": 0} for b in self.cluster.blocks[-HASH_LIFE:]]

    def on_getFeeForMessage(self, message: str, settings: dict[str, Any]) -> Any:
        signers = base64.b64decode(message)[1 if base64.b64decode(message)[0] & 0x80 else 0]
        return self._told(settings, 5000 * signers)


def _passes(data: bytes, which: dict[str, Any]) -> bool:
    """Whether an account passes a filter of getProgramAccounts."""
    if "dataSize" in which:
        return len(data) == int(which["dataSize"])
    at, wanted = which["memcmp"]["offset"], base58.b58decode(which["memcmp"]["bytes"])
    return data[at : at + len(wanted)] == wanted


def words(err: Any) -> str:
    """An error in the words of nodes."""
    if isinstance(err, dict) and "InstructionError" in err:
        index, why = err["InstructionError"]
        if isinstance(why, dict) and "Custom" in why:
            return f"Error processing Instruction {index}: custom program error: {why['Custom']:#x}"
        return f"Error processing Instruction {index}: {why}"
    plain = {
        "BlockhashNotFound": "Blockhash not found",
        "AlreadyProcessed": "This transaction has already been processed",
    }
    return plain.get(err, str(err))
