/* Failing allocations, interrupts and time limits (faults.h) in all computations but single fits:
 * constants, alignment, bounds, pursuits, streams, sequences, grids, files. */
#include "fault-world.h"

#include "bound/signs.h"
#include "matrix/inspect.h"
#include "matrix/kernel-file.h"
#include "matrix/spectrum.h"
#include "normalize/alignment.h"
#include "grid/grid.h"
#include "rls/gomp.h"
#include "rls/path.h"
#include "sequential/local-model.h"
#include "sequential/sequential.h"
#include "sequential/source.h"
#include "string/weighted-degree.h"
#include "string/words.h"
#include "exact/exact-matrix.h"
#include "kernel/geometry.h"
#include "kernel/samples.h"
#include "rows/mixture.h"
#include "sequential/anchor-sums.h"
#include "string/degree-scorer.h"
#include "rows/base-block.h"

#include <stdio.h>

#define ENOUGH ((size_t)1 << 26)

/* Work on a set, and how the set is normalised. */
typedef struct set_case {
  world_kind kind;
  mk_scaling scaling;
  size_t cache;
  mk_status (*work)(mk_kernel_set *set, const mk_control *control, uint64_t *bits);
} set_case;

static mk_status set_trial(void *data, uint64_t *bits) {
  const set_case *c = data;
  mk_control control = world_control(1e-3, c->cache);
  mk_kernel_set *set;
  mk_status status = world_set(c->kind, c->scaling, &control, &set);
  if (status == MK_OK) status = c->work(set, &control, bits);
  mk_set_free(set);
  return status;
}

/* ---- what works on a set ---- */

static mk_status align(mk_kernel_set *set, const mk_control *control, uint64_t *bits) {
  double out[(MOST_KERNELS + 1) * (MOST_KERNELS + 1)] = {0};
  MK_TRY(mk_inner_products(set, w.label, 1, control, out));
  note(bits, out, sizeof out);
  return MK_OK;
}

static mk_status draw(mk_kernel_set *set, const mk_control *control, uint64_t *bits) {
  int signs[N * 3];
  double forms[3 * MOST_KERNELS], largest[MOST_KERNELS];
  for (int i = 0; i < N * 3; i++) signs[i] = i % 3 == 0 || i % 7 == 1 ? 1 : -1;
  mk_sign_question question = {.set = set, .signs = signs, .draws = 3, .forms = forms};
  MK_TRY(mk_sign_forms(&question, control));
  MK_TRY(mk_set_largest_diagonal(set, largest));
  note(bits, forms, 3 * mk_set_kernels(set) * sizeof *forms);
  note(bits, largest, mk_set_kernels(set) * sizeof *largest);
  return MK_OK;
}

/* Pairs that are kept, a set that borrows them, and one of some kernels. */
static mk_status share(mk_kernel_set *set, const mk_control *control, uint64_t *bits) {
  const int some[2] = {0, 2};
  mk_kernel_spec spec[MOST_KERNELS];
  mk_kernel_set *beside = NULL, *subset = NULL;
  double square[N * N];
  int rows[N], kept = 0;
  for (int i = 0; i < N; i++) rows[i] = i;
  MK_TRY(mk_set_keep_pairs(set, ENOUGH, control));
  MK_TRY(mk_set_settle(set, control));
  size_t count = world_specs(GAUSSIANS, spec);
  mk_status status = mk_set_beside(&beside, set, spec, count, control->team);
  if (status == MK_OK) mk_set_borrow_pairs(beside, set);
  if (status == MK_OK) status = mk_kept_distances(beside, 0, rows, N, control, square, &kept);
  if (status == MK_OK) status = mk_set_subset(&subset, set, some, 2, control->team);
  if (status == MK_OK) note(bits, square, kept ? sizeof square : 0);
  mk_set_free(subset);
  mk_set_free(beside);
  return status;
}

static mk_status evaluate(mk_kernel_set *set, const mk_control *control, const mk_gomp_path *path,
                          uint64_t *bits) {
  int rows[N];
  size_t last[3];
  double out[N * TASKS * 3], alpha[N * TASKS * 3];
  for (int i = 0; i < N; i++) rows[i] = i;
  for (size_t b = 0; b < path->steps; b++) {
    last[b] = b + 1;
    memcpy(alpha + b * N * TASKS, path->alpha[b], N * TASKS * sizeof *alpha);
  }
  mk_path_values v = {.set = set,
                      .known = N,
                      .kernel = path->kernel,
                      .count = path->steps,
                      .last = last,
                      .blocks = path->steps,
                      .tasks = TASKS,
                      .from = rows,
                      .from_count = N,
                      .alpha = alpha,
                      .row = rows,
                      .row_count = N,
                      .out = out};
  MK_TRY(mk_path_evaluate(&v, control));
  note(bits, out, N * TASKS * path->steps * sizeof *out);
  return MK_OK;
}

