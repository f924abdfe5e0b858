/* Entry points for counts of words and motifs, as the parts of a sparse matrix. Called by
 * R/word-features.R and R/word-weights.R. MATHEMATICS.md, section 4.1. */
#include "rglue/arguments.h"
#include "rglue/call.h"
#include "rglue/keep.h"
#include "rglue/results.h"
#include "rglue/weighted-degree.h"
#include "string/word-scores.h"

#include <string.h>

typedef struct words_handle {
  mk_words *words;
} words_handle;

static void clear_words(void *data) {
  mk_words_free(((words_handle *)data)->words);
}

static SEXP new_handle(words_handle **handle) {
  SEXP pointer = mk_own(sizeof **handle, clear_words, Rf_install("manykernels_words"), R_NilValue);
  *handle = mk_owned(pointer);
  return pointer;
}

/* Returns p, i, x and the codes of the words. */
static SEXP matrix_parts(const mk_words *words) {
  const char *fields[] = {"p", "i", "x", "code", ""};
  if (words->entries > INT_MAX) mk_fail(MK_TOO_LARGE);
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, fields));
  SET_VECTOR_ELT(out, 0, Rf_allocVector(INTSXP, (R_xlen_t)words->count + 1));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, (R_xlen_t)words->entries));
  SET_VECTOR_ELT(out, 2, Rf_allocVector(REALSXP, (R_xlen_t)words->entries));
  SET_VECTOR_ELT(out, 3, Rf_allocVector(REALSXP, (R_xlen_t)words->count));
  for (size_t j = 0; j <= words->count; j++) INTEGER(VECTOR_ELT(out, 0))[j] = (int)words->start[j];
  for (size_t j = 0; j < words->count; j++) REAL(VECTOR_ELT(out, 3))[j] = (double)words->code[j];
  for (size_t e = 0; e < words->entries; e++) {
    INTEGER(VECTOR_ELT(out, 1))[e] = words->row[e];
    REAL(VECTOR_ELT(out, 2))[e] = words->value[e];
  }
  UNPROTECT(1);
  return out;
}

/* Returns the number of places of one mask, which has either the letters' places, rising from 0,
 * or, as a motif, a logical matrix (letters x places) of the letters that fit. */
static int mask_size(SEXP mask, int is_motif, int letters) {
  R_xlen_t size = XLENGTH(mask);
  if (is_motif) {
    if (TYPEOF(mask) != LGLSXP || size == 0 || size % letters != 0 || size / letters > INT_MAX)
      Rf_error("motifs of `masks` must be logical matrices with a row for each letter");
    return (int)(size / letters);
  }
  const int *offset = mk_arg_ints(mask, "masks", -1, 0, INT_MAX);
  if (size == 0 || size > 64) Rf_error("`masks` must read from 1 to 64 letters");
  for (R_xlen_t k = 1; k < size; k++)
    if (offset[k] <= offset[k - 1]) Rf_error("`masks` must rise");
  return (int)size;
}

static uint64_t fitting_letters(const int *fits, int letters) {
  uint64_t out = 0;
  for (int a = 0; a < letters; a++) out |= (uint64_t)(fits[a] == TRUE) << a;
  return out;
}

/* Parses a list of masks, all motifs or none, into R's memory. */
static mk_word_spec parse_masks(SEXP masks, int letters) {
  mk_arg_list(masks, "masks", -1);
  size_t count = (size_t)XLENGTH(masks), total = 0;
  if (count == 0) Rf_error("`masks` must hold at least one mask");
  int is_motif = TYPEOF(VECTOR_ELT(masks, 0)) == LGLSXP;
  int *start = (int *)R_alloc(count + 1, sizeof *start);
  for (size_t m = 0; m < count; m++) {
    start[m] = (int)total;
    total += (size_t)mask_size(VECTOR_ELT(masks, (R_xlen_t)m), is_motif, letters);
    if (total > INT_MAX) mk_fail(MK_TOO_LARGE);
  }
  start[count] = (int)total;
  int *offset = (int *)R_alloc(total, sizeof *offset);
  uint64_t *fits = is_motif ? (uint64_t *)R_alloc(total, sizeof *fits) : NULL;
  for (size_t m = 0; m < count; m++) {
    const int *mask = mk_values(VECTOR_ELT(masks, (R_xlen_t)m));
    for (int k = start[m]; k < start[m + 1]; k++)
      if (is_motif)
        fits[k] = fitting_letters(mask + (size_t)(k - start[m]) * (size_t)letters, letters);
      else
        offset[k] = mask[k - start[m]];
  }
  return (mk_word_spec){.masks = count, .mask_start = start, .offset = offset, .fits = fits};
}

static mk_word_spec parse_spec(SEXP masks, SEXP options, const mk_sequences *sequences) {
  mk_word_spec spec = parse_masks(masks, sequences->letters);
  SEXP complement = mk_list_get(options, "complement", "options");
  spec.mismatches = (int)mk_list_number(options, "mismatches", "options", 0.0, 64.0);
  spec.positions = (size_t)mk_list_number(options, "positions", "options", 0.0, MK_MOST_WORDS);
  spec.presence = mk_list_flag(options, "presence", "options");
  if (complement != R_NilValue)
    spec.complement = mk_arg_ints(complement, "options$complement", sequences->letters, 0,
                                  sequences->letters - 1);
  return spec;
}

