"""The bridges that a scenario offers: those whose contracts carry payments, or the operator's."""

from typing import Final

from crossway.domain.quotes import BridgeName

# The operator pays the recipient from inventory.
OPERATED: Final = (BridgeName.INVENTORY,)
OVER_CCTP: Final = (BridgeName.CCTP,)
OVER_ACROSS: Final = (BridgeName.ACROSS,)
