"""What each call of the contracts costs on anvil; `python -m tests.contracts.gas` prints it."""

from collections.abc import Iterator

from eth_abi.abi import encode
from eth_account import Account

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.evm.abi import (
    FILL_UNTIL,
    FORWARD,
    RECLAIM,
    RECOVER,
    REFUND,
    SETTLE,
    START,
)
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.contracts import DEPLOYER, SALT, default_deployment, init_code
from crossway.adapters.chains.evm.typed_data import typed_data
from crossway.adapters.chains.words import address_word, number_word
from crossway.domain.payer_signatures import Authorization, SignatureStandard
from crossway.ports.payer_signatures import SigningDomain
from tests.chains.anvil import RELAYER, RELAYER_KEY, TREASURY, Anvil, dollars, running
from tests.chains.permit2 import PERMIT2, pay_data, permit2_code
from tests.chains.signing import numbers_of, transfer_data

CHAIN, CHAIN_ID, TOTAL, OUT = "BASE_MAINNET", 8453, 25_000_000, 24_900_000
SOURCE = "(uint256,uint256,address,uint256,address,address,address,uint256)"
START_MANY = keccak256(f"startMany({SOURCE}[],bytes32[])".encode())[:4]
AT = default_deployment()
SIGNER = Account.from_key(keccak256(b"a payer who signs"))
Row = tuple[str, int]


def somebody(name: str) -> str:
    """An address that nobody has used."""
    return canonical_address("evm", "0x" + keccak256(name.encode())[-20:].hex())


class Payment:
    """One intent within a chain, whose people are new."""

    def __init__(self, name: str, token: str, expiry: int) -> None:
        self.token, self.payer, self.recipient = token, somebody(name), somebody(f"to {name}")
        nonce = int.from_bytes(keccak256(name.encode())[:7], "big")
        self.source = (
            CHAIN_ID, nonce, token, TOTAL, AT.escrow2, self.payer, RELAYER, expiry
        )  # fmt: skip
        self.source_hash = keccak256(encode([SOURCE], [self.source]))
        dest = [CHAIN_ID, token, self.recipient, OUT]
        self.dest_hash = keccak256(encode(["uint256", "address", "address", "uint256"], dest))
        self.intent_hash = keccak256(self.source_hash + self.dest_hash)
        self.address = AT.deposit_address(self.intent_hash)

    def start(self) -> bytes:
        return START.selector + encode([SOURCE, "bytes32"], [self.source, self.dest_hash])

    def refund(self, token: str) -> bytes:
        of = [SOURCE, "bytes32", "address"]
        return REFUND.selector + encode(of, [self.source, self.dest_hash, token])

    def settle(self, *payouts: tuple[str, int]) -> bytes:
        of = [SOURCE, "bytes32", "(address,uint256)[]"]
        return SETTLE.selector + encode(of, [self.source, self.dest_hash, list(payouts)])

    def fill(self) -> bytes:
        of = ["bytes32", "address", "address", "uint256", "address", "uint256"]
        paid = [self.source_hash, self.token, self.recipient, OUT, RELAYER, self.source[-1]]
        return FILL_UNTIL.selector + encode(of, paid)

    def reclaim(self) -> bytes:
        of = [SOURCE, "bytes32"]
        return RECLAIM.selector + encode(of, [self.source, self.dest_hash])


def start_many(payments: list[Payment]) -> bytes:
    sources, hashes = [p.source for p in payments], [p.dest_hash for p in payments]
    return START_MANY + encode([f"{SOURCE}[]", "bytes32[]"], [sources, hashes])


def gas_used(one: Anvil, to: str, data: bytes, value: int = 0, gas: int = 3_000_000) -> int:
    """The gas of a transaction of the relayer that worked, with this limit."""
    name = one.transact(to, data, value, key=RELAYER_KEY, gas=gas)
    one.mine()
    receipt = one.rpc("eth_getTransactionReceipt", name)
    assert receipt["status"] == "0x1", (to, data.hex())
    return int(receipt["gasUsed"], 16)


