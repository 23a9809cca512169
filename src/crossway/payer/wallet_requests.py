"""What a page asks of a payer's wallet, as its scripts read it: exact, and in JSON."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.money import Token
from crossway.payer.i18n import Translations
from crossway.payer.responses import PageRequest


@dataclass(slots=True)
class WalletPanel:
    """What the part of a payment's page is made of that pays with a wallet. Without a `family` of
    chains there is none; `request` is filled in while the payment is open."""

    family: str = ""
    texts: str = ""
    balance_url: str = ""
    transfer_url: str = ""
    sign_url: str = ""
    request: str = ""


def wallet_panel(page_request: PageRequest, chain: Chain, name: str, ended: bool) -> WalletPanel:
    """The panel of a payment on a chain, whose page has this name. None on the simulated network: a
    real wallet would send real money to a simulated address."""
    if ended or page_request.simulated:
        return WalletPanel()
    t = page_request.t
    return WalletPanel(
        family=chain.kind,
        texts=wallet_texts(t, "wallet."),
        balance_url=page_request.path(f"{name}/balance", lang=t.code),
        transfer_url=page_request.path(f"{name}/transfer") if chain.kind == "solana" else "",
        sign_url=page_request.path(f"{name}/sign") if chain.kind == "evm" else "",
    )


@dataclass(frozen=True, slots=True)
class WalletPick:
    """What the part of a payment link's page is made of that shows what wallets can pay with:
    without `families` of chains there is none."""

    families: str = ""
    texts: str = ""
    url: str = ""


def wallet_pick(page_request: PageRequest, link_id: str, families: Sequence[str]) -> WalletPick:
    """That part of a link's page for these families of chains; none on the simulated network."""
    if page_request.simulated:
        return WalletPick()
    t = page_request.t
    url = page_request.path(f"l/{link_id}/held", lang=t.code)
    return WalletPick(" ".join(families), wallet_texts(t, "wallet.", "held."), url)


def wallet_texts(t: Translations, *sections: str) -> str:
    """The texts of the scripts, by key, of these sections, a later one first; the scripts fill in
    the names in braces."""
    texts = {
        key.removeprefix(section): text
        for section in sections
        for key, text in t.texts.items()
        if key.startswith(section)
    }
    return json.dumps(texts, ensure_ascii=False)


def transfer_request(chain: Chain, token: Token, to: str, units: int, shown: str) -> str:
    """The one transfer that a wallet is asked for: `amount` in smallest units as a string, since
    numbers of a browser are not exact, and without `token` in the native coin. `shown` is the
    amount as the page shows it."""
    return json.dumps(
        {
            "family": chain.kind,
            "chain": _chain_name(chain),
            "add": _new_chain(chain) if chain.kind == "evm" else None,
            "token": "" if token.native else token.address,
            "to": to,
            "amount": str(units),
            "names": {"amount": shown, "chain": chain.name, "coin": chain.native_symbol},
            "explorer": chain.explorer_tx if chain.explorer_tx.startswith("https://") else "",
        }
    )


def _chain_name(chain: Chain) -> str:
    """A chain as wallets of its family name it."""
    if chain.kind == "solana":
        return "solana:devnet" if chain.testnet else "solana:mainnet"
    return chain.chain_id if chain.kind == "starknet" else hex(int(chain.chain_id))


def _new_chain(chain: Chain) -> dict[str, Any]:
    """What a wallet is told of a chain that it does not know (EIP-3085)."""
    coin = {"symbol": chain.native_symbol, "decimals": chain.native_decimals}
    return {
        "chainId": _chain_name(chain),
        "chainName": chain.name,
        "nativeCurrency": {"name": chain.native_symbol, **coin},
        "rpcUrls": [chain.public_rpc],
        "blockExplorerUrls": [chain.address_url("").removesuffix("/address/")],
    }
