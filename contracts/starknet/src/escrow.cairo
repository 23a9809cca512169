//! The contract that holds what starts collected until it is paid out.

use crossway::terms::Source;
use starknet::ContractAddress;

#[derive(Copy, Drop, Serde)]
struct Payout {
    to: ContractAddress,
    units: u256,
}

#[starknet::interface]
trait IEscrow<TContractState> {
    fn settle(ref self: TContractState, source: Source, dest_hash: u256, payouts: Array<Payout>);
    fn withdraw(ref self: TContractState, token: ContractAddress, to: ContractAddress, units: u256);
    fn settled(self: @TContractState, key: u256) -> bool;
    fn used(self: @TContractState, keys: Array<u256>) -> Array<bool>;
    fn kept(self: @TContractState, coordinator: ContractAddress, token: ContractAddress) -> u256;
    fn intents(self: @TContractState) -> ContractAddress;
}

/// Pays out what starts collected, once an intent, as the coordinator named in the terms says: to
/// the relayer and the treasury, or back to the payer. Any number of coordinators share it; none
/// can touch what belongs to an intent of another. Nobody owns it.
#[starknet::contract]
mod Escrow {
    use array::{ArrayTrait, SpanTrait};
    use crossway::intent_factory::{IIntentFactoryDispatcher, IIntentFactoryDispatcherTrait};
    use crossway::money;
    use crossway::terms;
    use crossway::terms::Source;
    use crossway::why::{SETTLE, WITHDRAW};
    use option::OptionTrait;
    use starknet::{ContractAddress, get_caller_address, get_contract_address};
    use super::Payout;
    use zeroable::Zeroable;

    #[storage]
    struct Storage {
        chain: u256,
        intents: ContractAddress,
        entered: bool,
        // Intents whose total was paid out.
        settled: LegacyMap<u256, bool>,
        // What stayed of settled totals, a coordinator's to withdraw: coordinator, token.
        kept: LegacyMap<(ContractAddress, ContractAddress), u256>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Moved: Moved,
        Kept: Kept,
    }

    #[derive(Drop, starknet::Event)]
    struct Kept {
        #[key]
        key: u256,
        #[key]
        coordinator: ContractAddress,
        #[key]
        token: ContractAddress,
        units: u256,
    }

    /// One movement; no contract of Crossway moves money without one. `caller` called the contract,
    /// `key` is zero only for WITHDRAW.
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
    fn constructor(ref self: ContractState, intents: ContractAddress) {
        self.chain.write(terms::chain_word());
        self.intents.write(intents);
    }

    #[external(v0)]
    impl Holding of super::IEscrow<ContractState> {
        /// Pay out an intent's total; what no payout names stays for the coordinator.
        fn settle(
            ref self: ContractState, source: Source, dest_hash: u256, payouts: Array<Payout>
        ) {
            self.enter();
            assert(source.chain == self.chain.read(), 'WRONG_CHAIN');
            assert(source.bridger == get_contract_address(), 'BAD_TERMS');
            let intents = IIntentFactoryDispatcher { contract_address: self.intents.read() };
            assert(intents.may_act(source.coordinator, get_caller_address()), 'NOT_ALLOWED');
            let key = terms::key_of(source, dest_hash);
            assert(!self.settled.read(key), 'ALREADY_SETTLED');
            assert(intents.started(key), 'NOT_STARTED');
            self.settled.write(key, true);
            let rest = self.pay_all(source, key, payouts.span());
            if rest != 0 {
                self.keep(source, key, rest);
            }
            self.leave();
        }

        /// Take out what stayed of the caller's intents.
        fn withdraw(
            ref self: ContractState, token: ContractAddress, to: ContractAddress, units: u256
        ) {
            self.enter();
            let place = (get_caller_address(), token);
            let kept = self.kept.read(place);
            assert(units <= kept, 'TOO_MUCH');
            self.kept.write(place, kept - units);
            self.pay(0, WITHDRAW, token, to, units);
            self.leave();
        }

        fn settled(self: @ContractState, key: u256) -> bool {
            self.settled.read(key)
        }

        /// Which of these intents were paid out.
        fn used(self: @ContractState, keys: Array<u256>) -> Array<bool> {
            let mut answers = ArrayTrait::new();
            let mut left = keys.span();
            loop {
                match left.pop_front() {
                    Option::Some(key) => answers.append(self.settled.read(*key)),
                    Option::None => {
                        break;
                    },
                };
            };
            answers
        }

        fn kept(
            self: @ContractState, coordinator: ContractAddress, token: ContractAddress
        ) -> u256 {
            self.kept.read((coordinator, token))
        }

        fn intents(self: @ContractState) -> ContractAddress {
            self.intents.read()
        }
    }

    #[generate_trait]
    impl Inner of InnerTrait {
        /// Nobody who is called meanwhile can call back into this contract.
        fn enter(ref self: ContractState) {
            assert(!self.entered.read(), 'ENTERED');
            self.entered.write(true);
        }

        fn leave(ref self: ContractState) {
            self.entered.write(false);
        }

        /// Make every payout; what is left of the total.
        fn pay_all(
            ref self: ContractState, source: Source, key: u256, payouts: Span<Payout>
        ) -> u256 {
            let mut rest = source.total;
            let mut left = payouts;
            loop {
                match left.pop_front() {
                    Option::Some(payout) => {
                        let Payout{to, units } = *payout;
                        assert(units <= rest, 'TOO_MUCH');
                        rest -= units;
                        self.pay(key, SETTLE, source.token, to, units);
                    },
                    Option::None => {
                        break;
                    },
                };
            };
            rest
        }

        fn keep(ref self: ContractState, source: Source, key: u256, units: u256) {
            let place = (source.coordinator, source.token);
            self.kept.write(place, self.kept.read(place) + units);
            let (coordinator, token) = place;
            self.emit(Event::Kept(Kept { key, coordinator, token, units }));
        }

        fn pay(
            ref self: ContractState,
            key: u256,
            why: u8,
            token: ContractAddress,
            to: ContractAddress,
            units: u256
        ) {
            assert(units != 0, 'NOTHING_LEFT');
            assert(!to.is_zero() && money::send(token, to, units), 'REFUSED');
            let (caller, from) = (get_caller_address(), get_contract_address());
            self.emit(Event::Moved(Moved { key, caller, why, token, from, to, units }));
        }
    }
}
