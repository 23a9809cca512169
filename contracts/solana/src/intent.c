/* The instructions of Crossway's Solana program. contracts/solana/README.md lists their accounts
   and data. */
#include "program_accounts.h"
#include "terms.h"

#define REQUIRE_LAYOUT(accounts_, bytes_) \
  REQUIRE(input->count == (accounts_) && input->data_len == HEADER_BYTES + (bytes_), MALFORMED)

/* Load the deposit owner: the address derived from the intent hash, for which the program signs
   with `seeds`, or an ordinary account that signs itself. It cannot be account 0. */
NOINLINE u64 load_deposit_owner(Sender *from, const u8 *intent_hash, Bytes *seeds, u8 *bump,
                                SignerSeeds *signer) {
  const Account *owner = from->wallet;
  u8 address[WORD];
  seeds[0] = (Bytes)SEED("intent");
  seeds[1] = (Bytes){intent_hash, WORD};
  seeds[2] = (Bytes){bump, 1};
  TRY(find_address(seeds, 2, from->input->program, address, bump));
  *signer = (SignerSeeds){seeds, 3};
  from->seeds = equal(address, owner->key) ? signer : 0;
  REQUIRE(from->seeds || owner->signer, WRONG_ACCOUNT);
  return owner->key == from->input->accounts[0].key ? WRONG_ACCOUNT : 0;
}

/* Excess SOL that refundTo cannot receive, and that is too little to stay with the deposit owner,
   is set aside in the state account. */
NOINLINE u64 return_excess_sol(const Sender *from, const Account *refund_to, Account *state,
                               u64 amount) {
  u64 minimum;
  if (!is_zero(refund_to->key) && !can_receive_sol(refund_to, amount)) {
    TRY(transfer_sol(from, refund_to, amount));
    return log_tokens_moved(from, EXCESS, refund_to->key, amount);
  }
  TRY(rent_exempt_minimum(0, &minimum));
  if (amount >= minimum) return 0;
  TRY(transfer_sol(from, state, amount));
  state->data[3] = 1;
  return log_tokens_moved(from, SET_ASIDE, state->key, amount);
}

/* Return excess, best effort: it must never block a start. */
NOINLINE u64 return_excess(const Sender *from, const Account *refund_to,
                           const Account *token_account, Account *state) {
  u64 amount;
  TRY(sender_balance(from, &amount));
  if (is_native(from)) return amount ? return_excess_sol(from, refund_to, state, amount) : 0;
  if (is_zero(refund_to->key)) return 0;
  if (amount && !can_receive(from, refund_to, token_account, amount))
    TRY(pay(from, EXCESS, refund_to, token_account, amount));
  return close_token_account(from, refund_to);
}

NOINLINE u64 mark_started(const Input *input, const Source *source, const u8 *intent_hash) {
  Account *state = (Account *)&input->accounts[8];
  u8 vault[WORD], bump;
  int started;
  TRY(load_state(input, state, intent_hash, &bump, &started));
  REQUIRE(!started, ALREADY_STARTED);
  TRY(create_record(input, state, (Bytes)SEED("state"), intent_hash, bump));
  TRY(vault_address(input, source->coordinator, vault, &bump));
  state->data[0] = 'S';
  state->data[2] = (u8)equal(vault, source->bridger);
  write_u64(state->data + 8, (u64)(source->expiry + STATE_LIFETIME));
  return 0;
}

/* Check the first accounts of start, refund and redirect. */
NOINLINE u64 check_deposit(const Input *input, const Source *source, const u64 refused_flags) {
  const Account *a = input->accounts;
  REQUIRE(a[0].signer, WRONG_ACCOUNT);
  TRY(check_mint(&a[3], &a[4], refused_flags));
  REQUIRE(is_zero(a[5].key) && equal(a[6].key, source->refund_to), WRONG_ACCOUNT);
  return 0;
}

