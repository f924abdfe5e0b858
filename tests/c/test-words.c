/* Counts of words and motifs against counts by hand and the plain definition. */
#include "base/memory.h"
#include "check.h"
#include "data.h"
#include "string/word-index.h"
#include "string/word-scores.h"

#include <math.h>
#include <string.h>

/* ACGTAC, AC?GT with an unknown letter, and nothing; A C G T are 0 1 2 3. */
static const unsigned char code[] = {0, 1, 2, 3, 0, 1, 0, 1, 255, 2, 3};
static const size_t start[] = {0, 6, 11, 11};
static const mk_sequences three = {3, code, start, 4};
static const mk_control control = {.max_time = INFINITY};

static double value_of(const mk_words *words, uint64_t word, int row) {
  for (size_t j = 0; j < words->count; j++)
    for (size_t e = words->start[j]; words->code[j] == word && e < words->start[j + 1]; e++)
      if (words->row[e] == row) return words->value[e];
  return 0.0;
}

static void test_words_by_hand(void) {
  int mask_start[] = {0, 2}, offset[] = {0, 1};
  mk_word_spec spec = {.masks = 1, .mask_start = mask_start, .offset = offset};
  mk_words *words;
  CHECK(mk_words_new(&words, &three, &spec, &control) == MK_OK);
  CHECK(words->count == 4 && words->entries == 6);                     /* AC CG GT TA, and AC GT */
  CHECK(value_of(words, 1, 0) == 2.0 && value_of(words, 1, 1) == 1.0); /* AC */
  CHECK(value_of(words, 11, 0) == 1.0 && value_of(words, 11, 1) == 1.0); /* GT */
  CHECK(value_of(words, 6, 0) == 1.0 && value_of(words, 6, 1) == 0.0);   /* CG */
  size_t mask, position;
  int letter[64];
  mk_word_letters(&three, &spec, 11, &mask, &position, letter);
  CHECK(mask == 0 && position == 0 && letter[0] == 2 && letter[1] == 3);
  mk_words_free(words);
  spec.presence = 1;
  CHECK(mk_words_new(&words, &three, &spec, &control) == MK_OK);
  CHECK(value_of(words, 1, 0) == 1.0);
  mk_words_free(words);
}

static void test_masks_and_positions_by_hand(void) {
  int mask_start[] = {0, 2, 4}, offset[] = {0, 1, 0, 2};
  mk_word_spec spec = {.masks = 2, .mask_start = mask_start, .offset = offset, .positions = 6};
  mk_words *words;
  CHECK(mk_words_new(&words, &three, &spec, &control) == MK_OK);
  /* code = (mask * 6 positions + position) * 16 + letters */
  CHECK(value_of(words, 0 * 16 + 1, 0) == 1.0 && value_of(words, 4 * 16 + 1, 0) == 1.0);
  CHECK(value_of(words, 0 * 16 + 1, 1) == 1.0 && value_of(words, 4 * 16 + 1, 1) == 0.0);
  /* the second mask skips the unknown letter: C . G at position 1 of the second sequence */
  CHECK(value_of(words, (6 + 1) * 16 + 6, 1) == 1.0);
  size_t mask, position;
  int letter[64];
  mk_word_letters(&three, &spec, (6 + 1) * 16 + 6, &mask, &position, letter);
  CHECK(mask == 1 && position == 1 && letter[0] == 1 && letter[1] == 2);
  mk_words_free(words);
}

static void test_complements_are_one_word(void) {
  int mask_start[] = {0, 2}, offset[] = {0, 1}, complement[] = {3, 2, 1, 0};
  mk_word_spec spec = {
      .masks = 1, .mask_start = mask_start, .offset = offset, .complement = complement};
  mk_words *words;
  CHECK(mk_words_new(&words, &three, &spec, &control) == MK_OK);
  /* AC, its reverse complement GT: 3 in the first sequence */
  CHECK(value_of(words, 1, 0) == 3.0 && value_of(words, 1, 1) == 2.0);
  mk_words_free(words);
}

/* Letters in which two words of the sequences differ. */
static int differ(const unsigned char *a, const unsigned char *b, size_t k) {
  int count = 0;
  for (size_t l = 0; l < k; l++) count += a[l] != b[l];
  return count;
}

/* Products of counts with mismatches: sum over pairs of words of the number of words near both. */
static void test_mismatches_follow_the_definition(void) {
  enum { COUNT = 6, LENGTH = 12, K = 3, LETTERS = 4 };
  unsigned char text[COUNT * LENGTH], word[K];
  size_t begin[COUNT + 1] = {0};
  for (size_t i = 0; i < COUNT * LENGTH; i++)
    text[i] = (unsigned char)((size_t)(fabs(data_next()) * 1e6) % LETTERS);
  for (size_t i = 0; i < COUNT; i++) begin[i + 1] = begin[i] + LENGTH;
  mk_sequences sequences = {COUNT, text, begin, LETTERS};
  int mask_start[] = {0, K}, offset[] = {0, 1, 2};
  mk_word_spec spec = {.masks = 1, .mask_start = mask_start, .offset = offset, .mismatches = 1};
  mk_words *words;
  CHECK(mk_words_new(&words, &sequences, &spec, &control) == MK_OK);
  for (int u = 0; u < LETTERS * LETTERS * LETTERS; u++) {
    word[0] = (unsigned char)(u / 16);
    word[1] = (unsigned char)(u / 4 % 4);
    word[2] = (unsigned char)(u % 4);
    for (int i = 0; i < COUNT; i++) {
      double near = 0.0;
      for (size_t at = 0; at + K <= LENGTH; at++)
        near += differ(text + begin[i] + at, word, K) <= 1;
      CHECK(value_of(words, (uint64_t)u, i) == near);
    }
  }
  mk_words_free(words);
}

