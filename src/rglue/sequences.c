/* Sequences and what they are made of out of R: k-mers that occur, their counts as sparse columns,
 * and linear functions of these.
 * Called by R/string-features.R; weighted-degree.c takes sequences from here.
 * Mathematics: section 4. */
#include "glue.h"

#include "string/kmer-features.h"

#include <math.h>
#include <string.h>

#define UNKNOWN 255

/* ---- arguments ---- */

static const size_t *parse_starts(SEXP start, R_xlen_t letters) {
  const double *given = mk_arg_doubles(start, "sequences$start", -1);
  size_t *own = (size_t *)R_alloc((size_t)XLENGTH(start) + 1, sizeof *own);
  if (XLENGTH(start) < 1 || given[0] != 0.0 || given[XLENGTH(start) - 1] != (double)letters)
    Rf_error("`sequences$start` must rise from 0 to the length of `sequences$code`");
  for (R_xlen_t i = 0; i < XLENGTH(start); i++) {
    if (i > 0 && given[i] < given[i - 1]) Rf_error("`sequences$start` must not fall");
    own[i] = (size_t)given[i];
  }
  return own;
}

mk_sequences mk_arg_sequences(SEXP x) {
  SEXP code = mk_list_get(x, "code", "sequences"), start = mk_list_get(x, "start", "sequences");
  int letters = (int)mk_list_number(x, "letters", "sequences", 1.0, 64.0);
  if (TYPEOF(code) != RAWSXP) Rf_error("`sequences$code` must be a raw vector");
  const unsigned char *text = RAW(code);
  for (R_xlen_t i = 0; i < XLENGTH(code); i++)
    if (text[i] >= letters && text[i] != UNKNOWN)
      Rf_error("`sequences$code` must lie below %d, or be 255", letters);
  return (mk_sequences){.start = parse_starts(start, XLENGTH(code)),
                        .count = (size_t)XLENGTH(start) - 1,
                        .code = text,
                        .letters = letters};
}

static void parse_masks(SEXP masks, mk_kmer_spec *spec) {
  mk_arg_list(masks, "spec$masks", -1);
  spec->masks = (size_t)XLENGTH(masks);
  mk_kmer_mask *mask = (mk_kmer_mask *)R_alloc(spec->masks + 1, sizeof *mask);
  for (size_t m = 0; m < spec->masks; m++) {
    SEXP own = VECTOR_ELT(masks, (R_xlen_t)m);
    mask[m].offset = mk_arg_ints(own, "spec$masks", -1, 0, 1 << 20);
    if (m == 0) spec->letters = (size_t)XLENGTH(own);
    if (XLENGTH(own) == 0 || (size_t)XLENGTH(own) != spec->letters)
      Rf_error("`spec$masks` must all read as many letters, at least one");
    for (size_t i = 1; i < spec->letters; i++)
      if (mask[m].offset[i] <= mask[m].offset[i - 1]) Rf_error("`spec$masks` must rise");
  }
  spec->mask = mask;
}

/* A logical matrix: letters by places. */
static mk_motif parse_motif(SEXP x, int letters) {
  if (!Rf_isLogical(x) || !Rf_isMatrix(x) || Rf_nrows(x) != letters || Rf_ncols(x) == 0)
    Rf_error("`spec$motifs` must be logical matrices with %d rows", letters);
  size_t length = (size_t)Rf_ncols(x);
  uint64_t *set = (uint64_t *)R_alloc(length, sizeof *set);
  for (size_t i = 0; i < length; i++) {
    set[i] = 0;
    for (int a = 0; a < letters; a++)
      if (LOGICAL(x)[i * (size_t)letters + (size_t)a] == TRUE) set[i] |= UINT64_C(1) << a;
  }
  return (mk_motif){length, set};
}

static void parse_motifs(SEXP motifs, int letters, mk_kmer_spec *spec) {
  mk_arg_list(motifs, "spec$motifs", -1);
  spec->motifs = (size_t)XLENGTH(motifs);
  mk_motif *motif = (mk_motif *)R_alloc(spec->motifs + 1, sizeof *motif);
  for (size_t m = 0; m < spec->motifs; m++)
    motif[m] = parse_motif(VECTOR_ELT(motifs, (R_xlen_t)m), letters);
  spec->motif = motif;
}

static const unsigned char *parse_complement(SEXP x, int letters) {
  if (x == R_NilValue) return NULL;
  if (TYPEOF(x) != RAWSXP || XLENGTH(x) != letters)
    Rf_error("`spec$complement` must be a raw vector of length %d, or NULL", letters);
  for (int a = 0; a < letters; a++)
    if (RAW(x)[a] >= letters) Rf_error("`spec$complement` must lie below %d", letters);
  return RAW(x);
}

/* In memory that R frees after the call. */
static mk_kmer_spec parse_spec(SEXP x, int letters) {
  const double most = 1e9;
  mk_kmer_spec spec = {0};
  parse_masks(mk_list_get(x, "masks", "spec"), &spec);
  parse_motifs(mk_list_get(x, "motifs", "spec"), letters, &spec);
  if (spec.masks == 0 && spec.motifs == 0) Rf_error("`spec` must have masks or motifs");
  spec.mismatches = (size_t)mk_list_number(x, "mismatches", "spec", 0.0, most);
  spec.complement = parse_complement(mk_list_get(x, "complement", "spec"), letters);
  spec.positional = mk_list_flag(x, "positional", "spec");
  spec.presence = mk_list_flag(x, "presence", "spec");
  spec.first = (size_t)mk_list_number(x, "first", "spec", 0.0, most);
  spec.last = (size_t)mk_list_number(x, "last", "spec", 0.0, most);
  return spec;
}

/* ---- counters ---- */

