#include "chunking/checkpoint.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

#define LINE (sizeof(mk_line) / sizeof(double)) /* all fields of a line are doubles */
#define HEAD 2 /* numbers of lines of the history and of traced thetas */

static size_t parts_size(const mk_part *part, size_t parts) {
  size_t size = HEAD;
  for (size_t k = 0; k < parts; k++) size += part[k].count;
  return size;
}

mk_status mk_checkpoint_save(const mk_part *part, size_t parts, size_t kernels,
                             const mk_history *history, const mk_control *control) {
  size_t lines = history->count * LINE, traced = history->traced * kernels;
  size_t size = parts_size(part, parts) + lines + traced;
  double *state = MK_NEW(double, size), *at = state;
  if (state == NULL) return MK_NO_MEMORY;
  *at++ = (double)history->count;
  *at++ = (double)history->traced;
  for (size_t k = 0; k < parts; at += part[k++].count)
    memcpy(at, part[k].value, part[k].count * sizeof *at);
  if (lines > 0) memcpy(at, history->line, lines * sizeof *at);
  if (traced > 0) memcpy(at + lines, history->theta, traced * sizeof *at);
  control->save(control->data, state, size);
  mk_free(state);
  return MK_OK;
}

/* Returns 1 if x is a number of rows of so many doubles that `values` of them can hold. */
static int is_count(double x, size_t row, size_t values) {
  return x >= 0.0 && x == floor(x) && x <= (double)(values / row);
}

mk_status mk_checkpoint_load(const mk_part *part, size_t parts, size_t kernels,
                             const mk_start *start, mk_history *history) {
  const double *at = start->state;
  size_t fixed = parts_size(part, parts), rest = start->state_count - fixed;
  if (start->state_count < fixed || !is_count(at[0], LINE, rest) || !is_count(at[1], kernels, rest))
    return MK_BAD_ARGUMENT;
  size_t count = (size_t)at[0], traced = (size_t)at[1];
  if (traced > count || count * LINE + traced * kernels != rest) return MK_BAD_ARGUMENT;
  at += HEAD;
  for (size_t k = 0; k < parts; at += part[k++].count)
    memcpy(part[k].value, at, part[k].count * sizeof *at);
  for (size_t i = 0; i < count; i++) {
    mk_line line;
    memcpy(&line, at + i * LINE, sizeof line);
    const double *theta = at + count * LINE + i * kernels;
    MK_TRY(mk_history_add(history, &line, i < traced ? theta : NULL, kernels, (size_t)-1));
  }
  return MK_OK;
}
