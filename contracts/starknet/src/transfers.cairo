//! Balances and transfers of ERC-20 tokens with snake_case or camelCase entry points.

use array::{ArrayTrait, SpanTrait};
use option::OptionTrait;
use serde::Serde;
use starknet::{call_contract_syscall, ContractAddress, SyscallResult};
use traits::{Into, TryInto};

// Selectors of token entry points: balance_of, balanceOf, transfer, transfer_from, transferFrom.
const BALANCE_OF: felt252 =
    0x35a73cd311a05d46deda634c5ee045db92f811b4e74bca4437fcb5302b7af33;
const BALANCE_OF_CAMEL: felt252 =
    0x2e4263afad30923c891518314c3c95dbe830a16874e8abc5777a9a20b54c76e;
const TRANSFER: felt252 =
    0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e;
const TRANSFER_FROM: felt252 =
    0x3704ffe8fba161be0e994951751a5033b1462b918ff785c0a636be718dfdb68;
const TRANSFER_FROM_CAMEL: felt252 =
    0x41b033f4a31df8067c24d1e9b550a2ce75fd4a29e1147af9752174f0e6cb20;

/// The balance of an address; panics if the token does not return one.
fn balance_of(token: ContractAddress, owner: ContractAddress) -> u256 {
    let mut data = ArrayTrait::new();
    owner.serialize(ref data);
    match call_either(token, BALANCE_OF, BALANCE_OF_CAMEL, data.span()) {
        Result::Ok(result) => {
            let mut felts = result;
            match Serde::<u256>::deserialize(ref felts) {
                Option::Some(balance) => balance,
                Option::None => panic_with_felt252('BALANCE_UNKNOWN'),
            }
        },
        Result::Err(_) => panic_with_felt252('BALANCE_UNKNOWN'),
    }
}

/// Transfer from the calling contract. Returns false if the transfer failed; nothing moved then.
fn try_transfer(token: ContractAddress, to: ContractAddress, amount: u256) -> bool {
    let mut data = ArrayTrait::new();
    to.serialize(ref data);
    amount.serialize(ref data);
    succeeded(call_contract_syscall(token, TRANSFER, data.span()))
}

/// Transfer a token by allowance. Returns false if the transfer failed; nothing moved then.
fn try_transfer_from(
    token: ContractAddress, from: ContractAddress, to: ContractAddress, amount: u256
) -> bool {
    let mut data = ArrayTrait::new();
    from.serialize(ref data);
    to.serialize(ref data);
    amount.serialize(ref data);
    succeeded(call_either(token, TRANSFER_FROM, TRANSFER_FROM_CAMEL, data.span()))
}

/// Call an entry point by its snake_case selector, or by its camelCase one if the token has no other.
fn call_either(
    token: ContractAddress, snake_case: felt252, camel_case: felt252, data: Span<felt252>
) -> SyscallResult<Span<felt252>> {
    match call_contract_syscall(token, snake_case, data) {
        Result::Ok(result) => Result::Ok(result),
        Result::Err(error) => {
            if error.len() != 0 && *error.at(0) == 'ENTRYPOINT_NOT_FOUND' {
                call_contract_syscall(token, camel_case, data)
            } else {
                Result::Err(error)
            }
        },
    }
}

/// A call succeeds unless it panics or returns false; older tokens return nothing.
fn succeeded(result: SyscallResult<Span<felt252>>) -> bool {
    match result {
        Result::Ok(returned) => returned.len() == 0 || *returned.at(0) == 1,
        Result::Err(_) => false,
    }
}
