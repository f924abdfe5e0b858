#include "string/kmers.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>

#define UNKNOWN 255

/* The letters of a sequence that are read. */
typedef struct part {
  const unsigned char *code;
  size_t length;
} part;

static part part_of(const mk_kmer_counter *counter, size_t sequence) {
  const mk_sequences *from = counter->sequences;
  const mk_kmer_spec *spec = counter->spec;
  part out = {from->code + from->start[sequence],
              from->start[sequence + 1] - from->start[sequence]};
  if (spec->first > 0 && spec->first < out.length) out.length = spec->first;
  if (spec->last > 0 && spec->last < out.length) {
    out.code += out.length - spec->last;
    out.length = spec->last;
  }
  return out;
}

/* ---- counting ---- */

/* Room for one more number. */
static mk_status make_room(mk_kmer_counter *counter) {
  if (counter->index.count < counter->room) return MK_OK;
  size_t room = counter->index.slots > 0 ? counter->index.slots : 1;
  int *times = MK_NEW0(int, room);
  size_t *met = MK_NEW(size_t, room);
  if (times == NULL || met == NULL) {
    mk_free(times);
    mk_free(met);
    return MK_NO_MEMORY;
  }
  if (counter->room > 0) {
    memcpy(times, counter->times, counter->room * sizeof *times);
    memcpy(met, counter->met, counter->met_count * sizeof *met);
  }
  mk_free(counter->times);
  mk_free(counter->met);
  counter->times = times;
  counter->met = met;
  counter->room = room;
  return MK_OK;
}

static mk_status count_key(mk_kmer_counter *counter, uint64_t key) {
  size_t number = mk_kmer_index_add(&counter->index, key);
  if (number == MK_NO_NUMBER) return MK_NO_MEMORY;
  if (number >= counter->room) MK_TRY(make_room(counter));
  if (counter->times[number] == 0) counter->met[counter->met_count++] = number;
  if (!counter->spec->presence || counter->times[number] == 0) counter->times[number]++;
  return MK_OK;
}

/* ---- k-mers ---- */

static uint64_t key_of(const mk_kmer_counter *counter, const unsigned char *kmer, uint64_t key) {
  uint64_t base = (uint64_t)counter->sequences->letters;
  for (size_t i = 0; i < counter->spec->letters; i++) key = key * base + kmer[i];
  return key;
}

/* That of the k-mer or of its reverse complement, whichever is the smaller one. */
static uint64_t strand_key(const mk_kmer_counter *counter, uint64_t prefix) {
  const unsigned char *complement = counter->spec->complement;
  uint64_t base = (uint64_t)counter->sequences->letters;
  uint64_t forth = key_of(counter, counter->kmer, prefix), back = prefix;
  for (size_t i = counter->spec->letters; i-- > 0;)
    back = back * base + complement[counter->kmer[i]];
  return back < forth ? back : forth;
}

/* The k-mer and all that have up to so many other letters from place `from` on. */
static mk_status count_relatives(mk_kmer_counter *counter, size_t from, size_t mismatches,
                                 uint64_t prefix) {
  MK_TRY(count_key(counter, key_of(counter, counter->kmer, prefix)));
  if (mismatches == 0) return MK_OK;
  for (size_t i = from; i < counter->spec->letters; i++) {
    unsigned char own = counter->kmer[i];
    for (int other = 0; other < counter->sequences->letters; other++) {
      if (other == own) continue;
      counter->kmer[i] = (unsigned char)other;
      MK_TRY(count_relatives(counter, i + 1, mismatches - 1, prefix));
    }
    counter->kmer[i] = own;
  }
  return MK_OK;
}

/* 0: some letter is unknown. */
static int read_kmer(const mk_kmer_counter *counter, const mk_kmer_mask *mask,
                     const unsigned char *at) {
  for (size_t i = 0; i < counter->spec->letters; i++) {
    unsigned char letter = at[mask->offset[i]];
    if (letter == UNKNOWN) return 0;
    counter->kmer[i] = letter;
  }
  return 1;
}

static mk_status count_mask(mk_kmer_counter *counter, size_t m, part text) {
  const mk_kmer_spec *spec = counter->spec;
  const mk_kmer_mask *mask = &spec->mask[m];
  size_t span = (size_t)mask->offset[spec->letters - 1] + 1;
  for (size_t at = 0; at + span <= text.length; at++) {
    uint64_t prefix = (spec->positional ? at * spec->masks : 0) + m;
    if (!read_kmer(counter, mask, text.code + at)) continue;
    if (spec->complement != NULL)
      MK_TRY(count_key(counter, strand_key(counter, prefix)));
    else
      MK_TRY(count_relatives(counter, 0, spec->mismatches, prefix));
  }
  return MK_OK;
}

/* ---- motifs ---- */

static int has_motif(const mk_motif *motif, const unsigned char *at) {
  for (size_t i = 0; i < motif->length; i++)
    if (at[i] == UNKNOWN || !(motif->letters[i] >> at[i] & 1)) return 0;
  return 1;
}

static mk_status count_motif(mk_kmer_counter *counter, size_t m, part text) {
  const mk_motif *motif = &counter->spec->motif[m];
  for (size_t at = 0; at + motif->length <= text.length; at++)
    if (has_motif(motif, text.code + at)) MK_TRY(count_key(counter, m));
  return MK_OK;
}

/* ---- counters ---- */

/* Whether the largest key fits: letters^k times masks times positions. */
static int keys_fit(const mk_sequences *sequences, const mk_kmer_spec *spec) {
  uint64_t most = MK_MOST_KEY, longest = 1;
  for (size_t i = 0; spec->positional && i < sequences->count; i++)
    if (sequences->start[i + 1] - sequences->start[i] > longest)
      longest = sequences->start[i + 1] - sequences->start[i];
  for (size_t i = 0; i < spec->letters; i++) most /= (uint64_t)sequences->letters;
  return most / longest >= (spec->masks > 0 ? spec->masks : 1);
}

mk_status mk_kmer_counter_open(mk_kmer_counter *counter, const mk_sequences *sequences,
                               const mk_kmer_spec *spec) {
  *counter = (mk_kmer_counter){.sequences = sequences, .spec = spec};
  if (!keys_fit(sequences, spec)) return MK_TOO_LARGE;
  counter->kmer = MK_NEW(unsigned char, spec->letters + 1);
  return counter->kmer == NULL ? MK_NO_MEMORY : make_room(counter);
}

mk_status mk_kmer_count(mk_kmer_counter *counter, size_t sequence) {
  const mk_kmer_spec *spec = counter->spec;
  part text = part_of(counter, sequence);
  for (size_t k = 0; k < counter->met_count; k++) counter->times[counter->met[k]] = 0;
  counter->met_count = 0;
  if (text.length > INT_MAX) return MK_TOO_LARGE;
  for (size_t m = 0; spec->motifs == 0 && m < spec->masks; m++)
    MK_TRY(count_mask(counter, m, text));
  for (size_t m = 0; m < spec->motifs; m++) MK_TRY(count_motif(counter, m, text));
  return MK_OK;
}

void mk_kmer_counter_close(mk_kmer_counter *counter) {
  mk_kmer_index_clear(&counter->index);
  mk_free(counter->times);
  mk_free(counter->met);
  mk_free(counter->kmer);
}