static mk_status pursue(mk_kernel_set *set, const mk_control *control, uint64_t *bits) {
  int rows[N];
  double root[N * TASKS];
  for (int i = 0; i < N; i++) rows[i] = i;
  for (int i = 0; i < N * TASKS; i++) root[i] = 0.5 + i % 3;
  mk_gomp_problem p = {.set = set,
                       .sample = rows,
                       .n = N,
                       .y = w.y,
                       .tasks = TASKS,
                       .root = root,
                       .own_roots = 1,
                       .lambda = 0.02,
                       .max_kernels = 3};
  mk_gomp_path path;
  mk_status status = mk_gomp_path_new(&path, &p);
  if (status == MK_OK) status = mk_gomp(&p, control, &path);
  if (status == MK_OK) note(bits, path.kernel, path.steps * sizeof *path.kernel);
  if (status == MK_OK) status = evaluate(set, control, &path, bits);
  mk_gomp_path_clear(&path);
  return status;
}

/* Two chains of three costs. */
static mk_status chain(mk_kernel_set *set, const mk_control *control, uint64_t *bits) {
  const double scale[3] = {0.1, 1.0, 10.0};
  mk_cell cell[6] = {{.seconds = 0.0}};
  mk_problem problem[2];
  for (int k = 0; k < 2; k++)
    problem[k] = (mk_problem){
        .set = set, .n = N, .tasks = 1, .norm = mk_lp(1.0 + k), .linear = w.label, .cost = w.cost};
  mk_grid grid = {.problem = problem,
                  .problems = 2,
                  .scale = scale,
                  .scales = 3,
                  .deadline = INFINITY,
                  .cell = cell};
  mk_status status = mk_fit_grid(&grid, control);
  for (int k = 0; k < 6; k++) {
    if (cell[k].solution.theta != NULL && mk_usable_end(cell[k].status))
      note(bits, &cell[k].solution.dual, sizeof(double));
    if (status == MK_OK) status = cell[k].status; /* a cell that failed */
  }
  mk_grid_clear(&grid);
  return status;
}

static void test_sets(void) {
  static const struct {
    const char *name;
    mk_status (*work)(mk_kernel_set *set, const mk_control *control, uint64_t *bits);
  } works[] = {{"alignment", align},
               {"random signs", draw},
               {"sets that share", share},
               {"pursuit", pursue},
               {"grid", chain}};
  for (size_t k = 0; k < sizeof works / sizeof *works; k++)
    for (int kind = 0; kind < WORLD_KINDS; kind++) {
      set_case c = {.kind = (world_kind)kind,
                    .scaling = (mk_scaling)(kind % MK_SCALINGS + 1),
                    .cache = kind % 2 ? 1 : ENOUGH,
                    .work = works[k].work};
      char name[100];
      if (works[k].work == share && kind > COLUMNS) continue;
      snprintf(name, sizeof name, "%s, %s", works[k].name, kind_name[kind]);
      sweep(name, set_trial, &c);
    }
}

/* ---- matrices ---- */

static mk_status inspect(void *data, uint64_t *bits) {
  const double *matrix = w.matrix;
  mk_matrix_facts facts;
  double ends[2];
  mk_control control = world_control(1e-3, ENOUGH);
  (void)data;
  MK_TRY(mk_inspect(&matrix, N, 1, &control, &facts));
  MK_TRY(mk_extreme_eigenvalues(matrix, N, &control, &ends[0], &ends[1]));
  note(bits, &facts, sizeof facts);
  note(bits, ends, sizeof ends);
  return MK_OK;
}

static void test_matrices(void) {
  sweep("inspection of a matrix", inspect, NULL);
}

/* ---- streams ---- */

