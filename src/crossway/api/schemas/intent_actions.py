"""Response models of what is done to an intent, and of its address elsewhere."""

from crossway.api.schemas.fields import INTENT, TX, Model, field


class ProcessingTriggered(Model):
    """The answer of a triggered intent."""

    success: bool = field("Always true.", True)
    message: str = field("What was done.", "Intent started successfully")


class RefundSent(Model):
    """The answer of a refunded intent."""

    success: bool = field("Always true.", True)
    message: str = field("What was done.", "Refund successful")
    txHash: str = field("The refund's transaction.", TX)


class DestinationAddress(Model):
    """The counterpart of an intent's address."""

    destinationAddress: str = field("Its address on the destination chain.", INTENT)
