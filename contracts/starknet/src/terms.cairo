//! The terms of an intent on this chain, and their hashes, which are the same on every chain.

use array::{ArrayTrait, SpanTrait};
use box::BoxTrait;
use integer::u128_byte_reverse;
use keccak::keccak_u256s_be_inputs;
use option::OptionTrait;
use serde::Serde;
use starknet::ContractAddress;
use traits::{Into, TryInto};

/// The source chain's terms of an intent. `token` is never zero: STRK is a token, too.
#[derive(Copy, Drop, Serde)]
struct Source {
    chain: u256,
    nonce: u256,
    token: ContractAddress,
    total: u256, // The deposit amount: a start pays exactly this to `bridger`.
    bridger: ContractAddress, // The collecting account.
    refund_to: ContractAddress,
    coordinator: ContractAddress,
    expiry: u256, // Unix time in seconds: start before, refund from then on.
}

/// The intent hash: identifies an intent; the salt of its deposit address follows from it.
fn hash_intent(source: Source, dest_hash: u256) -> u256 {
    let mut words = ArrayTrait::new();
    words.append(source.chain);
    words.append(source.nonce);
    words.append(address_word(source.token));
    words.append(source.total);
    words.append(address_word(source.bridger));
    words.append(address_word(source.refund_to));
    words.append(address_word(source.coordinator));
    words.append(source.expiry);
    join_hashes(keccak_words(words), dest_hash)
}

/// The hash of the destination chain's terms, where that chain is this one.
fn hash_destination(
    chain: u256, token: ContractAddress, recipient: ContractAddress, amount: u256
) -> u256 {
    let mut words = ArrayTrait::new();
    words.append(chain);
    words.append(address_word(token));
    words.append(address_word(recipient));
    words.append(amount);
    keccak_words(words)
}

fn join_hashes(source_hash: u256, dest_hash: u256) -> u256 {
    let mut words = ArrayTrait::new();
    words.append(source_hash);
    words.append(dest_hash);
    keccak_words(words)
}

fn address_word(address: ContractAddress) -> u256 {
    let felt: felt252 = address.into();
    felt.into()
}

/// keccak256 of 32-byte words as a big-endian number, as on every chain.
fn keccak_words(words: Array<u256>) -> u256 {
    reverse_bytes(keccak_u256s_be_inputs(words.span()))
}

/// Starknet's keccak returns a little-endian number.
fn reverse_bytes(little: u256) -> u256 {
    u256 { low: u128_byte_reverse(little.high), high: u128_byte_reverse(little.low) }
}

/// The word of this chain in the terms: keccak256 of its CAIP-2 name, "starknet:" and the chain id.
fn chain_word() -> u256 {
    let mut reversed = ArrayTrait::new();
    let id = starknet::get_tx_info().unbox().chain_id;
    append_reversed(id.into(), ref reversed);
    append_reversed(u256 { low: 'starknet:', high: 0 }, ref reversed);
    reverse_bytes(keccak_text(reversed.span()))
}

/// Append the bytes of a short string, the last one first.
fn append_reversed(mut text: u256, ref bytes: Array<u64>) {
    loop {
        if text == 0 {
            break;
        }
        let byte = text % 256;
        bytes.append(byte.low.try_into().unwrap());
        text = text / 256;
    };
}

fn keccak_text(mut reversed: Span<u64>) -> u256 {
    let mut words: Array<u64> = ArrayTrait::new();
    let mut last: u64 = 0;
    let mut count: u32 = 0;
    let mut scale: u64 = 1;
    loop {
        match reversed.pop_back() {
            Option::Some(byte) => {
                last += *byte * scale;
                count += 1;
                if count == 8 {
                    words.append(last);
                    last = 0;
                    count = 0;
                    scale = 1;
                } else {
                    scale *= 256;
                }
            },
            Option::None => {
                break;
            },
        };
    };
    keccak::cairo_keccak(ref words, last, count)
}