static mk_status open_set(void *self, const size_t *which, size_t count, const mk_control *control,
                          int selected, mk_kernel_set **set, mk_constants *constants) {
  mk_kernel_spec all[MOST_KERNELS], spec[MOST_KERNELS];
  world_specs(*(world_kind *)self, all);
  for (size_t k = 0; k < count; k++) {
    spec[k] = all[which[k]];
    constants[k] = (mk_constants){.scaling = MK_SCALE_MULTIPLICATIVE, .centred = 1, .scale = 1.0};
  }
  const mk_view views[2] = {
      {.rows = N, .cols = DENSE, .x = w.dense},
      {.rows = N, .cols = SPARSE, .start = w.start, .row = w.row, .value = w.value}};
  (void)selected;
  return mk_set_new(set, N, views, 2, spec, count, control->team);
}

static void close_set(void *self, mk_kernel_set *set) {
  (void)self;
  mk_set_free(set);
}

static mk_status learn(const mk_stream *stream, const mk_control *control,
                       mk_sequential_solution *solution, uint64_t *bits) {
  double shape[3 * N];
  mk_sequential_settings settings = {.insert = 2};
  mk_problem problem = {.n = N, .tasks = 1, .linear = w.label, .cost = w.cost, .norm = mk_lp(1.0)};
  mk_problem_shape(&problem, shape);
  mk_status status = mk_sequential(stream, &problem, &settings, control, solution);
  if (mk_usable_end(status)) {
    note(bits, solution->fit.theta, solution->count * sizeof(double));
    note(bits, &solution->fit.gap, sizeof(double));
    if (!(solution->fit.gap >= 0.0)) fault_failed("stream", "gap", 0, status);
  }
  return status;
}

static mk_status stream_trial(void *data, uint64_t *bits) {
  world_kind *kind = data;
  mk_kernel_spec spec[MOST_KERNELS];
  mk_source source = {.self = kind,
                      .size = world_specs(*kind, spec),
                      .samples = N,
                      .open = open_set,
                      .close = close_set};
  mk_sourced *sourced = NULL;
  mk_stream stream;
  mk_control control = world_control(1e-3, ENOUGH);
  mk_sequential_solution solution = {.count = 0};
  mk_status status = mk_sourced_new(&sourced, &source, &stream);
  if (status == MK_OK) {
    status = learn(&stream, &control, &solution, bits);
    mk_sequential_clear(&solution);
  }
  mk_sourced_free(sourced);
  return status;
}

static mk_status decide(const mk_anchors *anchors, const mk_sequential_solution *s,
                        const mk_control *control, uint64_t *bits) {
  double anchor[N * DENSE], coefficient[N * DENSE], out[N];
  mk_anchor_map map[N];
  if (s->count > N) return MK_OK;
  MK_TRY(mk_anchors_vectors(anchors, s->selected, s->count, s->fit.alpha, control, coefficient));
  for (size_t k = 0; k < s->count; k++) {
    map[k] = anchors->map[s->selected[k] % anchors->maps];
    memcpy(anchor + k * DENSE, anchors->point + s->selected[k] / anchors->maps * DENSE,
           DENSE * sizeof *anchor);
  }
  mk_local_model model = {
      .count = s->count, .cols = DENSE, .anchor = anchor, .coefficient = coefficient, .map = map};
  MK_TRY(mk_local_decide(&model, &anchors->view, control, out));
  note(bits, out, sizeof out);
  return MK_OK;
}

static mk_status anchor_trial(void *data, uint64_t *bits) {
  static const mk_anchor_map maps[2] = {{MK_MAP_GAUSSIAN, 0.7, 0}, {MK_MAP_LINEAR, 0.2, 1}};
  mk_view view = {.rows = N, .cols = DENSE, .x = w.dense};
  mk_control control = world_control(1e-3, ENOUGH);
  mk_sequential_solution solution = {.count = 0};
  mk_anchors anchors;
  (void)data;
  mk_status status = mk_anchors_new(&anchors, &view, NULL, N, maps, 2, team);
  if (status == MK_OK) {
    mk_stream stream = mk_anchors_stream(&anchors);
    status = learn(&stream, &control, &solution, bits);
    if (status == MK_OK) status = decide(&anchors, &solution, &control, bits);
    mk_sequential_clear(&solution);
  }
  mk_anchors_clear(&anchors);
  return status;
}

static void test_streams(void) {
  for (int kind = 0; kind < WORLD_KINDS; kind++) {
    world_kind own = (world_kind)kind;
    char name[100];
    snprintf(name, sizeof name, "stream, %s", kind_name[kind]);
    sweep(name, stream_trial, &own);
  }
  sweep("locally linear machine", anchor_trial, NULL);
}

/* ---- sequences ---- */

#define TEXTS 12
#define LETTERS 20

