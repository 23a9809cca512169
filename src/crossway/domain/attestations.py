"""Where anybody gets what CCTP's delivery needs: Circle's public attestation services."""

from typing import Final

from crossway.domain.catalogue import Chain

# The same as the adapter's; a test compares them.
MAIN_SERVICE: Final = "https://iris-api.circle.com"
TEST_SERVICE: Final = "https://iris-api-sandbox.circle.com"
TX_PLACEHOLDER: Final = "{transaction}"


def attestation_url(source: Chain, tx: str) -> str:
    """The address that returns message and attestation of a transaction on a source chain; with a
    placeholder for its hash where there is no transaction yet."""
    service = TEST_SERVICE if source.testnet else MAIN_SERVICE
    query = f"transactionHash={tx or TX_PLACEHOLDER}"
    return f"{service}/v2/messages/{source.cctp_domain}?{query}"
