"""The bytes of a transaction: the message, its signatures, and the last height it can land at."""

from collections.abc import Sequence

from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import Instruction
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import Transaction

from crossway.adapters.chains.solana.calls import instructions_of
from crossway.adapters.chains.solana.ground import Ground
from crossway.adapters.chains.solana.heads import Recent
from crossway.adapters.chains.solana.signers import SolanaSigner
from crossway.adapters.chains.solana.traits import Traits
from crossway.domain.actions import Action
from crossway.domain.transfers import Duty
from crossway.ports.chain import Signed

_HEIGHT_SIZE = 8
MOST_BYTES = 1_232
LAMPORTS_A_SIGNATURE = 5_000
MOST_SIGNATURES = 2
# A state or marker of the program, and two token accounts: what one transaction may have to make.
RENT = 1_224_960 + 2 * 2_039_280
_MICRO = 1_000_000


def fee_of(traits: Traits, price: int) -> int:
    """What a transaction costs at most at this price of a compute unit, in lamports."""
    return LAMPORTS_A_SIGNATURE * MOST_SIGNATURES + RENT + -(-price * traits.units // _MICRO)


def price_of(traits: Traits, fee_units: int) -> int:
    """The price of a compute unit at which a transaction costs at most this."""
    left = fee_units - LAMPORTS_A_SIGNATURE * MOST_SIGNATURES - RENT
    return max(left, 0) * _MICRO // traits.units


def deposit_taken(action: Action) -> str | None:
    """The deposit address that an action takes from; None where it takes from none."""
    if action.duty is Duty.FILL or action.outputs[0].source == action.bridger:
        return None
    return action.outputs[0].source


def signed(
    ground: Ground, action: Action, number: int, fee_units: int, recent: Recent, over: bool
) -> Signed:
    """A transaction of our account, whose name follows from its bytes."""
    asked = instructions_of(ground.book, action, number, over)
    signers = [ground.signer]
    source = deposit_taken(action)
    if source is not None and ground.deposits is not None:
        keys = ground.deposits.of(bytes.fromhex(action.intent_key[2:]))
        if keys.address != source:
            raise ValueError(f"{source} is no deposit address of the key in use")
        signers.append(keys)
    price = price_of(ground.traits, fee_units)
    tx_id, raw = written(asked, signers, recent, ground.traits.units, price)
    return Signed(tx_id, raw, number, fee_units)


def written(
    asked: Sequence[Instruction],
    signers: Sequence[SolanaSigner],
    recent: Recent,
    units: int,
    price: int,
) -> tuple[str, bytes]:
    """Name and bytes of a transaction; the first signer pays. The bytes begin with the last height
    at which it can land, for whoever reads them in another process."""
    budget = [set_compute_unit_limit(units), set_compute_unit_price(price)]
    payer = Pubkey.from_string(signers[0].address)
    block_hash = Hash.from_string(recent.block_hash)
    message = Message.new_with_blockhash([*budget, *asked], payer, block_hash)
    data, by = bytes(message), {one.address: one for one in signers}
    needed = message.account_keys[: message.header.num_required_signatures]
    signatures = [Signature.from_bytes(by[str(key)].sign(data)) for key in needed]
    whole = bytes(Transaction.populate(message, signatures))
    if len(whole) > MOST_BYTES:
        raise ValueError(f"the transaction has {len(whole)} bytes; Solana takes {MOST_BYTES}")
    return str(signatures[0]), recent.last_height.to_bytes(_HEIGHT_SIZE, "big") + whole


def height_in(raw: bytes) -> int:
    """The last height at which a transaction can land."""
    return int.from_bytes(raw[:_HEIGHT_SIZE], "big")


def wire_bytes(raw: bytes) -> bytes:
    """What nodes take of a transaction's bytes."""
    return raw[_HEIGHT_SIZE:]
