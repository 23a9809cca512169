"""What a run has done so far, counted by several threads."""

import threading
from collections import Counter


class Tally:
    """Counts of operations, faults, kills and freezes, and what should never have been answered."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.operations = 0
        self.by_kind: Counter[str] = Counter()
        self.problems: list[str] = []

    def operation(self, kind: str) -> None:
        """One request of the work was answered."""
        with self._lock:
            self.operations += 1
            self.by_kind[kind] += 1

    def happened(self, kind: str) -> None:
        """One fault, kill or freeze."""
        with self._lock:
            self.by_kind[kind] += 1

    def problem(self, sentence: str) -> None:
        """An answer that must not be; each sentence counts once."""
        with self._lock:
            if sentence not in self.problems:
                self.problems.append(sentence)

    @property
    def kills(self) -> int:
        """Processes killed with SIGKILL."""
        return self._starting_with("kill ")

    @property
    def freezes(self) -> int:
        """Processes stopped for longer than a lease."""
        return self._starting_with("freeze ")

    def _starting_with(self, prefix: str) -> int:
        with self._lock:
            return sum(count for kind, count in self.by_kind.items() if kind.startswith(prefix))
