//! What the universal deployer does.

#[starknet::contract]
mod Deployer {
    use array::{ArrayTrait, SpanTrait};
    use starknet::{ClassHash, ContractAddress, deploy_syscall, get_caller_address};
    use traits::Into;

    #[storage]
    struct Storage {}

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        ContractDeployed: ContractDeployed,
    }

    #[derive(Drop, starknet::Event)]
    struct ContractDeployed {
        address: ContractAddress,
        deployer: ContractAddress,
        unique: bool,
        class_hash: ClassHash,
        salt: felt252,
    }

    #[external(v0)]
    fn deployContract(
        ref self: ContractState,
        class_hash: ClassHash,
        salt: felt252,
        unique: bool,
        calldata: Array<felt252>
    ) -> ContractAddress {
        let deployer = get_caller_address();
        let used = if unique {
            pedersen(deployer.into(), salt)
        } else {
            salt
        };
        match deploy_syscall(class_hash, used, calldata.span(), !unique) {
            Result::Ok(made) => {
                let (address, _) = made;
                self
                    .emit(
                        Event::ContractDeployed(
                            ContractDeployed { address, deployer, unique, class_hash, salt }
                        )
                    );
                address
            },
            Result::Err(why) => panic(why),
        }
    }
}
