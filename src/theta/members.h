/* The functions of single norms that the table in norm.c refers to. */
#ifndef MK_NORM_MEMBERS_H
#define MK_NORM_MEMBERS_H

#include "problem/norm.h"

#include <stddef.h>

/* A weight at the coordinate t: theta, |d theta / dt|, and its part `bend` = -/+ (d2 theta / dt2)/2
 * of the Hessian in t, for s = 1. */
typedef struct mk_place {
  double theta, slope, bend;
} mk_place;

mk_place mk_block_place(const mk_norm *norm, double t);
void mk_block_normalize(const mk_norm *norm, size_t count, double *t);
double mk_block_coordinate(const mk_norm *norm, double theta);

mk_place mk_elastic_place(const mk_norm *norm, double t);
double mk_elastic_coordinate(const mk_norm *norm, double theta);

/* Computes `next` from coordinates t and forms in these coordinates; `next` may be t. */
void mk_quadratic_step(const mk_norm *norm, size_t count, const double *t, const double *s,
                       double *next);

#endif
