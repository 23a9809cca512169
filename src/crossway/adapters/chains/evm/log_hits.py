"""The few logs that matter in a node's answer of very many: found in its bytes, parsed alone."""

from collections.abc import Callable, Collection
from typing import Any, Final

import orjson

from crossway.adapters.chains.addresses import SHORT_ADDRESS
from crossway.adapters.chains.evm.rpc_schemas import TRANSFER
from crossway.adapters.chains.words import WORD

FindWatched = Callable[[Collection[bytes]], set[bytes]]
"""As `ports.address_filter.AddressFilter.find_watched`."""
# As nodes spell the topics of a transfer: up to the sender, and between that and the recipient.
_BEFORE: Final = b'"topics":["%s","0x' % TRANSFER.encode()
_BETWEEN: Final = b'","0x' + 2 * (WORD - SHORT_ADDRESS) * b"0"
_FROM: Final = 2 * WORD
_TO: Final = _FROM + len(_BETWEEN)
_END: Final = _TO + 2 * SHORT_ADDRESS


def find_hits(content: bytes, find_watched: FindWatched) -> list[Any] | None:
    """The logs of transfers to watched recipients in a response to eth_getLogs, as JSON has them;
    None where it is not only transfers as nodes usually write them, and is to be read as a whole.

    Parsing every log takes twice as long; docs/decisions/0100 has the figures."""
    head, *parts = content.split(_BEFORE)
    if not parts or len(parts) != content.count(b'"topics"'):
        return None
    if b'"error"' in head or b'"error"' in parts[-1]:
        return None
    if {part[_FROM:_TO] for part in parts} != {_BETWEEN}:
        return None
    recipients = [part[_TO:_END] for part in parts]
    hits = find_watched(set(recipients))
    if not hits:
        return []
    try:
        return [
            _read_log(before, part)
            for before, part, recipient in zip((head, *parts), parts, recipients, strict=False)
            if recipient in hits
        ]
    except ValueError:
        return None


def _read_log(before: bytes, after: bytes) -> Any:
    """The object around a place: a log has no objects within."""
    start, end = before.rindex(b"{"), after.index(b"}") + 1
    return orjson.loads(before[start:] + _BEFORE + after[:end])
