/* Sequences over a small alphabet, as encoded by the glue. */
#ifndef MK_SEQUENCES_H
#define MK_SEQUENCES_H

#include <stddef.h>

typedef struct mk_sequences {
  size_t count;
  const unsigned char *code; /* letters of all sequences: 0 .. letters - 1, or 255 for unknown */
  const size_t *start;       /* count + 1: where each sequence begins in `code` */
  int letters;
} mk_sequences;

#endif
