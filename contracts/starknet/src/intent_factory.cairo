//! The contract that creates deposit addresses and decides what leaves them.

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
    fn is_authorized(
        self: @TContractState, coordinator: ContractAddress, account: ContractAddress
    ) -> bool;
    fn started(self: @TContractState, intent_hash: u256) -> bool;
    fn executed(self: @TContractState, intent_hashes: Array<u256>) -> Array<bool>;
    fn deposit_address(self: @TContractState, intent_hash: u256) -> ContractAddress;
    fn intent_hash(self: @TContractState, source: Source, dest_hash: u256) -> u256;
    fn deposit_class(self: @TContractState) -> starknet::ClassHash;
    fn chain_word(self: @TContractState) -> u256;
}

/// Creates deposit addresses and decides what leaves them: the exact total to `bridger`, once and
/// before expiry; everything else to `refund_to`. Has no owner and cannot be changed.
#[starknet::contract]
mod IntentFactory {
    use array::{ArrayTrait, SpanTrait};
    use crossway::deposit_address::{IDepositAddressDispatcher, IDepositAddressDispatcherTrait};
    use crossway::transfers;
    use crossway::terms;
    use crossway::terms::Source;
    use crossway::movement_kinds::{EXCESS, REFUND, START};
    use option::OptionTrait;
    use starknet::{
        ClassHash, ContractAddress, deploy_syscall, get_block_timestamp, get_caller_address,
        get_contract_address
    };
    use traits::{Into, TryInto};
    use zeroable::Zeroable;

    /// How many seconds after expiry the coordinator has to wait before it can redirect a refund.
    const REDIRECT_DELAY: u256 = 259200;
    /// Addresses are hashes modulo this number.
    const ADDRESS_BOUND: u256 = 0x7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00;

    #[storage]
    struct Storage {
        chain: u256,
        deposit_class: ClassHash,
        locked: bool,
        // Whether an intent was started.
        started: LegacyMap<u256, bool>,
        // The deployed deposit address of an intent; zero before.
        deposits: LegacyMap<u256, ContractAddress>,
        // Accounts that can act for a coordinator: coordinator, agent.
        agents: LegacyMap<(ContractAddress, ContractAddress), bool>,
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        TokensMoved: TokensMoved,
        AgentSet: AgentSet,
    }

    #[derive(Drop, starknet::Event)]
    struct AgentSet {
        #[key]
        coordinator: ContractAddress,
        #[key]
        agent: ContractAddress,
        allowed: bool,
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
    fn constructor(ref self: ContractState, deposit_class: ClassHash) {
        self.chain.write(terms::chain_word());
        self.deposit_class.write(deposit_class);
    }

    #[external(v0)]
    impl IntentFactoryImpl of super::IIntentFactory<ContractState> {
        /// Pay the exact total to `bridger` and return excess, best effort, to `refund_to`. Anyone
        /// can call this.
        fn start(ref self: ContractState, source: Source, dest_hash: u256) {
            self.lock();
            assert(source.chain == self.chain.read(), 'WRONG_CHAIN');
            assert(now() < source.expiry, 'EXPIRED');
            assert(source.total != 0 && !source.bridger.is_zero(), 'INVALID_TERMS');
            let intent_hash = terms::hash_intent(source, dest_hash);
            assert(!self.started.read(intent_hash), 'ALREADY_STARTED');
            self.started.write(intent_hash, true);
            let deposit = self.ensure_deployed(intent_hash);
            assert(balance_of(source.token, deposit) >= source.total, 'INSUFFICIENT_DEPOSIT');
            self.collect(source, intent_hash, deposit);
            let excess = balance_of(source.token, deposit);
            if excess != 0 && !source.refund_to.is_zero() {
                if pay(deposit, source.token, source.refund_to, excess) {
                    self
                        .emit_tokens_moved(
                            intent_hash, EXCESS, source.token, deposit, source.refund_to, excess
                        );
                }
            }
            self.unlock();
        }

        /// Return the whole balance of a token to `refund_to`: of the deposit token from expiry on
        /// or once started, of any other token at any time. Anyone can call this. On a network
        /// other than the source chain, where the address exists too, only the coordinator and its
        /// agents can, because `refund_to` may belong to somebody else there.
        fn refund(
            ref self: ContractState, source: Source, dest_hash: u256, token: ContractAddress
        ) {
            self.lock();
            let (intent_hash, deposit, amount) = self.prepare_refund(source, dest_hash, token);
            assert(!source.refund_to.is_zero(), 'INVALID_TERMS');
            assert(pay(deposit, token, source.refund_to, amount), 'TRANSFER_FAILED');
            self.emit_tokens_moved(intent_hash, REFUND, token, deposit, source.refund_to, amount);
            self.unlock();
        }

        /// Refund to another address because `refund_to` refuses: `refund_to` is tried first and
        /// paid if it accepts. Only the coordinator can call this, `REDIRECT_DELAY` after expiry.
        fn redirect(
            ref self: ContractState,
            source: Source,
            dest_hash: u256,
            token: ContractAddress,
            to: ContractAddress
        ) {
            self.lock();
            assert(get_caller_address() == source.coordinator, 'NOT_AUTHORIZED');
            assert(now() >= source.expiry && now() - source.expiry >= REDIRECT_DELAY, 'TOO_EARLY');
            assert(!to.is_zero(), 'INVALID_TERMS');
            let (intent_hash, deposit, amount) = self.prepare_refund(source, dest_hash, token);
            let mut receiver = source.refund_to;
            if receiver.is_zero() || !pay(deposit, token, receiver, amount) {
                receiver = to;
                assert(pay(deposit, token, to, amount), 'TRANSFER_FAILED');
            }
            self.emit_tokens_moved(intent_hash, REFUND, token, deposit, receiver, amount);
            self.unlock();
        }

