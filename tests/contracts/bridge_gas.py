"""What each call of the bridges' contracts costs on anvil; `python -m tests.contracts.bridge_gas`
prints it. CCTP is our stand-in, the SpokePool and Uniswap are the real ones."""

from collections.abc import Iterator
from typing import Any

from eth_abi.abi import decode, encode

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.evm.abi import RUN_BATCH
from crossway.adapters.chains.evm.call_batches import CALL_GAS
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.contracts import (
    DEPLOYER,
    EVM_PREFIX,
    SALT,
    default_deployment,
    init_code,
    load_artifact,
)
from crossway.adapters.chains.intent_hash import create2_address
from crossway.adapters.chains.words import number_word
from tests.bridges.across_pools import put_spoke_pool
from tests.bridges.cctp_chains import DEPLOYMENT, FAST, STANDARD, call, put_cctp
from tests.bridges.messages import FAST as SOFT_FINAL
from tests.bridges.messages import attest, fill_in
from tests.bridges.uniswap import WRAPPED, path, put_pool, put_uniswap
from tests.chains.anvil import CATALOGUE, RELAYER, Anvil, dollars, running
from tests.contracts.gas import AT, SOURCE, Row, gas_used, somebody

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
HERE, THERE = dollars(BASE), dollars(ARBITRUM)
DAI, SWAPPING = CATALOGUE.tokens[BASE, "DAI"].address, DEPLOYMENT.bridges["CCTP_SWAP_FAST"]
BATCH, TX_GAS = default_deployment().call_batch, 2**24  # The most by EIP-7825.
TOTAL, AMOUNT, FEE = 25_010_000, 25_000_000, 2_501
DESTINATION = "(uint256,address,address,uint256)"
BOTH = [SOURCE, DESTINATION]
RELAY = (
    "(bytes32,bytes32,bytes32,bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,bytes)"
)
MESSAGE_SENT = "0x" + keccak256(b"MessageSent(bytes)").hex()
DEPOSITED = (
    "FundsDeposited(bytes32,bytes32,uint256,uint256,uint256,uint256,uint32,uint32,uint32,"
    "bytes32,bytes32,bytes32,bytes)"
)
FUNDS_DEPOSITED = "0x" + keccak256(DEPOSITED.encode()).hex()


def calldata(name: str, types: list[str], *values: Any) -> bytes:
    return keccak256(f"{name}({','.join(types)})".encode())[:4] + encode(types, values)


def deployed(name: str, *arguments: str) -> tuple[str, bytes]:
    """The address of a contract whose arguments are addresses, and its creation code."""
    code = load_artifact(name).bytecode + encode(["address"] * len(arguments), arguments)
    at = create2_address(EVM_PREFIX, bytes.fromhex(DEPLOYER[2:]), SALT, keccak256(code))
    return canonical_address("evm", "0x" + at[-20:].hex()), code


ACROSS, ACROSS_CODE = deployed("AcrossBridge", AT.factory, DEPLOYMENT.filler2)


class BridgePayment:
    """One intent from Base to Arbitrum, whose people are new; `paid_in` is in another token than
    USDC."""

    def __init__(
        self,
        one: Anvil,
        name: str,
        bridger: str,
        paid: bool = True,
        paid_in: tuple[str, int] = (HERE, TOTAL),
    ) -> None:
        self.payer, self.recipient = somebody(name), somebody(f"to {name}")
        nonce = int.from_bytes(keccak256(name.encode())[:7], "big")
        expiry = int(one.time.timestamp()) + 3_600
        self.source = (8453, nonce, *paid_in, bridger, self.payer, RELAYER, expiry)
        self.destination = (42161, THERE, self.recipient, AMOUNT)
        self.source_hash = keccak256(encode([SOURCE], [self.source]))
        self.dest_hash = keccak256(encode([DESTINATION], [self.destination]))
        self.intent_hash = keccak256(self.source_hash + self.dest_hash)
        if paid:
            one.pay(AT.deposit_address(self.intent_hash), paid_in[1], paid_in[0])

    def start(self) -> bytes:
        return calldata("start", [SOURCE, "bytes32"], self.source, self.dest_hash)

    def bridge(self) -> bytes:
        return calldata("startAndBridge", BOTH, self.source, self.destination)

    def bridge_across(self, output: int) -> bytes:
        types = [*BOTH, "uint256"]
        return calldata("startAndBridge", types, self.source, self.destination, output)

    def swap(self, along: bytes) -> bytes:
        types = [*BOTH, "uint256", "bytes"]
        return calldata("startAndBridge", types, self.source, self.destination, TOTAL, along)

    def give_back(self) -> bytes:
        return calldata("giveBack", [SOURCE, "bytes32"], self.source, self.dest_hash)

    def release(self) -> bytes:
        return calldata("release", BOTH, self.source, self.destination)

    def unpark(self) -> bytes:
        return calldata("unpark", BOTH, self.source, self.destination)

    def fill(self, not_after: int) -> bytes:
        types = ["bytes32", "address", "address", "uint256", "address", "uint256"]
        to = (self.source_hash, THERE, self.recipient, AMOUNT, RELAYER, not_after)
        return calldata("fill", types, *to)


