"""Payers of tests who sign for dollars, as their wallets do, and who mean it well or not."""

from dataclasses import dataclass
from typing import Any

from eth_account import Account
from eth_account.signers.local import LocalAccount

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.payer_signatures import PayerSignature
from crossway.usecases.payers.signed_payments import accept_from_page, build_request
from tests.chains.anvil import STRANGER_KEY
from tests.chains.live import BASE, LiveWorld

ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


@dataclass
class Payer:
    """An account with dollars on Base and no coins at all."""

    world: LiveWorld
    account: LocalAccount

    @property
    def address(self) -> str:
        return str(self.account.address)

    @property
    def dollars(self) -> int:
        return self.world.anvils[BASE].balance(self.address)

    def asked(self, intent: Intent) -> dict[str, Any]:
        """What the service asks it to sign."""
        missing = intent.terms.deposit_amount - intent.received_amount
        return dict(build_request(self.world.services, intent, self.address, missing))

    def sign(self, asked: dict[str, Any]) -> str:
        signed = Account.sign_typed_data(self.account.key, full_message=numbers_of(asked))
        return "0x" + bytes(signed.signature).hex()

    def hand_in(self, intent: Intent, signature: str) -> PayerSignature:
        """What the payer's page does with a signature."""
        missing = intent.terms.deposit_amount - intent.received_amount
        return accept_from_page(self.world.services, intent, self.address, missing, signature)

    def pay(self, intent: Intent) -> PayerSignature:
        return self.hand_in(intent, self.sign(self.asked(intent)))


def new_payer(world: LiveWorld, name: str, dollars: int = 100) -> Payer:
    account = Account.from_key(keccak256(f"a payer who signs: {name}".encode()))
    base = world.anvils[BASE]
    words = address_word("evm", account.address), number_word(dollars * 10**6)
    base.call_token(base.token, "mint(address,uint256)", *words)
    assert base.coins(account.address) == 0
    return Payer(world, account)


def numbers_of(asked: dict[str, Any]) -> dict[str, Any]:
    """The same with numbers where a wallet reads them out of text."""
    return {**asked, "message": _numbers(asked["message"])}


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _numbers(inner) for name, inner in value.items()}
    return int(value) if value.isdecimal() else value


def changed(asked: dict[str, Any], **message: Any) -> dict[str, Any]:
    """The same with other values in its message."""
    return {**asked, "message": {**asked["message"], **message}}


def turned(signature: str) -> str:
    """The other signature of the same message, which has a high s."""
    raw = bytes.fromhex(signature[2:])
    s = ORDER - int.from_bytes(raw[32:64], "big")
    return "0x" + (raw[:32] + s.to_bytes(32, "big") + bytes([55 - raw[64]])).hex()


def transfer_data(asked: dict[str, Any], signature: str) -> bytes:
    """The call by which anybody carries a signature out."""
    selector = keccak256(
        b"transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,"
        b"bytes32)"
    )[:4]
    one, raw = asked["message"], bytes.fromhex(signature[2:])
    words = [address_word("evm", one[name]) for name in ("from", "to")]
    words += [number_word(int(one[name])) for name in ("value", "validAfter", "validBefore")]
    words += [bytes.fromhex(one["nonce"][2:]), number_word(raw[64]), raw[:32], raw[32:64]]
    return selector + b"".join(words)


def stored(world: LiveWorld, intent: Intent) -> list[PayerSignature]:
    with world.services.store.read() as unit:
        return unit.payer_signatures.list_of_intent(intent.id)


def pay_ins(world: LiveWorld, intent: Intent) -> list[OutboundTx]:
    with world.services.store.read() as unit:
        return unit.outbound_txs.list_by_intents([intent.id], OutboundTxKind.PAY_IN)


def cancel_data(account: LocalAccount, asked: dict[str, Any]) -> bytes:
    """The call by which a payer makes the nonce of what it was asked to sign worthless."""
    one = asked["message"]
    fields = [{"name": "authorizer", "type": "address"}, {"name": "nonce", "type": "bytes32"}]
    types = {"EIP712Domain": asked["types"]["EIP712Domain"], "CancelAuthorization": fields}
    message = {"authorizer": account.address, "nonce": one["nonce"]}
    content = {**asked, "types": types, "primaryType": "CancelAuthorization", "message": message}
    raw = bytes(Account.sign_typed_data(account.key, full_message=content).signature)
    selector = keccak256(b"cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)")[:4]
    words = [address_word("evm", account.address), bytes.fromhex(one["nonce"][2:])]
    return selector + b"".join([*words, number_word(raw[64]), raw[:32], raw[32:64]])


def send_as_stranger(world: LiveWorld, data: bytes, price: int = 10**11) -> str:
    """Somebody calls the dollars, at a price above ours; its name. It waits for the next block."""
    base = world.anvils[BASE]
    stranger = Account.from_key(STRANGER_KEY).address
    base.rpc("anvil_setBalance", stranger, hex(10**18))
    raw = base.signed(base.token, data, 0, STRANGER_KEY, 200_000, price)
    return str(base.rpc("eth_sendRawTransaction", raw))


def has_worked(world: LiveWorld, name: str) -> bool:
    receipt = world.anvils[BASE].rpc("eth_getTransactionReceipt", name)
    return bool(receipt["status"] == "0x1")