def measured() -> Iterator[Row]:
    """Each call and its gas, in the order of the table."""
    with running(CHAIN, ready=False) as one:
        one.rpc("anvil_setBalance", RELAYER, hex(10**21))
        for name in ("IntentFactory", "Escrow2", "Filler2"):
            yield f"deploy {name}", gas_used(one, DEPLOYER, SALT + init_code(name))
        one.put_token(dollars(CHAIN))
        everything = address_word("evm", AT.filler), number_word(2**256 - 1)
        one.call_token(dollars(CHAIN), "approve(address,uint256)", *everything, key=RELAYER_KEY)
        yield from _starts(one)
        yield from _refunds(one)
        yield from _fills(one)
        yield from _settlements(one)
        yield from _pay_ins(one)
        yield from _forwards(one)


def payment(one: Anvil, name: str, units: int = 0, native: bool = False) -> Payment:
    """A payment of an hour that got so many units."""
    token = ZERO if native else dollars(CHAIN)
    made = Payment(name, token, int(one.time.timestamp()) + 3_600)
    if units:
        one.pay(made.address, units, token)
    return made


def _starts(one: Anvil) -> Iterator[Row]:
    # The first start ever also writes the escrow's first balance.
    gas_used(one, AT.factory, payment(one, "first", TOTAL).start())
    gas_used(one, AT.factory, payment(one, "first coins", TOTAL, native=True).start())
    yield "start, exact", gas_used(one, AT.factory, payment(one, "exact", TOTAL).start())
    yield "start, with excess", gas_used(one, AT.factory, payment(one, "over", TOTAL + 9).start())
    coins = payment(one, "coins", TOTAL, native=True)
    yield "start, native, exact", gas_used(one, AT.factory, coins.start())
    coins = payment(one, "more coins", TOTAL + 9, native=True)
    yield "start, native, with excess", gas_used(one, AT.factory, coins.start())
    many = [payment(one, f"one of 20: {n}", TOTAL) for n in range(20)]
    yield "startMany of 20, each", gas_used(one, AT.factory, start_many(many)) // 20


def _refunds(one: Anvil) -> Iterator[Row]:
    short = payment(one, "short", TOTAL - 1)
    coins = payment(one, "short coins", TOTAL - 1, native=True)
    late = payment(one, "late", TOTAL)
    gas_used(one, AT.factory, late.start())
    one.pay(late.address, 5)
    yield "refund, late deposit", gas_used(one, AT.factory, late.refund(late.token))
    one.rpc("evm_increaseTime", 3_700)
    yield "refund after expiry", gas_used(one, AT.factory, short.refund(short.token))
    yield "refund after expiry, native", gas_used(one, AT.factory, coins.refund(coins.token))


def _fills(one: Anvil) -> Iterator[Row]:
    first = payment(one, "filled")
    yield "fill, recipient without a balance", gas_used(one, AT.filler2, first.fill())
    known = payment(one, "filled before")
    one.pay(known.recipient, 1)
    yield "fill, recipient with a balance", gas_used(one, AT.filler2, known.fill())
    coins = payment(one, "filled with coins", native=True)
    yield "fill, native, recipient without a balance", gas_used(one, AT.filler2, coins.fill(), OUT)
    coins = payment(one, "filled with coins again", native=True)
    one.pay(coins.recipient, 1, ZERO)
    yield "fill, native, recipient with a balance", gas_used(one, AT.filler2, coins.fill(), OUT)


def _pay_ins(one: Anvil) -> Iterator[Row]:
    """Signatures of a payer who has dollars left, to new addresses, and to one that was paid."""
    one.sign_dollars()
    one.rpc("anvil_setBalance", SIGNER.address, hex(10**18))
    words = address_word("evm", SIGNER.address), number_word(10 * TOTAL)
    one.call_token(dollars(CHAIN), "mint(address,uint256)", *words)
    token, to = dollars(CHAIN), payment(one, "signed for").address
    call = "transferWithAuthorization"
    data = _signed(one, token, to, SignatureStandard.EIP3009, "first")
    yield f"{call}, new deposit address", gas_used(one, token, data)
    data = _signed(one, token, to, SignatureStandard.EIP3009, "again")
    yield f"{call}, deposit address with a balance", gas_used(one, token, data)
    one.rpc("anvil_setCode", PERMIT2, permit2_code())
    yield "deploy PermitPayIn", gas_used(one, DEPLOYER, SALT + init_code("PermitPayIn"))
    words = address_word("evm", PERMIT2), number_word(2**256 - 1)
    key = "0x" + bytes(SIGNER.key).hex()
    one.call_token(token, "approve(address,uint256)", *words, key=key)
    to = payment(one, "permitted for").address
    data = _signed(one, token, to, SignatureStandard.PERMIT2, "permit")
    yield "pay (Permit2), new deposit address", gas_used(one, AT.permit_pay_in, data)


