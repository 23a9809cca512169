"""Payment URIs for QR codes: EIP-681, Solana Pay, or the plain address elsewhere.

Sources: https://eips.ethereum.org/EIPS/eip-681 and https://docs.solanapay.com/spec.
"""

from urllib.parse import quote

from crossway.domain.catalogue import Chain
from crossway.domain.money import Token, format_units

# A longer label makes the QR code hard to scan.
MAX_LABEL_CHARACTERS = 32
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(raw: bytes) -> str:
    """Encode bytes in base 58 as Solana does; each leading zero byte becomes a `1`."""
    number, digits = int.from_bytes(raw, "big"), ""
    while number:
        number, remainder = divmod(number, 58)
        digits = _ALPHABET[remainder] + digits
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + digits


def ethereum_uri(to: str, units: int, token: str | None = None, chain_id: str | None = None) -> str:
    """An EIP-681 URI for `units` of the native coin, or of a token via `transfer`."""
    network = f"@{chain_id}" if chain_id else ""
    if token is None:
        return f"ethereum:{to}{network}?value={units}"
    return f"ethereum:{token}{network}/transfer?address={to}&uint256={units}"


def solana_uri(
    to: str,
    amount: str | None = None,
    mint: str | None = None,
    reference: str | None = None,
    label: str = "",
    message: str = "",
    memo: str = "",
) -> str:
    """A Solana Pay transfer request: `amount` in whole coins, `reference` 32 bytes in base 58."""
    fields = {
        "amount": amount,
        "spl-token": mint,
        "reference": reference,
        "label": label,
        "message": message,
        "memo": memo,
    }
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in fields.items() if value)
    return f"solana:{to}" + (f"?{query}" if query else "")


def payment_uri(
    chain: Chain, token: Token, address: str, units: int, intent_hash: str, label: str = ""
) -> str:
    """The content of the QR code: `units` of a token to a deposit address.

    On Solana, `address` is the owner, not its token account, which wallets derive, `intent_hash` is
    the payment's reference, and `label` names the payee. Tron and Starknet wallets only take a
    plain address.
    """
    if chain.kind == "evm":
        return ethereum_uri(address, units, None if token.native else token.address, chain.chain_id)
    if chain.kind == "solana":
        return solana_uri(
            address,
            format_units(units, token.decimals),
            None if token.native else token.address,
            base58(bytes.fromhex(intent_hash.removeprefix("0x"))),
            label[:MAX_LABEL_CHARACTERS],
        )
    return address
