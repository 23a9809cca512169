"""How addresses come about on each family, against what their makers and users published."""

import base58
import pytest
from solders.pubkey import Pubkey

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.intent_hash import create2_address
from crossway.adapters.chains.solana.pdas import (
    TOKEN,
    TOKEN_2022,
    associated_token_account,
    derive_address,
)
from crossway.adapters.chains.starknet.felts import contract_address

ZERO, DEAD = "0x" + "0" * 40, "0xdeadbeef" + "0" * 32
BEEF = "deadbeef"

# https://eips.ethereum.org/EIPS/eip-1014, all examples: address, salt, code, result.
EIP_1014 = [
    (ZERO, "0", "00", "0x4D1A2e2bB4F88F0250f26Ffff098B0b30B26BF38"),
    (DEAD, "0", "00", "0xB928f69Bb1D91Cd65274e3c79d8986362984fDA3"),
    (DEAD, "feed" + "0" * 36, "00", "0xD04116cDd17beBE565EB2422F2497E06cC1C9833"),
    (ZERO, "0", BEEF, "0x70f2b2914A2a4b783FaEFb75f459A580616Fcb5e"),
    ("0x" + "0" * 32 + BEEF, "cafebabe", BEEF, "0x60f3f640a8508fC6a86d45DF051962668E1e8AC7"),
    ("0x" + "0" * 32 + BEEF, "cafebabe", BEEF * 11, "0x1d8bfDC5D46DC4f61D6b6115972536eBE6A8854C"),
    (ZERO, "0", "", "0xE33C0C7F7df4809055C3ebA6c09CFe4BaF1BD9e0"),
]  # fmt: skip

# A wallet factory that was put on Tron: github.com/akshatdev0/defi-payment-gateway,
# test/AddressGeneration.test.js and WalletFactory.test.js. That the byte is 0x41, followed by the
# 20 bytes of the factory, is what java-tron does (WalletUtil.generateContractAddress2 with the
# address of 21 bytes), whose own test lets a contract compute the same.
FACTORY, NILE_FACTORY = "TAtb9skGf5JU62NKYPY1G8THDWV9T7mx53", "TCX2uhV4HjcWRB7hrTQL57fFRdxgiyypEc"
SALTS = (
    "1",
    "2",
    "68168199-96a9-4515-99b8-7ef44f13d209",
    "c98b6212-80aa-470c-9741-e427e0cdda80",
)
TRON = {
    "a800a84a1e76d9ebed54ef4780c3213798df585d5fa31cb9beb636eccb0a97f8": (
        "TTugLVdaFLYUZ5CdzUpu2LppMF55RAurWy", "TKPqvci1TwVkkJatoQcboso2Jw6tNdUryn",
        "TQuCvgU5njYMhnL47ajAoqhMZirqtQiph9", "TEXYFRCmwbbyyuJG1djHanic1nNSFhspWP",
    ),
    "e0dba80b6b1cd71e9dc972924f072016008963014cd10c34d5ebd96d9b93ddcc": (
        "TLsYCgQ82LHeJLbPtondUN4wGm9ZpjDHuo", "THNTVbyvX1BHHphXw5N9kUhg5hMYC1fk3r",
        "TWnvbujUHt2qXZkk5e1m2MYAepQuArfXAU", "TQ4wSo6aREXV8sfoMtpPnUhUBtcG9EkU6n",
    ),
    "859eaafca1fb06f82c48a8aa81e349db09a810cbca54e5c555df47f13f32477c": (
        "TD4sngiZ8wPtZ8kvUkZG2ycfJQ12UJEihi", "TCu3hFcKAQL747whgYM9jVXQvPBwEuxheC",
        "TUFaA5dS9WJpu3n9pPKSK62WUdDGLhVyLY", "TDytWS9TNZ89DdMeTnQqYmPKmKk1Vp167d",
    ),
}  # fmt: skip

