/* Scores of sequences by weights of words. Called by rglue/words.c. MATHEMATICS.md, section 4.1. */
#include "word-scores.h"

#include "word-index.h"

typedef struct scoring {
  const mk_word_weights *weights;
  mk_word_index known, own; /* words with a weight; words of the present sequence */
  int presence;
  const mk_control *control;
  double *score, *square;
} scoring;

static void add_word(const scoring *work, uint64_t code, double times, double *score) {
  size_t k = mk_word_index_find(&work->known, code), models = work->weights->models;
  for (size_t t = 0; k != MK_NO_WORD && t < models; t++)
    score[t] += times * work->weights->weight[k * models + t];
}

/* Scores a sequence. Plain counts are summed word by word; squares and presence need the number of
 * times that each word occurs. */
static mk_status score_sequence(void *data, size_t i, const uint64_t *word, size_t count) {
  scoring *work = data;
  double *score = work->score + i * work->weights->models, square = 0.0;
  for (size_t t = 0; t < work->weights->models; t++) score[t] = 0.0;
  if (!work->presence && work->square == NULL) {
    for (size_t k = 0; k < count; k++) add_word(work, word[k], 1.0, score);
    return MK_OK;
  }
  MK_TRY(mk_word_index_count(&work->own, word, count, work->control));
  for (size_t k = 0; k < work->own.count; k++) {
    double times = work->presence ? 1.0 : (double)work->own.times[k];
    add_word(work, work->own.code[k], times, score);
    square += times * times;
  }
  if (work->square != NULL) work->square[i] = square;
  return MK_OK;
}

static mk_status open_weights(scoring *work) {
  MK_TRY(mk_word_index_open(&work->known, work->weights->count));
  for (size_t k = 0; k < work->weights->count; k++)
    mk_word_index_add(&work->known, (uint64_t)work->weights->code[k]);
  return work->known.count == work->weights->count ? MK_OK : MK_BAD_ARGUMENT;
}

mk_status mk_word_scores(const mk_sequences *sequences, const mk_word_spec *spec,
                         const mk_word_weights *weights, const mk_control *control, double *score,
                         double *square) {
  scoring work = {.weights = weights,
                  .presence = spec->presence,
                  .control = control,
                  .score = score,
                  .square = square};
  mk_status status = open_weights(&work);
  if (status == MK_OK) status = mk_words_visit(sequences, spec, control, score_sequence, &work);
  mk_word_index_free(&work.known);
  mk_word_index_free(&work.own);
  return status;
}