NOINLINE u64 start(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  SignerSeeds signer;
  u8 intent_hash[WORD], bump;
  i64 time;
  u64 amount;
  REQUIRE_LAYOUT(11, SOURCE_BYTES + WORD);
  TRY(parse_terms(input, &source, intent_hash));
  TRY(now(&time));
  REQUIRE(time < source.expiry, EXPIRED);
  TRY(check_deposit(input, &source, TAKES_FUNDS | NOT_MOVABLE));
  REQUIRE(equal(a[3].key, source.token) && equal(a[9].key, source.bridger), WRONG_ACCOUNT);
  Sender from = {input, &a[1], &a[2], &a[3], &a[4], 0, intent_hash};
  TRY(load_deposit_owner(&from, intent_hash, seeds, &bump, &signer));
  TRY(check_receiver(&from, &a[9], &a[10]));
  REQUIRE(a[1].key != a[9].key, WRONG_ACCOUNT);
  if (!is_zero(a[6].key)) TRY(check_receiver(&from, &a[6], &a[7]));
  TRY(mark_started(input, &source, intent_hash));
  TRY(sender_balance(&from, &amount));
  REQUIRE(amount >= source.total, INSUFFICIENT_BALANCE);
  TRY(pay(&from, START, &a[9], &a[10], source.total));
  return return_excess(&from, &a[6], &a[7], &a[8]);
}

/* SOL in the state account above its rent, which a start may have set aside. */
NOINLINE u64 set_aside_amount(const Sender *from, const Account *state, int started, u64 *amount) {
  u64 minimum;
  *amount = 0;
  if (!started || !is_native(from)) return 0;
  TRY(rent_exempt_minimum(RECORD_BYTES, &minimum));
  if (*state->lamports <= minimum) return 0;
  REQUIRE(state->writable, WRONG_ACCOUNT);
  *amount = *state->lamports - minimum;
  return 0;
}

/* Pay the whole balance to a receiver, with what was set aside. */
NOINLINE u64 pay_all(const Sender *from, const Account *to, const Account *token_account,
                     u64 amount, u64 aside) {
  Account *state = (Account *)&from->input->accounts[8];
  if (!is_native(from)) {
    TRY(pay(from, REFUND, to, token_account, amount));
    return close_token_account(from, &from->input->accounts[6]);
  }
  TRY(can_receive_sol(to, amount + aside));
  if (amount) TRY(transfer_sol(from, to, amount));
  if (aside) {
    *state->lamports -= aside;
    *to->lamports += aside;
    state->data[3] = 0;
  }
  return log_tokens_moved(from, REFUND, to->key, amount + aside);
}

/* The checks that refund and redirect share, and the amounts to pay. */
NOINLINE u64 prepare_refund(Sender *from, const Source *source, i64 time, u64 *amount, u64 *aside) {
  const Account *a = from->input->accounts;
  u8 bump;
  int started;
  TRY(check_deposit(from->input, source, NOT_MOVABLE));
  REQUIRE(!is_zero(source->refund_to), INVALID_TERMS);
  TRY(check_receiver(from, &a[6], &a[7]));
  TRY(load_state(from->input, &a[8], from->intent_hash, &bump, &started));
  REQUIRE(started || time >= source->expiry || !equal(a[3].key, source->token), TOO_EARLY);
  TRY(set_aside_amount(from, &a[8], started, aside));
  TRY(sender_balance(from, amount));
  return *amount + *aside ? 0 : NOTHING_TO_TRANSFER;
}

NOINLINE u64 refund(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  SignerSeeds signer;
  u8 intent_hash[WORD], bump;
  i64 time;
  u64 amount = 0, aside = 0;
  REQUIRE_LAYOUT(9, SOURCE_BYTES + WORD);
  TRY(parse_terms(input, &source, intent_hash));
  TRY(now(&time));
  Sender from = {input, &a[1], &a[2], &a[3], &a[4], 0, intent_hash};
  TRY(load_deposit_owner(&from, intent_hash, seeds, &bump, &signer));
  TRY(prepare_refund(&from, &source, time, &amount, &aside));
  return pay_all(&from, &a[6], &a[7], amount, aside);
}

