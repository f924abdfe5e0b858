/* Switches for the mechanisms that the optimisers have beyond the plain algorithm, which alternates
 * SVM solves and analytic steps of theta over all samples with exact rows. A build with
 * -DMK_WITH_...=0 leaves one out, to measure its worth: bench/ablation.R does that, and
 * bench/results/ablation.md has the results. The product has all mechanisms. Fits are certified in
 * any case. */
#ifndef MK_MECHANISMS_H
#define MK_MECHANISMS_H

/* ---- Steps of theta (optimizer/theta-step.c, curvature.c, theta/norm.c) ---- */

/* Analytic steps become longer while theta's gap falls. Off: they are as in the paper. */
#ifndef MK_WITH_GROWING_STEPS
#define MK_WITH_GROWING_STEPS 1
#endif

/* Newton steps. Off: only analytic steps. */
#ifndef MK_WITH_NEWTON
#define MK_WITH_NEWTON 1
#endif

/* Hessians of many free support vectors come from a sample of them. Off: from all. */
#ifndef MK_WITH_FREE_SAMPLE
#define MK_WITH_FREE_SAMPLE 1
#endif

/* Newton steps are lengthened as far as forms that fall like inverse squares of weights suggest.
 * Off: they end at the minimum of the quadratic model. */
#ifndef MK_WITH_LONG_STEPS
#define MK_WITH_LONG_STEPS 1
#endif

/* Newton steps are left out if their systems are large. Off: they are always taken. */
#ifndef MK_WITH_NEWTON_PRICE
#define MK_WITH_NEWTON_PRICE 1
#endif

/* Newton steps that fall short of their promise are damped. Off: an analytic step instead. */
#ifndef MK_WITH_DAMPING
#define MK_WITH_DAMPING 1
#endif

/* A pivoted Cholesky factor replaces the many rows of the Hessian. Off: all rows. */
#ifndef MK_WITH_COMPRESSION
#define MK_WITH_COMPRESSION 1
#endif

/* ---- Alpha and theta at once (optimizer/interior.c) ---- */

/* An interior point method takes over if alternating moves of alpha and theta make no progress.
 * Off: never. */
#ifndef MK_WITH_INTERIOR
#define MK_WITH_INTERIOR 1
#endif

/* The interior point method takes over after one idle move for sparse norms over columns. Off:
 * after several, as elsewhere. */
#ifndef MK_WITH_EARLY_INTERIOR
#define MK_WITH_EARLY_INTERIOR 1
#endif

/* ---- One SVM (svm/solve.c) ---- */

/* Proximal point steps if they are quicker than SMO, and for losses without sparsity. Off: only
 * SMO. */
#ifndef MK_WITH_PROXIMAL
#define MK_WITH_PROXIMAL 1
#endif

/* Conjugate gradients are tried for systems of losses without sparsity. Off: these are factored at
 * once. */
#ifndef MK_WITH_GRADIENTS
#define MK_WITH_GRADIENTS 1
#endif

/* ---- Rows (rows/) ---- */

/* Rows are floats until more accuracy is needed. Off: doubles. */
#ifndef MK_WITH_SINGLE_ROWS
#define MK_WITH_SINGLE_ROWS 1
#endif

/* Mixtures of Gaussians in single precision come from small tables in registers. Off: from tables
 * of doubles. */
#ifndef MK_WITH_COARSE_TABLES
#define MK_WITH_COARSE_TABLES 1
#endif

/* Products of samples that are mostly zeros take the time of their nonzeros. Off: that of all
 * entries. */
#ifndef MK_WITH_SLICES
#define MK_WITH_SLICES 1
#endif

/* Distances over the working set are stored. Off: computed for every row. */
#ifndef MK_WITH_STORED_BASES
#define MK_WITH_STORED_BASES 1
#endif

/* Values of all kernels are stored if samples are few. Off: only base values. */
#ifndef MK_WITH_STORED_VALUES
#define MK_WITH_STORED_VALUES 1
#endif

/* Rows that cost no more together are computed together. Off: one by one. */
#ifndef MK_WITH_ROW_BLOCKS
#define MK_WITH_ROW_BLOCKS 1
#endif

/* Responses of several rows share a pass over the bases. Off: one by one. */
#ifndef MK_WITH_ROW_GROUPS
#define MK_WITH_ROW_GROUPS 1
#endif

/* SVMs of linear kernels on few columns are solved by columns. Off: by rows. */
#ifndef MK_WITH_THIN_COLUMNS
#define MK_WITH_THIN_COLUMNS 1
#endif

/* Kernels of low rank become linear ones on few columns. Off: they have bases. */
#ifndef MK_WITH_LOW_RANK
#define MK_WITH_LOW_RANK 1
#endif

/* Rows of very many linear kernels are estimated from some columns. Off: from all. */
#ifndef MK_WITH_SAMPLED_COLUMNS
#define MK_WITH_SAMPLED_COLUMNS 1
#endif

/* Rows of sampled columns learn from each true response (BFGS). Off: such rows stay as they are. */
#ifndef MK_WITH_LEARNING
#define MK_WITH_LEARNING 1
#endif

/* With rows of sampled columns, SVMs are solved to a share of theta's gap. Off: of the goal. */
#ifndef MK_WITH_LOOSE_SVMS
#define MK_WITH_LOOSE_SVMS 1
#endif

/* Products of columns are stored for each theta. Off: computed for every row. */
#ifndef MK_WITH_STORED_MIXTURE
#define MK_WITH_STORED_MIXTURE 1
#endif

/* ---- Many kernels (optimizer/column-generation.c) ---- */

/* With p = 1 over thousands of linear kernels, some take part and all are priced. Off: all take
 * part. */
#ifndef MK_WITH_COLUMN_GENERATION
#define MK_WITH_COLUMN_GENERATION 1
#endif

#endif
