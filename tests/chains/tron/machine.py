"""Tron's rules over anvil: who signed, against which block, until when; energy and bandwidth."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from threading import RLock
from typing import Any

from coincurve import PublicKey
from tronpy.proto import tron_pb2

from crossway.adapters.chains.addresses import keccak256
from tests.chains.anvil import Anvil

ENERGY_SUN, BYTE_SUN = 100, 1_000
RESULT_BYTES = 64
DAY_MS = 86_400_000
TRIGGER, TRANSFER, CREATE = 31, 1, 30
OK, DUPLICATE, EXPIRED = "SUCCESS", "DUP_TRANSACTION_ERROR", "TRANSACTION_EXPIRATION_ERROR"
BURNT = "0x" + "0" * 40


@dataclass
class Sent:
    """A transaction that somebody sent: its parts, and what it is called on anvil."""

    tx_id: str
    raw: bytes
    size: int
    kind: int
    owner: str
    to: str
    units: int
    data: bytes
    expires_ms: int
    fee_limit: int
    names: list[str] = field(default_factory=list)


@dataclass
class Machine:
    """What a node does with transactions; `sent` by their names, `burns` are payments of ours that
    stand for bandwidth."""

    anvil: Anvil
    sent: dict[str, Sent] = field(default_factory=dict)
    by_name: dict[str, str] = field(default_factory=dict)
    burns: set[str] = field(default_factory=set)
    automine: bool = False
    free_bytes: int = 0
    staked_energy: int = 0
    # Takes transactions and forgets them at once.
    refuses: bool = False
    lock: RLock = field(default_factory=RLock)

    def block(self, name: str | int, full: bool = False) -> Any:
        """A block of anvil by its height or tag."""
        asked = hex(name) if isinstance(name, int) else name
        return self.anvil.rpc("eth_getBlockByNumber", asked, full)

    def broadcast(self, whole: bytes) -> tuple[str, str, str]:
        """The code, words and name with which a node answers a transaction."""
        told = tron_pb2.Transaction.FromString(whole)
        raw = told.raw_data.SerializeToString()
        name = sha256(raw).hexdigest()
        if len(told.raw_data.contract) != 1 or not told.signature:
            return "OTHER_ERROR", "one contract and a signature are wanted", name
        one = _parts(told, raw, name, len(whole))
        if _signer(raw, told.signature[0]) != one.owner:
            return "SIGERROR", "Validate signature error", name
        now = int(self.block("latest")["timestamp"], 16) * 1000
        if not now < one.expires_ms <= now + DAY_MS:
            return EXPIRED, "Transaction expired", name
        if not self._refers(told.raw_data):
            return "TAPOS_ERROR", "Tapos failed", name
        if name in self.sent and self.there(self.sent[name]):
            return DUPLICATE, "Dup transaction.", name
        if self.anvil.coins(one.owner) < self._bandwidth(one):
            return "BANDWITH_ERROR", "Account resource insufficient error.", name
        if self.refuses:
            return OK, "", name
        self.sent[name] = one
        try:
            self._create(one) if one.kind == CREATE else self._push(one)
        except AssertionError as error:
            del self.sent[name]
            return "CONTRACT_VALIDATE_ERROR", str(error)[:100], name
        if self.automine:
            self.anvil.mine()
        return OK, "", name

    def _refers(self, raw: Any) -> bool:
        """Whether the block that it names is one of this chain."""
        head = self.anvil.height
        low = int.from_bytes(raw.ref_block_bytes, "big")
        height = head - ((head - low) & 0xFFFF)
        if height < 0:
            return False
        found = bytes.fromhex(self.block(height)["hash"][2:])
        return bool(found[8:16] == raw.ref_block_hash)

    def _bandwidth(self, one: Sent) -> int:
        """Sun for its bytes: nothing, or all of them."""
        size = one.size + RESULT_BYTES
        return 0 if self.free_bytes >= size else size * BYTE_SUN

    def _push(self, one: Sent) -> None:
        one.names = []
        if burnt := self._bandwidth(one):
            sent = {"from": one.owner, "to": BURNT, "value": hex(burnt), "gas": "0x5208"}
            self.burns.add(self._name(one, {**sent, "gasPrice": "0x0"}))
        call = {"from": one.owner, "to": one.to, "value": hex(one.units)}
        call["data"] = "0x" + one.data.hex()
        if one.kind == TRANSFER:
            call |= {"gas": hex(60_000), "gasPrice": "0x0"}
        else:
            gas = min(one.fee_limit // ENERGY_SUN, 30_000_000)
            call |= {"gas": hex(gas), "gasPrice": hex(ENERGY_SUN)}
        name = self._name(one, call)
        self.by_name[name] = one.tx_id

    def _name(self, one: Sent, call: dict[str, str]) -> str:
        name = str(self.anvil.rpc("eth_sendTransaction", call))
        one.names.append(name)
        return name

    def _create(self, one: Sent) -> None:
        """Run the constructor at the address that Tron gives it, and leave what it returned."""
        self.anvil.rpc("anvil_setCode", one.to, "0x" + one.data.hex())
        call = {"from": one.owner, "to": one.to, "gas": hex(30_000_000)}
        code = self.anvil.rpc("eth_call", call, "latest")
        self._push(Sent(**{**vars(one), "data": b""}))
        pushed = next(n for n, tx_id in self.by_name.items() if tx_id == one.tx_id)
        one.names = [pushed]
        self.anvil.mine()
        self.anvil.rpc("anvil_setCode", one.to, code)

    def receipt(self, one: Sent) -> Any:
        """Anvil's receipt of the call itself, None while it waits."""
        return self.anvil.rpc("eth_getTransactionReceipt", one.names[-1]) if one.names else None

    def waits(self, one: Sent) -> bool:
        """Whether it is known and in no block."""
        found = one.names and self.anvil.rpc("eth_getTransactionByHash", one.names[-1])
        return bool(found) and found["blockHash"] is None

    def there(self, one: Sent) -> bool:
        """Whether it waits or is in a block."""
        return self.receipt(one) is not None or self.waits(one)

    def drop_expired(self) -> None:
        """What waits and is over no block takes."""
        now = int(self.block("latest")["timestamp"], 16) * 1000
        waiting = [one for one in self.sent.values() if self.waits(one)]
        if not any(one.expires_ms <= now for one in waiting):
            return
        self.anvil.rpc("anvil_dropAllTransactions")
        self._push_all(one for one in waiting if one.expires_ms > now)

    def reorganise(self, depth: int) -> None:
        """Replace the newest blocks by empty ones; what stood in them waits again."""
        self.anvil.rpc("anvil_reorg", depth, [])
        now = int(self.block("latest")["timestamp"], 16) * 1000
        gone = [one for one in self.sent.values() if self.receipt(one) is None]
        self.anvil.rpc("anvil_dropAllTransactions")
        self._push_all(one for one in gone if one.expires_ms > now)

    def _push_all(self, these: Iterable[Sent]) -> None:
        for one in these:
            self._push(one)

    def remembered(self) -> tuple[dict[str, Sent], dict[str, str], set[str]]:
        """What was sent so far."""
        return dict(self.sent), dict(self.by_name), set(self.burns)

    def put_back(self, then: tuple[dict[str, Sent], dict[str, str], set[str]]) -> None:
        """What was sent since never was."""
        self.sent, self.by_name, self.burns = then
        self.anvil.rpc("anvil_dropAllTransactions")

    def fee(self, receipt: Any, one: Sent) -> tuple[int, int]:
        """Sun burnt for energy and for bandwidth."""
        energy = int(receipt["gasUsed"], 16) * int(receipt["effectiveGasPrice"], 16)
        burnt = sum(
            int(self.anvil.rpc("eth_getTransactionByHash", name)["value"], 16)
            for name in one.names
            if name in self.burns
        )
        return energy, burnt