typedef struct counting {
  mk_words **words;
  const mk_sequences *sequences;
  const mk_word_spec *spec;
  mk_control control;
} counting;

static mk_status count_words(void *data) {
  counting *work = data;
  return mk_words_new(work->words, work->sequences, work->spec, &work->control);
}

SEXP mk_r_words(SEXP view, SEXP masks, SEXP options) {
  words_handle *handle;
  SEXP owner = PROTECT(new_handle(&handle));
  mk_sequences sequences = mk_arg_sequences(owner, view);
  mk_word_spec spec = parse_spec(masks, options, &sequences);
  mk_run_alone(count_words, &(counting){&handle->words, &sequences, &spec, mk_plain_control()});
  SEXP out = matrix_parts(handle->words);
  UNPROTECT(1);
  return out;
}

/* Returns for each code the number of its mask, its position (both from 1) and its letters. */
SEXP mk_r_word_letters(SEXP view, SEXP masks, SEXP options, SEXP code) {
  SEXP keeper = PROTECT(mk_keeper());
  mk_sequences sequences = mk_arg_sequences(keeper, view);
  mk_word_spec spec = parse_spec(masks, options, &sequences);
  const double *given = mk_arg_doubles(code, "code", -1);
  double most = mk_word_codes(&sequences, &spec);
  if (spec.fits != NULL) Rf_error("`masks` are motifs, which have no letters of their own");
  R_xlen_t count = XLENGTH(code);
  SEXP out = PROTECT(Rf_allocVector(VECSXP, count));
  for (R_xlen_t w = 0; w < count; w++) {
    if (!(given[w] >= 0.0 && given[w] < most)) Rf_error("`code` is not of these words");
    size_t mask, position;
    int letter[64];
    mk_word_letters(&sequences, &spec, (uint64_t)given[w], &mask, &position, letter);
    R_xlen_t size = spec.mask_start[mask + 1] - spec.mask_start[mask];
    SEXP word = Rf_allocVector(INTSXP, size + 2);
    SET_VECTOR_ELT(out, w, word);
    INTEGER(word)[0] = (int)mask + 1;
    INTEGER(word)[1] = (int)position + 1;
    for (R_xlen_t k = 0; k < size; k++) INTEGER(word)[k + 2] = letter[k] + 1;
  }
  UNPROTECT(2);
  return out;
}

/* ---- scores ---- */

/* Parses the weights, which have a row per model and a column per code. */
static mk_word_weights parse_weights(SEXP code, SEXP weight) {
  mk_word_weights out = {.count = (size_t)XLENGTH(code)};
  if (!Rf_isMatrix(weight) || Rf_ncols(weight) != XLENGTH(code))
    Rf_error("`weight` must be a double matrix with %.0f columns", (double)out.count);
  out.models = (size_t)Rf_nrows(weight);
  out.code = mk_arg_doubles(code, "code", -1);
  out.weight = mk_arg_doubles(weight, "weight", -1);
  for (size_t k = 0; k < out.count; k++)
    if (!(out.code[k] >= 0.0 && out.code[k] < MK_MOST_WORDS)) Rf_error("`code` is of no word");
  return out;
}

/* Makes list(score, square), a matrix models x sequences and a vector by sequence. */
static SEXP new_scores(size_t models, size_t count) {
  const char *fields[] = {"score", "square", ""};
  SEXP out = PROTECT(Rf_mkNamed(VECSXP, fields));
  SET_VECTOR_ELT(out, 0, Rf_allocMatrix(REALSXP, (int)models, (int)count));
  SET_VECTOR_ELT(out, 1, Rf_allocVector(REALSXP, (R_xlen_t)count));
  memset(REAL(VECTOR_ELT(out, 1)), 0, count * sizeof(double));
  UNPROTECT(1);
  return out;
}

typedef struct scoring {
  const mk_sequences *sequences;
  const mk_word_spec *spec;
  const mk_word_weights *weights;
  mk_control control;
  double *score, *square;
} scoring;

static mk_status score(void *data) {
  scoring *work = data;
  return mk_word_scores(work->sequences, work->spec, work->weights, &work->control, work->score,
                        work->square);
}

SEXP mk_r_word_scores(SEXP view, SEXP masks, SEXP options, SEXP code, SEXP weight, SEXP squares) {
  SEXP keeper = PROTECT(mk_keeper());
  mk_sequences sequences = mk_arg_sequences(keeper, view);
  mk_word_spec spec = parse_spec(masks, options, &sequences);
  mk_word_weights weights = parse_weights(code, weight);
  int has_squares = mk_arg_flag(squares, "squares");
  SEXP out = PROTECT(new_scores(weights.models, sequences.count));
  mk_run_alone(score,
               &(scoring){&sequences, &spec, &weights, mk_plain_control(), REAL(VECTOR_ELT(out, 0)),
                          has_squares ? REAL(VECTOR_ELT(out, 1)) : NULL});
  UNPROTECT(2);
  return out;
}
