/* Crossway's program on Solana: what each instruction does. contracts/solana/README.md tells what
   accounts and data it takes. */
#include "own.h"
#include "terms.h"

#define SHAPE(accounts_, bytes_) \
  NEED(input->count == (accounts_) && input->data_len == HEAD + (bytes_), MALFORMED)

/* The deposit owner: the address derived from the key, for which the program signs with `seeds`, or
   a key that signs by itself. Neither the payer of rent nor the bridger, which would pay itself. */
FRAME u64 open_deposit(Purse *from, const u8 *key, Bytes *seeds, u8 *bump, Seeds *signer) {
  const Account *owner = from->wallet;
  u8 address[WORD];
  seeds[0] = (Bytes)TEXT("intent");
  seeds[1] = (Bytes){key, WORD};
  seeds[2] = (Bytes){bump, 1};
  TRY(derived(seeds, 2, from->input->program, address, bump));
  *signer = (Seeds){seeds, 3};
  from->seeds = same(address, owner->key) ? signer : 0;
  NEED(from->seeds || owner->signer, WRONG_ACCOUNT);
  return owner->key == from->input->accounts[0].key ? WRONG_ACCOUNT : 0;
}

/* SOL that refundTo cannot be paid and the deposit owner cannot keep lies with the state. */
FRAME u64 excess_of_coins(const Purse *from, const Account *refund_to, Account *state, u64 units) {
  u64 low;
  if (!is_zero(refund_to->key) && !takes_coins(refund_to, units)) {
    TRY(send_coins(from, refund_to, units));
    return say_moved(from, EXCESS, refund_to->key, units);
  }
  TRY(least(0, &low));
  if (units >= low) return 0;
  TRY(send_coins(from, state, units));
  state->data[3] = 1;
  return say_moved(from, ASIDE, state->key, units);
}

/* What is left over goes back if that can be done: it must never block a start. */
FRAME u64 give_excess(const Purse *from, const Account *refund_to, const Account *holder,
                      Account *state) {
  u64 units;
  TRY(purse_units(from, &units));
  if (native(from)) return units ? excess_of_coins(from, refund_to, state, units) : 0;
  if (is_zero(refund_to->key)) return 0;
  if (units && !takes(from, refund_to, holder, units))
    TRY(pay(from, EXCESS, refund_to, holder, units));
  return close_holder(from, refund_to);
}

FRAME u64 mark_started(const Input *input, const Source *source, const u8 *key) {
  Account *state = (Account *)&input->accounts[8];
  u8 vault[WORD], bump;
  int started;
  TRY(find_state(input, state, key, &bump, &started));
  NEED(!started, ALREADY_STARTED);
  TRY(make_record(input, state, (Bytes)TEXT("state"), key, bump));
  TRY(vault_of(input, source->coordinator, vault, &bump));
  state->data[0] = 'S';
  state->data[2] = (u8)same(vault, source->bridger);
  put_u64(state->data + 8, (u64)(source->expiry + STATE_TIME));
  return 0;
}

/* The accounts that start, refund and redirect begin with. */
FRAME u64 check_deposit(const Input *input, const Source *source, const u64 unwanted) {
  const Account *a = input->accounts;
  NEED(a[0].signer, WRONG_ACCOUNT);
  TRY(check_mint(&a[3], &a[4], unwanted));
  NEED(is_zero(a[5].key) && same(a[6].key, source->refund_to), WRONG_ACCOUNT);
  return 0;
}

FRAME u64 start(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  Seeds signer;
  u8 key[WORD], bump;
  i64 time;
  u64 units;
  SHAPE(11, SOURCE + WORD);
  TRY(read_terms(input, &source, key));
  TRY(now(&time));
  NEED(time < source.expiry, EXPIRED);
  TRY(check_deposit(input, &source, TAKES | STUCK));
  NEED(same(a[3].key, source.token) && same(a[9].key, source.bridger), WRONG_ACCOUNT);
  Purse from = {input, &a[1], &a[2], &a[3], &a[4], 0, key};
  TRY(open_deposit(&from, key, seeds, &bump, &signer));
  TRY(check_receiver(&from, &a[9], &a[10]));
  NEED(a[1].key != a[9].key, WRONG_ACCOUNT);
  if (!is_zero(a[6].key)) TRY(check_receiver(&from, &a[6], &a[7]));
  TRY(mark_started(input, &source, key));
  TRY(purse_units(&from, &units));
  NEED(units >= source.total, SHORT);
  TRY(pay(&from, START, &a[9], &a[10], source.total));
  return give_excess(&from, &a[6], &a[7], &a[8]);
}

