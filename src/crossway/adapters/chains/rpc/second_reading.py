"""Every block's logs are read twice, so that a node that leaves one out hides no deposit."""

from collections.abc import Sequence

from crossway.adapters.chains.rpc.block_scan import blocks_in
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import Cursor, Scan

# How much of the chain is read again at once, and how old its newest block is then.
_REREAD_SECONDS, _SETTLE_SECONDS = 30.0, 5.0


class SecondReading:
    """Which blocks are to be read again, and what no scan returned of them. Reads no node."""

    def __init__(self, block_time_seconds: float) -> None:
        self._pace = block_time_seconds
        self._read_to: int | None = None
        self._reached: Cursor | None = None
        # What scans returned of the blocks that are to be read again, with its height.
        self._returned: dict[tuple[str, str], int] = {}

    def is_before(self, height: int) -> bool:
        """Whether blocks up to this height are still to be read again."""
        return (self._read_to or 0) < height

    def find_due(self, after: Cursor, scan: Scan, max_blocks: int) -> tuple[int, int] | None:
        """The first and the last block to read again after a scan from the cursor `after`; None
        where it is too early. At most `max_blocks`, or half a minute of them."""
        if after != self._reached:
            # The result of the last scan was not stored, or another process scanned.
            self._read_to, self._returned = None, {}
        self._reached = scan.cursor
        self._returned |= {_key(t): t.block_height for t in scan.incoming}
        least = blocks_in(_REREAD_SECONDS, self._pace)
        low = after.height - least if self._read_to is None else self._read_to
        if scan.reorged_from is not None:
            low = min(low, scan.reorged_from - 1)
        self._read_to = low = max(low, 0)
        high = min(
            scan.cursor.height - blocks_in(_SETTLE_SECONDS, self._pace),
            low + max(max_blocks, least),
        )
        return None if high - low < least else (low + 1, high)

    def find_missed(
        self, last: int, found: Sequence[Sequence[IncomingTransfer]], complete: bool
    ) -> list[IncomingTransfer]:
        """What nodes found in the blocks up to `last` and no scan returned. Unless it is
        `complete`, because too few nodes answered, the blocks are read again later."""
        missed = [t for t in merge_reports(found) if _key(t) not in self._returned]
        if complete:
            self._read_to = last
            self._returned = {key: at for key, at in self._returned.items() if at > last}
        else:
            self._returned |= {_key(t): t.block_height for t in missed}
        return missed


def merge_reports(parts: Sequence[Sequence[IncomingTransfer]]) -> list[IncomingTransfer]:
    """Each transfer once, as several nodes report it."""
    return list({_key(t): t for part in parts for t in part}.values())


def _key(transfer: IncomingTransfer) -> tuple[str, str]:
    return transfer.tx_ref, transfer.block_hash
