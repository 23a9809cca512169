"""Third-party calls of the program: a start or refund before the deposit was seen leaves its
account as empty as before."""

from collections.abc import Collection
from dataclasses import dataclass, field

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.tx_sender import BoundedCache
from crossway.adapters.chains.solana.chain_context import ChainContext
from crossway.adapters.chains.solana.transaction_parser import (
    PAGE,
    SignatureEntry,
    fetch_transactions,
    parse_signatures,
    signatures_request,
)

_MOST_PAGES = 20
# A machine behind the URL may lack what another listed; it is requested this many times.
_TRIES = 20


@dataclass
class ProgramCursor:
    """The newest program transaction that was read, and those that we signed, each with the deposit
    address that it debits, or an empty string."""

    newest: str = ""
    tries: int = 0
    sources: BoundedCache[str] = field(default_factory=BoundedCache)


def find_paid_out(
    context: ChainContext,
    session: RpcSession,
    ours: ProgramCursor,
    after: int,
    owners: Collection[str],
    explained: Collection[str],
) -> tuple[set[str], str]:
    """The deposit addresses that the program debited since the last poll, or after a slot, except
    those `seen` to have changed; and the newest transaction, to keep once all was read."""
    # Transaction lists may lag behind blocks.
    listed = _entries(session, context.program.id, ours.newest, after - context.params.behind)
    # Our own transactions also move what arrived since the last poll.
    signed_here = {"", *explained}
    theirs = [
        entry.name
        for entry in listed
        if entry.succeeded and ours.sources.get(entry.name) not in signed_here
    ]
    watched = set(owners)
    read = fetch_transactions(session, theirs) if watched else {}
    debited = {
        transactions.source
        for entry in read.values()
        if entry.error is None
        for transactions in entry.movements(context.program.id)
        if transactions.source in watched
    }
    lacking = bool(watched) and len(read) < len(theirs)
    ours.tries = ours.tries + 1 if lacking and ours.tries < _TRIES else 0
    return debited, listed[0].name if listed and not ours.tries else ours.newest


def _entries(session: RpcSession, program: str, until: str, after: int) -> list[SignatureEntry]:
    """Entries after a known one, or else above a slot, newest first."""
    entries: list[SignatureEntry] = []
    before = ""
    for _ in range(_MOST_PAGES):
        page = parse_signatures(session.call(signatures_request(program, until, before))[0])
        entries += page if until else [entry for entry in page if entry.slot > after]
        if len(page) < PAGE or (not until and page[-1].slot <= after):
            break
        before = page[-1].name
    return entries
