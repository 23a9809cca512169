/* Transfers of SOL and tokens, and the log entry of each. */
#pragma once
#include "tokens.h"

enum { START = 1, EXCESS, REFUND, FILL, SETTLE, WITHDRAW, SET_ASIDE };

/* The sender of a transfer: a wallet, its token account, the mint and its token program. For SOL
   the token account is the wallet, and mint and token program are the system program. `seeds` is
   set if the program signs for the wallet. */
typedef struct {
  const Input *input;
  const Account *wallet, *token_account, *mint, *program;
  const SignerSeeds *seeds;
  const u8 *intent_hash;
} Sender;

NOINLINE int is_native(const Sender *from) { return is_zero(from->mint->key); }

NOINLINE u64 invoke(const Sender *from, const Instruction *call) {
  return sol_invoke_signed_c(call, from->input->accounts, from->input->count, from->seeds,
                             from->seeds ? 1 : 0);
}

/* Transfer lamports by the system program. */
NOINLINE u64 transfer_sol(const Sender *from, const Account *to, u64 amount) {
  u8 data[12] = {2};
  write_u64(data + 4, amount);
  AccountMeta metas[] = {{from->wallet->key, 1, 1}, {to->key, 1, 0}};
  Instruction call = {SYSTEM, metas, 2, data, sizeof data};
  return invoke(from, &call);
}

NOINLINE u64 transfer_tokens(const Sender *from, const Account *to, u64 amount) {
  u8 data[10] = {12};
  write_u64(data + 1, amount);
  data[9] = from->mint->data[44];
  AccountMeta metas[] = {{from->token_account->key, 1, 0},
                         {from->mint->key, 0, 0},
                         {to->key, 1, 0},
                         {from->wallet->key, 0, 1}};
  Instruction call = {from->program->key, metas, 4, data, sizeof data};
  return invoke(from, &call);
}

/* Close the sender's emptied token account and return its rent. Best effort. */
NOINLINE u64 close_token_account(const Sender *from, const Account *rent_to) {
  u8 data[1] = {9};
  if (!rent_to->writable || rent_to->executable || !is_closable(from->token_account)) return 0;
  AccountMeta metas[] = {
      {from->token_account->key, 1, 0}, {rent_to->key, 1, 0}, {from->wallet->key, 0, 1}};
  Instruction call = {from->program->key, metas, 3, data, sizeof data};
  return invoke(from, &call);
}

/* The sender's balance; for SOL the wallet must be a plain system account. */
NOINLINE u64 sender_balance(const Sender *from, u64 *amount) {
  if (is_native(from)) {
    REQUIRE(from->token_account->key == from->wallet->key, WRONG_ACCOUNT);
    REQUIRE(is_zero(from->wallet->owner) && !from->wallet->data_len, WRONG_ACCOUNT);
    REQUIRE(from->wallet->writable, WRONG_ACCOUNT);
    *amount = *from->wallet->lamports;
    return 0;
  }
  /* A token account that does not exist has a balance of zero. */
  *amount = 0;
  if (is_zero(from->token_account->owner) && !from->token_account->data_len) return 0;
  REQUIRE(is_token_account(from->token_account, from->program, from->mint->key, from->wallet->key),
          WRONG_ACCOUNT);
  REQUIRE(from->token_account->writable, WRONG_ACCOUNT);
  *amount = token_balance(from->token_account);
  return 0;
}

/* Whether a wallet can receive this many lamports. */
NOINLINE u64 can_receive_sol(const Account *wallet, u64 amount) {
  u64 minimum;
  REQUIRE(wallet->writable && !wallet->executable, TRANSFER_FAILED);
  TRY(rent_exempt_minimum(wallet->data_len, &minimum));
  return *wallet->lamports + amount >= minimum ? 0 : BELOW_RENT;
}

/* Check the accounts of a receiver: its associated token account, which is not the sender's. */
NOINLINE u64 check_receiver(const Sender *from, const Account *wallet,
                            const Account *token_account) {
  if (is_native(from))
    return wallet->key == token_account->key && wallet->key != from->wallet->key ? 0
                                                                                 : WRONG_ACCOUNT;
  REQUIRE(token_account->key != from->token_account->key, WRONG_ACCOUNT);
  return check_associated(token_account, wallet->key, from->mint->key, from->program->key);
}

/* Whether a receiver whose accounts were checked can receive the amount. */
NOINLINE u64 can_receive(const Sender *from, const Account *wallet, const Account *token_account,
                         u64 amount) {
  if (is_native(from)) return can_receive_sol(wallet, amount);
  return can_receive_tokens(token_account, from->program, from->mint->key, wallet->key)
             ? 0
             : TRANSFER_FAILED;
}

NOINLINE u64 log_tokens_moved(const Sender *from, u8 kind, const u8 *to, u64 amount) {
  u8 log[170] = {'M', kind};
  copy(log + 2, from->intent_hash, WORD);
  copy(log + 34, from->input->accounts[0].key, WORD);
  copy(log + 66, from->mint->key, WORD);
  copy(log + 98, from->wallet->key, WORD);
  copy(log + 130, to, WORD);
  write_u64(log + 162, amount);
  Bytes field = {log, sizeof log};
  return sol_log_data(&field, 1);
}

/* Pay a receiver whose accounts were checked, and log it; for starts and fills the whole amount
   must arrive. */
NOINLINE u64 pay(const Sender *from, u8 kind, const Account *wallet, const Account *token_account,
                 u64 amount) {
  int exact = kind == START || kind == FILL;
  TRY(can_receive(from, wallet, token_account, amount));
  if (is_native(from)) {
    TRY(transfer_sol(from, wallet, amount));
  } else {
    u64 before = token_balance(token_account);
    TRY(transfer_tokens(from, token_account, amount));
    REQUIRE(!exact || token_account->key == from->token_account->key ||
                token_balance(token_account) - before >= amount,
            RECEIVED_LESS);
  }
  return log_tokens_moved(from, kind, wallet->key, amount);
}
