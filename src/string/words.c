/* Counts the words of sequences: each sequence has an index, and then all words are sorted by code.
 * Called by rglue/words.c. MATHEMATICS.md, section 4.1. */
#include "words.h"

#include "base/memory.h"
#include "word-index.h"

#include <math.h>

#define UNKNOWN 255
#define DIGIT_BITS 11 /* bits of a digit when codes are sorted */
#define DIGITS (1u << DIGIT_BITS)

/* ---- words of one sequence ---- */

static size_t larger_room(size_t room) {
  return room == 0 ? 1024 : 2 * room;
}

typedef struct word_list {
  uint64_t *word;
  size_t count, room;
  mk_status status;
} word_list;

static void add_word(word_list *list, uint64_t code) {
  if (list->count == list->room) {
    uint64_t *more = mk_grown(list->word, list->count, larger_room(list->room), sizeof *more);
    if (more == NULL) {
      list->status = MK_NO_MEMORY;
      return;
    }
    list->word = more;
    list->room = larger_room(list->room);
  }
  list->word[list->count++] = code;
}

/* ---- entries, sequence by sequence ---- */

typedef struct entry {
  uint64_t code;
  int row, count;
} entry;

typedef struct tally {
  entry *entry;
  size_t count, room;
  mk_word_index own; /* words of the present sequence */
  int presence;
  const mk_control *control;
} tally;

static mk_status add_entry(tally *t, uint64_t code, int row, int count) {
  if (t->count == t->room) {
    entry *more = mk_grown(t->entry, t->count, larger_room(t->room), sizeof *more);
    if (more == NULL) return MK_NO_MEMORY;
    t->entry = more;
    t->room = larger_room(t->room);
  }
  t->entry[t->count++] = (entry){code, row, count};
  return MK_OK;
}

/* Turns the words of one sequence into entries. */
static mk_status tally_sequence(void *data, size_t i, const uint64_t *word, size_t count) {
  tally *t = data;
  MK_TRY(mk_word_index_count(&t->own, word, count, t->control));
  for (size_t k = 0; k < t->own.count; k++)
    MK_TRY(add_entry(t, t->own.code[k], (int)i, t->presence ? 1 : t->own.times[k]));
  return MK_OK;
}

/* Sorts the entries by code and keeps the order within a code. */
static mk_status sort_entries(tally *t) {
  uint64_t all = 0;
  for (size_t i = 0; i < t->count; i++) all |= t->entry[i].code;
  entry *other = MK_NEW(entry, t->count + 1);
  if (other == NULL) return MK_NO_MEMORY;
  for (int shift = 0; shift < 64 && (all >> shift) > 0; shift += DIGIT_BITS) {
    size_t at[DIGITS + 1] = {0};
    for (size_t i = 0; i < t->count; i++) at[((t->entry[i].code >> shift) % DIGITS) + 1]++;
    for (size_t d = 0; d < DIGITS; d++) at[d + 1] += at[d];
    for (size_t i = 0; i < t->count; i++)
      other[at[(t->entry[i].code >> shift) % DIGITS]++] = t->entry[i];
    entry *swap = t->entry;
    t->entry = other;
    other = swap;
  }
  mk_free(other);
  return MK_OK;
}

/* ---- the matrix ---- */

void mk_words_free(mk_words *words) {
  if (words == NULL) return;
  mk_pool_free(&words->memory);
  mk_free(words);
}

static mk_status new_matrix(mk_words **out, const tally *t) {
  size_t count = 0;
  for (size_t i = 0; i < t->count; i++) count += i == 0 || t->entry[i].code != t->entry[i - 1].code;
  mk_words *words = MK_NEW0(mk_words, 1);
  if (words == NULL) return MK_NO_MEMORY;
  *out = words;
  words->entries = t->count;
  words->code = MK_TAKE(&words->memory, uint64_t, count + 1);
  words->start = MK_TAKE(&words->memory, size_t, count + 1);
  words->row = MK_TAKE(&words->memory, int, t->count + 1);
  words->value = MK_TAKE(&words->memory, double, t->count + 1);
  MK_TRY(mk_pool_status(&words->memory));
  for (size_t i = 0; i < t->count; i++) {
    if (i == 0 || t->entry[i].code != t->entry[i - 1].code) {
      words->code[words->count] = t->entry[i].code;
      words->start[words->count++] = i;
    }
    words->row[i] = t->entry[i].row;
    words->value[i] = (double)t->entry[i].count;
  }
  words->start[words->count] = t->count;
  return MK_OK;
}

/* ---- words ---- */

/* A reader of words: code = (mask * positions + position) * letters^length + number of the
 * letters. */
typedef struct reader {
  const mk_word_spec *spec;
  word_list list;
  uint64_t letters, positions, span; /* span: letters^(longest mask) */
  int letter[64];
  size_t length;
} reader;

static size_t mask_length(const mk_word_spec *spec, size_t mask) {
  return (size_t)(spec->mask_start[mask + 1] - spec->mask_start[mask]);
}

/* Returns the number of letters that codes distinguish; 0 for motifs. */
static size_t longest_mask(const mk_word_spec *spec) {
  size_t most = 0;
  for (size_t m = 0; spec->fits == NULL && m < spec->masks; m++)
    if (mask_length(spec, m) > most) most = mask_length(spec, m);
  return most;
}