/* Check that a failed payment would be refundTo's fault: its token account exists, or for SOL the
   caller passed it as writable. */
NOINLINE u64 check_refund_attempt(const Sender *from, const Account *wallet,
                                  const Account *token_account) {
  if (is_native(from)) return wallet->writable || wallet->executable ? 0 : WRONG_ACCOUNT;
  return token_account->data_len && token_account->writable ? 0 : WRONG_ACCOUNT;
}

NOINLINE u64 redirect(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  SignerSeeds signer;
  u8 intent_hash[WORD], bump;
  i64 time;
  u64 amount = 0, aside = 0;
  REQUIRE_LAYOUT(11, SOURCE_BYTES + WORD);
  TRY(parse_terms(input, &source, intent_hash));
  REQUIRE(a[0].signer && equal(a[0].key, source.coordinator), NOT_AUTHORIZED);
  TRY(now(&time));
  REQUIRE(time >= source.expiry + REDIRECT_DELAY, TOO_EARLY);
  REQUIRE(!is_zero(a[9].key), INVALID_TERMS);
  Sender from = {input, &a[1], &a[2], &a[3], &a[4], 0, intent_hash};
  TRY(load_deposit_owner(&from, intent_hash, seeds, &bump, &signer));
  TRY(prepare_refund(&from, &source, time, &amount, &aside));
  TRY(check_receiver(&from, &a[9], &a[10]));
  TRY(check_refund_attempt(&from, &a[6], &a[7]));
  if (can_receive(&from, &a[6], &a[7], amount + aside))
    return pay_all(&from, &a[9], &a[10], amount, aside);
  return pay_all(&from, &a[6], &a[7], amount, aside);
}

/* Load the account of a coordinator's retained amount; created if needed. */
NOINLINE u64 load_retained(const Input *input, Account *retained, const u8 *mint, int needed) {
  const u8 *coordinator = input->accounts[0].key;
  u8 bump;
  Bytes seeds[] = {SEED("retained"), {coordinator, WORD}, {mint, WORD}, {&bump, 1}};
  TRY(check_program_account(input, retained, seeds, 3, &bump));
  if (is_program_account(input, retained) || !needed) return 0;
  TRY(create_account(input, retained, seeds, 4, RETAINED_BYTES));
  retained->data[0] = 'R';
  return 0;
}

/* Load the vault of account 0, from which settle and withdraw pay. */
NOINLINE u64 load_vault(Sender *from, Bytes *seeds, u8 *bump, SignerSeeds *signer) {
  const Account *coordinator = &from->input->accounts[0];
  u8 address[WORD];
  REQUIRE(coordinator->signer, NOT_AUTHORIZED);
  TRY(vault_address(from->input, coordinator->key, address, bump));
  REQUIRE(equal(address, from->wallet->key), WRONG_ACCOUNT);
  seeds[0] = (Bytes)SEED("vault");
  seeds[1] = (Bytes){coordinator->key, WORD};
  seeds[2] = (Bytes){bump, 1};
  *signer = (SignerSeeds){seeds, 3};
  from->seeds = signer;
  REQUIRE(is_zero(from->input->accounts[5].key), WRONG_ACCOUNT);
  return check_mint(from->mint, from->program, NOT_MOVABLE);
}

NOINLINE u64 pay_out(const Sender *from, u8 kind, const Account *to, u64 amount) {
  u64 balance, minimum;
  REQUIRE(amount, NOTHING_TO_TRANSFER);
  REQUIRE(!is_zero(to[0].key), INVALID_TERMS);
  TRY(check_receiver(from, &to[0], &to[1]));
  TRY(sender_balance(from, &balance));
  REQUIRE(balance >= amount, INSUFFICIENT_BALANCE);
  TRY(rent_exempt_minimum(0, &minimum));
  REQUIRE(!is_native(from) || balance - amount >= minimum, BELOW_RENT);
  return pay(from, kind, &to[0], &to[1], amount);
}