def deployment_gas(one: Anvil, data: bytes) -> int:
    """The gas of a deployment, which takes more than the limit of other calls."""
    name = one.transact(DEPLOYER, data, gas=8_000_000)
    one.mine()
    receipt = one.rpc("eth_getTransactionReceipt", name)
    assert receipt["status"] == "0x1"
    return int(receipt["gasUsed"], 16)


def least_limit(one: Anvil, data: bytes) -> int:
    """The least gas limit with which a delivery works, with what is refunded at its end."""
    params = {"from": RELAYER, "to": FAST, "data": "0x" + data.hex()}
    return int(one.rpc("eth_estimateGas", params), 16)


def logs_of(one: Anvil, topic: str) -> list[Any]:
    """The newest block's logs of this event."""
    return list(one.rpc("eth_getLogs", {"fromBlock": "latest", "topics": [topic]}))


def log_of(one: Anvil, topic: str) -> Any:
    """The newest block's last log of this event."""
    return logs_of(one, topic)[-1]


def delivery(base: Anvil, payment: BridgePayment, bridge: str = FAST) -> bytes:
    """Start and burn on Base; the call that delivers on Arbitrum."""
    gas_used(base, bridge, payment.bridge())
    return _delivery(_sent_message(log_of(base, MESSAGE_SENT)), payment.intent_hash)


def _sent_message(log: Any) -> bytes:
    (sent,) = decode(["bytes"], bytes.fromhex(log["data"][2:]))
    return bytes(sent)


def _delivery(sent: bytes, nonce: bytes) -> bytes:
    message = fill_in(sent, nonce, SOFT_FINAL, FEE, 0)
    return calldata("deliver", ["bytes", "bytes"], message, attest(message))


def measured() -> Iterator[Row]:
    """Each call and its gas, in the order of the table."""
    with running(BASE, ready=False) as base, running(ARBITRUM, ready=False) as arbitrum:
        for one in (base, arbitrum):
            put_cctp(one, inventory=10**12)
            if one.rpc("eth_getCode", ACROSS, "latest") == "0x":
                deployment_gas(one, SALT + ACROSS_CODE)
        # The same code at another address.
        salt = b"\x01".rjust(32, b"\0")
        for name, code in (
            ("CctpBridge", init_code("CCTP_FAST")),
            ("AcrossBridge", ACROSS_CODE),
            ("CallBatch", init_code("CallBatch")),
            ("CctpSwapBridge", init_code("CCTP_SWAP_FAST")),
        ):
            yield f"deploy {name}", deployment_gas(base, salt + code)
        yield from _cctp(base, arbitrum)
        yield from _together(base, arbitrum)
        yield from _across(base, arbitrum)
        yield from _swapped(base)


def _cctp(base: Anvil, arbitrum: Anvil) -> Iterator[Row]:
    first = BridgePayment(base, "first over CCTP", FAST)
    data = delivery(base, first)
    yield "deliver (CCTP), first ever on a chain: least gas limit", least_limit(arbitrum, data)
    yield "deliver (CCTP), first ever on a chain", gas_used(arbitrum, FAST, data)
    payment = BridgePayment(base, "over CCTP", FAST)
    yield "startAndBridge (CCTP)", gas_used(base, FAST, payment.bridge())
    payment = BridgePayment(base, "over CCTP, with excess", FAST)
    base.pay(AT.deposit_address(payment.intent_hash), 9)
    yield "startAndBridge (CCTP), with excess", gas_used(base, FAST, payment.bridge())
    payment = BridgePayment(base, "started by a stranger", FAST)
    gas_used(base, AT.factory, payment.start())
    yield "startAndBridge (CCTP), started before", gas_used(base, FAST, payment.bridge())
    data = delivery(base, BridgePayment(base, "a new recipient", FAST))
    yield "deliver (CCTP), recipient without a balance", gas_used(arbitrum, FAST, data)
    payment = BridgePayment(base, "a known recipient", FAST)
    arbitrum.pay(payment.recipient, 1)
    data = delivery(base, payment)
    yield "deliver (CCTP), recipient with a balance", gas_used(arbitrum, FAST, data)
    payment = BridgePayment(base, "paid before", FAST)
    data = delivery(base, payment)
    filled = payment.fill(int(arbitrum.time.timestamp()) + 900)
    gas_used(arbitrum, DEPLOYMENT.filler2, filled)
    yield "deliver (CCTP), repaying a filler", gas_used(arbitrum, FAST, data)
    yield from _parked(base, arbitrum)
    payment = BridgePayment(base, "given back", STANDARD)
    gas_used(base, AT.factory, payment.start())
    yield "giveBack, and refunded", gas_used(base, STANDARD, payment.give_back())


