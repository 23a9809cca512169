//! A plain account with one key.

#[starknet::contract]
mod Account {
    use array::{ArrayTrait, SpanTrait};
    use box::BoxTrait;
    use ecdsa::check_ecdsa_signature;
    use option::OptionTrait;
    use starknet::account::Call;
    use starknet::{call_contract_syscall, get_caller_address, get_tx_info};
    use zeroable::Zeroable;

    #[storage]
    struct Storage {
        public_key: felt252,
    }

    #[constructor]
    fn constructor(ref self: ContractState, public_key: felt252) {
        self.public_key.write(public_key);
    }

    #[external(v0)]
    fn __validate__(ref self: ContractState, calls: Array<Call>) -> felt252 {
        let info = get_tx_info().unbox();
        assert(signed(@self, info.transaction_hash, info.signature), 'Account: invalid signature');
        starknet::VALIDATED
    }

    #[external(v0)]
    fn __execute__(ref self: ContractState, calls: Array<Call>) -> Array<Span<felt252>> {
        assert(get_caller_address().is_zero(), 'Account: invalid caller');
        let mut calls = calls;
        let mut answers = ArrayTrait::new();
        loop {
            match calls.pop_front() {
                Option::Some(call) => {
                    let Call{to, selector, calldata } = call;
                    match call_contract_syscall(to, selector, calldata.span()) {
                        Result::Ok(answer) => answers.append(answer),
                        Result::Err(why) => panic(why),
                    };
                },
                Option::None => {
                    break;
                },
            };
        };
        answers
    }

    #[external(v0)]
    fn is_valid_signature(
        self: @ContractState, hash: felt252, signature: Array<felt252>
    ) -> felt252 {
        if signed(self, hash, signature.span()) {
            starknet::VALIDATED
        } else {
            0
        }
    }

    #[external(v0)]
    fn get_public_key(self: @ContractState) -> felt252 {
        self.public_key.read()
    }

    fn signed(self: @ContractState, hash: felt252, signature: Span<felt252>) -> bool {
        signature.len() == 2
            && check_ecdsa_signature(
                hash, self.public_key.read(), *signature.at(0), *signature.at(1)
            )
    }
}
