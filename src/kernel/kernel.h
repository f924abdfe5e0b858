/* THE kernel interface. A kernel set holds M kernels over the same n samples,
 * grouped into families whose members share work: all Gaussian, polynomial
 * and linear kernels on the same features share one squared distance (their
 * "base"); precomputed matrices are read where they lie; a caller's function
 * is one family each; linear kernels on features of their own are weighted
 * columns (features.h). Locally linear kernels follow from the same squared
 * distances (local.c); component by component they are linear kernels on
 * columns that the set makes (local-columns.c). Optimisers ask for
 *   - base blocks, which do not depend on theta and may be stored,
 *   - rows of a mixture sum_m theta_m k_m, made from bases,
 *   - quadratic forms and responses of all M kernels at once, from bases.
 * The certificate asks for exact values (expansion.h) instead. */
#ifndef MK_KERNEL_H
#define MK_KERNEL_H

#include "base/row.h"
#include "base/control.h"
#include "kernel/local-map.h"
#include "kernel/view.h"

#include <stddef.h>

struct mk_control;
struct mk_slot_weights;

typedef enum mk_kernel_type {
  MK_LINEAR = 1,
  MK_POLYNOMIAL,
  MK_GAUSSIAN,
  MK_PRECOMPUTED,
  MK_FUNCTION,
  MK_LOCALLY_LINEAR,
  MK_TANIMOTO, /* <x,z> / (|x|^2 + |z|^2 - <x,z>); 1 between samples that are 0 */
  MK_KERNEL_TYPES = MK_TANIMOTO
} mk_kernel_type;

/* Fills out (rows_count x cols_count, by columns) with kernel values of the
 * given samples; 0 on success. */
typedef int (*mk_kernel_function)(void *data, const int *rows, size_t row_count, const int *cols,
                                  size_t col_count, double *out);

/* out[i] = sum_j weight_j k(support_j, sample_i), in double precision. */
typedef mk_status (*mk_kernel_expansion)(void *data, const int *support, size_t support_count,
                                         const double *weight, const int *sample, size_t count,
                                         const struct mk_control *control, double *out);

/* One kernel as the caller describes it. */
typedef struct mk_kernel_spec {
  mk_kernel_type type;
  int view;            /* index of its view; -1 for none */
  const int *features; /* increasing column indices; NULL for all */
  size_t feature_count;
  double width;                 /* Gaussian: exp(-d/width) */
  double degree, scale, offset; /* polynomial: (scale <x,z> + offset)^degree */
  const void *matrix;           /* precomputed: n x n, symmetric, ... */
  int single;                   /* ... of floats: 1, or of doubles: 0 */
  mk_kernel_function function;
  void *function_data;
  int thread_safe; /* 1: any thread may call the function; 0: the one that called the core */
  mk_kernel_expansion expand; /* quicker than by the function; NULL: there is none */
  double expand_units;        /* roundings of a term in it, beside one for each support vector */
  /* locally linear: <phi(x), phi(z)>, phi(x) = h(x) (x - anchor) */
  mk_local_map map;
  double gamma;
  int componentwise;    /* 1: h of each component by itself */
  int zero_rows;        /* 1: samples without length stay 0 when they are divided by it */
  const double *anchor; /* as many values as features */
} mk_kernel_spec;

typedef struct mk_kernel_set mk_kernel_set;

/* The columns of a block: a list of samples, or a run of them. */
typedef struct mk_columns {
  const int *index; /* NULL: start, start + 1, ... */
  size_t start, count;
  const struct mk_packed *packed; /* may be NULL; else these are its samples from ... */
  size_t at;                      /* ... here on */
} mk_columns;

static inline size_t mk_column(const mk_columns *columns, size_t k) {
  return columns->index != NULL ? (size_t)columns->index[k] : columns->start + k;
}

static inline mk_columns mk_span(size_t start, size_t count) {
  return (mk_columns){.start = start, .count = count};
}

static inline mk_columns mk_list(const int *index, size_t count) {
  return (mk_columns){.index = index, .count = count};
}

/* Part of a block's columns. */
static inline mk_columns mk_part(const mk_columns *columns, size_t from, size_t count) {
  mk_columns part = *columns;
  if (part.index != NULL) part.index += from;
  part.start += from;
  part.at += from;
  part.count = count;
  return part;
}

/* ---- the set ---- */

/* Takes over the views' owned parts; the caller's arrays must outlive the set. */
mk_status mk_set_new(mk_kernel_set **set, size_t n, const mk_view *views, size_t view_count,
                     const mk_kernel_spec *specs, size_t kernel_count, mk_team *team);
