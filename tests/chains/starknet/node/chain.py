"""Blocks, and the transactions that wait for one: when each is taken, what it costs, what stays."""

import time
from dataclasses import dataclass, field, replace

from starkware.starknet.business_logic.state.state_api_objects import BlockInfo, ResourcePrice
from starkware.starknet.public.abi import get_selector_from_name

from node.execution import EXECUTE, SEQUENCER, run, sending

L2_PRICE, L1_PRICE, DATA_PRICE = 3_000_000_000, 20_000_000_000_000, 100_000_000
TRANSFER = get_selector_from_name("Transfer")
# Blocks below the newest that the chain beneath has accepted.
BENEATH = 16
LIMIT = 2**128


@dataclass(frozen=True)
class Transaction:
    """One that was sent: an invocation, or a payer's call whose signature does not matter."""

    hash: int
    sender: int
    nonce: int
    calldata: tuple
    wire: dict
    signature: tuple = ()
    bounds: dict = field(default_factory=dict)
    tip: int = 0
    bare: tuple = ()  # The payer's call: contract, selector, calldata.


@dataclass(frozen=True)
class Receipt:
    fee: int
    events: list
    gas: dict
    reason: str = ""


@dataclass
class Block:
    number: int
    hash: int
    parent: int
    time: int
    ledger: object
    receipts: dict = field(default_factory=dict)  # By transaction hash, in order.


class Blocks:
    """The chain; nothing is mined unless it is told to."""

    def __init__(self, general, fee_token, ledger, hashing):
        self.general, self.fee_token, self.hashing = general, fee_token, hashing
        self.offset, self.forks, self.saved = 0, 0, {}
        self.sent, self.mined, self.waiting, self.pending = {}, {}, [], None
        start = Block(0, hashing("block 0"), 0, self.now(), ledger)
        ledger.update_block_info(self.info(start))
        self.blocks = [start]

    def now(self):
        return int(time.time()) + self.offset

    @property
    def newest(self):
        return self.blocks[-1]

    def info(self, block):
        def price(fri):
            return ResourcePrice(price_in_wei=max(1, fri // 10_000), price_in_fri=fri)

        return BlockInfo(
            block_number=block.number,
            block_timestamp=block.time,
            l1_gas_price=price(L1_PRICE),
            l1_data_gas_price=price(DATA_PRICE),
            l2_gas_price=price(L2_PRICE),
            sequencer_address=SEQUENCER,
            starknet_version="0.14.0",
            use_kzg_da=True,
        )

    def opened(self):
        """A block after the newest, without transactions."""
        last = self.newest
        number = last.number + 1
        made = Block(
            number,
            self.hashing(f"block {number} of fork {self.forks} after {last.hash}"),
            last.hash,
            max(last.time, self.now()),
            last.ledger.copy(),
        )
        made.ledger.update_block_info(self.info(made))
        return made

    def preconfirm(self):
        """Put what waits into the block that is being made, which is no block yet."""
        self.pending = self.pending or self.opened()
        self._fill(self.pending)

    def mine(self, count=1):
        for _ in range(count):
            made, self.pending = self.pending or self.opened(), None
            self._fill(made)
            made.ledger.log.clear()
            self.blocks.append(made)
            for tx_hash in made.receipts:
                self.mined[tx_hash] = made

    def _fill(self, block):
        taken = True
        while taken:
            taken = [one for one in self.waiting if self._ready(one, block.ledger)]
            for one in taken:
                self.waiting.remove(one)
                if self._ready(one, block.ledger):
                    block.receipts[one.hash] = self.execute(one, block.ledger)

    def _ready(self, one, ledger):
        if one.bare:
            return True
        bounds = one.bounds
        enough = bounds["l2_gas"][1] >= L2_PRICE and bounds["l1_data_gas"][1] >= DATA_PRICE
        return enough and ledger.nonces.get(one.sender, 0) == one.nonce

    def execute(self, one, ledger):
        """Run a transaction; a failing one takes its nonce and its fee, and nothing else stays."""
        if one.bare:
            ran = run(ledger, self.general, *one.bare, caller=one.sender)
            return Receipt(0, ran.events, used(ran.steps, 4), ran.words)
        ledger.increment_nonce(None, one.sender)
        mark = ledger.mark()
        context = sending(one.sender, one.hash, one.signature, one.nonce)
        ran = run(ledger, self.general, one.sender, EXECUTE, one.calldata, context=context)
        gas = used(ran.steps, ledger.written(mark))
        words = ran.words or short_of(one.bounds, gas)
        fee = fee_of(gas, one.tip)
        if not words and ledger.units(self.fee_token, one.sender) < fee:
            words = "Insufficient fee token balance."
        if words:
            ledger.undo(mark)
            gas = {kind: min(gas[kind], one.bounds[kind][0]) for kind in gas}
            fee = min(fee_of(gas, one.tip), ledger.units(self.fee_token, one.sender))
        ledger.add_units(self.fee_token, one.sender, -fee)
        ledger.add_units(self.fee_token, SEQUENCER, fee)
        paid = (self.fee_token, [TRANSFER, one.sender, SEQUENCER], [fee % LIMIT, fee // LIMIT])
        return Receipt(fee, [*([] if words else ran.events), paid], gas, words)

    def reorganise(self, depth):
        """Replace the newest blocks by empty ones; what they held is known to nobody any more."""
        self.pending = None
        for block in self.blocks[len(self.blocks) - depth :]:
            for tx_hash in block.receipts:
                self.mined.pop(tx_hash)
                self.sent.pop(tx_hash)
        del self.blocks[len(self.blocks) - depth :]
        self.forks += 1
        waiting, self.waiting = self.waiting, []
        self.mine(depth)
        self.waiting = waiting

    def finality(self, block):
        return (
            "ACCEPTED_ON_L1" if block.number <= self.newest.number - BENEATH else "ACCEPTED_ON_L2"
        )

    def save(self):
        name = len(self.saved) + 1
        self.saved[name] = (
            list(self.blocks),
            dict(self.sent),
            dict(self.mined),
            list(self.waiting),
            self.offset,
        )
        self._apart()
        return name

    def restore(self, name):
        blocks, sent, mined, waiting, self.offset = self.saved[name]
        self.blocks, self.sent, self.mined = list(blocks), dict(sent), dict(mined)
        self.waiting, self.pending = list(waiting), None
        # Blocks that are mined from here on are others than those that were mined before.
        self.forks += 1
        self._apart()

    def _apart(self):
        """What hands change at the newest block from here on is not changed in what was saved."""
        last = self.newest
        self.blocks[-1] = replace(last, ledger=last.ledger.copy())


def used(steps, cells):
    """What an execution takes of each resource."""
    return {"l1_gas": 0, "l1_data_gas": 128 + 32 * cells, "l2_gas": 500_000 + 100 * steps}


def fee_of(gas, tip):
    return gas["l2_gas"] * (L2_PRICE + tip) + gas["l1_data_gas"] * DATA_PRICE


def short_of(bounds, gas):
    names = {"l1_gas": "L1Gas", "l1_data_gas": "L1DataGas", "l2_gas": "L2Gas"}
    for kind, name in names.items():
        if gas[kind] > bounds[kind][0]:
            return (
                f"Insufficient max {name}: max amount: {bounds[kind][0]}, actual used: {gas[kind]}."
            )
    return ""