static mk_sequences text_of(unsigned char *code, size_t *start) {
  for (size_t i = 0; i <= TEXTS; i++) start[i] = i * LETTERS;
  for (int k = 0; k < TEXTS * LETTERS; k++) code[k] = (unsigned char)((k * k / 7 + k % 5) % 4);
  return (mk_sequences){TEXTS, code, start, 4};
}

static void note_words(uint64_t *bits, const mk_words *words) {
  note(bits, words->code, words->count * sizeof *words->code);
  note(bits, words->value, words->entries * sizeof *words->value);
}

static mk_status word_trial(void *data, uint64_t *bits) {
  unsigned char code[TEXTS * LETTERS];
  size_t start[TEXTS + 1];
  const int mask_start[2] = {0, 3}, offset[3] = {0, 1, 2}, complement[4] = {3, 2, 1, 0},
            motif_start[2] = {0, 2};
  const uint64_t fits[2] = {1, 6};
  mk_sequences text = text_of(code, start);
  mk_control control = world_control(1e-3, 0);
  mk_words *words = NULL;
  mk_word_spec spec = {.masks = 1,
                       .mask_start = mask_start,
                       .offset = offset,
                       .mismatches = *(int *)data,
                       .complement = *(int *)data ? NULL : complement};
  mk_word_spec motif = {.masks = 1, .mask_start = motif_start, .fits = fits};
  mk_status status = mk_words_new(&words, &text, &spec, &control);
  if (status == MK_OK) note_words(bits, words);
  mk_words_free(words);
  if (status != MK_OK) return status;
  words = NULL;
  status = mk_words_new(&words, &text, &motif, &control);
  if (status == MK_OK) note_words(bits, words);
  mk_words_free(words);
  return status;
}

static mk_status use_degree(mk_weighted_degree *kernel, int mismatches, uint64_t *bits) {
  int all[TEXTS];
  double value[TEXTS * TEXTS], out[TEXTS], profile[LETTERS];
  mk_control control = world_control(1e-3, ENOUGH);
  for (int i = 0; i < TEXTS; i++) all[i] = i;
  if (mk_weighted_degree_values(kernel, all, TEXTS, all, TEXTS, value) != 0) return MK_NO_MEMORY;
  note(bits, value, sizeof value);
  if (mismatches > 0) return MK_OK;
  MK_TRY(mk_weighted_degree_expand(kernel, all, TEXTS, w.y, all, TEXTS, &control, out));
  MK_TRY(mk_weighted_degree_profile(kernel, all, TEXTS, w.y, &control, profile));
  note(bits, out, sizeof out);
  note(bits, profile, sizeof profile);
  return MK_OK;
}

static mk_status degree_trial(void *data, uint64_t *bits) {
  unsigned char code[TEXTS * LETTERS];
  size_t start[TEXTS + 1];
  mk_sequences text = text_of(code, start);
  double weight[6] = {0.5, 0.3, 0.2, 0.2, 0.1, 0.1}, shift[3] = {1.0, 0.5, 0.25};
  mk_degree_spec spec = {
      .degree = 3, .shift = 2, .mismatches = *(int *)data, .weight = weight, .shift_weight = shift};
  mk_weighted_degree *kernel = NULL;
  mk_status status = mk_weighted_degree_new(&kernel, &text, &spec);
  if (status == MK_OK) status = use_degree(kernel, spec.mismatches, bits);
  mk_weighted_degree_free(kernel);
  return status;
}

static void test_sequences(void) {
  for (int mismatches = 0; mismatches < 2; mismatches++) {
    sweep("words and motifs", word_trial, &mismatches);
    sweep("weighted degree", degree_trial, &mismatches);
  }
}

/* ---- files ---- */

static char path[1024];

static mk_status write_file(int single) {
  static const char names[] = "a\0b";
  mk_file_header header = {.rows = N, .cols = N, .single = single, .symmetric = 1};
  mk_file_writer *writer = NULL;
  (void)names;
  mk_status status = mk_file_writer_new(&writer, path, &header, NULL);
  for (size_t r = 0; status == MK_OK && r < N; r += 6)
    status = mk_file_writer_add(writer, w.matrix + r * N, 6);
  if (status == MK_OK) status = mk_file_writer_finish(writer);
  mk_file_writer_free(writer);
  return status;
}