def _parts(told: Any, raw: bytes, name: str, size: int) -> Sent:
    part = told.raw_data.contract[0]
    value, expires, limit = part.parameter.value, told.raw_data.expiration, told.raw_data.fee_limit
    if part.type == TRANSFER:
        paid = tron_pb2.TransferContract.FromString(value)
        to, units, data, owner = _hex(paid.to_address), paid.amount, b"", paid.owner_address
    elif part.type == TRIGGER:
        call = tron_pb2.TriggerSmartContract.FromString(value)
        to, units, data = _hex(call.contract_address), call.call_value, call.data
        owner = call.owner_address
    else:
        owner, data = _creation(value)
        to, units = "0x" + keccak256(bytes.fromhex(name) + owner)[-20:].hex(), 0
    return Sent(name, raw, size, part.type, _hex(owner), to, units, data, expires, limit)


def _creation(value: bytes) -> tuple[bytes, bytes]:
    """Owner and code of a CreateSmartContract: a node reads the code from field 4, bytecode."""
    outer = _fields(value)
    return outer[1], _fields(outer[2])[4]


def _fields(value: bytes) -> dict[int, Any]:
    found: dict[int, Any] = {}
    at = 0
    while at < len(value):
        tag, at = _varint(value, at)
        number, at = _varint(value, at)
        if tag & 7 == 2:
            found[tag >> 3] = value[at : at + number]
            at += number
        else:
            found[tag >> 3] = number
    return found


def _varint(value: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = value[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def _signer(raw: bytes, signature: bytes) -> str:
    parity = signature[64] - 27 if signature[64] >= 27 else signature[64]
    found = PublicKey.from_signature_and_message(
        signature[:64] + bytes([parity]), sha256(raw).digest(), hasher=None
    )
    return "0x" + keccak256(found.format(compressed=False)[1:])[-20:].hex()


def _hex(address: bytes) -> str:
    assert address[0] == 0x41
    assert len(address) == 21
    return "0x" + address[1:].hex()
