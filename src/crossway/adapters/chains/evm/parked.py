"""What a bridge's contract has parked for a payment's recipient, and how its coordinator takes that
out."""

from datetime import UTC, datetime, timedelta
from typing import Final

from crossway.adapters.chains.evm.abi import PARKED, UNPARK, decode
from crossway.adapters.chains.evm.calldata import Call, call_request
from crossway.adapters.chains.evm.chain_context import ChainContext
from crossway.adapters.chains.evm.public_calls import public_call
from crossway.adapters.chains.evm.rpc_schemas import parse_data
from crossway.adapters.chains.intent_hash import dest_terms, source_terms
from crossway.adapters.chains.rpc.operator_txs import UnsignedCall
from crossway.domain.intent import Intent

UNPARK_SECONDS: Final = 30 * 86_400
"""The constant UNPARK_DELAY of the bridges' contracts; a test compares them."""


def read_unpark_time(context: ChainContext, intent: Intent) -> datetime | None:
    """When the coordinator can take out what is parked for a payment; None where nothing is. Raises
    `Unreachable`."""
    request = call_request(
        Call(intent.bridger, PARKED.encode(bytes.fromhex(intent.intent_hash[2:])))
    )
    what = "what a bridge's contract has parked"
    result = context.pool.first(lambda session: session.call(request)[0])
    units, since = decode(["uint256", "uint256"], parse_data(result, what), what)
    if not units:
        return None
    return datetime.fromtimestamp(since, UTC) + timedelta(seconds=UNPARK_SECONDS)


def unpark_call(context: ChainContext, intent: Intent) -> Call:
    """The call by which the coordinator has it credited to itself."""
    terms, catalogue = intent.terms, context.catalogue
    source = source_terms(catalogue, terms, intent.bridger, intent.coordinator)
    return Call(intent.bridger, UNPARK.encode(source.values, dest_terms(catalogue, terms).values))


def unsigned_unpark(context: ChainContext, intent: Intent) -> UnsignedCall:
    """As `unpark_call`, to be signed elsewhere."""
    made = public_call(unpark_call(context, intent))
    arguments = tuple(str(value) for terms in made.arguments.values() for value in terms.values())
    return UnsignedCall(context.chain.chain_id, made.contract, made.function, arguments, made.data)
