/* What mints and token accounts are, of both token programs, and whether they can be used. */
#pragma once
#include "chains.h"
#include "runtime.h"

enum { FEE = 1, HOOK = 14, NON_TRANSFERABLE = 9, DELEGATE = 12 };      /* extensions of mints */
enum { CONFIDENTIAL = 5, IMMUTABLE_OWNER = 7, MEMO = 8 };              /* and of token accounts */
enum { MINT = 1, HOLDER = 2 };
enum { TAKES = 1, STUCK = 2 };
#define PLAIN 165
#define PLAIN_MINT 82
#define MULTISIG 355

FRAME int is_new_program(const Account *program) { return same(program->key, TOKEN_2022); }

/* Whether an account is what a token program keeps as mint or as token account. */
FRAME int is_kind(const Account *one, const Account *program, u8 kind) {
  if (!same(one->owner, program->key)) return 0;
  if (one->data_len == (kind == MINT ? PLAIN_MINT : PLAIN)) return 1;
  return is_new_program(program) && one->data_len > PLAIN && one->data_len != MULTISIG &&
         one->data[PLAIN] == kind;
}

/* Where an extension's content lies, and how long it is; 0 where there is none. */
FRAME const u8 *extension(const Account *one, u16 kind, u64 *len) {
  u64 at = PLAIN + 1;
  while (at + 4 <= one->data_len) {
    u16 found = u16_at(one->data + at);
    *len = u16_at(one->data + at + 2);
    at += 4;
    if (!found || at + *len > one->data_len) return 0;
    if (found == kind) return one->data + at;
    at += *len;
  }
  return 0;
}

/* What speaks against a mint: it takes what is not its own, or it cannot be moved by us. */
FRAME u64 flaws(const Account *mint) {
  u64 len, found = 0;
  const u8 *at = extension(mint, FEE, &len);
  /* The share that is taken, before and after its next change. */
  if (at && len >= 108 && (u16_at(at + 88) | u16_at(at + 106))) found |= TAKES;
  at = extension(mint, DELEGATE, &len);
  if (at && len >= WORD && !is_zero(at)) found |= TAKES;
  at = extension(mint, HOOK, &len);
  if (at && len >= 2 * WORD && !is_zero(at + WORD)) found |= STUCK;
  if (extension(mint, NON_TRANSFERABLE, &len)) found |= STUCK;
  return found;
}

/* Mint and program belong together and can be used; both are the system program for SOL. */
FRAME u64 check_mint(const Account *mint, const Account *program, u64 unwanted) {
  if (is_zero(mint->key)) return is_zero(program->key) ? 0 : WRONG_ACCOUNT;
  NEED(same(program->key, TOKEN) || is_new_program(program), WRONG_ACCOUNT);
  NEED(is_kind(mint, program, MINT) && mint->data[45] == 1, WRONG_ACCOUNT);
  return flaws(mint) & unwanted ? TOKEN_REFUSED : 0;
}

FRAME u64 held(const Account *holder) { return u64_at(holder->data + 64); }

/* A token account of this mint that this wallet owns. */
FRAME int is_holder(const Account *one, const Account *program, const u8 *mint, const u8 *wallet) {
  return is_kind(one, program, HOLDER) && one->data[108] && same(one->data, mint) &&
         same(one->data + WORD, wallet);
}

/* Whether this is the address of a wallet's associated token account. */
FRAME u64 check_associated(const Account *one, const u8 *wallet, const u8 *mint, const u8 *program) {
  u8 address[WORD], bump;
  Bytes seeds[] = {{wallet, WORD}, {program, WORD}, {mint, WORD}};
  TRY(derived(seeds, 3, ASSOCIATED, address, &bump));
  return same(address, one->key) ? 0 : WRONG_ACCOUNT;
}

/* Whether a transfer into a wallet's token account would work. */
FRAME int accepts(const Account *one, const Account *program, const u8 *mint, const u8 *wallet) {
  u64 len;
  if (!one->writable || !is_holder(one, program, mint, wallet) || one->data[108] != 1) return 0;
  const u8 *at = extension(one, MEMO, &len);
  if (at && len && *at) return 0;
  at = extension(one, CONFIDENTIAL, &len);
  return !(at && len > 262 && !at[262]);
}

/* Whether an empty token account can be closed by its owner for sure. */
FRAME int closable(const Account *one) {
  if (held(one) || one->data[129]) return 0;
  if (one->data_len == PLAIN) return 1;
  return one->data_len == PLAIN + 5 && u16_at(one->data + PLAIN + 1) == IMMUTABLE_OWNER;
}
