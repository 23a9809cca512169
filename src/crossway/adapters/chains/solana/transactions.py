"""Transaction bytes: message, signatures, and the last height at which it can land."""

from collections.abc import Sequence

from solders.compute_budget import set_compute_unit_limit, set_compute_unit_price
from solders.hash import Hash
from solders.instruction import Instruction
from solders.message import Message
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import Transaction

from crossway.adapters.chains.solana.chain_context import ChainContext, ChainParams
from crossway.adapters.chains.solana.head_tracker import RecentBlockhash
from crossway.adapters.chains.solana.instructions import build_instructions
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import SignedTx
from crossway.ports.chain_calls import CallCosts
from crossway.ports.signing import MessageSigner, SigningRequest

_HEIGHT_SIZE = 8
MAX_BYTES = 1_232
LAMPORTS_PER_SIGNATURE = 5_000
MAX_SIGNATURES = 2
# The accounts that one transaction may have to create: a state or marker, two token accounts.
STATE_RENT, TOKEN_ACCOUNT_RENT = 1_224_960, 2_039_280
RENT = STATE_RENT + 2 * TOKEN_ACCOUNT_RENT
_MICRO = 1_000_000


def fee_of(params: ChainParams, price: int) -> int:
    """The maximum cost of a transaction at this compute unit price, in lamports."""
    return LAMPORTS_PER_SIGNATURE * MAX_SIGNATURES + RENT + -(-price * params.units // _MICRO)


def call_costs_of(params: ChainParams, price: int) -> CallCosts:
    """What calls cost at this compute unit price: signatures, priority, and rent of the accounts
    that they create: a state at the start, a marker and the recipient's token account at the fill,
    and a token account of the refund address."""
    fee = LAMPORTS_PER_SIGNATURE * MAX_SIGNATURES + -(-price * params.units // _MICRO)
    return CallCosts(
        start=fee + STATE_RENT,
        fill=fee + STATE_RENT + TOKEN_ACCOUNT_RENT,
        settle=fee,
        refund=fee + TOKEN_ACCOUNT_RENT,
    )


def price_of(params: ChainParams, fee_units: int) -> int:
    """The compute unit price at which a transaction costs at most this."""
    available = fee_units - LAMPORTS_PER_SIGNATURE * MAX_SIGNATURES - RENT
    return max(available, 0) * _MICRO // params.units


def debited_address(action: OutboundCall) -> str | None:
    """The deposit address that a call debits; None if it debits none."""
    if action.kind is OutboundTxKind.FILL or action.outputs[0].source == action.bridger:
        return None
    return action.outputs[0].source


def sign_call(
    context: ChainContext,
    action: OutboundCall,
    number: int,
    fee_units: int,
    recent: RecentBlockhash,
    over: bool,
) -> SignedTx:
    """Sign a call; the transaction id follows from its bytes."""
    instructions = build_instructions(context.instruction_context, action, number, over)
    signers: list[MessageSigner] = [context.signer]
    source = debited_address(action)
    if source is not None and context.deposits is not None:
        keys = context.deposits.of(bytes.fromhex(action.intent_hash[2:]))
        if keys.address != source:
            raise ValueError(f"{source} is not a deposit address of the configured key")
        signers.append(keys)
    price = price_of(context.params, fee_units)
    units = context.params.units
    tx_id, raw = sign_instructions(instructions, signers, recent, units, price, action)
    return SignedTx(tx_id, raw, number, fee_units)


def sign_instructions(
    instructions: Sequence[Instruction],
    signers: Sequence[MessageSigner],
    recent: RecentBlockhash,
    units: int,
    price: int,
    action: OutboundCall | None = None,
) -> tuple[str, bytes]:
    """A transaction's id and bytes; the first signer pays. The bytes begin with the last height at
    which it can land, so that any process knows it."""
    block_hash = Hash.from_string(recent.block_hash)
    message = _build_message(instructions, signers[0].address, block_hash, units, price)
    data, by = bytes(message), {signer.address: signer for signer in signers}
    needed = message.account_keys[: message.header.num_required_signatures]
    request = SigningRequest(data, action)
    signatures = [Signature.from_bytes(by[str(key)].sign(data, request)) for key in needed]
    whole = bytes(Transaction.populate(message, signatures))
    if len(whole) > MAX_BYTES:
        raise ValueError(f"the transaction has {len(whole)} bytes; Solana accepts {MAX_BYTES}")
    return str(signatures[0]), recent.last_height.to_bytes(_HEIGHT_SIZE, "big") + whole


def unsigned_call(context: ChainContext, action: OutboundCall) -> bytes:
    """A call as nodes simulate it. No signature and no block hash: it can never be included."""
    instructions = build_instructions(context.instruction_context, action, 0, False)
    units = context.params.units
    message = _build_message(instructions, action.account, Hash.default(), units, 0)
    return bytes(Transaction.new_unsigned(message))


def _build_message(
    instructions: Sequence[Instruction], payer: str, block_hash: Hash, units: int, price: int
) -> Message:
    budget = [set_compute_unit_limit(units), set_compute_unit_price(price)]
    payer_key = Pubkey.from_string(payer)
    return Message.new_with_blockhash([*budget, *instructions], payer_key, block_hash)


def last_height_of(raw: bytes) -> int:
    """The last height at which a transaction can land."""
    return int.from_bytes(raw[:_HEIGHT_SIZE], "big")


def wire_bytes(raw: bytes) -> bytes:
    """The part of the stored bytes that is sent to nodes."""
    return raw[_HEIGHT_SIZE:]
