/* Mints and token accounts of both token programs, and which of them are accepted. */
#pragma once
#include "chains.h"
#include "runtime.h"

enum {
  TRANSFER_FEE = 1,
  TRANSFER_HOOK = 14,
  NON_TRANSFERABLE = 9,
  PERMANENT_DELEGATE = 12
}; /* extensions of mints */
enum {
  CONFIDENTIAL_TRANSFER = 5,
  IMMUTABLE_OWNER = 7,
  MEMO_TRANSFER = 8
}; /* extensions of token accounts */
enum { MINT = 1, TOKEN_ACCOUNT = 2 };
enum { TAKES_FUNDS = 1, NOT_MOVABLE = 2 };
#define TOKEN_ACCOUNT_BYTES 165
#define MINT_BYTES 82
#define MULTISIG_BYTES 355

NOINLINE int is_token_2022(const Account *program) { return equal(program->key, TOKEN_2022); }

/* Whether an account is a mint or a token account of a token program. */
NOINLINE int has_type(const Account *account, const Account *program, u8 kind) {
  if (!equal(account->owner, program->key)) return 0;
  if (account->data_len == (kind == MINT ? MINT_BYTES : TOKEN_ACCOUNT_BYTES)) return 1;
  return is_token_2022(program) && account->data_len > TOKEN_ACCOUNT_BYTES &&
         account->data_len != MULTISIG_BYTES && account->data[TOKEN_ACCOUNT_BYTES] == kind;
}

/* The data of an extension and its length; 0 if there is none. */
NOINLINE const u8 *extension(const Account *account, u16 kind, u64 *len) {
  u64 at = TOKEN_ACCOUNT_BYTES + 1;
  while (at + 4 <= account->data_len) {
    u16 found = read_u16(account->data + at);
    *len = read_u16(account->data + at + 2);
    at += 4;
    if (!found || at + *len > account->data_len) return 0;
    if (found == kind) return account->data + at;
    at += *len;
  }
  return 0;
}

/* Why a mint may be refused: somebody can take a part of its tokens, or they cannot be moved. */
NOINLINE u64 mint_flags(const Account *mint) {
  u64 len, found = 0;
  const u8 *at = extension(mint, TRANSFER_FEE, &len);
  /* The fee in basis points, before and after its next change. */
  if (at && len >= 108 && (read_u16(at + 88) | read_u16(at + 106))) found |= TAKES_FUNDS;
  at = extension(mint, PERMANENT_DELEGATE, &len);
  if (at && len >= WORD && !is_zero(at)) found |= TAKES_FUNDS;
  at = extension(mint, TRANSFER_HOOK, &len);
  if (at && len >= 2 * WORD && !is_zero(at + WORD)) found |= NOT_MOVABLE;
  if (extension(mint, NON_TRANSFERABLE, &len)) found |= NOT_MOVABLE;
  return found;
}

/* Check that the mint belongs to the token program and is accepted; for SOL both are the system
   program. */
NOINLINE u64 check_mint(const Account *mint, const Account *program, u64 refused_flags) {
  if (is_zero(mint->key)) return is_zero(program->key) ? 0 : WRONG_ACCOUNT;
  REQUIRE(equal(program->key, TOKEN) || is_token_2022(program), WRONG_ACCOUNT);
  REQUIRE(has_type(mint, program, MINT) && mint->data[45] == 1, WRONG_ACCOUNT);
  return mint_flags(mint) & refused_flags ? TOKEN_REFUSED : 0;
}

NOINLINE u64 token_balance(const Account *token_account) {
  return read_u64(token_account->data + 64);
}

/* Whether an account is a token account of this mint and this wallet. */
NOINLINE int is_token_account(const Account *account, const Account *program, const u8 *mint,
                              const u8 *wallet) {
  return has_type(account, program, TOKEN_ACCOUNT) && account->data[108] &&
         equal(account->data, mint) && equal(account->data + WORD, wallet);
}

/* Check that this is the wallet's associated token account. */
NOINLINE u64 check_associated(const Account *account, const u8 *wallet, const u8 *mint,
                              const u8 *program) {
  u8 address[WORD], bump;
  Bytes seeds[] = {{wallet, WORD}, {program, WORD}, {mint, WORD}};
  TRY(find_address(seeds, 3, ASSOCIATED, address, &bump));
  return equal(address, account->key) ? 0 : WRONG_ACCOUNT;
}

/* Whether a transfer into a wallet's token account can succeed. */
NOINLINE int can_receive_tokens(const Account *account, const Account *program, const u8 *mint,
                                const u8 *wallet) {
  u64 len;
  if (!account->writable || !is_token_account(account, program, mint, wallet) ||
      account->data[108] != 1)
    return 0;
  const u8 *at = extension(account, MEMO_TRANSFER, &len);
  if (at && len && *at) return 0;
  at = extension(account, CONFIDENTIAL_TRANSFER, &len);
  return !(at && len > 262 && !at[262]);
}

/* Whether a token account is empty and certainly closable by its owner. */
NOINLINE int is_closable(const Account *account) {
  if (token_balance(account) || account->data[129]) return 0;
  if (account->data_len == TOKEN_ACCOUNT_BYTES) return 1;
  return account->data_len == TOKEN_ACCOUNT_BYTES + 5 &&
         read_u16(account->data + TOKEN_ACCOUNT_BYTES + 1) == IMMUTABLE_OWNER;
}
