//! A token as they were made first: names in camel case, and who paid whom only in an event's data.

#[starknet::contract]
mod OldToken {
    use starknet::{ContractAddress, get_caller_address};
    use zeroable::Zeroable;

    #[storage]
    struct Storage {
        balances: LegacyMap<ContractAddress, u256>,
        allowances: LegacyMap<(ContractAddress, ContractAddress), u256>,
        blocked: LegacyMap<ContractAddress, bool>, // Refuses to pay these.
    }

    #[event]
    #[derive(Drop, starknet::Event)]
    enum Event {
        Transfer: Transfer,
    }

    #[derive(Drop, starknet::Event)]
    struct Transfer {
        from: ContractAddress,
        to: ContractAddress,
        value: u256,
    }

    #[external(v0)]
    fn decimals(self: @ContractState) -> u8 {
        6
    }

    #[external(v0)]
    fn balanceOf(self: @ContractState, account: ContractAddress) -> u256 {
        self.balances.read(account)
    }

    #[external(v0)]
    fn approve(ref self: ContractState, spender: ContractAddress, amount: u256) -> bool {
        self.allowances.write((get_caller_address(), spender), amount);
        true
    }

    #[external(v0)]
    fn transfer(ref self: ContractState, recipient: ContractAddress, amount: u256) -> bool {
        moved(ref self, get_caller_address(), recipient, amount);
        true
    }

    #[external(v0)]
    fn transferFrom(
        ref self: ContractState, sender: ContractAddress, recipient: ContractAddress, amount: u256
    ) -> bool {
        let place = (sender, get_caller_address());
        let allowed = self.allowances.read(place);
        assert(allowed >= amount, 'ERC20: insufficient allowance');
        self.allowances.write(place, allowed - amount);
        moved(ref self, sender, recipient, amount);
        true
    }

    #[external(v0)]
    fn mint(ref self: ContractState, to: ContractAddress, amount: u256) {
        self.balances.write(to, self.balances.read(to) + amount);
        self.emit(Event::Transfer(Transfer { from: Zeroable::zero(), to, value: amount }));
    }

    #[external(v0)]
    fn block(ref self: ContractState, who: ContractAddress, blocked: bool) {
        self.blocked.write(who, blocked);
    }

    fn moved(
        ref self: ContractState, from: ContractAddress, to: ContractAddress, amount: u256
    ) {
        assert(!self.blocked.read(to), 'blocked');
        let held = self.balances.read(from);
        assert(held >= amount, 'ERC20: insufficient balance');
        self.balances.write(from, held - amount);
        self.balances.write(to, self.balances.read(to) + amount);
        self.emit(Event::Transfer(Transfer { from, to, value: amount }));
    }
}