/* The same over the views of another set, which must outlive it. */
mk_status mk_set_beside(mk_kernel_set **out, const mk_kernel_set *set, const mk_kernel_spec *specs,
                        size_t kernel_count, mk_team *team);
void mk_set_free(mk_kernel_set *set);
/* Another width of Gaussian kernel m, before anybody reads bases. */
mk_status mk_set_width(mk_kernel_set *set, size_t m, double width);
/* Some of a set's kernels, by increasing number, normalised as they are there over all its samples
 * (no more are known); `set` must outlive it. */
mk_status mk_set_subset(mk_kernel_set **subset, const mk_kernel_set *set, const int *kernels,
                        size_t count, mk_team *team);
/* For sets that many fits read: distances and products of all pairs, as far as so many bytes go. */
mk_status mk_set_keep_pairs(const mk_kernel_set *set, size_t bytes, const mk_control *control);
/* Values of functions that have to be called one after the other, if those of all go into so many
 * bytes: each is asked for once. */
mk_status mk_set_keep_values(mk_kernel_set *set, size_t bytes);
size_t mk_set_value_bytes(const mk_kernel_set *set); /* of these, part of mk_set_bytes() */
/* Reads the pairs that another set of the same samples has in place of its own; how many families
 * do. The other set must then outlive this one. */
size_t mk_set_borrow_pairs(mk_kernel_set *set, const mk_kernel_set *from);
/* Makes at once what is otherwise made when first asked for, so that threads can share the set. */
mk_status mk_set_settle(const mk_kernel_set *set, const mk_control *control);
size_t mk_set_samples(const mk_kernel_set *set);
size_t mk_set_kernels(const mk_kernel_set *set);
size_t mk_set_views(const mk_kernel_set *set);
size_t mk_set_view_columns(const mk_kernel_set *set, size_t view);
size_t mk_set_families(const mk_kernel_set *set);
size_t mk_family_of(const mk_kernel_set *set, size_t m); /* the family of kernel m */
size_t mk_family_size(const mk_kernel_set *set, size_t f);             /* its kernels, ... */
size_t mk_family_member(const mk_kernel_set *set, size_t f, size_t k); /* ... and their numbers */
int mk_family_serial(const mk_kernel_set *set, size_t f); /* 1: the core's caller only */
/* 1: kernel m is scale * exp(-d / width), not centred. */
int mk_is_plain_gaussian(const mk_kernel_set *set, size_t m, double *width);
double mk_set_scale(const mk_kernel_set *set, size_t m);
size_t mk_set_bytes(const mk_kernel_set *set); /* owned memory */
/* 1 for samples that have what kernel m reads, 0 for others; NULL: all have it. */
const double *mk_set_has(const mk_kernel_set *set, size_t m);
int mk_set_zero_rows(const mk_kernel_set *set, size_t m); /* zero_rows of kernel m */
int mk_set_calls_back(const mk_kernel_set *set); /* 1: on the thread that called the core only */

/* How kernel m is normalised: scale * root_i * root_j * (k - mean_i - mean_j + total).
 * mean and root are copied (n values each) or NULL. MK_BAD_ARGUMENT: roots for a Gaussian that
 * tables mix already. */
mk_status mk_set_normalization(mk_kernel_set *set, size_t m, double scale, const double *mean,
                               double total, const double *root);
const double *mk_set_root(const mk_kernel_set *set, size_t m); /* of kernel m, or NULL */

/* ---- bases ---- */

/* Work space of one thread. */
typedef struct mk_scratch mk_scratch;
mk_scratch *mk_scratch_new(const mk_kernel_set *set);
void mk_scratch_free(mk_scratch *scratch);
size_t mk_scratch_bytes(const mk_scratch *scratch);

#define MK_BLOCK_ROWS 64  /* most rows and ... */
#define MK_BLOCK_COLS 512 /* ... columns of a block that scratch can hold */
mk_row mk_scratch_block(mk_scratch *scratch, int single); /* MK_BLOCK_ROWS x MK_BLOCK_COLS */
double *mk_scratch_row(mk_scratch *scratch, int which);   /* 3 rows of MK_BLOCK_COLS */

int mk_family_has_base(const mk_kernel_set *set, size_t f); /* 0: reads its matrices directly */
int mk_family_worth_storing(const mk_kernel_set *set, size_t f); /* 0: as quickly made anew */

/* What base blocks are made from, at one precision. */
typedef struct mk_bases mk_bases;
mk_status mk_bases_new(mk_bases **bases, const mk_kernel_set *set, int single,
                       const struct mk_control *control);
void mk_bases_free(mk_bases *bases);
size_t mk_bases_bytes(const mk_bases *bases);

