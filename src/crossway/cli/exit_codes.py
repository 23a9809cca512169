"""With what a command exits; documented in docs/commands.md."""

from typing import Final

DONE: Final = 0
# Refused, declined, failed, or a check has found something.
FAILED: Final = 1
# The command line or a setting is wrong: nothing was tried.
WRONG_USE: Final = 2
# No answer came: whether it was done is unknown.
UNKNOWN: Final = 3
# A payment that was watched ended without being completed.
NOT_COMPLETED: Final = 4