double mk_word_codes(const mk_sequences *sequences, const mk_word_spec *spec) {
  double positions = spec->positions > 0 ? (double)spec->positions : 1.0;
  return (double)spec->masks * positions * pow(sequences->letters, (double)longest_mask(spec));
}

static uint64_t number_of(const reader *r) {
  uint64_t number = 0;
  for (size_t k = 0; k < r->length; k++) number = number * r->letters + (uint64_t)r->letter[k];
  return number;
}

static uint64_t number_of_complement(const reader *r) {
  uint64_t number = 0;
  for (size_t k = r->length; k-- > 0;)
    number = number * r->letters + (uint64_t)r->spec->complement[r->letter[k]];
  return number;
}

static void count_word(reader *r, uint64_t place) {
  uint64_t number = number_of(r);
  if (r->spec->complement != NULL) {
    uint64_t other = number_of_complement(r);
    if (other < number) number = other;
  }
  add_word(&r->list, place * r->span + number);
}

/* Visits all words that differ in at most `left` letters from place `from` on. */
static void count_neighbours(reader *r, uint64_t place, size_t from, int left) {
  count_word(r, place);
  for (size_t k = from; left > 0 && k < r->length && r->list.status == MK_OK; k++) {
    int own = r->letter[k];
    for (int a = 0; a < (int)r->letters; a++) {
      if (a == own) continue;
      r->letter[k] = a;
      count_neighbours(r, place, k + 1, left - 1);
    }
    r->letter[k] = own;
  }
}

static int motif_fits(const unsigned char *code, const uint64_t *fits, size_t length) {
  for (size_t k = 0; k < length; k++)
    if (code[k] == UNKNOWN || !(fits[k] >> code[k] & 1)) return 0;
  return 1;
}

/* Reads the letters of a mask; returns 0 if one of them is unknown. */
static int read_letters(reader *r, const unsigned char *code, const int *offset) {
  for (size_t k = 0; k < r->length; k++) {
    if (code[offset[k]] == UNKNOWN) return 0;
    r->letter[k] = code[offset[k]];
  }
  return 1;
}

/* Reads the words of a sequence. Words at positions beyond those that codes distinguish are left
 * out. */
static void read_sequence(reader *r, const unsigned char *code, size_t size) {
  const mk_word_spec *spec = r->spec;
  size_t end = spec->positions > 0 ? spec->positions : size;
  for (size_t mask = 0; mask < spec->masks; mask++) {
    size_t first = (size_t)spec->mask_start[mask];
    r->length = mask_length(spec, mask);
    size_t reach = spec->fits != NULL ? r->length - 1 : (size_t)spec->offset[first + r->length - 1];
    for (size_t at = 0; at < end && at + reach < size && r->list.status == MK_OK; at++) {
      uint64_t place = mask * r->positions + (spec->positions > 0 ? at : 0);
      if (spec->fits != NULL) {
        if (motif_fits(code + at, spec->fits + first, r->length)) add_word(&r->list, place);
      } else if (read_letters(r, code + at, spec->offset + first)) {
        count_neighbours(r, place, 0, spec->mismatches);
      }
    }
  }
}

static uint64_t power_of(uint64_t base, size_t exponent) {
  uint64_t out = 1;
  while (exponent-- > 0) out *= base;
  return out;
}

static reader new_reader(const mk_sequences *sequences, const mk_word_spec *spec) {
  return (reader){.spec = spec,
                  .letters = (uint64_t)sequences->letters,
                  .positions = spec->positions > 0 ? spec->positions : 1,
                  .span = power_of((uint64_t)sequences->letters, longest_mask(spec))};
}

mk_status mk_words_visit(const mk_sequences *sequences, const mk_word_spec *spec,
                         const mk_control *control, mk_word_visitor visitor, void *data) {
  if (longest_mask(spec) > 64 || mk_word_codes(sequences, spec) > MK_MOST_WORDS)
    return MK_TOO_LARGE;
  reader r = new_reader(sequences, spec);
  mk_status status = MK_OK;
  for (size_t i = 0; i < sequences->count && status == MK_OK; i++) {
    r.list.count = 0;
    read_sequence(&r, sequences->code + sequences->start[i],
                  sequences->start[i + 1] - sequences->start[i]);
    status = r.list.status;
    if (status == MK_OK) status = mk_check(control);
    if (status == MK_OK) status = visitor(data, i, r.list.word, r.list.count);
  }
  mk_free(r.list.word);
  return status;
}

mk_status mk_words_new(mk_words **words, const mk_sequences *sequences, const mk_word_spec *spec,
                       const mk_control *control) {
  tally t = {.presence = spec->presence, .control = control};
  *words = NULL;
  mk_status status = mk_words_visit(sequences, spec, control, tally_sequence, &t);
  if (status == MK_OK) status = sort_entries(&t);
  if (status == MK_OK) status = new_matrix(words, &t);
  mk_free(t.entry);
  mk_word_index_free(&t.own);
  if (status == MK_OK) return MK_OK;
  mk_words_free(*words);
  *words = NULL;
  return status;
}

void mk_word_letters(const mk_sequences *sequences, const mk_word_spec *spec, uint64_t code,
                     size_t *mask, size_t *position, int *letter) {
  reader r = new_reader(sequences, spec);
  uint64_t place = code / r.span, number = code % r.span;
  *mask = (size_t)(place / r.positions);
  *position = (size_t)(place % r.positions);
  for (size_t k = mask_length(spec, *mask); k-- > 0; number /= r.letters)
    letter[k] = (int)(number % r.letters);
}
