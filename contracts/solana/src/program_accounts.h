/* Accounts of the program: states of intents, fill markers, and retained amounts. */
#pragma once
#include "transfers.h"

#define DAY 86400
#define REDIRECT_DELAY (3 * DAY)   /* from expiry until the coordinator can redirect */
#define FILL_WINDOW (30 * DAY)     /* from expiry until a fill is refused */
#define STATE_LIFETIME (30 * DAY)  /* from expiry until a state can be closed */
#define MARKER_LIFETIME (60 * DAY) /* from expiry until a marker can be closed */
#define RECORD_BYTES 48
#define RETAINED_BYTES 16

static inline int is_program_account(const Input *input, const Account *account) {
  return equal(account->owner, input->program) && account->data_len;
}

/* Check that this is the derived address of these seeds, and return its bump. */
NOINLINE u64 check_program_account(const Input *input, const Account *account, const Bytes *seeds,
                                   u64 len, u8 *bump) {
  u8 address[WORD];
  TRY(find_address(seeds, len, input->program, address, bump));
  return equal(address, account->key) ? 0 : WRONG_ACCOUNT;
}

/* Create an account of the program at its derived address; account 0 pays. Anyone can have sent
   lamports to the address before; nobody else can have created the account. */
NOINLINE u64 create_account(const Input *input, Account *account, Bytes *seeds, u64 len,
                            u64 bytes) {
  u64 minimum;
  SignerSeeds signer = {seeds, len};
  Sender payer = {input, &input->accounts[0], 0, 0, 0, 0, 0},
         own = {input, account, 0, 0, 0, &signer, 0};
  REQUIRE(is_zero(account->owner) && !account->data_len && account->writable, WRONG_ACCOUNT);
  TRY(rent_exempt_minimum(bytes, &minimum));
  if (*account->lamports < minimum)
    TRY(transfer_sol(&payer, account, minimum - *account->lamports));
  u8 allocate[12] = {8}, assign[36] = {1};
  write_u64(allocate + 4, bytes);
  copy(assign + 4, input->program, WORD);
  AccountMeta meta = {account->key, 1, 1};
  Instruction room = {SYSTEM, &meta, 1, allocate, sizeof allocate};
  Instruction ours = {SYSTEM, &meta, 1, assign, sizeof assign};
  TRY(invoke(&own, &room));
  return invoke(&own, &ours);
}

/* Create a state or a marker, whose seeds are `name` and the intent hash. */
NOINLINE u64 create_record(const Input *input, Account *account, Bytes name, const u8 *intent_hash,
                           u8 bump) {
  Bytes seeds[] = {name, {intent_hash, WORD}, {&bump, 1}};
  TRY(create_account(input, account, seeds, 3, RECORD_BYTES));
  copy(account->data + 16, input->accounts[0].key, WORD);
  return 0;
}

/* Check the address of an intent's state; `started` is whether the state exists. */
NOINLINE u64 load_state(const Input *input, const Account *account, const u8 *intent_hash, u8 *bump,
                        int *started) {
  Bytes seeds[] = {SEED("state"), {intent_hash, WORD}};
  TRY(check_program_account(input, account, seeds, 2, bump));
  *started = is_program_account(input, account) && account->data_len == RECORD_BYTES &&
             account->data[0] == 'S';
  return 0;
}

NOINLINE u64 vault_address(const Input *input, const u8 *coordinator, u8 *address, u8 *bump) {
  Bytes seeds[] = {SEED("vault"), {coordinator, WORD}};
  return find_address(seeds, 2, input->program, address, bump);
}
