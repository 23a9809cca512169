//! What the Starknet contracts are made of.
mod terms;
mod money;
mod why;
mod deposit_address;
mod intent_factory;
mod escrow;
mod filler;
