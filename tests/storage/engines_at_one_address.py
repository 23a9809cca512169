"""Opens engines on a file that is no database until one has the address of one that is gone: in a
process of its own, whose memory nothing else fragments, that takes a few dozen."""

import gc
import sys

from crossway.domain.errors import StorageUnavailable
from crossway.storage.store import connect

MOST = 2_000


def main(url: str) -> str:
    """What became of the first engine at an address that was used before."""
    dialects = []  # What keeps the listeners of an engine beyond its end.
    addresses = set[int]()
    for _ in range(MOST):
        writer, reader = connect(url)
        try:
            reader.connect().exec_driver_sql("SELECT 1")
        except StorageUnavailable as error:
            answer = str(error)
        except Exception as error:
            answer = f"not named: {error}"
        if id(reader) in addresses:
            return answer
        addresses.add(id(reader))
        dialects += [writer.dialect, reader.dialect]
        writer.dispose()
        reader.dispose()
        del writer, reader
        gc.collect()
    return "no address was used again"


if __name__ == "__main__":
    print(main(sys.argv[1]))
