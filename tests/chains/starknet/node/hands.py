"""What a test can do to the chain that nobody can do to a real one."""

from starkware.starknet.public.abi import get_selector_from_name

from node.asked import Answers
from node.chain import Transaction
from node.execution import CONSTRUCTOR, run
from node.wire import Refusal, felt, felts, told


class Hands(Answers):
    """The node's methods and those of a test, which begin with `hand_`."""

    def __init__(self, blocks, classes, chain_id, names):
        super().__init__(blocks, classes, chain_id)
        self.names, self.made = names, 0

    def hand_mine(self, blocks=1):
        """Put what waits into a block, and as many blocks as that after it."""
        self.blocks.mine(blocks)

    def hand_preconfirm(self):
        """Put what waits into the block that is being made."""
        self.blocks.preconfirm()

    def hand_elapse(self, seconds):
        """Later blocks are that much later."""
        self.blocks.offset += seconds

    def hand_reorganise(self, depth):
        self.blocks.reorganise(depth)

    def hand_snapshot(self):
        return self.blocks.save()

    def hand_revert(self, name):
        self.blocks.restore(name)

    def hand_send(self, sender, address, name, calldata):
        """A call by an account that pays no fee and is not asked for its signature; it waits."""
        self.made += 1
        call = (felt(address), get_selector_from_name(name), tuple(felts(calldata)))
        if call[0] not in self.blocks.newest.ledger.at:
            raise Refusal(20, "Contract not found")
        wire = {
            "type": "INVOKE",
            "version": "0x3",
            "sender_address": sender,
            "nonce": hex(self.made),
            "calldata": told([1, call[0], call[1], len(call[2]), *call[2]]),
            "signature": [],
            "tip": "0x0",
        }
        tx_hash = self.blocks.hashing(f"hand {self.made} of {self.blocks.forks}")
        wire["transaction_hash"] = hex(tx_hash)
        one = Transaction(tx_hash, felt(sender), self.made, call[2], wire, bare=call)
        self.blocks.sent[tx_hash] = one
        self.blocks.waiting.append(one)
        return hex(tx_hash)

    def hand_repeat(self, wire):
        """Send again what a reorganisation threw away; as it was, so its hash stays."""
        call = felts(wire["calldata"])
        bare = (call[1], call[2], tuple(call[4:]))
        tx_hash, sender = felt(wire["transaction_hash"]), felt(wire["sender_address"])
        one = Transaction(tx_hash, sender, felt(wire["nonce"]), bare[2], wire, bare=bare)
        self.blocks.sent[tx_hash] = one
        self.blocks.waiting.append(one)

    def hand_give(self, token, to, units):
        """Units that come from nowhere, without a transaction."""
        self.blocks.newest.ledger.add_units(felt(token), felt(to), units)

    def hand_place(self, address, name, calldata):
        """A contract of a class at an address of one's choice, after its constructor."""
        ledger, place = self.blocks.newest.ledger, felt(address)
        ledger.at[place] = self.names[name]
        ran = run(
            ledger, self.blocks.general, place, CONSTRUCTOR, felts(calldata), constructor=True
        )
        if ran.words and "ENTRYPOINT_NOT_FOUND" not in ran.words:
            raise Refusal(40, "Contract error", {"revert_error": ran.words})
        ledger.at[place] = self.names[name]

    def hand_take_away(self, address):
        """No contract at this address any more."""
        self.blocks.newest.ledger.at.pop(felt(address), None)