# The 21 bytes and the text of an address: Tron's documentation (Tron protocol overview, "base58
# check"), and the contract of USDT on mainnet and on Nile as wallets list them.
BASE58CHECK = [
    ("415a523b449890854c8fc460ab602df9f31fe4293f", "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW"),
    ("41a614f803b6fd780986a42c78ec9c7f77e6ded13c", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
    ("41ea51342dabbb928ae1e576bd39eff8aaf070a8c6", "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj"),
]

# github.com/anza-xyz/solana-sdk, address/src/lib.rs, test_create_program_address.
LOADER = Pubkey.from_string("BPFLoaderUpgradeab1e11111111111111111111111")
SEED = bytes(Pubkey.from_string("SeedPubey1111111111111111111111111111111111"))
PDA = [
    ([b"", b"\1"], "BwqrghZA2htAcqq8dzP1WDAhTXYTYWj7CHxF5j7TDBAe"),
    (["☉".encode(), b"\0"], "13yWmRpaTR4r5nAktwLqMpRNr28tnVUZw26rTvPSSB19"),
    ([b"Talking", b"Squirrels"], "2fnQrngrQT4SeLcdToJAD96phoEjNL2man2kfRLCASVk"),
    ([SEED, b"\1"], "976ymqVnfE32QFe6NfGDctSvVa36LWnvYxhU6G2232YL"),
]

# The first bump that gives an address: what the tests of clients in C++, Java and Kotlin share, and
# github.com/LMAX-Exchange/solana4j, BpfUpgradeableProgramTest (where a program's code lies).
FOUND = [
    ("6Cust2JhvweKLh4CVo1dt21s2PJ86uNGkziudpkNPaCj", "8VBafTNv1F8k5Bg7DTVwhitw3MGAMTmekHsgLuMJxLC8",
     "FGnnqkzkXUGKD7wtgJCqTemU3WZ6yYqkYJ8xoQoXVvUG"),
    ("BPFLoaderUpgradeab1e11111111111111111111111", "EYB1g5R8beNtVqDpKpmkKWtLdhBY8Wh7q3QT3U3fbw7y",
     "6HRdAxQMgxR9vxnfsfeYYuyyEabzJ8SiA3H2SJ4NFU9d"),
]  # fmt: skip

# github.com/solana-program/token, clients/js-legacy/test/unit/index.test.ts (the first two, the
# second with an owner off the curve), and a holder of PYUSD, a Token-2022 mint, as the tests of a
# client in TypeScript have it.
MINT, PYUSD = (
    "7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z",
    "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo",
)
ATA = [
    ("B8UwBUUnKwCyKuGMbFKWaG7exYdDk2ozZrPg72NyVbfj", MINT, TOKEN,
     "DShWnroshVbeUp28oopA3Pu7oFPDBtC1DBmPECXXAQ9n"),
    ("DShWnroshVbeUp28oopA3Pu7oFPDBtC1DBmPECXXAQ9n", MINT, TOKEN,
     "F3DmXZFqkfEWFA7MN2vDPs813GeEWPaT6nLk4PSGuWJd"),
    ("22Wnk8PwyWZV7BfkZGJEKT9jGGdtvu7xY6EXeRh7zkBa", PYUSD, TOKEN_2022,
     "5nu6HDY7t1Ds8oPNsArrhb1rzvRqmGubyteyAUncFyNb"),
]  # fmt: skip

# github.com/software-mansion/starknet.py, hash/address_test.py; the last from
# github.com/0xknwn/starknet-modular-account, src/tests/account.cairo.
CLASS = 951442054899045155353616354734460058868858519055082696003992725251069061570
ACCOUNT = 0x39D9E6CE352AD4530A0EF5D5A18FD3303C3606A7FA6AC5B620020AD681CC33B
STARKNET = [
    (0, 1111, CLASS, [21, 37],
     1357105550695717639826158786311415599375114169232402161465584707209611368775),
    (1234, 1111, CLASS, [21, 37],
     3179899882984850239687045389724311807765146621017486664543269641150383510696),
    (0, ACCOUNT, 0x53B91F19A9FDE9CBEF897670DA17208B6CE60D8DD4CF301C1F45A976FD6C18F,
     [ACCOUNT, 0x10], 0x14F21B3280BEC35CF2EF678EEF63CBB59F46BA0D00034A07716CA00A6A0FA8D),
]  # fmt: skip


@pytest.mark.parametrize(("deployer", "salt", "code", "result"), EIP_1014)
def test_create2_gives_the_results_of_eip_1014(
    deployer: str, salt: str, code: str, result: str
) -> None:
    made = create2_address(
        0xFF,
        bytes.fromhex(deployer[2:]),
        int(salt, 16).to_bytes(32, "big"),
        keccak256(bytes.fromhex(code)),
    )
    assert canonical_address("evm", "0x" + made.hex()) == result


@pytest.mark.parametrize(("code_hash", "results"), TRON.items(), ids=["third", "second", "first"])
def test_create2_on_tron_begins_with_41_and_gives_the_wallets_of_a_factory_there(
    code_hash: str, results: tuple[str, ...]
) -> None:
    for place, (salt, result) in enumerate(zip(SALTS, results, strict=True)):
        factory = base58.b58decode_check(FACTORY if place < 2 else NILE_FACTORY)
        made = create2_address(
            0x41, factory[1:], keccak256(salt.encode()), bytes.fromhex(code_hash)
        )
        assert canonical_address("tron", base58.b58encode_check(b"\x41" + made).decode()) == result


@pytest.mark.parametrize(("raw", "text"), BASE58CHECK)
def test_an_address_of_tron_is_written_as_its_documentation_does(raw: str, text: str) -> None:
    assert base58.b58encode_check(bytes.fromhex(raw)).decode() == text
    assert canonical_address("tron", text) == text


@pytest.mark.parametrize(("seeds", "result"), PDA)
def test_an_address_derived_from_a_program_is_what_solanas_own_tests_say(
    seeds: list[bytes], result: str
) -> None:
    assert str(Pubkey.create_program_address(seeds, LOADER)) == canonical_address("solana", result)
    assert not Pubkey.from_string(result).is_on_curve()


@pytest.mark.parametrize(("program", "seed", "result"), FOUND)
def test_the_address_that_a_program_finds_is_what_published_tests_say(
    program: str, seed: str, result: str
) -> None:
    assert derive_address(program, bytes(Pubkey.from_string(seed))) == result


@pytest.mark.parametrize(("owner", "mint", "program", "result"), ATA)
def test_an_associated_token_account_is_what_the_token_programs_own_tests_say(
    owner: str, mint: str, program: str, result: str
) -> None:
    assert associated_token_account(owner, mint, program) == result


@pytest.mark.parametrize(("deployer", "salt", "class_hash", "calldata", "result"), STARKNET)
def test_an_address_of_starknet_is_what_published_tests_say(
    deployer: int, salt: int, class_hash: int, calldata: list[int], result: int
) -> None:
    assert contract_address(class_hash, salt, calldata, deployer) == result