/* What lies with a state of SOL besides its rent, once it was started. */
FRAME u64 set_aside(const Purse *from, const Account *state, int started, u64 *units) {
  u64 low;
  *units = 0;
  if (!started || !native(from)) return 0;
  TRY(least(RECORD, &low));
  if (*state->lamports <= low) return 0;
  NEED(state->writable, WRONG_ACCOUNT);
  *units = *state->lamports - low;
  return 0;
}

/* Everything of a mint to a receiver. */
FRAME u64 pay_all(const Purse *from, const Account *to, const Account *holder, u64 units, u64 aside) {
  Account *state = (Account *)&from->input->accounts[8];
  if (!native(from)) {
    TRY(pay(from, REFUND, to, holder, units));
    return close_holder(from, &from->input->accounts[6]);
  }
  TRY(takes_coins(to, units + aside));
  if (units) TRY(send_coins(from, to, units));
  if (aside) {
    *state->lamports -= aside;
    *to->lamports += aside;
    state->data[3] = 0;
  }
  return say_moved(from, REFUND, to->key, units + aside);
}

/* Checks whatever a refund and a redirect have in common, and finds what is to be paid. */
FRAME u64 refundable(Purse *from, const Source *source, i64 time, u64 *units, u64 *aside) {
  const Account *a = from->input->accounts;
  u8 bump;
  int started;
  TRY(check_deposit(from->input, source, STUCK));
  NEED(!is_zero(source->refund_to), BAD_TERMS);
  TRY(check_receiver(from, &a[6], &a[7]));
  TRY(find_state(from->input, &a[8], from->key, &bump, &started));
  NEED(started || time >= source->expiry || !same(a[3].key, source->token), TOO_EARLY);
  TRY(set_aside(from, &a[8], started, aside));
  TRY(purse_units(from, units));
  return *units + *aside ? 0 : NOTHING_LEFT;
}

FRAME u64 refund(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  Seeds signer;
  u8 key[WORD], bump;
  i64 time;
  u64 units = 0, aside = 0;
  SHAPE(9, SOURCE + WORD);
  TRY(read_terms(input, &source, key));
  TRY(now(&time));
  Purse from = {input, &a[1], &a[2], &a[3], &a[4], 0, key};
  TRY(open_deposit(&from, key, seeds, &bump, &signer));
  TRY(refundable(&from, &source, time, &units, &aside));
  return pay_all(&from, &a[6], &a[7], units, aside);
}

/* Whether it is refundTo's doing that it cannot be paid: its token account stands, or of SOL the
   caller did let it be written to. */
FRAME u64 check_tried(const Purse *from, const Account *wallet, const Account *holder) {
  if (native(from)) return wallet->writable || wallet->executable ? 0 : WRONG_ACCOUNT;
  return holder->data_len && holder->writable ? 0 : WRONG_ACCOUNT;
}

FRAME u64 redirect(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  Seeds signer;
  u8 key[WORD], bump;
  i64 time;
  u64 units = 0, aside = 0;
  SHAPE(11, SOURCE + WORD);
  TRY(read_terms(input, &source, key));
  NEED(a[0].signer && same(a[0].key, source.coordinator), NOT_ALLOWED);
  TRY(now(&time));
  NEED(time >= source.expiry + GRACE, TOO_EARLY);
  NEED(!is_zero(a[9].key), BAD_TERMS);
  Purse from = {input, &a[1], &a[2], &a[3], &a[4], 0, key};
  TRY(open_deposit(&from, key, seeds, &bump, &signer));
  TRY(refundable(&from, &source, time, &units, &aside));
  TRY(check_receiver(&from, &a[9], &a[10]));
  TRY(check_tried(&from, &a[6], &a[7]));
  if (takes(&from, &a[6], &a[7], units + aside))
    return pay_all(&from, &a[9], &a[10], units, aside);
  return pay_all(&from, &a[6], &a[7], units, aside);
}

