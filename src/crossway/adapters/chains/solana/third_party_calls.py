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
    cursor: ProgramCursor,
    after: int,
    owners: Collection[str],
    explained: Collection[str],
) -> tuple[set[str], str]:
    """The deposit addresses that the program debited since the last poll, or after a slot, except
    those whose change is `explained`; and the newest transaction, to keep once all was read."""
    # Transaction lists may lag behind blocks.
    entries = _entries(session, context.program.id, cursor.newest, after - context.params.behind)
    # Our own transactions also move what arrived since the last poll.
    signed_here = {"", *explained}
    foreign = [
        entry.tx_id
        for entry in entries
        if entry.succeeded and cursor.sources.get(entry.tx_id) not in signed_here
    ]
    watched = set(owners)
    parsed = fetch_transactions(session, foreign) if watched else {}
    debited = {
        movement.source
        for entry in parsed.values()
        if entry.error is None
        for movement in entry.movements(context.program.id)
        if movement.source in watched
    }
    incomplete = bool(watched) and len(parsed) < len(foreign)
    cursor.tries = cursor.tries + 1 if incomplete and cursor.tries < _TRIES else 0
    return debited, entries[0].tx_id if entries and not cursor.tries else cursor.newest


def _entries(session: RpcSession, program: str, until: str, after: int) -> list[SignatureEntry]:
    """Entries after a known one, or else above a slot, newest first."""
    entries: list[SignatureEntry] = []
    before = ""
    for _ in range(_MOST_PAGES):
        page = parse_signatures(session.call(signatures_request(program, until, before))[0])
        entries += page if until else [entry for entry in page if entry.slot > after]
        if len(page) < PAGE or (not until and page[-1].slot <= after):
            break
        before = page[-1].tx_id
    return entries