/* Samples whose features lie side by side where they are few: blocks with such columns need not
 * gather them each time. */
typedef struct mk_packed mk_packed;
mk_status mk_packed_new(mk_packed **packed, const mk_bases *bases, const int *samples,
                        size_t count);
void mk_packed_free(mk_packed *packed);
size_t mk_packed_bytes(const mk_packed *packed);
mk_columns mk_packed_columns(const mk_packed *packed, size_t from, size_t count);

/* base values of family f: out[r * ld + c], any number of rows and columns;
 * out is of the bases' precision. */
mk_status mk_base_block(const mk_bases *bases, size_t f, const int *rows, size_t row_count,
                        const mk_columns *columns, mk_row out, size_t ld, mk_scratch *scratch);

/* Squared distances between `count` samples of a dense view, whose columns are divided by `scale`
 * (NULL: by nothing); count x count. */
mk_status mk_view_distances(const mk_view *view, const int *row, size_t count, const double *scale,
                            const struct mk_control *control, double *out);

/* The same from the pairs that kernel m's family keeps for everybody, if it does. */
mk_status mk_kept_distances(const mk_kernel_set *set, size_t m, const int *row, size_t count,
                            const struct mk_control *control, double *out, int *kept);

/* ---- mixtures: base and out are rows of one precision ---- */

typedef struct mk_mixture mk_mixture;
mk_mixture *mk_mixture_new(const mk_kernel_set *set, int single);
void mk_mixture_free(mk_mixture *mixture);
size_t mk_mixture_bytes(const mk_mixture *mixture); /* for feature blocks */
/* 1: rows are other ones now; 0: they may be kept (a model that still does). */
int mk_mixture_compile(mk_mixture *mixture, const double *theta);
const double *mk_mixture_weights(const mk_mixture *mixture); /* M: theta times scale */
/* out[c] += family f's part of the mixture between row and columns; what out held before family 0
 * is overwritten. */
void mk_mixture_add(const mk_mixture *mixture, size_t f, int row, const mk_columns *columns,
                    mk_row base, mk_row out, mk_scratch *scratch);
/* out[c] += what centring adds, once per row after all families. */
void mk_mixture_centre(const mk_mixture *mixture, int row, const mk_columns *columns, mk_row out,
                       mk_scratch *scratch);

/* Rows of feature blocks may take at most about this many columns; when these
 * are not all, rows are a model, and are to be stored. */
void mk_mixture_limit(mk_mixture *mixture, size_t columns);
int mk_mixture_is_model(const mk_mixture *mixture);
/* Weights of the columns of feature blocks. */
const struct mk_slot_weights *mk_mixture_slot_weights(const mk_mixture *mixture);
/* Computes all values of the feature blocks between these samples, for good until a compile
 * returns 1. */
mk_status mk_mixture_store(mk_mixture *mixture, const int *samples, size_t count,
                           mk_scratch *scratch, const struct mk_control *control);
/* These values, by place in that list; NULL: there are none. */
const double *mk_mixture_stored(const mk_mixture *mixture);
/* The "base" of the feature blocks in this mixture: out[r * ld + c]; a single
 * `out` must be the block of the scratch. */
void mk_mixture_block(const mk_mixture *mixture, const int *rows, size_t row_count,
                      const mk_columns *columns, mk_row out, size_t ld, mk_scratch *scratch);

/* k_theta(i, i). */
void mk_mixture_diagonal(const mk_mixture *mixture, const int *rows, size_t count, double *out);

/* out[c] = normalised value of kernel m between row and columns; base: of its family, in double
 * precision, NULL for families without. */
void mk_member_values(const mk_kernel_set *set, size_t m, int row, const mk_columns *columns,
                      const double *base, double *out);

/* ---- all kernels at once ---- */

typedef struct mk_sums mk_sums;                             /* running sums of one thread */
mk_sums *mk_sums_new(const mk_kernel_set *set, int single); /* bases will be floats */
void mk_sums_free(mk_sums *sums);
void mk_sums_clear(mk_sums *sums);
/* sums_m += sum_c weight_c * k_m(row, c) for the members of family f. */
void mk_sums_add(mk_sums *sums, size_t f, int row, const mk_columns *columns, mk_row base,
                 const double *weight, mk_scratch *scratch);
/* Those of each of `count` rows, one after the other. */
void mk_sums_read(mk_sums *const *sums, size_t count, double *out);
/* Locally linear kernels that are neither centred nor scaled by sample stay out: local.h has them
 * without pairs. */
void mk_sums_leave_local(mk_sums *sums);
void mk_sums_merge(mk_sums *into, const mk_sums *from);

#endif
