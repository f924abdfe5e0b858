/* R and the entry points that it calls. Included by the headers of rglue/ and by init.c. */
#ifndef MK_GLUE_H
#define MK_GLUE_H

#include <stdint.h>

#include <R.h>
#include <Rinternals.h>
#include <R_ext/Rdynload.h>

#include "rglue/entries.h"

#endif