static mk_status read_file(uint64_t *bits) {
  mk_kernel_file file;
  int same = 0;
  mk_control control = world_control(1e-3, ENOUGH);
  mk_file_fault fault = mk_kernel_file_open(&file, path);
  if (fault != MK_FILE_FINE) return MK_NO_FILE;
  mk_status status = mk_kernel_file_verify(&file, &control, &same);
  if (status == MK_OK) note(bits, &file.header.checksum, sizeof file.header.checksum);
  if (status == MK_OK && !same) status = MK_NO_FILE;
  mk_kernel_file_close(&file);
  return status;
}

static mk_status file_trial(void *data, uint64_t *bits) {
  MK_TRY(write_file(*(int *)data));
  return read_file(bits);
}

/* Fails to open, to write, to close and to map a file, one after another. A file that was not
 * written to its end is not valid. */
static void test_files(void) {
  const char *folder = getenv("TMPDIR");
  snprintf(path, sizeof path, "%s/manykernels-faults-%ld.kernel", folder != NULL ? folder : "/tmp",
           (long)getpid());
  for (int single = 0; single < 2; single++) sweep("kernel file", file_trial, &single);
  for (int single = 0; single < 2; single++) {
    uint64_t bits;
    atomic_store(&faults.calls, 0);
    CHECK(write_file(single) == MK_OK && read_file(&bits) == MK_OK);
    long calls = atomic_load(&faults.calls);
    CHECK(calls > 10);
    for (long k = 1; k <= calls; k++) {
      remove(path);
      atomic_store(&faults.calls, 0);
      faults.refused_call = k;
      mk_status written = write_file(single);
      mk_status found = written == MK_OK ? read_file(&bits) : MK_OK;
      faults.refused_call = 0;
      fault_counts.files++;
      int fine = written == MK_NO_FILE || found == MK_NO_FILE;
      if (!fine) fault_failed("kernel file", "refused call", k, written);
      if (written == MK_NO_FILE && read_file(&bits) == MK_OK && k < calls - 4)
        fault_failed("kernel file", "half written file that is read, call", k, written);
    }
    CHECK(write_file(single) == MK_OK && read_file(&bits) == MK_OK);
  }
  remove(path);
}

/* Tables of Gaussians belong to the set, which must have whole ones or none after a failing
 * allocation. */
static mk_status table_trial(void *data, uint64_t *bits) {
  enum { COUNT = 12 };
  double theta[COUNT], row[4], truth[4] = {0};
  const double base[4] = {0.0, 0.5, 1.0, 4.0};
  mk_samples all = mk_span(0, 4);
  mk_kernel_spec specs[COUNT];
  mk_view view = {.rows = 4, .cols = 1, .x = (double[]){0.0, 1.0, 2.0, 4.0}};
  mk_kernel_set *set;
  (void)data;
  for (int m = 0; m < COUNT; m++) {
    specs[m] = (mk_kernel_spec){.type = MK_GAUSSIAN, .width = 1.0 + 1e-4 * m};
    theta[m] = 1.0;
    for (int i = 0; i < 4; i++) truth[i] += exp(-base[i] / specs[m].width);
  }
  mk_status status = mk_set_new(&set, 4, &view, 1, specs, COUNT, NULL);
  mk_mixture *mixture = status == MK_OK ? mk_mixture_new(set, 0) : NULL;
  mk_scratch *scratch = mixture != NULL ? mk_scratch_new(set) : NULL;
  int disturbed = scratch == NULL;
  if (status == MK_OK && mixture == NULL) mixture = mk_mixture_new(set, 0);
  if (mixture != NULL && scratch == NULL) scratch = mk_scratch_new(set);
  if (scratch != NULL) {
    mk_mixture_compile(mixture, theta);
    mk_mixture_add(mixture, 0, 0, &all, (mk_row){(void *)base, 0}, (mk_row){row, 0}, scratch);
    for (int i = 0; i < 4; i++) CHECK_NEAR(row[i], truth[i], 1e-13);
    note(bits, row, sizeof row);
  }
  mk_scratch_free(scratch);
  mk_mixture_free(mixture);
  mk_set_free(set);
  return status == MK_OK && disturbed ? MK_NO_MEMORY : status;
}

static void test_all(void) {
  sweep("tables of Gaussians", table_trial, NULL);
  test_sets();
  test_matrices();
  test_streams();
  test_sequences();
  test_files();
  CHECK(fault_counts.failures == 0);
}

int main(void) {
  world_make();
  RUN_TEAM(1, test_all);
  faults_report("rooms");
  return REPORT();
}
