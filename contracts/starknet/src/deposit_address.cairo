//! The class behind every deposit address.

use starknet::ContractAddress;

#[starknet::interface]
trait IDepositAddress<TContractState> {
    fn pay(
        ref self: TContractState, token: ContractAddress, to: ContractAddress, units: u256
    ) -> bool;
}

/// Holds what arrives, obeys the factory that deployed it and nobody else.
#[starknet::contract]
mod DepositAddress {
    use crossway::money;
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
    impl Obeying of super::IDepositAddress<ContractState> {
        /// Send from this address; false when the token refuses.
        fn pay(
            ref self: ContractState, token: ContractAddress, to: ContractAddress, units: u256
        ) -> bool {
            assert(get_caller_address() == self.factory.read(), 'NOT_ALLOWED');
            money::send(token, to, units)
        }
    }
}
