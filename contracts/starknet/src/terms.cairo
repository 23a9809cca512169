//! What an intent's terms are on this chain, and the hashes that name them on every chain.

use array::{ArrayTrait, SpanTrait};
use box::BoxTrait;
use integer::u128_byte_reverse;
use keccak::keccak_u256s_be_inputs;
use option::OptionTrait;
use serde::Serde;
use starknet::ContractAddress;
use traits::{Into, TryInto};

/// What an intent says about its source chain. `token` is never zero: STRK is a token, too.
#[derive(Copy, Drop, Serde)]
struct Source {
    chain: u256,
    nonce: u256,
    token: ContractAddress,
    total: u256, // What start pays to `bridger`, exactly.
    bridger: ContractAddress,
    refund_to: ContractAddress,
    coordinator: ContractAddress,
    expiry: u256, // In seconds. Start before, refund from then on.
}

/// keccak256(source hash, dest hash): the intent's key.
fn key_of(source: Source, dest_hash: u256) -> u256 {
    let mut words = ArrayTrait::new();
    words.append(source.chain);
    words.append(source.nonce);
    words.append(word(source.token));
    words.append(source.total);
    words.append(word(source.bridger));
    words.append(word(source.refund_to));
    words.append(word(source.coordinator));
    words.append(source.expiry);
    join(hashed(words), dest_hash)
}

/// The hash of what is to be paid on this chain.
fn dest_hash_of(
    chain: u256, token: ContractAddress, recipient: ContractAddress, amount: u256
) -> u256 {
    let mut words = ArrayTrait::new();
    words.append(chain);
    words.append(word(token));
    words.append(word(recipient));
    words.append(amount);
    hashed(words)
}

fn join(source_hash: u256, dest_hash: u256) -> u256 {
    let mut words = ArrayTrait::new();
    words.append(source_hash);
    words.append(dest_hash);
    hashed(words)
}

fn word(address: ContractAddress) -> u256 {
    let felt: felt252 = address.into();
    felt.into()
}

/// keccak256 over words of 32 bytes; as on every chain, its first byte is the highest.
fn hashed(words: Array<u256>) -> u256 {
    turned(keccak_u256s_be_inputs(words.span()))
}

/// Starknet's keccak answers with the first byte as the lowest.
fn turned(little: u256) -> u256 {
    u256 { low: u128_byte_reverse(little.high), high: u128_byte_reverse(little.low) }
}

/// The word of the chain on which this runs: keccak256 of "starknet:" and the chain's id as text.
fn chain_word() -> u256 {
    let mut backwards = ArrayTrait::new();
    let id = starknet::get_tx_info().unbox().chain_id;
    append_backwards(id.into(), ref backwards);
    append_backwards(u256 { low: 'starknet:', high: 0 }, ref backwards);
    turned(keccak_of_text(backwards.span()))
}

/// The bytes of a short text, the last one first.
fn append_backwards(mut text: u256, ref bytes: Array<u64>) {
    loop {
        if text == 0 {
            break;
        }
        let byte = text % 256;
        bytes.append(byte.low.try_into().unwrap());
        text = text / 256;
    };
}

fn keccak_of_text(mut backwards: Span<u64>) -> u256 {
    let mut words: Array<u64> = ArrayTrait::new();
    let mut last: u64 = 0;
    let mut count: u32 = 0;
    let mut scale: u64 = 1;
    loop {
        match backwards.pop_back() {
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
