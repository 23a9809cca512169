//! The contract that makes deposit addresses and decides what leaves them.

use crossway::terms::Source;
use starknet::ContractAddress;

#[starknet::interface]
trait IIntentFactory<TContractState> {
    fn start(ref self: TContractState, source: Source, dest_hash: u256);
    fn refund(ref self: TContractState, source: Source, dest_hash: u256, token: ContractAddress);
    fn redirect(
        ref self: TContractState,
        source: Source,
        dest_hash: u256,
        token: ContractAddress,
        to: ContractAddress
    );
    fn set_agent(ref self: TContractState, agent: ContractAddress, allowed: bool);
    fn may_act(
        self: @TContractState, coordinator: ContractAddress, who: ContractAddress
    ) -> bool;
    fn started(self: @TContractState, key: u256) -> bool;
    fn used(self: @TContractState, keys: Array<u256>) -> Array<bool>;
    fn address_of(self: @TContractState, key: u256) -> ContractAddress;
    fn key_of(self: @TContractState, source: Source, dest_hash: u256) -> u256;
    fn deposit_class(self: @TContractState) -> starknet::ClassHash;
    fn chain_word(self: @TContractState) -> u256;
}

/// The exact total goes to `bridger`, once and before expiry; everything else to `refund_to`.
/// Nobody owns it, and nothing in it can be changed.
#[starknet::contract]
mod IntentFactory {
    use array::{ArrayTrait, SpanTrait};
    use crossway::deposit_address::{IDepositAddressDispatcher, IDepositAddressDispatcherTrait};
    use crossway::money;
    use crossway::terms;
    use crossway::terms::Source;
    use crossway::why::{EXCESS, REFUND, START};
    use option::OptionTrait;
    use starknet::{
        ClassHash, ContractAddress, deploy_syscall, get_block_timestamp, get_caller_address,
        get_contract_address
    };
    use traits::{Into, TryInto};
    use zeroable::Zeroable;

    /// After expiry, how many seconds `refund_to` has before the coordinator may name another.
    const GRACE: u256 = 259200;
    /// Addresses are hashes modulo this number.
    const ADDRESSES: u256 = 0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00;

    #[storage]
    struct Storage {
        chain: u256,
        deposit_class: ClassHash,
        entered: bool,
        // Intents that were started.
        started: LegacyMap<u256, bool>,
        // Deposit addresses that have their code.
        deposits: LegacyMap<u256, ContractAddress>,
        // Accounts that act for a coordinator.
        agents: LegacyMap<(ContractAddress, ContractAddress), bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Moved: Moved,
        Agent: Agent,
    }

    #[derive(Drop, starknet::Event)]
    struct Agent {
        #[key]
        coordinator: ContractAddress,
        #[key]
        agent: ContractAddress,
        allowed: bool,
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
    fn constructor(ref self: ContractState, deposit_class: ClassHash) {
        self.chain.write(terms::chain_word());
        self.deposit_class.write(deposit_class);
    }

    #[external(v0)]
    impl Deciding of super::IIntentFactory<ContractState> {
        /// Pay the exact total to `bridger` and what is over, best effort, to `refund_to`. Anyone
        /// may.
        fn start(ref self: ContractState, source: Source, dest_hash: u256) {
            self.enter();
            assert(source.chain == self.chain.read(), 'WRONG_CHAIN');
            assert(now() < source.expiry, 'EXPIRED');
            assert(source.total != 0 && !source.bridger.is_zero(), 'BAD_TERMS');
            let key = terms::key_of(source, dest_hash);
            assert(!self.started.read(key), 'ALREADY_STARTED');
            self.started.write(key, true);
            let deposit = self.deployed(key);
            assert(held(source.token, deposit) >= source.total, 'SHORT');
            self.collect(source, key, deposit);
            let over = held(source.token, deposit);
            if over != 0 && !source.refund_to.is_zero() {
                if pay(deposit, source.token, source.refund_to, over) {
                    self.tell(key, EXCESS, source.token, deposit, source.refund_to, over);
                }
            }
            self.leave();
        }

        /// Send everything of a token to `refund_to`: what was asked for once it expired or was
        /// started, any other token at any time. Anyone may. On another network than the intent's,
        /// where the address exists too, only the coordinator may: `refund_to` can be somebody
        /// else's there.
        fn refund(
            ref self: ContractState, source: Source, dest_hash: u256, token: ContractAddress
        ) {
            self.enter();
            let (key, deposit, units) = self.refundable(source, dest_hash, token);
            assert(!source.refund_to.is_zero(), 'BAD_TERMS');
            assert(pay(deposit, token, source.refund_to, units), 'REFUSED');
            self.tell(key, REFUND, token, deposit, source.refund_to, units);
            self.leave();
        }

