/* The program's own accounts: states, markers, and what stayed with coordinators. */
#pragma once
#include "money.h"

#define DAY 86400
#define GRACE (3 * DAY)          /* from expiry on until the coordinator may redirect */
#define FILL_TIME (30 * DAY)     /* from expiry on until a fill is refused */
#define STATE_TIME (30 * DAY)    /* from expiry on until a state may be closed */
#define MARKER_TIME (60 * DAY)   /* the same of a marker */
#define RECORD 48
#define KEPT 16

static inline int is_ours(const Input *input, const Account *one) {
  return same(one->owner, input->program) && one->data_len;
}

/* The address of an account of the program is this one; what its bump is. */
FRAME u64 check_own(const Input *input, const Account *one, const Bytes *seeds, u64 len, u8 *bump) {
  u8 address[WORD];
  TRY(derived(seeds, len, input->program, address, bump));
  return same(address, one->key) ? 0 : WRONG_ACCOUNT;
}

/* Make an account of the program at its address, paid by account 0. Others may have sent lamports
   there before; nobody else can have made anything of it. */
FRAME u64 make(const Input *input, Account *one, Bytes *seeds, u64 len, u64 bytes) {
  u64 low;
  Seeds signer = {seeds, len};
  Purse payer = {input, &input->accounts[0], 0, 0, 0, 0, 0}, own = {input, one, 0, 0, 0, &signer, 0};
  NEED(is_zero(one->owner) && !one->data_len && one->writable, WRONG_ACCOUNT);
  TRY(least(bytes, &low));
  if (*one->lamports < low) TRY(send_coins(&payer, one, low - *one->lamports));
  u8 allocate[12] = {8}, assign[36] = {1};
  put_u64(allocate + 4, bytes);
  copy(assign + 4, input->program, WORD);
  Meta meta = {one->key, 1, 1};
  Call room = {SYSTEM, &meta, 1, allocate, sizeof allocate};
  Call ours = {SYSTEM, &meta, 1, assign, sizeof assign};
  TRY(invoke(&own, &room));
  return invoke(&own, &ours);
}

/* Make a state or a marker, whose seeds are `name` and `key`. */
FRAME u64 make_record(const Input *input, Account *one, Bytes name, const u8 *key, u8 bump) {
  Bytes seeds[] = {name, {key, WORD}, {&bump, 1}};
  TRY(make(input, one, seeds, 3, RECORD));
  copy(one->data + 16, input->accounts[0].key, WORD);
  return 0;
}

/* The state of an intent; `started` says whether there is one. */
FRAME u64 find_state(const Input *input, const Account *one, const u8 *key, u8 *bump, int *started) {
  Bytes seeds[] = {TEXT("state"), {key, WORD}};
  TRY(check_own(input, one, seeds, 2, bump));
  *started = is_ours(input, one) && one->data_len == RECORD && one->data[0] == 'S';
  return 0;
}

FRAME u64 vault_of(const Input *input, const u8 *coordinator, u8 *address, u8 *bump) {
  Bytes seeds[] = {TEXT("vault"), {coordinator, WORD}};
  return derived(seeds, 2, input->program, address, bump);
}
