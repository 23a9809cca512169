//! The contract that pays recipients on the destination chain.

use starknet::ContractAddress;

#[starknet::interface]
trait IFiller<TContractState> {
    fn fill(
        ref self: TContractState,
        source_hash: u256,
        token: ContractAddress,
        recipient: ContractAddress,
        amount: u256
    );
    fn filled(self: @TContractState, intent_hash: u256) -> bool;
    fn executed(self: @TContractState, intent_hashes: Array<u256>) -> Array<bool>;
}

/// Pays recipients on the destination chain with the caller's funds, once per intent. The intent
/// hash is computed from what is paid, so paying less, another token or another recipient cannot
/// mark an intent as filled. Holds no funds and has no owner.
#[starknet::contract]
mod Filler {
    use array::{ArrayTrait, SpanTrait};
    use crossway::transfers;
    use crossway::terms;
    use crossway::movement_kinds::FILL;
    use option::OptionTrait;
    use starknet::{ContractAddress, get_caller_address};
    use zeroable::Zeroable;

    #[storage]
    struct Storage {
        chain: u256,
        locked: bool,
        // Whether the recipient of an intent was paid.
        filled: LegacyMap<u256, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        TokensMoved: TokensMoved,
    }

    /// A transfer of tokens; these contracts make none without this event. `caller` is the account
    /// that called the contract.
    #[derive(Drop, starknet::Event)]
    struct TokensMoved {
        #[key]
        intent_hash: u256,
        #[key]
        caller: ContractAddress,
        #[key]
        kind: u8,
        token: ContractAddress,
        from: ContractAddress,
        to: ContractAddress,
        amount: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState) {
        self.chain.write(terms::chain_word());
    }

    #[external(v0)]
    impl FillerImpl of super::IFiller<ContractState> {
        /// Pay `amount` of `token` to `recipient` by the caller's allowance to this contract. Anyone
        /// can call this.
        fn fill(
            ref self: ContractState,
            source_hash: u256,
            token: ContractAddress,
            recipient: ContractAddress,
            amount: u256
        ) {
            assert(!self.locked.read(), 'REENTRANT_CALL');
            self.locked.write(true);
            assert(amount != 0 && !recipient.is_zero() && !token.is_zero(), 'INVALID_TERMS');
            let dest_hash = terms::hash_destination(self.chain.read(), token, recipient, amount);
            let intent_hash = terms::join_hashes(source_hash, dest_hash);
            assert(!self.filled.read(intent_hash), 'ALREADY_FILLED');
            self.filled.write(intent_hash, true);
            let caller = get_caller_address();
            transfer_from_caller(token, caller, recipient, amount);
            self
                .emit(
                    Event::TokensMoved(
                        TokensMoved {
                            intent_hash, caller, kind: FILL, token, from: caller, to: recipient,
                            amount: amount
                        }
                    )
                );
            self.locked.write(false);
        }

        fn filled(self: @ContractState, intent_hash: u256) -> bool {
            self.filled.read(intent_hash)
        }

        /// Which of these intents were filled.
        fn executed(self: @ContractState, intent_hashes: Array<u256>) -> Array<bool> {
            let mut results = ArrayTrait::new();
            let mut hashes = intent_hashes.span();
            loop {
                match hashes.pop_front() {
                    Option::Some(hash) => results.append(self.filled.read(*hash)),
                    Option::None => {
                        break;
                    },
                };
            };
            results
        }
    }

    /// Transfer by the caller's allowance; the recipient must receive all of it. A payment to
    /// oneself changes no balance.
    fn transfer_from_caller(
        token: ContractAddress, from: ContractAddress, to: ContractAddress, amount: u256
    ) {
        let balance_before = transfers::balance_of(token, to);
        assert(transfers::try_transfer_from(token, from, to, amount), 'TRANSFER_FAILED');
        if to != from {
            assert(transfers::balance_of(token, to) >= balance_before + amount, 'RECEIVED_LESS');
        }
    }
}
