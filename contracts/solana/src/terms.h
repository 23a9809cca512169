/* The terms of an intent and their hashes. */
#pragma once
#include "chains.h"
#include "runtime.h"

#define SOURCE_BYTES (8 * WORD)
/* The header of the data: the instruction, and the sequence number of the sending account. */
#define HEADER_BYTES 9

typedef struct {
  const u8 *token, *bridger, *refund_to, *coordinator;
  u64 total;
  i64 expiry;
  u8 hash[WORD];
} Source;

NOINLINE int is_solana(const u8 *word) { return equal(word, MAINNET) || equal(word, DEVNET); }

/* Parse the source terms of any chain family; a total above 64 bits becomes zero. */
NOINLINE u64 parse_source(const u8 *words, Source *source) {
  u64 expiry;
  source->token = words + 2 * WORD;
  source->bridger = words + 4 * WORD;
  source->refund_to = words + 5 * WORD;
  source->coordinator = words + 6 * WORD;
  if (!parse_number(words + 3 * WORD, &source->total)) source->total = 0;
  REQUIRE(parse_number(words + 7 * WORD, &expiry) && expiry < 1ULL << 62, INVALID_TERMS);
  source->expiry = (i64)expiry;
  Bytes all = {words, SOURCE_BYTES};
  return sol_keccak256(&all, 1, source->hash);
}

NOINLINE u64 join_hashes(const u8 *source_hash, const u8 *dest_hash, u8 *intent_hash) {
  Bytes both[] = {{source_hash, WORD}, {dest_hash, WORD}};
  return sol_keccak256(both, 2, intent_hash);
}

/* The hash of the destination terms, where that chain is Solana. */
NOINLINE u64 hash_destination(const u8 *chain, const u8 *token, const u8 *recipient, u64 amount,
                              u8 *hash) {
  u8 word[WORD];
  for (int i = 0; i < WORD; i++) word[i] = 0;
  for (int i = WORD - 1; amount; i--, amount >>= 8) word[i] = (u8)amount;
  Bytes words[] = {{chain, WORD}, {token, WORD}, {recipient, WORD}, {word, WORD}};
  return sol_keccak256(words, 4, hash);
}

/* Parse the terms of an instruction whose source chain is Solana, and compute the intent hash. */
NOINLINE u64 parse_terms(const Input *input, Source *source, u8 *intent_hash) {
  REQUIRE(input->data_len >= HEADER_BYTES + SOURCE_BYTES + WORD, MALFORMED);
  const u8 *words = input->data + HEADER_BYTES;
  REQUIRE(is_solana(words), WRONG_CHAIN);
  TRY(parse_source(words, source));
  REQUIRE(source->total && !is_zero(source->bridger), INVALID_TERMS);
  return join_hashes(source->hash, words + SOURCE_BYTES, intent_hash);
}