def _signed(one: Anvil, token: str, to: str, standard: SignatureStandard, name: str) -> bytes:
    """The call that carries a signature out."""
    until = int(one.time.timestamp()) + 3_600
    nonce = "0x" + keccak256(name.encode()).hex()
    wanted = Authorization(standard, CHAIN, token, SIGNER.address, to, TOTAL, 0, until, nonce)
    domain = SigningDomain("USD Coin", "2", standard, AT.permit_pay_in)
    asked = typed_data(CHAIN_ID, wanted, domain)
    signature = Account.sign_typed_data(SIGNER.key, full_message=numbers_of(asked)).signature
    text = "0x" + bytes(signature).hex()
    if standard is SignatureStandard.EIP3009:
        return transfer_data(asked, text)
    return pay_data(asked, SIGNER.address, to, text)


class Standing:
    """A standing address of one token, whose payments five accounts may collect."""

    def __init__(self, expiry: int) -> None:
        self.token, self.recovery, self.expiry = dollars(CHAIN), somebody("recovery"), expiry
        to = int(self.token, 16), int(somebody("standing recipient"), 16)
        bridgers = [AT.escrow2, *(somebody(f"bridger {n}") for n in range(4))]
        rules = [(self.token, 1, 10**18)]
        self.terms = (CHAIN_ID, 7, self.recovery, RELAYER, CHAIN_ID, *to, 100, rules, bridgers)
        self.address = AT.standing_address(keccak256(encode([FORWARD.types[0]], [self.terms])))

    def forward(self, number: int) -> bytes:
        """To the payment of this number."""
        parties = (AT.escrow2, self.recovery, RELAYER, self.expiry)
        source = (CHAIN_ID, number, self.token, TOTAL, *parties)
        return FORWARD.encode(self.terms, source, OUT, keccak256(bytes([number])))

    def recover(self) -> bytes:
        return RECOVER.encode(self.terms, self.token, TOTAL, keccak256(b"returned"))


def _forwards(one: Anvil) -> Iterator[Row]:
    data = SALT + init_code("StandingFactory")
    yield "deploy StandingFactory", gas_used(one, DEPLOYER, data, gas=6_000_000)
    standing = Standing(int(one.time.timestamp()) + 3_600)
    one.pay(standing.address, 10 * TOTAL)
    for number, what in enumerate(("first from its address", "another")):
        yield f"forward, {what}", gas_used(one, AT.standing, standing.forward(number))
    data = standing.recover()
    yield "recover, from a deployed address", gas_used(one, AT.standing, data)


def _settlements(one: Anvil) -> Iterator[Row]:
    def begun(name: str) -> Payment:
        made = payment(one, name, TOTAL)
        gas_used(one, AT.factory, made.start())
        return made

    paid = ((RELAYER, OUT), (TREASURY, 60_000))
    gas_used(one, AT.escrow2, begun("settled first").settle(*paid))
    data = begun("settled").settle(*paid)
    yield "settle: relayer and treasury, rest retained", gas_used(one, AT.escrow2, data)
    back = begun("given back")
    yield (
        "settle: everything to the payer",
        gas_used(one, AT.escrow2, back.settle((back.payer, TOTAL))),
    )
    late = begun("reclaimed")
    one.rpc("evm_increaseTime", 3_700 + 86_400)
    yield "reclaim, and refunded", gas_used(one, AT.escrow2, late.reclaim())


if __name__ == "__main__":
    for what, gas in measured():
        print(f"| {what} | {gas:,} |")
