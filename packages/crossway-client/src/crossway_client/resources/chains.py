"""Chains, tokens and balances."""

from crossway_client.records.chains import Balances, Token, TokenBalance
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint
from crossway_client.transport.requests import Answer, Request, get, records


class Chains(Resource[CarrierT]):
    """`/chains`."""

    @endpoint
    def tokens(self, chain: str) -> Request[list[Token]]:
        """The available tokens of a chain."""
        return get("/chains/{chain}/tokens", records(Token), chain=chain)

    @endpoint
    def all_tokens(self) -> Request[dict[str, list[Token]]]:
        """The available tokens of every chain, by chain."""
        return get("/chains/tokens/all", _tokens_by_chain)

    @endpoint
    def balances(
        self,
        address: str,
        *,
        network: str | None = None,
        chain_type: str | None = None,
        include_zero_balances: bool | None = None,
    ) -> Request[Balances]:
        """The balances of an address on every chain whose addresses have its form. `network` is
        `mainnet` or `testnet`, `chain_type` `EVM`, `STARKNET`, `SOLANA` or `TRON`."""
        query = {
            "network": network,
            "chainType": chain_type,
            "includeZeroBalances": include_zero_balances,
        }
        segments = {"address": address}
        return Request("GET", "/chains/balances/{address}", _balances, segments, query)

    @endpoint
    def list(self, network: str | None = None) -> Request[list[str]]:
        """Identifiers of the available chains; `network` is `mainnet` or `testnet`."""
        return Request("GET", "/chains", _texts, query={"network": network})


def _texts(answer: Answer) -> list[str]:
    return [str(item) for item in answer.json]


def _tokens_by_chain(answer: Answer) -> dict[str, list[Token]]:
    return {
        chain: [Token.parse(token) for token in tokens] for chain, tokens in answer.json.items()
    }


def _balances(answer: Answer) -> Balances:
    by_chain = {
        chain: [TokenBalance.parse(balance) for balance in balances]
        for chain, balances in answer.json.items()
    }
    missing = answer.headers.get("crossway-missing", "")
    names = tuple(name.strip() for name in missing.split(",") if name.strip())
    return Balances(by_chain, names)
