"""The bridges that a scenario offers: those whose contracts carry payments, or that move the
operator's inventory."""

from typing import Final

from crossway.domain.quotes import BridgeName

# The operator pays the recipient from inventory.
OPERATED: Final = (BridgeName.INVENTORY,)
OVER_CCTP: Final = (BridgeName.CCTP,)
OVER_ACROSS: Final = (BridgeName.ACROSS,)
# The operator pays from inventory, which these move.
OVER_GATEWAY: Final = (BridgeName.GATEWAY,)
OVER_RHINOFI: Final = (BridgeName.RHINOFI,)
