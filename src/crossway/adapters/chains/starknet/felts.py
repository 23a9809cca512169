"""Field elements (felts): selectors, hashes, contract addresses, and their hexadecimal form."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from starknet_py.cairo.felt import encode_shortstring
from starknet_py.constants import FIELD_PRIME
from starknet_py.hash.address import compute_address
from starknet_py.hash.selector import get_selector_from_name
from starknet_py.hash.utils import pedersen_hash

PRIME = FIELD_PRIME
_LOW_128 = 2**128 - 1


@lru_cache(maxsize=512)
def selector(name: str) -> int:
    """The felt that identifies an entry point or an event."""
    return get_selector_from_name(name)


def encode_short_string(text: str) -> int:
    """Up to 31 ASCII characters as one felt."""
    return encode_shortstring(text)


def decode_short_string(felt: int) -> str:
    """The text that a felt encodes; empty where it encodes none."""
    raw = felt.to_bytes(32, "big").lstrip(b"\0")
    return raw.decode("ascii") if raw.isascii() and raw.decode("ascii").isprintable() else ""


def to_felt(text: str) -> int:
    """The felt of an address or a hash in canonical form."""
    return int(text, 16)


def to_hex(felt: int) -> str:
    """An address or a hash in canonical form: 0x and 64 hex digits."""
    return f"0x{felt:064x}"


def split_u256(value: int) -> tuple[int, int]:
    """A 256-bit number as two felts: the low half, then the high one."""
    return value & _LOW_128, value >> 128


def join_u256(low: int, high: int) -> int:
    """The 256-bit number of two halves. Raises `ValueError` where one has more than 128 bits."""
    if low > _LOW_128 or high > _LOW_128:
        raise ValueError("a half of a 256-bit number has more than 128 bits")
    return high << 128 | low


def split_word(raw: bytes) -> tuple[int, int]:
    """A word of 32 bytes as two felts: the low half, then the high one."""
    return split_u256(int.from_bytes(raw, "big"))


def to_hex_list(felts: Iterable[int]) -> list[str]:
    """Felts as nodes expect them: hexadecimal without leading zeros."""
    return [hex(felt) for felt in felts]


def contract_address(class_hash: int, salt: int, calldata: Sequence[int], deployer: int) -> int:
    """The address of a contract, known before it is deployed. `deployer` is 0 for contracts that
    the universal deployer deploys at the same address on every network."""
    return compute_address(
        class_hash=class_hash, constructor_calldata=calldata, salt=salt, deployer_address=deployer
    )


def deposit_salt(key: bytes) -> int:
    """The salt of the deposit address of an intent hash."""
    low, high = split_word(key)
    return pedersen_hash(low, high)
