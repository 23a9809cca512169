//! The contract that holds collected deposits until they are paid out.

use crossway::terms::Source;
use starknet::ContractAddress;

#[derive(Copy, Drop, Serde)]
struct Payout {
    to: ContractAddress,
    amount: u256,
}

#[starknet::interface]
trait IEscrow<TContractState> {
    fn settle(ref self: TContractState, source: Source, dest_hash: u256, payouts: Array<Payout>);
    fn withdraw(
        ref self: TContractState, token: ContractAddress, to: ContractAddress, amount: u256
    );
    fn settled(self: @TContractState, intent_hash: u256) -> bool;
    fn executed(self: @TContractState, intent_hashes: Array<u256>) -> Array<bool>;
    fn retained(
        self: @TContractState, coordinator: ContractAddress, token: ContractAddress
    ) -> u256;
    fn factory(self: @TContractState) -> ContractAddress;
}

/// Holds collected deposits until the coordinator of the terms pays them out, once per intent: to
/// the relayer and the treasury, or back to the payer. Shared by any number of coordinators; none
/// can touch the deposits of another's intents. Has no owner.
#[starknet::contract]
mod Escrow {
    use array::{ArrayTrait, SpanTrait};
    use crossway::intent_factory::{IIntentFactoryDispatcher, IIntentFactoryDispatcherTrait};
    use crossway::transfers;
    use crossway::terms;
    use crossway::terms::Source;
    use crossway::movement_kinds::{SETTLE, WITHDRAW};
    use option::OptionTrait;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use super::Payout;
    use zeroable::Zeroable;

    #[storage]
    struct Storage {
        chain: u256,
        factory: ContractAddress,
        locked: bool,
        // Whether the deposit of an intent was paid out.
        settled: LegacyMap<u256, bool>,
        // Retained amounts of settled deposits, by coordinator and token.
        retained: LegacyMap<(ContractAddress, ContractAddress), u256>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        TokensMoved: TokensMoved,
        Retained: Retained,
    }

    #[derive(Drop, starknet::Event)]
    struct Retained {
        #[key]
        intent_hash: u256,
        #[key]
        coordinator: ContractAddress,
        #[key]
        token: ContractAddress,
        amount: u256,
    }

    /// A transfer of tokens; these contracts make none without this event. `caller` is the account
    /// that called the contract; `intent_hash` is zero only for WITHDRAW.
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
    fn constructor(ref self: ContractState, factory: ContractAddress) {
        self.chain.write(terms::chain_word());
        self.factory.write(factory);
    }

    #[external(v0)]
    impl EscrowImpl of super::IEscrow<ContractState> {
        /// Pay out the deposit of an intent; what remains after the payouts is retained.
        fn settle(
            ref self: ContractState, source: Source, dest_hash: u256, payouts: Array<Payout>
        ) {
            self.lock();
            assert(source.chain == self.chain.read(), 'WRONG_CHAIN');
            assert(source.bridger == get_contract_address(), 'INVALID_TERMS');
            let factory = IIntentFactoryDispatcher { contract_address: self.factory.read() };
            let caller = get_caller_address();
            assert(factory.is_authorized(source.coordinator, caller), 'NOT_AUTHORIZED');
            let intent_hash = terms::hash_intent(source, dest_hash);
            assert(!self.settled.read(intent_hash), 'ALREADY_SETTLED');
            assert(factory.started(intent_hash), 'NOT_STARTED');
            self.settled.write(intent_hash, true);
            let remaining = self.pay_all(source, intent_hash, payouts.span());
            if remaining != 0 {
                self.retain(source, intent_hash, remaining);
            }
            self.unlock();
        }

        /// Withdraw retained amounts of the caller's intents.
        fn withdraw(
            ref self: ContractState, token: ContractAddress, to: ContractAddress, amount: u256
        ) {
            self.lock();
            let retained_key = (get_caller_address(), token);
            let retained = self.retained.read(retained_key);
            assert(amount <= retained, 'EXCEEDS_AVAILABLE');
            self.retained.write(retained_key, retained - amount);
            self.pay(0, WITHDRAW, token, to, amount);
            self.unlock();
        }

        fn settled(self: @ContractState, intent_hash: u256) -> bool {
            self.settled.read(intent_hash)
        }

        /// Which of these intents were settled.
        fn executed(self: @ContractState, intent_hashes: Array<u256>) -> Array<bool> {
            let mut results = ArrayTrait::new();
            let mut hashes = intent_hashes.span();
            loop {
                match hashes.pop_front() {
                    Option::Some(hash) => results.append(self.settled.read(*hash)),
                    Option::None => {
                        break;
                    },
                };
            };
            results
        }

        fn retained(
            self: @ContractState, coordinator: ContractAddress, token: ContractAddress
        ) -> u256 {
            self.retained.read((coordinator, token))
        }

        fn factory(self: @ContractState) -> ContractAddress {
            self.factory.read()
        }
    }

    #[generate_trait]
    impl InternalImpl of InternalTrait {
        /// Tokens cannot call back into this contract during the call.
        fn lock(ref self: ContractState) {
            assert(!self.locked.read(), 'REENTRANT_CALL');
            self.locked.write(true);
        }

        fn unlock(ref self: ContractState) {
            self.locked.write(false);
        }

        /// Make every payout. Returns what remains of the total.
        fn pay_all(
            ref self: ContractState, source: Source, intent_hash: u256, payouts: Span<Payout>
        ) -> u256 {
            let mut remaining = source.total;
            let mut unpaid = payouts;
            loop {
                match unpaid.pop_front() {
                    Option::Some(payout) => {
                        let Payout{to, amount } = *payout;
                        assert(amount <= remaining, 'EXCEEDS_AVAILABLE');
                        remaining -= amount;
                        self.pay(intent_hash, SETTLE, source.token, to, amount);
                    },
                    Option::None => {
                        break;
                    },
                };
            };
            remaining
        }

        fn retain(ref self: ContractState, source: Source, intent_hash: u256, amount: u256) {
            let retained_key = (source.coordinator, source.token);
            self.retained.write(retained_key, self.retained.read(retained_key) + amount);
            let (coordinator, token) = retained_key;
            self.emit(Event::Retained(Retained { intent_hash, coordinator, token, amount }));
        }

        fn pay(
            ref self: ContractState,
            intent_hash: u256,
            kind: u8,
            token: ContractAddress,
            to: ContractAddress,
            amount: u256
        ) {
            assert(amount != 0, 'NOTHING_TO_TRANSFER');
            assert(!to.is_zero() && transfers::try_transfer(token, to, amount), 'TRANSFER_FAILED');
            let (caller, from) = (get_caller_address(), get_contract_address());
            let event = TokensMoved { intent_hash, caller, kind, token, from, to, amount };
            self.emit(Event::TokensMoved(event));
        }
    }
}
