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
    fn filled(self: @TContractState, key: u256) -> bool;
    fn used(self: @TContractState, keys: Array<u256>) -> Array<bool>;
}

/// Pays out of the caller's own money, once an intent. The key is computed from what is paid, so
/// that no intent can be marked as filled by paying less, another token or another recipient. Holds
/// nothing and is owned by nobody.
#[starknet::contract]
mod Filler {
    use array::{ArrayTrait, SpanTrait};
    use crossway::money;
    use crossway::terms;
    use crossway::why::FILL;
    use option::OptionTrait;
    use starknet::{ContractAddress, get_caller_address};
    use zeroable::Zeroable;

    #[storage]
    struct Storage {
        chain: u256,
        entered: bool,
        // Intents whose recipient was paid.
        filled: LegacyMap<u256, bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Moved: Moved,
    }

    /// One movement; no contract of Crossway moves money without one. `caller` called the contract.
    #[derive(Drop, starknet::Event)]
    struct Moved {
        #[key]
        key: u256,
        #[key]
        caller: ContractAddress,
        #[key]
        why: u8,
        token: ContractAddress,
        from: ContractAddress,
        to: ContractAddress,
        units: u256,
    }

    #[constructor]
    fn constructor(ref self: ContractState) {
        self.chain.write(terms::chain_word());
    }

    #[external(v0)]
    impl Filling of super::IFiller<ContractState> {
        /// Pay `amount` of `token` to `recipient`, by the caller's allowance to this contract.
        /// Anyone may.
        fn fill(
            ref self: ContractState,
            source_hash: u256,
            token: ContractAddress,
            recipient: ContractAddress,
            amount: u256
        ) {
            assert(!self.entered.read(), 'ENTERED');
            self.entered.write(true);
            assert(amount != 0 && !recipient.is_zero() && !token.is_zero(), 'BAD_TERMS');
            let dest_hash = terms::dest_hash_of(self.chain.read(), token, recipient, amount);
            let key = terms::join(source_hash, dest_hash);
            assert(!self.filled.read(key), 'ALREADY_FILLED');
            self.filled.write(key, true);
            let caller = get_caller_address();
            take(token, caller, recipient, amount);
            self
                .emit(
                    Event::Moved(
                        Moved {
                            key, caller, why: FILL, token, from: caller, to: recipient,
                            units: amount
                        }
                    )
                );
            self.entered.write(false);
        }

        fn filled(self: @ContractState, key: u256) -> bool {
            self.filled.read(key)
        }

        /// Which of these intents were filled.
        fn used(self: @ContractState, keys: Array<u256>) -> Array<bool> {
            let mut answers = ArrayTrait::new();
            let mut left = keys.span();
            loop {
                match left.pop_front() {
                    Option::Some(key) => answers.append(self.filled.read(*key)),
                    Option::None => {
                        break;
                    },
                };
            };
            answers
        }
    }

    /// Take a token from one to another, who must have all of it afterwards. Who pays himself has
    /// no more than before.
    fn take(token: ContractAddress, from: ContractAddress, to: ContractAddress, units: u256) {
        let before = money::held(token, to);
        assert(money::pull(token, from, to, units), 'REFUSED');
        if to != from {
            assert(money::held(token, to) >= before + units, 'RECEIVED_LESS');
        }
    }
}