static void test_motifs_by_hand(void) {
  /* A[CT], .G: letters as bits */
  int mask_start[] = {0, 2, 4};
  uint64_t fits[] = {1, 2 | 8, 15, 4};
  mk_word_spec spec = {.masks = 2, .mask_start = mask_start, .fits = fits};
  mk_words *words;
  CHECK(mk_words_new(&words, &three, &spec, &control) == MK_OK);
  CHECK(value_of(words, 0, 0) == 2.0 && value_of(words, 0, 1) == 1.0);
  CHECK(value_of(words, 1, 0) == 1.0 && value_of(words, 1, 1) == 0.0); /* ?G: unknown */
  mk_words_free(words);
}

static void test_too_many_words_are_refused(void) {
  int mask_start[] = {0, 27}, offset[27];
  for (int k = 0; k < 27; k++) offset[k] = k;
  mk_word_spec spec = {.masks = 1, .mask_start = mask_start, .offset = offset};
  mk_words *words;
  CHECK(mk_words_new(&words, &three, &spec, &control) == MK_TOO_LARGE && words == NULL);
  mask_start[1] = 26;
  CHECK(mk_words_new(&words, &three, &spec, &control) == MK_OK && words->count == 0);
  mk_words_free(words);
}

static void test_an_index_grows_and_empties(void) {
  mk_word_index index = {0};
  for (uint64_t most = 1; most <= 3000; most = 10 * most + 1) {
    CHECK(mk_word_index_open(&index, (size_t)most) == MK_OK && index.count == 0);
    CHECK(mk_word_index_find(&index, 7) == MK_NO_WORD);
    for (uint64_t k = 0; k < 2 * most; k++) mk_word_index_add(&index, (k % most) << 40 | 7);
    CHECK(index.count == most);
    size_t k = mk_word_index_find(&index, (most - 1) << 40 | 7);
    CHECK(k == most - 1 && index.times[k] == 2);
  }
  CHECK(mk_word_index_open(&index, 1) == MK_OK && mk_word_index_find(&index, 7) == MK_NO_WORD);
  mk_word_index_free(&index);
}

/* Scores derived by hand: AC twice and GT once in the first sequence, each once in the second. */
static void test_scores_by_hand(void) {
  int mask_start[] = {0, 2}, offset[] = {0, 1};
  mk_word_spec spec = {.masks = 1, .mask_start = mask_start, .offset = offset};
  double code_of[] = {1.0, 11.0}, weight[] = {0.5, 4.0}, score[3], square[3], alone[3];
  mk_word_weights weights = {2, 1, code_of, weight};
  CHECK(mk_word_scores(&three, &spec, &weights, &control, score, square) == MK_OK);
  CHECK(score[0] == 5.0 && score[1] == 4.5 && score[2] == 0.0);
  CHECK(square[0] == 7.0 && square[1] == 2.0 &&
        square[2] == 0.0); /* CG, TA and GT once, AC twice */
  CHECK(mk_word_scores(&three, &spec, &weights, &control, alone, NULL) == MK_OK);
  CHECK(memcmp(score, alone, sizeof score) == 0);
  spec.presence = 1;
  CHECK(mk_word_scores(&three, &spec, &weights, &control, score, square) == MK_OK);
  CHECK(score[0] == 4.5 && square[0] == 4.0);
  double both[] = {0.5, -1.0, 4.0, 8.0}, score_of[6]; /* two models */
  weights = (mk_word_weights){2, 2, code_of, both};
  CHECK(mk_word_scores(&three, &spec, &weights, &control, score_of, NULL) == MK_OK);
  CHECK(score_of[0] == 4.5 && score_of[1] == 7.0 && score_of[2] == 4.5 && score_of[3] == 7.0);
  CHECK(score_of[4] == 0.0 && score_of[5] == 0.0);
  code_of[1] = 1.0;
  CHECK(mk_word_scores(&three, &spec, &weights, &control, score, NULL) ==
        MK_BAD_ARGUMENT); /* a code twice */
}

int main(void) {
  RUN(test_words_by_hand);
  RUN(test_masks_and_positions_by_hand);
  RUN(test_complements_are_one_word);
  RUN(test_mismatches_follow_the_definition);
  RUN(test_motifs_by_hand);
  RUN(test_too_many_words_are_refused);
  RUN(test_an_index_grows_and_empties);
  RUN(test_scores_by_hand);
  return REPORT();
}
