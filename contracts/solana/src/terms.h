/* What an intent's terms say, and the names that follow from them. */
#pragma once
#include "chains.h"
#include "runtime.h"

#define SOURCE (8 * WORD)
/* What comes before the arguments: which instruction, and the running number of the sender. */
#define HEAD 9

typedef struct {
  const u8 *token, *bridger, *refund_to, *coordinator;
  u64 total;
  i64 expiry;
  u8 hash[WORD];
} Source;

FRAME int known_chain(const u8 *word) { return same(word, MAINNET) || same(word, DEVNET); }

/* Read the words of a source chain, whichever it is; its total may be more than Solana can count. */
FRAME u64 read_source(const u8 *words, Source *source) {
  u64 expiry;
  source->token = words + 2 * WORD;
  source->bridger = words + 4 * WORD;
  source->refund_to = words + 5 * WORD;
  source->coordinator = words + 6 * WORD;
  if (!number_of(words + 3 * WORD, &source->total)) source->total = 0;
  NEED(number_of(words + 7 * WORD, &expiry) && expiry < 1ULL << 62, BAD_TERMS);
  source->expiry = (i64)expiry;
  Bytes all = {words, SOURCE};
  return sol_keccak256(&all, 1, source->hash);
}

FRAME u64 join(const u8 *source_hash, const u8 *dest_hash, u8 *key) {
  Bytes both[] = {{source_hash, WORD}, {dest_hash, WORD}};
  return sol_keccak256(both, 2, key);
}

/* The terms of the destination chain, this one. */
FRAME u64 dest_hash(const u8 *chain, const u8 *token, const u8 *recipient, u64 amount, u8 *hash) {
  u8 word[WORD];
  for (int i = 0; i < WORD; i++) word[i] = 0;
  for (int i = WORD - 1; amount; i--, amount >>= 8) word[i] = (u8)amount;
  Bytes words[] = {{chain, WORD}, {token, WORD}, {recipient, WORD}, {word, WORD}};
  return sol_keccak256(words, 4, hash);
}

/* The terms of an instruction whose source chain is Solana, and the key. */
FRAME u64 read_terms(const Input *input, Source *source, u8 *key) {
  NEED(input->data_len >= HEAD + SOURCE + WORD, MALFORMED);
  const u8 *words = input->data + HEAD;
  NEED(known_chain(words), WRONG_CHAIN);
  TRY(read_source(words, source));
  NEED(source->total && !is_zero(source->bridger), BAD_TERMS);
  return join(source->hash, words + SOURCE, key);
}
