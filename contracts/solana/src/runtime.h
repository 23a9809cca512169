/* What a program finds on Solana: its input, the system calls, and numbers and bytes in memory. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define FRAME static __attribute__((noinline))
#define TEXT(text) {(const u8 *)(text), sizeof(text) - 1}
#define WORD 32
#define MOST_ACCOUNTS 24

/* An account as system calls take it. */
typedef struct {
  u8 *key;
  u64 *lamports;
  u64 data_len;
  u8 *data;
  u8 *owner;
  u64 rent_epoch;
  u8 signer, writable, executable;
} Account;

typedef struct {
  const u8 *at;
  u64 len;
} Bytes;

typedef struct {
  const u8 *key;
  u8 writable, signer;
} Meta;

typedef struct {
  const u8 *program;
  const Meta *metas;
  u64 metas_len;
  const u8 *data;
  u64 data_len;
} Call;

typedef struct {
  const Bytes *at;
  u64 len;
} Seeds;

/* What the instruction was called with. */
typedef struct {
  Account accounts[MOST_ACCOUNTS];
  u64 count;
  const u8 *data;
  u64 data_len;
  const u8 *program;
} Input;

extern u64 sol_keccak256(const Bytes *parts, u64 len, u8 *hash);
extern u64 sol_try_find_program_address(const Bytes *seeds, u64 len, const u8 *program, u8 *address,
                                        u8 *bump);
extern u64 sol_invoke_signed_c(const Call *call, const Account *accounts, u64 len,
                               const Seeds *signers, u64 signers_len);
extern u64 sol_log_data(const Bytes *fields, u64 len);
extern u64 sol_get_clock_sysvar(u8 *clock);
extern u64 sol_get_rent_sysvar(u8 *rent);

enum {
  MALFORMED = 7001,
  WRONG_ACCOUNT,
  WRONG_CHAIN,
  BAD_TERMS,
  EXPIRED,
  ALREADY_STARTED,
  SHORT,
  TOO_EARLY,
  NOTHING_LEFT,
  NOT_ALLOWED,
  ALREADY_SETTLED,
  NOT_STARTED,
  TOO_MUCH,
  ALREADY_FILLED,
  REFUSED,
  RECEIVED_LESS,
  TOKEN_REFUSED,
  BELOW_RENT,
  TOO_LATE
};

/* Leave the function with the error of what was tried. */
#define TRY(what)            \
  do {                       \
    u64 error_ = (what);     \
    if (error_) return error_; \
  } while (0)
#define NEED(what, error)    \
  do {                       \
    if (!(what)) return (error); \
  } while (0)

FRAME u64 u64_at(const u8 *at) {
  u64 number = 0;
  for (int i = 7; i >= 0; i--) number = number << 8 | at[i];
  return number;
}

static inline u16 u16_at(const u8 *at) { return (u16)(at[0] | at[1] << 8); }

FRAME void put_u64(u8 *at, u64 number) {
  for (int i = 0; i < 8; i++, number >>= 8) at[i] = (u8)number;
}

FRAME void copy(u8 *to, const u8 *from, u64 len) {
  for (u64 i = 0; i < len; i++) to[i] = from[i];
}

FRAME int same(const u8 *a, const u8 *b) {
  for (int i = 0; i < WORD; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

FRAME int is_zero(const u8 *word) {
  for (int i = 0; i < WORD; i++)
    if (word[i]) return 0;
  return 1;
}

/* Whether a word of the terms is a number below 2^63, and which. */
FRAME int number_of(const u8 *word, u64 *number) {
  *number = 0;
  for (int i = 0; i < 24; i++)
    if (word[i]) return 0;
  for (int i = 24; i < WORD; i++) *number = *number << 8 | word[i];
  return !(*number >> 63);
}

FRAME u64 now(i64 *seconds) {
  u8 clock[40];
  TRY(sol_get_clock_sysvar(clock));
  *seconds = (i64)u64_at(clock + 32);
  return 0;
}

/* The least that an account with so many bytes may hold, or nothing at all. */
FRAME u64 least(u64 bytes, u64 *lamports) {
  u8 rent[24];
  TRY(sol_get_rent_sysvar(rent));
  /* A double that is 1.0 or 2.0; programs have no floating point. */
  u64 years = u64_at(rent + 8) == 0x3ff0000000000000ULL ? 1 : 2;
  *lamports = (128 + bytes) * u64_at(rent) * years;
  return 0;
}

/* The canonical address that belongs to these seeds of a program. */
FRAME u64 derived(const Bytes *seeds, u64 len, const u8 *program, u8 *address, u8 *bump) {
  return sol_try_find_program_address(seeds, len, program, address, bump) ? WRONG_ACCOUNT : 0;
}

FRAME u64 read_input(const u8 *at, Input *input) {
  input->count = u64_at(at);
  NEED(input->count <= MOST_ACCOUNTS, MALFORMED);
  at += 8;
  for (u64 i = 0; i < input->count; i++) {
    Account *one = &input->accounts[i];
    if (*at != 0xff) {
      /* The same as an earlier one. */
      *one = input->accounts[*at];
      at += 8;
      continue;
    }
    one->signer = at[1];
    one->writable = at[2];
    one->executable = at[3];
    one->key = (u8 *)at + 8;
    one->owner = (u8 *)at + 40;
    one->lamports = (u64 *)(at + 72);
    one->data_len = *(u64 *)(at + 80);
    one->data = (u8 *)at + 88;
    at += 88 + ((one->data_len + 7) & ~7ULL) + 10240;
    one->rent_epoch = *(u64 *)at;
    at += 8;
  }
  input->data_len = *(u64 *)at;
  input->data = at + 8;
  input->program = input->data + input->data_len;
  return 0;
}