/* What stayed with a coordinator, made where it does not exist and is needed. */
FRAME u64 open_kept(const Input *input, Account *kept, const u8 *mint, int needed) {
  const u8 *coordinator = input->accounts[0].key;
  u8 bump;
  Bytes seeds[] = {TEXT("kept"), {coordinator, WORD}, {mint, WORD}, {&bump, 1}};
  TRY(check_own(input, kept, seeds, 3, &bump));
  if (is_ours(input, kept) || !needed) return 0;
  TRY(make(input, kept, seeds, 4, KEPT));
  kept->data[0] = 'K';
  return 0;
}

/* Open the vault of account 0, from which settle and withdraw pay. */
FRAME u64 open_vault(Purse *from, Bytes *seeds, u8 *bump, Seeds *signer) {
  const Account *coordinator = &from->input->accounts[0];
  u8 address[WORD];
  NEED(coordinator->signer, NOT_ALLOWED);
  TRY(vault_of(from->input, coordinator->key, address, bump));
  NEED(same(address, from->wallet->key), WRONG_ACCOUNT);
  seeds[0] = (Bytes)TEXT("vault");
  seeds[1] = (Bytes){coordinator->key, WORD};
  seeds[2] = (Bytes){bump, 1};
  *signer = (Seeds){seeds, 3};
  from->seeds = signer;
  NEED(is_zero(from->input->accounts[5].key), WRONG_ACCOUNT);
  return check_mint(from->mint, from->program, STUCK);
}

FRAME u64 pay_out(const Purse *from, u8 why, const Account *to, u64 units) {
  u64 there, low;
  NEED(units, NOTHING_LEFT);
  NEED(!is_zero(to[0].key), BAD_TERMS);
  TRY(check_receiver(from, &to[0], &to[1]));
  TRY(purse_units(from, &there));
  NEED(there >= units, SHORT);
  TRY(least(0, &low));
  NEED(!native(from) || there - units >= low, BELOW_RENT);
  return pay(from, why, &to[0], &to[1], units);
}

FRAME u64 keep(const Purse *from, Account *kept, u64 units) {
  if (!units) return 0;
  u8 told[106] = {'K'};
  u64 before = u64_at(kept->data + 8);
  NEED(before + units >= before, TOO_MUCH);
  put_u64(kept->data + 8, before + units);
  copy(told + 2, from->key, WORD);
  copy(told + 34, from->input->accounts[0].key, WORD);
  copy(told + 66, from->mint->key, WORD);
  put_u64(told + 98, units);
  Bytes field = {told, sizeof told};
  return sol_log_data(&field, 1);
}

/* The state of an intent that is to be settled becomes settled. */
FRAME u64 mark_settled(const Input *input, const Source *source, const u8 *key) {
  const Account *a = input->accounts;
  u8 bump;
  int started;
  NEED(same(a[1].key, source->bridger), BAD_TERMS);
  NEED(same(a[3].key, source->token), WRONG_ACCOUNT);
  TRY(find_state(input, &a[6], key, &bump, &started));
  NEED(started, NOT_STARTED);
  NEED(a[6].writable, WRONG_ACCOUNT);
  NEED(!a[6].data[1], ALREADY_SETTLED);
  a[6].data[1] = 1;
  return 0;
}

FRAME u64 settle(Input *input) {
  Account *a = input->accounts;
  Source source;
  Bytes seeds[3];
  Seeds signer;
  u8 key[WORD], bump;
  NEED(input->count >= 8 && !(input->count & 1), MALFORMED);
  u64 count = (input->count - 8) / 2;
  NEED(input->data_len == HEAD + SOURCE + WORD + 8 * count, MALFORMED);
  const u8 *units = input->data + HEAD + SOURCE + WORD;
  TRY(read_terms(input, &source, key));
  NEED(same(a[0].key, source.coordinator), NOT_ALLOWED);
  Purse from = {input, &a[1], &a[2], &a[3], &a[4], 0, key};
  TRY(open_vault(&from, seeds, &bump, &signer));
  TRY(mark_settled(input, &source, key));
  u64 rest = source.total;
  for (u64 i = 0; i < count; i++) {
    u64 one = u64_at(units + 8 * i);
    NEED(one <= rest, TOO_MUCH);
    rest -= one;
  }
  /* Before the money moves: what is made here is paid by the same wallet that may be paid. */
  TRY(open_kept(input, &a[7], a[3].key, rest != 0));
  for (u64 i = 0; i < count; i++)
    TRY(pay_out(&from, SETTLE, &a[8 + 2 * i], u64_at(units + 8 * i)));
  return keep(&from, &a[7], rest);
}

