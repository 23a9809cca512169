"""The few logs that matter in a node's answer of very many: found in its bytes, parsed alone."""

import re
from collections.abc import Callable, Collection
from typing import Any, Final

import orjson

from crossway.adapters.chains.evm.rpc_schemas import TRANSFER

FindWatched = Callable[[Collection[bytes]], set[bytes]]
"""As `ports.address_filter.AddressFilter.find_watched`."""
# The recipient of a transfer: the 40 digits that end its third topic.
_RECIPIENT: Final = re.compile(
    rb'"topics"\s*:\s*\[\s*"%s"' % TRANSFER.encode()
    + rb'\s*,\s*"0x[0-9a-f]{64}"\s*,\s*"0x0{24}([0-9a-f]{40})"'
)


def find_hits(content: bytes, find_watched: FindWatched) -> list[Any] | None:
    """The logs of transfers to watched recipients in a response to eth_getLogs, as JSON has them;
    None where it is not only transfers as nodes usually write them, and is to be read as a whole.

    Reading every log takes twice as long as the goal of docs/decisions/0100 allows."""
    transfers = list(_RECIPIENT.finditer(content))
    is_usual = len(transfers) == content.count(b'"topics"') and b'"error"' not in content
    if not transfers or not is_usual:
        return None
    hits = find_watched({transfer[1] for transfer in transfers})
    try:
        return [_read_log(content, found) for found in transfers if found[1] in hits]
    except ValueError:
        return None


def _read_log(content: bytes, found: re.Match[bytes]) -> Any:
    """The object around a place in it: a log has no objects within."""
    start, end = content.rindex(b"{", 0, found.start()), content.index(b"}", found.end())
    return orjson.loads(content[start : end + 1])
