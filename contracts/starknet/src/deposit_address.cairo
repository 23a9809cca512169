//! The class behind every deposit address.

use starknet::ContractAddress;

#[starknet::interface]
trait IDepositAddress<TContractState> {
    fn pay(
        ref self: TContractState, token: ContractAddress, to: ContractAddress, amount: u256
    ) -> bool;
}

/// The class of every deposit address. Only the factory that deployed it can move what it holds.
#[starknet::contract]
mod DepositAddress {
    use crossway::transfers;
    use starknet::{ContractAddress, get_caller_address};

    #[storage]
    struct Storage {
        factory: ContractAddress,
    }

    #[constructor]
    fn constructor(ref self: ContractState) {
        self.factory.write(get_caller_address());
    }

    #[external(v0)]
    impl DepositAddressImpl of super::IDepositAddress<ContractState> {
        /// Transfer from this address. Returns false if the token refuses.
        fn pay(
            ref self: ContractState, token: ContractAddress, to: ContractAddress, amount: u256
        ) -> bool {
            assert(get_caller_address() == self.factory.read(), 'NOT_AUTHORIZED');
            transfers::try_transfer(token, to, amount)
        }
    }
}
