"""How long simulated bridges take, in seconds: shorter than real ones, for who watches a demo."""

from typing import Final

FAST_SECONDS: Final = 4.0
"""From a burn to its fast attestation."""
STANDARD_SECONDS: Final = 20.0
"""From a burn to its attestation once it is final."""
REATTEST_SECONDS: Final = 4.0
"""From the request of a new attestation to it."""
MESSAGE_LIFE_SECONDS: Final = 86_400.0
"""For how long a fast message can be delivered."""
ACROSS_FILL_SECONDS: Final = 3.0
"""From a deposit to its fill by a relayer."""
ACROSS_QUOTE_SECONDS: Final = 300.0
"""For how long a deposit of inventory can be made at the fee that Across has named."""
ACROSS_RETRY_SECONDS: Final = 3.0
"""After which relayers look again at a deposit that they could not fill."""
ACROSS_FILL_DEADLINE_SECONDS: Final = 900.0
"""From a deposit to the time after which nobody can fill it."""
ATTESTATION_LIFE_SECONDS: Final = 600.0
"""For how long a mint out of the unified balance can be made."""
RHINO_SECONDS: Final = 6.0
"""From a deposit at rhino.fi to its payout."""
RHINO_QUOTE_SECONDS: Final = 300.0
"""For how long a quote of rhino.fi can be deposited for."""
ACROSS_REFUND_SECONDS: Final = 600.0
"""From that deadline to the pool's refund, which really takes hours."""
