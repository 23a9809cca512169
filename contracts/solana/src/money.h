/* Moving SOL and tokens, and saying so. */
#pragma once
#include "tokens.h"

enum { START = 1, EXCESS, REFUND, FILL, SETTLE, WITHDRAW, ASIDE };

/* From where and of what money moves: a wallet, its token account (of SOL the wallet again), the
   mint and its program (of SOL twice the system program); `seeds` where the program signs. */
typedef struct {
  const Input *input;
  const Account *wallet, *holder, *mint, *program;
  const Seeds *seeds;
  const u8 *key;
} Purse;

FRAME int native(const Purse *from) { return is_zero(from->mint->key); }

FRAME u64 invoke(const Purse *from, const Call *call) {
  return sol_invoke_signed_c(call, from->input->accounts, from->input->count, from->seeds,
                             from->seeds ? 1 : 0);
}

/* Let the system program send lamports. */
FRAME u64 send_coins(const Purse *from, const Account *to, u64 units) {
  u8 data[12] = {2};
  put_u64(data + 4, units);
  Meta metas[] = {{from->wallet->key, 1, 1}, {to->key, 1, 0}};
  Call call = {SYSTEM, metas, 2, data, sizeof data};
  return invoke(from, &call);
}

FRAME u64 send_tokens(const Purse *from, const Account *to, u64 units) {
  u8 data[10] = {12};
  put_u64(data + 1, units);
  data[9] = from->mint->data[44];
  Meta metas[] = {{from->holder->key, 1, 0}, {from->mint->key, 0, 0}, {to->key, 1, 0},
                  {from->wallet->key, 0, 1}};
  Call call = {from->program->key, metas, 4, data, sizeof data};
  return invoke(from, &call);
}

/* Give back what an emptied token account of the purse kept for standing. Best effort. */
FRAME u64 close_holder(const Purse *from, const Account *rent_to) {
  u8 data[1] = {9};
  if (!rent_to->writable || rent_to->executable || !closable(from->holder)) return 0;
  Meta metas[] = {{from->holder->key, 1, 0}, {rent_to->key, 1, 0}, {from->wallet->key, 0, 1}};
  Call call = {from->program->key, metas, 3, data, sizeof data};
  return invoke(from, &call);
}

/* What the purse holds; of SOL it must be a plain wallet. */
FRAME u64 purse_units(const Purse *from, u64 *units) {
  if (native(from)) {
    NEED(from->holder->key == from->wallet->key, WRONG_ACCOUNT);
    NEED(is_zero(from->wallet->owner) && !from->wallet->data_len, WRONG_ACCOUNT);
    NEED(from->wallet->writable, WRONG_ACCOUNT);
    *units = *from->wallet->lamports;
    return 0;
  }
  /* A token account that does not exist is an empty one. */
  *units = 0;
  if (is_zero(from->holder->owner) && !from->holder->data_len) return 0;
  NEED(is_holder(from->holder, from->program, from->mint->key, from->wallet->key), WRONG_ACCOUNT);
  NEED(from->holder->writable, WRONG_ACCOUNT);
  *units = held(from->holder);
  return 0;
}

/* Whether a wallet can be paid so many lamports. */
FRAME u64 takes_coins(const Account *wallet, u64 units) {
  u64 low;
  NEED(wallet->writable && !wallet->executable, REFUSED);
  TRY(least(wallet->data_len, &low));
  return *wallet->lamports + units >= low ? 0 : BELOW_RENT;
}

/* The accounts of a receiver: the token account belongs to the wallet, and is not the purse. */
FRAME u64 check_receiver(const Purse *from, const Account *wallet, const Account *holder) {
  if (native(from)) return wallet->key == holder->key && wallet->key != from->wallet->key
                               ? 0 : WRONG_ACCOUNT;
  NEED(holder->key != from->holder->key, WRONG_ACCOUNT);
  return check_associated(holder, wallet->key, from->mint->key, from->program->key);
}

/* Whether a receiver whose accounts were checked can be paid. */
FRAME u64 takes(const Purse *from, const Account *wallet, const Account *holder, u64 units) {
  if (native(from)) return takes_coins(wallet, units);
  return accepts(holder, from->program, from->mint->key, wallet->key) ? 0 : REFUSED;
}

FRAME u64 say_moved(const Purse *from, u8 why, const u8 *to, u64 units) {
  u8 told[170] = {'M', why};
  copy(told + 2, from->key, WORD);
  copy(told + 34, from->input->accounts[0].key, WORD);
  copy(told + 66, from->mint->key, WORD);
  copy(told + 98, from->wallet->key, WORD);
  copy(told + 130, to, WORD);
  put_u64(told + 162, units);
  Bytes field = {told, sizeof told};
  return sol_log_data(&field, 1);
}

/* Pay a receiver whose accounts were checked, and say so; of starts and fills all must arrive. */
FRAME u64 pay(const Purse *from, u8 why, const Account *wallet, const Account *holder, u64 units) {
  int whole = why == START || why == FILL;
  TRY(takes(from, wallet, holder, units));
  if (native(from)) {
    TRY(send_coins(from, wallet, units));
  } else {
    u64 before = held(holder);
    TRY(send_tokens(from, holder, units));
    NEED(!whole || holder->key == from->holder->key || held(holder) - before >= units,
         RECEIVED_LESS);
  }
  return say_moved(from, why, wallet->key, units);
}