        /// Allow an account to act for the caller as coordinator, or revoke that.
        fn set_agent(ref self: ContractState, agent: ContractAddress, allowed: bool) {
            let coordinator = get_caller_address();
            self.agents.write((coordinator, agent), allowed);
            self.emit(Event::AgentSet(AgentSet { coordinator, agent, allowed }));
        }

        /// Whether an account can act for a coordinator.
        fn is_authorized(
            self: @ContractState, coordinator: ContractAddress, account: ContractAddress
        ) -> bool {
            account == coordinator || self.agents.read((coordinator, account))
        }

        fn started(self: @ContractState, intent_hash: u256) -> bool {
            self.started.read(intent_hash)
        }

        /// Which of these intents were started.
        fn executed(self: @ContractState, intent_hashes: Array<u256>) -> Array<bool> {
            let mut results = ArrayTrait::new();
            let mut hashes = intent_hashes.span();
            loop {
                match hashes.pop_front() {
                    Option::Some(hash) => results.append(self.started.read(*hash)),
                    Option::None => {
                        break;
                    },
                };
            };
            results
        }

        /// The deposit address of an intent hash, deployed or not.
        fn deposit_address(self: @ContractState, intent_hash: u256) -> ContractAddress {
            let mut hash = pedersen(0, 'STARKNET_CONTRACT_ADDRESS');
            hash = pedersen(hash, get_contract_address().into());
            hash = pedersen(hash, salt(intent_hash));
            hash = pedersen(hash, self.deposit_class.read().into());
            hash = pedersen(hash, pedersen(0, 0));
            let hash_number: u256 = pedersen(hash, 5).into();
            let felt: felt252 = (hash_number % ADDRESS_BOUND).try_into().unwrap();
            felt.try_into().unwrap()
        }

        fn intent_hash(self: @ContractState, source: Source, dest_hash: u256) -> u256 {
            terms::hash_intent(source, dest_hash)
        }

        fn deposit_class(self: @ContractState) -> ClassHash {
            self.deposit_class.read()
        }

        fn chain_word(self: @ContractState) -> u256 {
            self.chain.read()
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

        fn collect(
            ref self: ContractState, source: Source, intent_hash: u256, deposit: ContractAddress
        ) {
            let balance_before = balance_of(source.token, source.bridger);
            assert(pay(deposit, source.token, source.bridger, source.total), 'TRANSFER_FAILED');
            // A fee-on-transfer token is not collected but refunded.
            let balance = balance_of(source.token, source.bridger);
            assert(balance >= balance_before + source.total, 'RECEIVED_LESS');
            self
                .emit_tokens_moved(
                    intent_hash, START, source.token, deposit, source.bridger, source.total
                );
        }

        fn prepare_refund(
            ref self: ContractState, source: Source, dest_hash: u256, token: ContractAddress
        ) -> (u256, ContractAddress, u256) {
            let intent_hash = terms::hash_intent(source, dest_hash);
            if source.chain != self.chain.read() {
                let account = get_caller_address();
                let agent = self.agents.read((source.coordinator, account));
                assert(account == source.coordinator || agent, 'NOT_AUTHORIZED');
            } else if token == source.token && now() < source.expiry {
                assert(self.started.read(intent_hash), 'TOO_EARLY');
            }
            let deposit = self.ensure_deployed(intent_hash);
            let amount = balance_of(token, deposit);
            assert(amount != 0, 'NOTHING_TO_TRANSFER');
            (intent_hash, deposit, amount)
        }

        /// The deposit address of an intent hash; deployed if it is not there yet.
        fn ensure_deployed(ref self: ContractState, intent_hash: u256) -> ContractAddress {
            let deployed = self.deposits.read(intent_hash);
            if !deployed.is_zero() {
                return deployed;
            }
            let (deposit, _) = deploy_syscall(
                self.deposit_class.read(), salt(intent_hash), ArrayTrait::new().span(), false
            )
                .unwrap_syscall();
            self.deposits.write(intent_hash, deposit);
            deposit
        }

        fn emit_tokens_moved(
            ref self: ContractState,
            intent_hash: u256,
            kind: u8,
            token: ContractAddress,
            from: ContractAddress,
            to: ContractAddress,
            amount: u256
        ) {
            let caller = get_caller_address();
            let event = TokensMoved { intent_hash, caller, kind, token, from, to, amount };
            self.emit(Event::TokensMoved(event));
        }
    }

    fn now() -> u256 {
        let seconds: felt252 = get_block_timestamp().into();
        seconds.into()
    }

    fn salt(intent_hash: u256) -> felt252 {
        pedersen(intent_hash.low.into(), intent_hash.high.into())
    }

    fn balance_of(token: ContractAddress, owner: ContractAddress) -> u256 {
        assert(!token.is_zero(), 'INVALID_TERMS');
        transfers::balance_of(token, owner)
    }

    fn pay(
        deposit: ContractAddress, token: ContractAddress, to: ContractAddress, amount: u256
    ) -> bool {
        IDepositAddressDispatcher { contract_address: deposit }.pay(token, to, amount)
    }
}
