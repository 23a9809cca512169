//! A token as they are made today, which can be told to misbehave.

#[starknet::contract]
mod Token {
    use array::{ArrayTrait, SpanTrait};
    use option::OptionTrait;
    use starknet::{call_contract_syscall, ContractAddress, get_caller_address};
    use traits::Into;
    use zeroable::Zeroable;

    #[storage]
    struct Storage {
        balances: LegacyMap<ContractAddress, u256>,
        allowances: LegacyMap<(ContractAddress, ContractAddress), u256>,
        supply: u256,
        taking: bool, // Keeps a hundredth of each transfer.
        lying: bool, // Answers false and moves nothing.
        blocked: LegacyMap<ContractAddress, bool>, // Refuses to pay these.
        calls: ContractAddress, // Whom a transfer calls, and with what.
        calls_selector: felt252,
        calls_length: u32,
        calls_data: LegacyMap<u32, felt252>,
        refusal: felt252, // What that call answered when it was refused.
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
        Approval: Approval,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        #[key]
        from: ContractAddress,
        #[key]
        to: ContractAddress,
        value: u256,
    }

    #[derive(Drop, starknet::Event)]
    struct Approval {
        #[key]
        owner: ContractAddress,
        #[key]
        spender: ContractAddress,
        value: u256,
    }

    #[external(v0)]
    fn decimals(self: @ContractState) -> u8 {
        6
    }

    #[external(v0)]
    fn symbol(self: @ContractState) -> felt252 {
        'USDC'
    }

    #[external(v0)]
    fn total_supply(self: @ContractState) -> u256 {
        self.supply.read()
    }

    #[external(v0)]
    fn balance_of(self: @ContractState, account: ContractAddress) -> u256 {
        self.balances.read(account)
    }

    #[external(v0)]
    fn balanceOf(self: @ContractState, account: ContractAddress) -> u256 {
        self.balances.read(account)
    }

    #[external(v0)]
    fn allowance(
        self: @ContractState, owner: ContractAddress, spender: ContractAddress
    ) -> u256 {
        self.allowances.read((owner, spender))
    }

    #[external(v0)]
    fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) -> bool {
        let owner = get_caller_address();
        self.allowances.write((owner, spender), amount);
        self.emit(Event::Approval(Approval { owner, spender, value: amount }));
        true
    }

    #[external(v0)]
    fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
        if self.lying.read() {
            return false;
        }
        moved(ref self, get_caller_address(), recipient, amount);
        true
    }

    #[external(v0)]
    fn transfer_from(
        ref self: ContractState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool {
        if self.lying.read() {
            return false;
        }
        let place = (sender, get_caller_address());
        let allowed = self.allowances.read(place);
        assert(allowed >= amount, 'ERC20: insufficient allowance');
        self.allowances.write(place, allowed - amount);
        moved(ref self, sender, recipient, amount);
        true
    }

    #[external(v0)]
    fn mint(ref self: ContractState, to: ContractAddress, amount: u256) {
        self.supply.write(self.supply.read() + amount);
        self.balances.write(to, self.balances.read(to) + amount);
        self.emit(Event::Transfer(Transfer { from: Zeroable::zero(), to, value: amount }));
    }

    #[external(v0)]
    fn behave(ref self: ContractState, taking: bool, lying: bool) {
        self.taking.write(taking);
        self.lying.write(lying);
    }

    #[external(v0)]
    fn block(ref self: ContractState, who: ContractAddress, blocked: bool) {
        self.blocked.write(who, blocked);
    }

    #[external(v0)]
    fn call_on_transfer(
        ref self: ContractState, to: ContractAddress, selector: felt252, calldata: Array<felt252>
    ) {
        self.calls.write(to);
        self.calls_selector.write(selector);
        self.calls_length.write(calldata.len());
        let mut at: u32 = 0;
        loop {
            if at == calldata.len() {
                break;
            }
            self.calls_data.write(at, *calldata.at(at));
            at += 1;
        };
    }

    #[external(v0)]
    fn refused_with(self: @ContractState) -> felt252 {
        self.refusal.read()
    }

    fn moved(
        ref self: ContractState, from: ContractAddress, to: ContractAddress, amount: u256
    ) {
        assert(!self.blocked.read(to), 'blocked');
        let held = self.balances.read(from);
        assert(held >= amount, 'ERC20: insufficient balance');
        self.balances.write(from, held - amount);
        let kept = if self.taking.read() {
            amount / 100
        } else {
            0
        };
        self.balances.write(to, self.balances.read(to) + amount - kept);
        self.emit(Event::Transfer(Transfer { from, to, value: amount - kept }));
        if !self.calls.read().is_zero() {
            call_back(ref self);
        }
    }

    fn call_back(ref self: ContractState) {
        let mut data = ArrayTrait::new();
        let mut at: u32 = 0;
        loop {
            if at == self.calls_length.read() {
                break;
            }
            data.append(self.calls_data.read(at));
            at += 1;
        };
        match call_contract_syscall(
            self.calls.read(), self.calls_selector.read(), data.span()
        ) {
            Result::Ok(_) => {},
            Result::Err(why) => self.refusal.write(*why.at(0)),
        };
    }
}
