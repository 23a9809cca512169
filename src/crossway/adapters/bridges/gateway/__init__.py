"""Circle Gateway, by which the operator holds USDC once and mints it where a payment needs it."""
