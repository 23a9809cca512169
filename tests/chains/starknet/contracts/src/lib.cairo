//! Contracts that stand for those of others: an account, tokens, and the universal deployer.
mod account;
mod deployer;
mod token;
mod old_token;
