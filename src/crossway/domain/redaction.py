"""Redacts secrets and personal data from logs and stored requests."""

import json
import re
from typing import Any, Final

MASK: Final = "…"
MAX_BODY_CHARACTERS: Final = 4_096
_MAX_DEPTH = 20
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# Each pattern is applied only to texts that contain one of its markers, which is cheap to check.
# URL passwords come first: the host after them makes them look like an e-mail address.
_SECRETS: Final = (
    (("://",), re.compile(r"(://[^:/@\s\"']*):[^@/\s\"']+@"), rf"\1:{MASK}@"),
    (("cr_test_", "cr_live_"), re.compile(r"(cr_(?:test|live)_[\w-]{4})[\w-]+"), rf"\1{MASK}"),
    (("whsec_",), re.compile(r"whsec_[\w+/=-]+"), f"whsec_{MASK}"),
    (
        ("earer ", "earer+"),
        re.compile(r"([Bb]earer)[ +]+(?!cr_(?:test|live)_[\w-]{4}…)[^\s\"',;]+"),
        rf"\1 {MASK}",
    ),
    (("=",), re.compile(r"(?<![\w-])[\w-]{43}=(?![\w=])"), MASK),  # a vault key
    # Anchored at the start of a word; otherwise long words take quadratic time.
    (
        ("@", "%40"),
        re.compile(r"(?<![\w.!#$&'*+/?^{|}~%-])[\w.!#$&'*+/?^{|}~%-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+"),
        "[e-mail]",
    ),
)
# Body fields without secrets or personal data. All other fields are masked, including fields added
# to the API later, until they are listed here.
_HARMLESS: Final = frozenset(
    re.findall(
        r"\w+",
        """
    success message error statusCode code id client_id created_at updated_at expires_at mode
    amount amountSymbol amount_symbol tokenIn tokenOut source_chain destination_chain sourceChain
    destinationChain recipient refund_address sender initialAmount fees_in_usd app_fee_in_usd
    total_amount_in_usd total_amount_in_asset_token fees_in_asset_token app_fee_in_asset_token
    asset_token_symbol asset_token_decimals slippage intent_address deposit_token_account
    destination_intent_address relayer coordinator bridger bridgeExtraData intent_nonce
    intent_status tx_hash txHash needs_relay relayer_claimed paymaster_used payment_link_id
    payment_links max_uses uses reserved active source_chains source_tokens min_amount max_amount
    limit type provider status token_out fiatCurrency fiatAmount cryptoCurrency cryptoAmount
    senderAddress recipientAddress countryCode intentAddress grossDepositAmount depositChain
    providerTxHash createdAt updatedAt expiresAt completedAt order orders
    currentKycType currentKycStatus requiredKycType canProceed blocked limitUsd usedUsd remainingUsd
    kyc kycType
    events enabled disabled_reason webhook webhooks deliveries state tries from to
    address token chain count block advanceSeconds frozen outageSeconds reorgDepth dropNext
    revertNext slowBlocks outcome
    """,
    )
)


def redact(text: str) -> str:
    """A text with secrets and e-mail addresses replaced."""
    for markers, pattern, replacement in _SECRETS:
        for marker in markers:
            if marker in text:
                text = pattern.sub(replacement, text)
                break
    return text


def mask_body(body: bytes) -> str:
    """A JSON body with every value masked that is not known to be harmless; at most 4 KiB."""
    if not body:
        return ""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return f"({len(body)} bytes that are not JSON)"
    if not isinstance(value, (dict, list)):
        return MASK
    text = redact(_JSON.encode(_mask_value(value, 0)))
    # JSON can contain lone surrogates, which databases reject.
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_BODY_CHARACTERS:
        return encoded.decode()
    return encoded[: MAX_BODY_CHARACTERS - len(MASK.encode())].decode("utf-8", "ignore") + MASK


def _mask_value(value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        return MASK
    if isinstance(value, dict):
        return {
            name[:60]: _mask_value(inner, depth + 1) if _is_harmless(name, inner) else MASK
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [_mask_value(inner, depth + 1) for inner in value[:100]]
    return value


def _is_harmless(name: str, inner: Any) -> bool:
    # Numbers and lists under an unknown name are masked like texts.
    return name in _HARMLESS or inner is None or isinstance(inner, bool)
