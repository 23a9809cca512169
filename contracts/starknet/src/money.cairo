//! Moving ERC-20 tokens, old and new, whatever a token answers.

use array::{ArrayTrait, SpanTrait};
use option::OptionTrait;
use serde::Serde;
use starknet::{call_contract_syscall, ContractAddress, SyscallResult};
use traits::{Into, TryInto};

// The names of the entry points of tokens, hashed: balance_of, balanceOf, transfer, transfer_from,
// transferFrom.
const BALANCE_OF: felt252 =
    0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33;
const OLD_BALANCE_OF: felt252 =
    0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e;
const TRANSFER: felt252 =
    0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e;
const TRANSFER_FROM: felt252 =
    0x3704ffe8fba161be0e994951751a5033b1462b918ff785c0a636be718dfdb68;
const OLD_TRANSFER_FROM: felt252 =
    0x41b033f4a31df8067c24d1e9b550a2ce75fd4a29e1147af9752174f0e6cb20;

/// What an address holds; panics where the token does not say.
fn held(token: ContractAddress, owner: ContractAddress) -> u256 {
    let mut data = ArrayTrait::new();
    owner.serialize(ref data);
    match called(token, BALANCE_OF, OLD_BALANCE_OF, data.span()) {
        Result::Ok(answer) => {
            let mut rest = answer;
            match Serde::<u256>::deserialize(ref rest) {
                Option::Some(units) => units,
                Option::None => panic_with_felt252('BALANCE_UNKNOWN'),
            }
        },
        Result::Err(_) => panic_with_felt252('BALANCE_UNKNOWN'),
    }
}

/// Send from the calling contract; false when it was refused, and then nothing moved.
fn send(token: ContractAddress, to: ContractAddress, units: u256) -> bool {
    let mut data = ArrayTrait::new();
    to.serialize(ref data);
    units.serialize(ref data);
    agreed(call_contract_syscall(token, TRANSFER, data.span()))
}

/// Take a token by allowance; false when it was refused, and then nothing moved.
fn pull(token: ContractAddress, from: ContractAddress, to: ContractAddress, units: u256) -> bool {
    let mut data = ArrayTrait::new();
    from.serialize(ref data);
    to.serialize(ref data);
    units.serialize(ref data);
    agreed(called(token, TRANSFER_FROM, OLD_TRANSFER_FROM, data.span()))
}

/// Call a token by its new name, and by its old one where it does not know the new one.
fn called(
    token: ContractAddress, new: felt252, old: felt252, data: Span<felt252>
) -> SyscallResult<Span<felt252>> {
    match call_contract_syscall(token, new, data) {
        Result::Ok(answer) => Result::Ok(answer),
        Result::Err(why) => {
            if why.len() != 0 && *why.at(0) == 'ENTRYPOINT_NOT_FOUND' {
                call_contract_syscall(token, old, data)
            } else {
                Result::Err(why)
            }
        },
    }
}

/// A call that worked unless it panicked or answered false; old tokens answer nothing.
fn agreed(result: SyscallResult<Span<felt252>>) -> bool {
    match result {
        Result::Ok(answer) => answer.len() == 0 || *answer.at(0) == 1,
        Result::Err(_) => false,
    }
}