typedef struct counting {
  mk_sequences sequences;
  mk_kmer_spec spec;
  mk_kmer_counter counter;
  size_t keys;
} counting;

static void clear_counting(void *data) { mk_kmer_counter_close(&((counting *)data)->counter); }

/* A counter whose index has the keys, in their order; whoever holds the pointer has it. */
static SEXP open_counting(SEXP sequences, SEXP spec, SEXP keys) {
  mk_sequences given = mk_arg_sequences(sequences);
  mk_kmer_spec parsed = parse_spec(spec, given.letters);
  const double *key = mk_arg_doubles(keys, "keys", -1);
  SEXP pointer = PROTECT(mk_own(sizeof(counting), clear_counting, R_NilValue, R_NilValue));
  counting *work = mk_owned(pointer);
  work->sequences = given;
  work->spec = parsed;
  work->keys = (size_t)XLENGTH(keys);
  mk_fail(mk_kmer_counter_open(&work->counter, &work->sequences, &work->spec));
  for (size_t j = 0; j < work->keys; j++) {
    if (key[j] < 0.0 || key[j] >= (double)MK_MOST_KEY || key[j] != floor(key[j]))
      Rf_error("`keys` must be whole numbers from 0 to 2^53");
    size_t number = mk_kmer_index_add(&work->counter.index, (uint64_t)key[j]);
    if (number == MK_NO_NUMBER) mk_fail(MK_NO_MEMORY);
    if (number != j) Rf_error("`keys` must be different");
  }
  UNPROTECT(1);
  return pointer;
}

/* Keys of all k-mers that the sequences have, in no order. */
SEXP mk_r_kmer_keys(SEXP sequences, SEXP spec) {
  SEXP none = PROTECT(Rf_allocVector(REALSXP, 0));
  SEXP pointer = PROTECT(open_counting(sequences, spec, none));
  counting *work = mk_owned(pointer);
  mk_control control = mk_plain_control();
  mk_fail(mk_kmers_meet(&work->counter, &control));
  const mk_kmer_index *index = &work->counter.index;
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)index->count));
  for (size_t k = 0; k < index->count; k++) REAL(out)[k] = (double)index->key[k];
  mk_release(pointer);
  UNPROTECT(3);
  return out;
}

/* list(p, i, x) of compressed columns, one for each key. */
SEXP mk_r_kmer_columns(SEXP sequences, SEXP spec, SEXP keys) {
  SEXP pointer = PROTECT(open_counting(sequences, spec, keys));
  counting *work = mk_owned(pointer);
  mk_control control = mk_plain_control();
  size_t *size = (size_t *)R_alloc(work->keys + 1, sizeof *size), total = 0;
  mk_fail(mk_kmers_sizes(&work->counter, work->keys, size, &control));
  for (size_t j = 0; j < work->keys; j++) total += size[j];
  if (total > INT_MAX || work->sequences.count > INT_MAX) mk_fail(MK_TOO_LARGE);
  SEXP p = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)work->keys + 1));
  SEXP i = PROTECT(Rf_allocVector(INTSXP, (R_xlen_t)total));
  SEXP x = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)total));
  int *next = (int *)R_alloc(work->keys + 1, sizeof *next);
  INTEGER(p)[0] = 0;
  for (size_t j = 0; j < work->keys; j++) INTEGER(p)[j + 1] = INTEGER(p)[j] + (int)size[j];
  memcpy(next, INTEGER(p), work->keys * sizeof *next);
  mk_fail(mk_kmers_fill(&work->counter, work->keys, next, INTEGER(i), REAL(x), &control));
  mk_release(pointer);
  SEXP out = mk_wrap((const mk_item[]){MK_VALUE("p", p), MK_VALUE("i", i), MK_VALUE("x", x), {NULL}});
  UNPROTECT(4);
  return out;
}

/* For each key the weighted sum of its counts. */
SEXP mk_r_kmer_sums(SEXP sequences, SEXP spec, SEXP keys, SEXP weight) {
  SEXP pointer = PROTECT(open_counting(sequences, spec, keys));
  counting *work = mk_owned(pointer);
  mk_control control = mk_plain_control();
  const double *given = mk_arg_doubles(weight, "weight", (R_xlen_t)work->sequences.count);
  SEXP out = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)work->keys));
  mk_fail(mk_kmers_sums(&work->counter, work->keys, given, REAL(out), &control));
  mk_release(pointer);
  UNPROTECT(2);
  return out;
}

/* weights: a matrix with a row for each key. list(scores, square): sums of counts by each column of
 * the weights, and the sum of all squared counts, of each sequence. */
SEXP mk_r_kmer_scores(SEXP sequences, SEXP spec, SEXP keys, SEXP weights) {
  SEXP pointer = PROTECT(open_counting(sequences, spec, keys));
  counting *work = mk_owned(pointer);
  mk_control control = mk_plain_control();
  const double *weight = mk_arg_doubles(weights, "weights", -1);
  if (!Rf_isMatrix(weights) || (size_t)Rf_nrows(weights) != work->keys)
    Rf_error("`weights` must be a matrix with %.0f rows", (double)work->keys);
  size_t count = (size_t)Rf_ncols(weights);
  SEXP scores = PROTECT(Rf_allocMatrix(REALSXP, (int)work->sequences.count, (int)count));
  SEXP square = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)work->sequences.count));
  mk_fail(mk_kmers_scores(&work->counter, work->keys, weight, count, REAL(scores), REAL(square),
                          &control));
  mk_release(pointer);
  SEXP out = mk_wrap(
      (const mk_item[]){MK_VALUE("scores", scores), MK_VALUE("square", square), {NULL}});
  UNPROTECT(3);
  return out;
}
