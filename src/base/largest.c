/* Finds the largest of many numbers with a heap. Called by column generation and by sequential/. */
#include "largest.h"

/* Returns 1 if place a comes before place b. */
static int before(const double *value, size_t a, size_t b) {
  return value[a] != value[b] ? value[a] > value[b] : a < b;
}

/* Moves the entry at `k` down a heap whose root is the last in order. */
static void sink(const double *value, size_t *heap, size_t count, size_t k) {
  size_t own = heap[k];
  for (size_t child; (child = 2 * k + 1) < count; k = child) {
    if (child + 1 < count && before(value, heap[child], heap[child + 1])) child++;
    if (!before(value, own, heap[child])) break;
    heap[k] = heap[child];
  }
  heap[k] = own;
}

size_t mk_largest(const double *value, size_t count, double above, size_t most, size_t *place) {
  size_t held = 0, i = 0;
  for (; i < count && held < most; i++)
    if (value[i] > above) place[held++] = i;
  for (size_t k = held / 2; k-- > 0;) sink(value, place, held, k);
  for (; i < count && most > 0; i++) {
    if (!(value[i] > above) || !before(value, i, place[0])) continue;
    place[0] = i;
    sink(value, place, held, 0);
  }
  for (size_t end = held; end-- > 1;) {
    size_t last = place[0];
    place[0] = place[end];
    place[end] = last;
    sink(value, place, end, 0);
  }
  return held;
}
