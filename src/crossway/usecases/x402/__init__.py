"""Use cases of x402: offers to pay by a signature, and their verification and settlement."""
