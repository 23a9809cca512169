//! The Starknet contracts and what they share.
mod terms;
mod transfers;
mod movement_kinds;
mod deposit_address;
mod intent_factory;
mod escrow;
mod filler;
