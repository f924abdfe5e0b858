/* Values of weighted degree kernels. A sequence is stored as bit planes, one for each bit of a
 * letter's code and one for known letters; two sequences agree where no plane differs. From M_1,
 * the positions that agree, follow M_d = M_{d-1} & (M_1 >> (d - 1)), the positions where d-mers
 * agree; counting bits gives their number. The glue makes function kernels of this
 * (rglue/weighted-degree.c). MATHEMATICS.md, section 4.1. */
#include "weighted-degree.h"

#include "base/memory.h"
#include "base/simd.h"
#include "weighted-degree-internal.h"

#include <math.h>
#include <string.h>

#define WORD_BITS 64

/* ---- the kernel ---- */

static int bits_for(int letters) {
  int bits = 0;
  while (1 << bits < letters) bits++;
  return bits;
}

static size_t longest(const mk_sequences *sequences) {
  size_t most = 0;
  for (size_t i = 0; i < sequences->count; i++) {
    size_t length = sequences->start[i + 1] - sequences->start[i];
    if (length > most) most = length;
  }
  return most;
}

static void set_planes(const mk_weighted_degree *kernel, size_t i) {
  const mk_sequences *all = &kernel->sequences;
  const unsigned char *code = all->code + all->start[i];
  uint64_t *plane = kernel->plane + i * kernel->sample_words;
  for (size_t l = 0; l < all->start[i + 1] - all->start[i]; l++) {
    uint64_t bit = (uint64_t)1 << l % WORD_BITS;
    if (code[l] >= all->letters) continue;
    for (size_t b = 0; b + 1 < kernel->planes; b++)
      if (code[l] >> b & 1) plane[b * kernel->words + l / WORD_BITS] |= bit;
    plane[(kernel->planes - 1) * kernel->words + l / WORD_BITS] |= bit;
  }
}

static double *copy_doubles(mk_pool *pool, const double *from, size_t count) {
  double *to = MK_TAKE(pool, double, count);
  if (to != NULL) memcpy(to, from, count * sizeof *to);
  return to;
}

static int are_finite(const double *x, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (!isfinite(x[k])) return 0;
  return 1;
}

/* Lists the shifts that have a weight and fit in the longest sequence. */
static void list_shifts(mk_weighted_degree *kernel, const mk_degree_spec *spec) {
  for (size_t s = 0; s <= (size_t)spec->shift && (s == 0 || s < kernel->length); s++)
    if (spec->shift_weight[s] != 0.0)
      kernel->shift[kernel->shifts++] = (mk_degree_shift){s, spec->shift_weight[s]};
}

/* Computes the sums of beta over the lengths up to d, d = 0 .. degree. */
static void sum_weights(mk_weighted_degree *kernel) {
  kernel->run[0] = 0.0;
  for (size_t d = 0; d < kernel->degree; d++)
    kernel->run[d + 1] = kernel->run[d] + kernel->weight[d];
}

static mk_status check_spec(const mk_sequences *sequences, const mk_degree_spec *spec) {
  if (sequences->letters < 1 || sequences->letters > MK_MOST_LETTERS || spec->degree < 1 ||
      spec->shift < 0 || spec->mismatches < 0 || spec->mismatches >= spec->degree)
    return MK_BAD_ARGUMENT;
  size_t weights = (size_t)spec->degree * (size_t)(spec->mismatches + 1);
  return are_finite(spec->weight, weights) &&
                 are_finite(spec->shift_weight, (size_t)spec->shift + 1)
             ? MK_OK
             : MK_NOT_FINITE;
}

mk_status mk_weighted_degree_new(mk_weighted_degree **out, const mk_sequences *sequences,
                                 const mk_degree_spec *spec) {
  *out = NULL;
  MK_TRY(check_spec(sequences, spec));
  mk_weighted_degree *kernel = *out = MK_NEW0(mk_weighted_degree, 1);
  if (kernel == NULL) return MK_NO_MEMORY;
  mk_pool *pool = &kernel->pool;
  kernel->sequences = *sequences;
  kernel->length = longest(sequences);
  kernel->degree = (size_t)spec->degree;
  kernel->mismatches = (size_t)spec->mismatches;
  kernel->planes = (size_t)bits_for(sequences->letters) + 1;
  kernel->words = kernel->length / WORD_BITS + 1;
  kernel->sample_words = kernel->planes * kernel->words;
  kernel->plane = MK_TAKE0(pool, uint64_t, sequences->count * kernel->sample_words);
  kernel->weight = copy_doubles(pool, spec->weight, kernel->degree * (kernel->mismatches + 1));
  kernel->run = MK_TAKE(pool, double, kernel->degree + 1);
  kernel->shift = MK_TAKE(pool, mk_degree_shift, (size_t)spec->shift + 1);
  if (spec->position_weight != NULL)
    kernel->position_weight = copy_doubles(pool, spec->position_weight, kernel->length);
  MK_TRY(mk_pool_status(pool));
  list_shifts(kernel, spec);
  sum_weights(kernel);
  for (size_t i = 0; i < sequences->count; i++) set_planes(kernel, i);
  return MK_OK;
}

