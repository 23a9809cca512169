"""What a payer's wallet scans: EIP-681 and Solana Pay, or the plain address where neither applies.

Sources: https://eips.ethereum.org/EIPS/eip-681 and https://docs.solanapay.com/spec.
"""

from urllib.parse import quote

from crossway.domain.catalogue import Chain
from crossway.domain.money import Token, format_units

# A longer name makes a code that cameras read badly.
LABEL_LETTERS = 32
_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def base58(raw: bytes) -> str:
    """Bytes in Bitcoin's base 58, which Solana uses; each leading zero byte is a `1`."""
    number, digits = int.from_bytes(raw, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        digits = _ALPHABET[rest] + digits
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + digits


def ethereum_uri(to: str, units: int, token: str | None = None, chain_id: str | None = None) -> str:
    """EIP-681: `units` of the native coin, or of a token by its `transfer`, to an address."""
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
    """Solana Pay transfer request: `amount` in whole coins, `reference` 32 bytes in base 58."""
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
    chain: Chain, token: Token, address: str, units: int, key: str, label: str = ""
) -> str:
    """The text of the QR code, asking for `units` to a deposit address; `key` is the intent's.

    On Solana the address is the owner's, never its token account's: wallets derive that. `label`
    says there who is paid; other families have no place for it. Tron and Starknet wallets agree
    on nothing but the address."""
    if chain.kind == "evm":
        return ethereum_uri(address, units, None if token.native else token.address, chain.chain_id)
    if chain.kind == "solana":
        return solana_uri(
            address,
            format_units(units, token.decimals),
            None if token.native else token.address,
            base58(bytes.fromhex(key.removeprefix("0x"))),
            label[:LABEL_LETTERS],
        )
    return address
