"""The calls of bridges' contracts, and what these contracts report."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from crossway.adapters.chains.evm.abi import (
    ARRIVED,
    DELIVER,
    GIVE_BACK,
    RELEASE,
    SEND_OVER_ACROSS,
    SEND_OVER_CCTP,
    SENT,
    SWAP_AND_SEND,
    SWAPPED,
    TOKENS_MOVED,
)
from crossway.adapters.chains.evm.rpc_schemas import Log, parse_address
from crossway.adapters.chains.intent_hash import TermsHashes, dest_terms, source_terms
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.domain.bridge_transfer import Arrival, ArrivalOutcome
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.quotes import BridgeName

GIVE_BACK_KIND: Final = f"0x{8:064x}"
"""The third topic of `TokensMoved` where a bridge's contract gives a deposit back."""
# Where the hook begins in a message of CCTP: see `adapters.bridges.cctp_message`.
_HOOK_AT = 376


def encode_bridge_call(
    catalogue: Catalogue, action: OutboundCall, terms: Terms, hashes: TermsHashes
) -> bytes:
    """The data of the call of a bridge's contract that carries out an action. Raises `ValueError`
    where the message of a delivery is not about these terms."""
    source = source_terms(catalogue, terms, action.bridger, action.coordinator)
    destination = dest_terms(catalogue, terms)
    match action.kind:
        case OutboundTxKind.START if terms.bridge == BridgeName.ACROSS:
            return SEND_OVER_ACROSS.encode(source.values, destination.values, action.bridge_output)
        case OutboundTxKind.START if action.swap is not None:
            path = bytes.fromhex(action.swap.route[2:])
            output = action.swap.output
            return SWAP_AND_SEND.encode(source.values, destination.values, output, path)
        case OutboundTxKind.START:
            return SEND_OVER_CCTP.encode(source.values, destination.values)
        case OutboundTxKind.RELEASE:
            return RELEASE.encode(source.values, destination.values)
        case OutboundTxKind.GIVE_BACK:
            return GIVE_BACK.encode(source.values, hashes.dest_hash)
        case OutboundTxKind.DELIVER:
            if action.message[_HOOK_AT:] != source.encode() + destination.encode():
                raise ValueError(f"the message of {action.intent_hash} has other terms")
            return DELIVER.encode(action.message, action.attestation)
    raise ValueError(f"a bridge's contract has nothing for a {action.kind}")


def parse_arrivals(logs: Sequence[Log], bridges: Collection[str]) -> Iterator[Arrival]:
    """The arrivals among the logs of bridges' contracts; other logs are ignored."""
    for log in logs:
        if log.address in bridges and log.topics and log.topics[0] == ARRIVED.topic:
            yield parse_arrival(log)


def parse_sent(logs: Sequence[Log], bridges: Collection[str]) -> frozenset[str]:
    """The hashes of the intents whose deposits bridges' contracts sent."""
    return frozenset(
        log.topics[1]
        for log in logs
        if log.address in bridges and len(log.topics) > 1 and log.topics[0] == SENT.topic
    )


def parse_swapped(logs: Sequence[Log], bridges: Collection[str]) -> dict[str, int]:
    """What swaps before a send took of deposits, in their units, by intent hash."""
    return {
        log.topics[1]: int(SWAPPED.decode(log.data)[1])
        for log in logs
        if log.address in bridges and len(log.topics) > 1 and log.topics[0] == SWAPPED.topic
    }


def parse_given_back(logs: Sequence[Log], bridges: Collection[str]) -> frozenset[str]:
    """The hashes of the intents whose deposits bridges' contracts gave back."""
    return frozenset(
        log.topics[1]
        for log in logs
        if log.address in bridges and log.topics[0::3] == (TOKENS_MOVED.topic, GIVE_BACK_KIND)
    )


def parse_arrival(log: Log) -> Arrival:
    """An `Arrived` event. Raises `MalformedResponse`."""
    token, got, paid, credited = ARRIVED.decode(log.data)
    try:
        outcome = ArrivalOutcome(int(log.topics[3], 16))
    except (ValueError, IndexError):
        raise MalformedResponse("the node returned an unknown event of a bridge") from None
    return Arrival(log.topics[1], outcome, parse_address(token), got, paid, credited)