void mk_weighted_degree_free(mk_weighted_degree *kernel) {
  if (kernel == NULL) return;
  mk_pool_free(&kernel->pool);
  mk_free(kernel);
}

/* ---- masks of positions ---- */

/* Work space of one row. */
typedef struct bench {
  uint64_t *own;        /* its planes, moved by each shift to either side */
  uint64_t *same, *off; /* positions whose letters agree; whose known letters differ */
  uint64_t *match;      /* (mismatches + 1) masks of d-mers */
  mk_pool pool;
} bench;

static mk_status bench_new(bench *bench, const mk_weighted_degree *kernel) {
  *bench = (struct bench){.pool = {NULL, 0, 0}};
  bench->own = MK_TAKE(&bench->pool, uint64_t, 2 * kernel->shifts * kernel->sample_words);
  bench->same = MK_TAKE(&bench->pool, uint64_t, kernel->words);
  bench->off = MK_TAKE(&bench->pool, uint64_t, kernel->words);
  bench->match = MK_TAKE(&bench->pool, uint64_t, (kernel->mismatches + 1) * kernel->words);
  return mk_pool_status(&bench->pool);
}

/* Moves bit l of the mask to bit l + by. */
static void move_up(size_t words, const uint64_t *mask, size_t by, uint64_t *out) {
  size_t whole = by / WORD_BITS, part = by % WORD_BITS;
  for (size_t w = 0; w < words; w++) {
    out[w] = w >= whole ? mask[w - whole] << part : 0;
    if (part > 0 && w > whole) out[w] |= mask[w - whole - 1] >> (WORD_BITS - part);
  }
}

/* Moves bit l + by of the mask to bit l; the first `by` bits are lost. */
static void move_down(size_t words, const uint64_t *mask, size_t by, uint64_t *out) {
  size_t whole = by / WORD_BITS, part = by % WORD_BITS;
  for (size_t w = 0; w < words; w++) {
    out[w] = w + whole < words ? mask[w + whole] >> part : 0;
    if (part > 0 && w + whole + 1 < words) out[w] |= mask[w + whole + 1] << (WORD_BITS - part);
  }
}

static void take_row(const mk_weighted_degree *kernel, int row, bench *bench) {
  const uint64_t *plane = kernel->plane + (size_t)row * kernel->sample_words;
  uint64_t *out = bench->own;
  for (size_t k = 0; k < kernel->shifts; k++, out += 2 * kernel->sample_words)
    for (size_t b = 0; b < kernel->sample_words; b += kernel->words) {
      move_up(kernel->words, plane + b, kernel->shift[k].by, out + b);
      move_down(kernel->words, plane + b, kernel->shift[k].by, out + kernel->sample_words + b);
    }
}

#define INLINE static inline __attribute__((always_inline))

INLINE int compare(const mk_weighted_degree *kernel, const uint64_t *x, const uint64_t *z,
                   bench *bench) {
  size_t words = kernel->words, known = (kernel->planes - 1) * words;
  uint64_t any = 0;
  for (size_t w = 0; w < words; w++) {
    uint64_t differ = 0, both = x[known + w] & z[known + w];
    for (size_t b = w; b < known; b += words) differ |= x[b] ^ z[b];
    bench->same[w] = bench->match[w] = both & ~differ;
    any |= both & ~differ;
    if (kernel->mismatches > 0) bench->off[w] = both & differ;
  }
  return any != 0;
}

/* Returns the sum of the weights of positions in the mask; `from` is the bit of position 0. */
static double sum_positions(const mk_weighted_degree *kernel, const uint64_t *mask, size_t from) {
  double sum = 0.0;
  for (size_t w = 0; w < kernel->words; w++)
    for (uint64_t rest = mask[w]; rest != 0; rest &= rest - 1)
      sum += kernel->position_weight[w * WORD_BITS + (size_t)__builtin_ctzll(rest) - from];
  return sum;
}

INLINE double weigh(const mk_weighted_degree *kernel, const uint64_t *mask, size_t from) {
  size_t count = 0;
  if (kernel->position_weight != NULL) return sum_positions(kernel, mask, from);
  for (size_t w = 0; w < kernel->words; w++) count += (size_t)__builtin_popcountll(mask[w]);
  return (double)count;
}