FRAME u64 withdraw(Input *input) {
  Account *a = input->accounts;
  Bytes seeds[3];
  Seeds signer;
  u8 none[WORD], bump;
  SHAPE(9, 8);
  for (int i = 0; i < WORD; i++) none[i] = 0;
  u64 units = u64_at(input->data + HEAD);
  Purse from = {input, &a[1], &a[2], &a[3], &a[4], 0, none};
  TRY(open_vault(&from, seeds, &bump, &signer));
  TRY(open_kept(input, &a[6], a[3].key, 0));
  NEED(is_ours(input, &a[6]), TOO_MUCH);
  u64 kept = u64_at(a[6].data + 8);
  NEED(units <= kept, TOO_MUCH);
  NEED(a[6].writable, WRONG_ACCOUNT);
  put_u64(a[6].data + 8, kept - units);
  return pay_out(&from, WITHDRAW, &a[7], units);
}

FRAME u64 mark_filled(const Input *input, const Source *source, const u8 *key) {
  Account *marker = (Account *)&input->accounts[5];
  u8 bump;
  Bytes seeds[] = {TEXT("fill"), {key, WORD}};
  TRY(check_own(input, marker, seeds, 2, &bump));
  NEED(!is_ours(input, marker), ALREADY_FILLED);
  TRY(make_record(input, marker, seeds[0], key, bump));
  marker->data[0] = 'F';
  put_u64(marker->data + 8, (u64)(source->expiry + MARKER_TIME));
  return 0;
}

FRAME u64 fill(Input *input) {
  Account *a = input->accounts;
  Source source;
  u8 hash[WORD], key[WORD];
  i64 time;
  u64 there;
  SHAPE(8, SOURCE + WORD + 8);
  const u8 *chain = input->data + HEAD + SOURCE;
  u64 amount = u64_at(chain + WORD);
  NEED(known_chain(chain), WRONG_CHAIN);
  NEED(amount && !is_zero(a[6].key), BAD_TERMS);
  TRY(read_source(input->data + HEAD, &source));
  TRY(now(&time));
  NEED(time < source.expiry + FILL_TIME, TOO_LATE);
  TRY(dest_hash(chain, a[2].key, a[6].key, amount, hash));
  TRY(join(source.hash, hash, key));
  NEED(a[0].signer && is_zero(a[4].key), WRONG_ACCOUNT);
  TRY(check_mint(&a[2], &a[3], TAKES | STUCK));
  Purse from = {input, &a[0], &a[1], &a[2], &a[3], 0, key};
  /* Who pays himself has no more than before. */
  if (a[0].key != a[6].key) TRY(check_receiver(&from, &a[6], &a[7]));
  else NEED(a[7].key == a[1].key, WRONG_ACCOUNT);
  TRY(mark_filled(input, &source, key));
  TRY(purse_units(&from, &there));
  NEED(there >= amount, SHORT);
  return pay(&from, FILL, &a[6], &a[7], amount);
}

FRAME u64 close(Input *input) {
  Account *one = &input->accounts[0], *payer = &input->accounts[1];
  i64 time;
  SHAPE(2, 0);
  NEED(is_ours(input, one) && one->data_len == RECORD && one->writable, WRONG_ACCOUNT);
  NEED(one->data[0] == 'S' || one->data[0] == 'F', WRONG_ACCOUNT);
  NEED(same(payer->key, one->data + 16) && payer->writable, WRONG_ACCOUNT);
  TRY(now(&time));
  NEED(time >= (i64)u64_at(one->data + 8), TOO_EARLY);
  /* What is to be settled was settled, and nothing of a payer lies here. */
  if (one->data[0] == 'S') NEED((one->data[1] || !one->data[2]) && !one->data[3], TOO_EARLY);
  *payer->lamports += *one->lamports;
  *one->lamports = 0;
  /* Lamports that come later in the same transaction bring nothing of it back. */
  for (int i = 0; i < RECORD; i++) one->data[i] = 0;
  for (int i = 0; i < WORD; i++) one->owner[i] = 0;
  *(u64 *)(one->data - 8) = 0;
  return 0;
}

u64 entrypoint(const u8 *at) {
  /* Too large for a frame of 4,096 bytes beside others; the heap of a program begins here. */
  Input *input = (Input *)0x300000000ULL;
  TRY(read_input(at, input));
  NEED(input->data_len >= HEAD, MALFORMED);
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
