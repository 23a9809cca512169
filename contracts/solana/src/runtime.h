/* The runtime of a Solana program: input, system calls, errors, and reading and writing bytes. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

/* Each function has a stack frame of its own: a frame is limited to 4,096 bytes. */
#define NOINLINE static __attribute__((noinline))
#define SEED(text) {(const u8 *)(text), sizeof(text) - 1}
#define WORD 32
#define MAX_ACCOUNTS 24

/* An account, laid out as the system calls expect it (SolAccountInfo). */
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
  const u8 *data;
  u64 len;
} Bytes;

typedef struct {
  const u8 *key;
  u8 writable, signer;
} AccountMeta;

typedef struct {
  const u8 *program;
  const AccountMeta *metas;
  u64 metas_len;
  const u8 *data;
  u64 data_len;
} Instruction;

typedef struct {
  const Bytes *seeds;
  u64 len;
} SignerSeeds;

/* The accounts and data of the instruction. */
typedef struct {
  Account accounts[MAX_ACCOUNTS];
  u64 count;
  const u8 *data;
  u64 data_len;
  const u8 *program;
} Input;

extern u64 sol_keccak256(const Bytes *parts, u64 len, u8 *hash);
extern u64 sol_try_find_program_address(const Bytes *seeds, u64 len, const u8 *program, u8 *address,
                                        u8 *bump);
extern u64 sol_invoke_signed_c(const Instruction *call, const Account *accounts, u64 len,
                               const SignerSeeds *signers, u64 signers_len);
extern u64 sol_log_data(const Bytes *fields, u64 len);
extern u64 sol_get_clock_sysvar(u8 *clock);
extern u64 sol_get_rent_sysvar(u8 *rent);

enum {
  MALFORMED = 7001,
  WRONG_ACCOUNT,
  WRONG_CHAIN,
  INVALID_TERMS,
  EXPIRED,
  ALREADY_STARTED,
  INSUFFICIENT_BALANCE,
  TOO_EARLY,
  NOTHING_TO_TRANSFER,
  NOT_AUTHORIZED,
  ALREADY_SETTLED,
  NOT_STARTED,
  EXCEEDS_AVAILABLE,
  ALREADY_FILLED,
  TRANSFER_FAILED,
  RECEIVED_LESS,
  TOKEN_REFUSED,
  BELOW_RENT,
  TOO_LATE
};

/* Return the error of a call, if there is one; return an error unless a condition holds. */
#define TRY(what)            \
  do {                       \
    u64 error_ = (what);     \
    if (error_) return error_; \
  } while (0)
#define REQUIRE(what, error)    \
  do {                       \
    if (!(what)) return (error); \
  } while (0)

NOINLINE u64 read_u64(const u8 *at) {
  u64 number = 0;
  for (int i = 7; i >= 0; i--) number = number << 8 | at[i];
  return number;
}

static inline u16 read_u16(const u8 *at) { return (u16)(at[0] | at[1] << 8); }

NOINLINE void write_u64(u8 *at, u64 number) {
  for (int i = 0; i < 8; i++, number >>= 8) at[i] = (u8)number;
}

NOINLINE void copy(u8 *to, const u8 *from, u64 len) {
  for (u64 i = 0; i < len; i++) to[i] = from[i];
}

NOINLINE int equal(const u8 *a, const u8 *b) {
  for (int i = 0; i < WORD; i++)
    if (a[i] != b[i]) return 0;
  return 1;
}

NOINLINE int is_zero(const u8 *word) {
  for (int i = 0; i < WORD; i++)
    if (word[i]) return 0;
  return 1;
}

/* Parse a big-endian word of the terms; false if it is not below 2^63. */
NOINLINE int parse_number(const u8 *word, u64 *number) {
  *number = 0;
  for (int i = 0; i < 24; i++)
    if (word[i]) return 0;
  for (int i = 24; i < WORD; i++) *number = *number << 8 | word[i];
  return !(*number >> 63);
}

NOINLINE u64 now(i64 *seconds) {
  u8 clock[40];
  TRY(sol_get_clock_sysvar(clock));
  *seconds = (i64)read_u64(clock + 32);
  return 0;
}

/* The rent-exempt minimum of an account with this many bytes of data. */
NOINLINE u64 rent_exempt_minimum(u64 bytes, u64 *lamports) {
  u8 rent[24];
  TRY(sol_get_rent_sysvar(rent));
  /* A double that is 1.0 or 2.0; programs have no floating point. */
  u64 years = read_u64(rent + 8) == 0x3ff0000000000000ULL ? 1 : 2;
  *lamports = (128 + bytes) * read_u64(rent) * years;
  return 0;
}

/* The program-derived address of these seeds, at its canonical bump. */
NOINLINE u64 find_address(const Bytes *seeds, u64 len, const u8 *program, u8 *address, u8 *bump) {
  return sol_try_find_program_address(seeds, len, program, address, bump) ? WRONG_ACCOUNT : 0;
}

NOINLINE u64 parse_input(const u8 *at, Input *input) {
  input->count = read_u64(at);
  REQUIRE(input->count <= MAX_ACCOUNTS, MALFORMED);
  at += 8;
  for (u64 i = 0; i < input->count; i++) {
    Account *account = &input->accounts[i];
    if (*at != 0xff) {
      /* A duplicate of an earlier account. */
      *account = input->accounts[*at];
      at += 8;
      continue;
    }
    account->signer = at[1];
    account->writable = at[2];
    account->executable = at[3];
    account->key = (u8 *)at + 8;
    account->owner = (u8 *)at + 40;
    account->lamports = (u64 *)(at + 72);
    account->data_len = *(u64 *)(at + 80);
    account->data = (u8 *)at + 88;
    at += 88 + ((account->data_len + 7) & ~7ULL) + 10240;
    account->rent_epoch = *(u64 *)at;
    at += 8;
  }
  input->data_len = *(u64 *)at;
  input->data = at + 8;
  input->program = input->data + input->data_len;
  return 0;
}