/* Computes mask = mask >> 1. */
INLINE void step_down(size_t words, uint64_t *mask) {
  for (size_t w = 0; w + 1 < words; w++) mask[w] = mask[w] >> 1 | mask[w + 1] << (WORD_BITS - 1);
  mask[words - 1] >>= 1;
}

/* ---- values ---- */

/* Returns sum_d beta_d sum_l w_l over the d-mers that agree, from the positions whose letters
 * agree. */
INLINE double exact_matches(const mk_weighted_degree *kernel, bench *bench, size_t from) {
  size_t words = kernel->words, d = 0;
  double sum = 0.0;
  for (;;) {
    uint64_t any = 0;
    sum += kernel->weight[d] * weigh(kernel, bench->match, from);
    if (++d == kernel->degree) return sum;
    step_down(words, bench->same);
    for (size_t w = 0; w < words; w++) any |= bench->match[w] &= bench->same[w];
    if (any == 0) return sum;
  }
}

/* Returns exact_matches() for d-mers with mismatches, from masks by number of mismatches. */
static double inexact_matches(const mk_weighted_degree *kernel, bench *bench, size_t from) {
  size_t words = kernel->words, most = kernel->mismatches;
  double sum = 0.0;
  memset(bench->match + words, 0, most * words * sizeof *bench->match);
  memcpy(bench->match + words, bench->off, words * sizeof *bench->off);
  for (size_t d = 0;;) {
    for (size_t m = 0; m <= most; m++)
      sum += kernel->weight[m * kernel->degree + d] * weigh(kernel, bench->match + m * words, from);
    if (++d == kernel->degree) return sum;
    step_down(words, bench->same);
    step_down(words, bench->off);
    for (size_t m = most + 1; m-- > 0;)
      for (size_t w = 0; w < words; w++) {
        uint64_t before = m > 0 ? bench->match[(m - 1) * words + w] : 0;
        uint64_t *match = &bench->match[m * words + w];
        *match = (*match & bench->same[w]) | (before & bench->off[w]);
      }
  }
}

INLINE double diagonal(const mk_weighted_degree *kernel, const uint64_t *x, const uint64_t *z,
                       bench *bench, size_t from) {
  int any = compare(kernel, x, z, bench);
  if (kernel->mismatches > 0) return inexact_matches(kernel, bench, from);
  return any ? exact_matches(kernel, bench, from) : 0.0;
}

/* Adds both sides of a shift together, so that values are symmetric to the last bit. */
INLINE double pair_value(const mk_weighted_degree *kernel, const uint64_t *z, bench *bench) {
  const uint64_t *x = bench->own;
  double sum = 0.0;
  for (size_t k = 0; k < kernel->shifts; k++, x += 2 * kernel->sample_words) {
    size_t by = kernel->shift[k].by;
    double part = diagonal(kernel, x, z, bench, by);
    if (by > 0) part += diagonal(kernel, x + kernel->sample_words, z, bench, 0);
    sum += kernel->shift[k].weight * part;
  }
  return sum;
}

INLINE void fill_row(const mk_weighted_degree *kernel, const int *cols, size_t count, bench *bench,
                     double *out, size_t ld) {
  for (size_t c = 0; c < count; c++)
    out[c * ld] = pair_value(kernel, kernel->plane + (size_t)cols[c] * kernel->sample_words, bench);
}

static void plain_row(const mk_weighted_degree *kernel, const int *cols, size_t count, bench *bench,
                      double *out, size_t ld) {
  fill_row(kernel, cols, count, bench, out, ld);
}

/* This version is for processors that count bits; values take twice the time without that. */
#ifdef MK_SIMD_DISPATCH
__attribute__((target("popcnt,bmi,bmi2"))) static void
counting_row(const mk_weighted_degree *kernel, const int *cols, size_t count, bench *bench,
             double *out, size_t ld) {
  fill_row(kernel, cols, count, bench, out, ld);
}

static int counts_bits(void) {
  return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
#else
#define counting_row plain_row
static int counts_bits(void) {
  return 0;
}
#endif

int mk_weighted_degree_values(void *data, const int *rows, size_t row_count, const int *cols,
                              size_t col_count, double *out) {
  const mk_weighted_degree *kernel = data;
  bench bench;
  mk_status status = bench_new(&bench, kernel);
  int counting = counts_bits();
  for (size_t r = 0; status == MK_OK && r < row_count; r++) {
    take_row(kernel, rows[r], &bench);
    (counting ? counting_row : plain_row)(kernel, cols, col_count, &bench, out + r, row_count);
  }
  mk_pool_free(&bench.pool);
  return status != MK_OK;
}