def _parked(base: Anvil, arbitrum: Anvil) -> Iterator[Row]:
    payment = BridgePayment(base, "refused", FAST)
    arbitrum.refuse(payment.recipient)
    data = delivery(base, payment)
    yield "deliver (CCTP), parking: least gas limit", least_limit(arbitrum, data)
    yield "deliver (CCTP), parking", gas_used(arbitrum, FAST, data)
    call(arbitrum, THERE, "refuse(address,bool)", payment.recipient, False)
    yield "release", gas_used(arbitrum, FAST, payment.release())


def _together(base: Anvil, arbitrum: Anvil) -> Iterator[Row]:
    """What each of 50 takes that one transaction sends, and another delivers."""
    payments = [BridgePayment(base, f"one of 50: {n}", FAST) for n in range(50)]
    data = run([payment.bridge() for payment in payments])
    yield "startAndBridge (CCTP) of 50, each", gas_used(base, BATCH, data, gas=TX_GAS) // 50
    sent = [_sent_message(log) for log in logs_of(base, MESSAGE_SENT)]
    data = run([_delivery(message, number_word(n)) for n, message in enumerate(sent, 1)])
    used = gas_used(arbitrum, BATCH, data, gas=TX_GAS)
    yield "deliver (CCTP) of 50, recipients without a balance, each", used // 50
    assert all(arbitrum.balance(payment.recipient) == AMOUNT for payment in payments)


def run(calls: list[bytes]) -> bytes:
    """The call that makes these of the bridge's contract."""
    return RUN_BATCH.encode([(FAST, CALL_GAS, data) for data in calls])


def _across(base: Anvil, arbitrum: Anvil) -> Iterator[Row]:
    pools = {one.chain: put_spoke_pool(one) for one in (base, arbitrum)}
    everything = 2**256 - 1
    approve = calldata("approve", ["address", "uint256"], pools[ARBITRUM], everything)
    gas_used(arbitrum, THERE, approve)
    # The first deposit and the first fill write the first balances of the pool and the bridge.
    for name in ("first over Across", "over Across"):
        payment = BridgePayment(base, name, ACROSS)
        gas = gas_used(base, ACROSS, payment.bridge_across(TOTAL - 5_000))
        if name == "over Across":
            yield "startAndBridge (Across)", gas
        log = log_of(base, FUNDS_DEPOSITED)
        fill = calldata(
            "fillRelay",
            [RELAY, "uint256", "bytes32"],
            _relay(log),
            8453,
            bytes.fromhex(RELAYER[2:]).rjust(32, b"\0"),
        )
        gas = gas_used(arbitrum, pools[ARBITRUM], fill)
        if name == "over Across":
            yield "fillRelay of the pool, recipient without a balance", gas


def _swapped(base: Anvil) -> Iterator[Row]:
    """Prices of 3,000 and 1; a little is left, which goes back to the payer."""
    put_uniswap(base)
    base.put_token(DAI, units=10**24)
    wrapped = WRAPPED[BASE]
    put_pool(base, {wrapped: 10**21, HERE: 3_000_000 * 10**6}, 500)
    put_pool(base, {DAI: 10**24, HERE: 10**12}, 500)
    put_pool(base, {wrapped: 10**21, DAI: 3_000_000 * 10**18})
    coins, tokens = (ZERO, 85 * 10**14), (DAI, 252 * 10**17)
    one_pool, two_pools = path(HERE, 500, DAI), path(HERE, 500, wrapped, 3_000, DAI)
    kinds = {
        "coins, one pool": (coins, path(HERE, 500, wrapped)),
        "a token, one pool": (tokens, one_pool),
        "a token, two pools": (tokens, two_pools),
        "a token, one pool, started before": (tokens, one_pool),
        "a token, two pools, with excess": (tokens, two_pools),
    }
    # The first swaps write the first balances and the first prices.
    for again in ("first ", ""):
        for name, (paid_in, along) in kinds.items():
            payment = BridgePayment(base, f"{again}{name}", SWAPPING, paid_in=paid_in)
            if "before" in name:
                gas_used(base, AT.factory, payment.start())
            if "excess" in name:
                base.pay(AT.deposit_address(payment.intent_hash), 9, paid_in[0])
            # A pool notes a new price once a second.
            base.rpc("evm_increaseTime", 2)
            gas = gas_used(base, SWAPPING, payment.swap(along))
            if not again:
                yield f"swap, then startAndBridge (CCTP), {name}", gas


def _relay(log: Any) -> tuple[Any, ...]:
    """What a relayer fills, from the pool's log."""
    types = ["bytes32"] * 2 + ["uint256"] * 2 + ["uint32"] * 3 + ["bytes32"] * 2 + ["bytes"]
    token, other, sent, output, _, deadline, exclusive, recipient, relayer, message = decode(
        types, bytes.fromhex(log["data"][2:])
    )
    deposit_id, depositor = int(log["topics"][2], 16), bytes.fromhex(log["topics"][3][2:])
    head = (depositor, recipient, relayer, token, other, sent, output, 8453)
    return (*head, deposit_id, deadline, exclusive, message)


if __name__ == "__main__":
    for what, gas in measured():
        print(f"| {what} | {gas:,} |")