        /// Refund to another address, because `refund_to` refuses: it is tried first, and paid if
        /// it accepts. Only the coordinator may, and only from `GRACE` after expiry.
        fn redirect(
            ref self: ContractState,
            source: Source,
            dest_hash: u256,
            token: ContractAddress,
            to: ContractAddress
        ) {
            self.enter();
            assert(get_caller_address() == source.coordinator, 'NOT_ALLOWED');
            assert(now() >= source.expiry && now() - source.expiry >= GRACE, 'TOO_EARLY');
            assert(!to.is_zero(), 'BAD_TERMS');
            let (key, deposit, units) = self.refundable(source, dest_hash, token);
            let mut paid = source.refund_to;
            if paid.is_zero() || !pay(deposit, token, paid, units) {
                paid = to;
                assert(pay(deposit, token, to, units), 'REFUSED');
            }
            self.tell(key, REFUND, token, deposit, paid, units);
            self.leave();
        }

        /// Let an account act for the caller as coordinator, or no longer.
        fn set_agent(ref self: ContractState, agent: ContractAddress, allowed: bool) {
            let coordinator = get_caller_address();
            self.agents.write((coordinator, agent), allowed);
            self.emit(Event::Agent(Agent { coordinator, agent, allowed }));
        }

        /// Whether an account may act for a coordinator.
        fn may_act(
            self: @ContractState, coordinator: ContractAddress, who: ContractAddress
        ) -> bool {
            who == coordinator || self.agents.read((coordinator, who))
        }

        fn started(self: @ContractState, key: u256) -> bool {
            self.started.read(key)
        }

        /// Which of these intents were started.
        fn used(self: @ContractState, keys: Array<u256>) -> Array<bool> {
            let mut answers = ArrayTrait::new();
            let mut left = keys.span();
            loop {
                match left.pop_front() {
                    Option::Some(key) => answers.append(self.started.read(*key)),
                    Option::None => {
                        break;
                    },
                };
            };
            answers
        }

        /// The deposit address of an intent, whether it has its code or not.
        fn address_of(self: @ContractState, key: u256) -> ContractAddress {
            let mut hash = pedersen(0, 'STARKNET_CONTRACT_ADDRESS');
            hash = pedersen(hash, get_contract_address().into());
            hash = pedersen(hash, salt(key));
            hash = pedersen(hash, self.deposit_class.read().into());
            hash = pedersen(hash, pedersen(0, 0));
            let wide: u256 = pedersen(hash, 5).into();
            let felt: felt252 = (wide % ADDRESSES).try_into().unwrap();
            felt.try_into().unwrap()
        }

        fn key_of(self: @ContractState, source: Source, dest_hash: u256) -> u256 {
            terms::key_of(source, dest_hash)
        }

        fn deposit_class(self: @ContractState) -> ClassHash {
            self.deposit_class.read()
        }

        fn chain_word(self: @ContractState) -> u256 {
            self.chain.read()
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

        fn collect(ref self: ContractState, source: Source, key: u256, deposit: ContractAddress) {
            let before = held(source.token, source.bridger);
            assert(pay(deposit, source.token, source.bridger, source.total), 'REFUSED');
            // A token that keeps a part of each transfer is not collected but refunded.
            let now = held(source.token, source.bridger);
            assert(now >= before + source.total, 'RECEIVED_LESS');
            self.tell(key, START, source.token, deposit, source.bridger, source.total);
        }

        fn refundable(
            ref self: ContractState, source: Source, dest_hash: u256, token: ContractAddress
        ) -> (u256, ContractAddress, u256) {
            let key = terms::key_of(source, dest_hash);
            if source.chain != self.chain.read() {
                let who = get_caller_address();
                let agent = self.agents.read((source.coordinator, who));
                assert(who == source.coordinator || agent, 'NOT_ALLOWED');
            } else if token == source.token && now() < source.expiry {
                assert(self.started.read(key), 'TOO_EARLY');
            }
            let deposit = self.deployed(key);
            let units = held(token, deposit);
            assert(units != 0, 'NOTHING_LEFT');
            (key, deposit, units)
        }

        /// The deposit address of a key, with its code.
        fn deployed(ref self: ContractState, key: u256) -> ContractAddress {
            let known = self.deposits.read(key);
            if !known.is_zero() {
                return known;
            }
            let (deposit, _) = deploy_syscall(
                self.deposit_class.read(), salt(key), ArrayTrait::new().span(), false
            )
                .unwrap_syscall();
            self.deposits.write(key, deposit);
            deposit
        }

        fn tell(
            ref self: ContractState,
            key: u256,
            why: u8,
            token: ContractAddress,
            from: ContractAddress,
            to: ContractAddress,
            units: u256
        ) {
            let caller = get_caller_address();
            self.emit(Event::Moved(Moved { key, caller, why, token, from, to, units }));
        }
    }

    fn now() -> u256 {
        let seconds: felt252 = get_block_timestamp().into();
        seconds.into()
    }

    fn salt(key: u256) -> felt252 {
        pedersen(key.low.into(), key.high.into())
    }

    fn held(token: ContractAddress, owner: ContractAddress) -> u256 {
        assert(!token.is_zero(), 'BAD_TERMS');
        money::held(token, owner)
    }

    fn pay(
        deposit: ContractAddress, token: ContractAddress, to: ContractAddress, units: u256
    ) -> bool {
        IDepositAddressDispatcher { contract_address: deposit }.pay(token, to, units)
    }
}