NOINLINE u64 retain(const Sender *from, Account *retained, u64 amount) {
  if (!amount) return 0;
  u8 log[106] = {'R'};
  u64 before = read_u64(retained->data + 8);
  REQUIRE(before + amount >= before, EXCEEDS_AVAILABLE);
  write_u64(retained->data + 8, before + amount);
  copy(log + 2, from->intent_hash, WORD);
  copy(log + 34, from->input->accounts[0].key, WORD);
  copy(log + 66, from->mint->key, WORD);
  write_u64(log + 98, amount);
  Bytes field = {log, sizeof log};
  return sol_log_data(&field, 1);
}

/* Mark the state of an intent as settled. */
NOINLINE u64 mark_settled(const Input *input, const Source *source, const u8 *intent_hash) {
  const Account *a = input->accounts;
  u8 bump;
  int started;
  REQUIRE(equal(a[1].key, source->bridger), INVALID_TERMS);
  REQUIRE(equal(a[3].key, source->token), WRONG_ACCOUNT);
  TRY(load_state(input, &a[6], intent_hash, &bump, &started));
  REQUIRE(started, NOT_STARTED);
  REQUIRE(a[6].writable, WRONG_ACCOUNT);
  REQUIRE(!a[6].data[1], ALREADY_SETTLED);
  a[6].data[1] = 1;
  return 0;
}

NOINLINE u64 settle(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  SignerSeeds signer;
  u8 intent_hash[WORD], bump;
  REQUIRE(input->count >= 8 && !(input->count & 1), MALFORMED);
  u64 count = (input->count - 8) / 2;
  REQUIRE(input->data_len == HEADER_BYTES + SOURCE_BYTES + WORD + 8 * count, MALFORMED);
  const u8 *amounts = input->data + HEADER_BYTES + SOURCE_BYTES + WORD;
  TRY(parse_terms(input, &source, intent_hash));
  REQUIRE(equal(a[0].key, source.coordinator), NOT_AUTHORIZED);
  Sender from = {input, &a[1], &a[2], &a[3], &a[4], 0, intent_hash};
  TRY(load_vault(&from, seeds, &bump, &signer));
  TRY(mark_settled(input, &source, intent_hash));
  u64 remaining = source.total;
  for (u64 i = 0; i < count; i++) {
    u64 amount = read_u64(amounts + 8 * i);
    REQUIRE(amount <= remaining, EXCEEDS_AVAILABLE);
    remaining -= amount;
  }
  /* Before payouts: account 0 pays for the new account, and may receive a payout. */
  TRY(load_retained(input, &a[7], a[3].key, remaining != 0));
  for (u64 i = 0; i < count; i++)
    TRY(pay_out(&from, SETTLE, &a[8 + 2 * i], read_u64(amounts + 8 * i)));
  return retain(&from, &a[7], remaining);
}

NOINLINE u64 withdraw(Input *input) {
  Account *a = input->accounts;
  Bytes seeds[3];
  SignerSeeds signer;
  u8 no_intent[WORD], bump;
  REQUIRE_LAYOUT(9, 8);
  for (int i = 0; i < WORD; i++) no_intent[i] = 0;
  u64 amount = read_u64(input->data + HEADER_BYTES);
  Sender from = {input, &a[1], &a[2], &a[3], &a[4], 0, no_intent};
  TRY(load_vault(&from, seeds, &bump, &signer));
  TRY(load_retained(input, &a[6], a[3].key, 0));
  REQUIRE(is_program_account(input, &a[6]), EXCEEDS_AVAILABLE);
  u64 retained = read_u64(a[6].data + 8);
  REQUIRE(amount <= retained, EXCEEDS_AVAILABLE);
  REQUIRE(a[6].writable, WRONG_ACCOUNT);
  write_u64(a[6].data + 8, retained - amount);
  return pay_out(&from, WITHDRAW, &a[7], amount);
}

