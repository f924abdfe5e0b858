/* Sequences over a small alphabet, as the glue encodes them. */
#ifndef MK_SEQUENCES_H
#define MK_SEQUENCES_H

#include <stddef.h>

typedef struct mk_sequences {
  size_t count;
  const unsigned char *code; /* all letters one after another: 0..letters - 1, or 255: unknown */
  const size_t *start;       /* count + 1: where each sequence begins in code */
  int letters;
} mk_sequences;

#endif