NOINLINE u64 mark_filled(const Input *input, const Source *source, const u8 *intent_hash) {
  Account *marker = (Account *)&input->accounts[5];
  u8 bump;
  Bytes seeds[] = {SEED("fill"), {intent_hash, WORD}};
  TRY(check_program_account(input, marker, seeds, 2, &bump));
  REQUIRE(!is_program_account(input, marker), ALREADY_FILLED);
  TRY(create_record(input, marker, seeds[0], intent_hash, bump));
  marker->data[0] = 'F';
  write_u64(marker->data + 8, (u64)(source->expiry + MARKER_LIFETIME));
  return 0;
}

NOINLINE u64 fill(Input *input) {
  Account *a = input->accounts;
  Source source;
  u8 hash[WORD], intent_hash[WORD];
  i64 time;
  u64 balance;
  REQUIRE_LAYOUT(8, SOURCE_BYTES + WORD + 8);
  const u8 *chain = input->data + HEADER_BYTES + SOURCE_BYTES;
  u64 amount = read_u64(chain + WORD);
  REQUIRE(is_solana(chain), WRONG_CHAIN);
  REQUIRE(amount && !is_zero(a[6].key), INVALID_TERMS);
  TRY(parse_source(input->data + HEADER_BYTES, &source));
  TRY(now(&time));
  REQUIRE(time < source.expiry + FILL_WINDOW, TOO_LATE);
  TRY(hash_destination(chain, a[2].key, a[6].key, amount, hash));
  TRY(join_hashes(source.hash, hash, intent_hash));
  REQUIRE(a[0].signer && is_zero(a[4].key), WRONG_ACCOUNT);
  TRY(check_mint(&a[2], &a[3], TAKES_FUNDS | NOT_MOVABLE));
  Sender from = {input, &a[0], &a[1], &a[2], &a[3], 0, intent_hash};
  /* A payer that is the recipient gains nothing. */
  if (a[0].key != a[6].key)
    TRY(check_receiver(&from, &a[6], &a[7]));
  else
    REQUIRE(a[7].key == a[1].key, WRONG_ACCOUNT);
  TRY(mark_filled(input, &source, intent_hash));
  TRY(sender_balance(&from, &balance));
  REQUIRE(balance >= amount, INSUFFICIENT_BALANCE);
  return pay(&from, FILL, &a[6], &a[7], amount);
}

NOINLINE u64 close(Input *input) {
  Account *account = &input->accounts[0], *payer = &input->accounts[1];
  i64 time;
  REQUIRE_LAYOUT(2, 0);
  REQUIRE(
      is_program_account(input, account) && account->data_len == RECORD_BYTES && account->writable,
      WRONG_ACCOUNT);
  REQUIRE(account->data[0] == 'S' || account->data[0] == 'F', WRONG_ACCOUNT);
  REQUIRE(equal(payer->key, account->data + 16) && payer->writable, WRONG_ACCOUNT);
  TRY(now(&time));
  REQUIRE(time >= (i64)read_u64(account->data + 8), TOO_EARLY);
  /* A state must be settled, if it can be, and hold nothing that was set aside. */
  if (account->data[0] == 'S')
    REQUIRE((account->data[1] || !account->data[2]) && !account->data[3], TOO_EARLY);
  *payer->lamports += *account->lamports;
  *account->lamports = 0;
  /* Lamports sent later in the same transaction must not restore the account's data. */
  for (int i = 0; i < RECORD_BYTES; i++) account->data[i] = 0;
  for (int i = 0; i < WORD; i++) account->owner[i] = 0;
  *(u64 *)(account->data - 8) = 0;
  return 0;
}

u64 entrypoint(const u8 *at) {
  /* Too large for a stack frame; the heap of a program begins here. */
  Input *input = (Input *)0x300000000ULL;
  TRY(parse_input(at, input));
  REQUIRE(input->data_len >= HEADER_BYTES, MALFORMED);
  switch (*input->data) {
    case 0: return start(input);
    case 1: return refund(input);
    case 2: return redirect(input);
    case 3: return settle(input);
    case 4: return withdraw(input);
    case 5: return fill(input);
    case 6: return close(input);
    default: return MALFORMED;
  }
}
