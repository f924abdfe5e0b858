/* What the optimisers do beyond the plain algorithm: an SVM solve and an analytic step of theta in
 * turns, over all samples, with exact rows. Each mechanism can be switched off in a build, by
 * -DMK_WITH_...=0, to measure what it is worth: bench/ablation.R does that and says in
 * bench/results/ablation.md why each is here. The product has them all. Fits are certified either
 * way. */
#ifndef MK_MECHANISMS_H
#define MK_MECHANISMS_H

/* ---- The working set and its rounds (optimizer/working-set.c, interleaved.c) ---- */

/* The first working set is a sample that violators join; off: all samples from the start. */
#ifndef MK_WITH_WORKING_SET
#define MK_WITH_WORKING_SET 1
#endif

/* Rounds before the last are solved to what the gap over all samples is worth; off: all to the
 * end. */
#ifndef MK_WITH_ROUND_ACCURACY
#define MK_WITH_ROUND_ACCURACY 1
#endif

/* Samples that nearly violate join with those that do, and the last few; off: violators alone. */
#ifndef MK_WITH_NEAR_VIOLATORS
#define MK_WITH_NEAR_VIOLATORS 1
#endif

/* Fits near one that is solved begin with the samples that cost something there, and at once in
 * earnest; off: like any other start. */
#ifndef MK_WITH_KNOWN_DECISIONS
#define MK_WITH_KNOWN_DECISIONS 1
#endif

/* The interleaved optimiser goes on where another one has stalled; off: that stays stalled. */
#ifndef MK_WITH_SECOND_OPTIMIZER
#define MK_WITH_SECOND_OPTIMIZER 1
#endif

/* Alphas take the factor near 1 that closes most of the certified gap; off: 1. */
#ifndef MK_WITH_RESCALING
#define MK_WITH_RESCALING 1
#endif

/* ---- Steps of theta (optimizer/theta-step.c, curvature.c, theta/norm.c) ---- */

/* Newton steps; off: analytic steps alone. */
#ifndef MK_WITH_NEWTON
#define MK_WITH_NEWTON 1
#endif

/* Hessians of many free support vectors come from a sample of them; off: from all. */
#ifndef MK_WITH_FREE_SAMPLE
#define MK_WITH_FREE_SAMPLE 1
#endif

/* Newton steps go on where forms fall like inverse squares of weights; off: to the minimum of the
 * quadratic model. */
#ifndef MK_WITH_LONG_STEPS
#define MK_WITH_LONG_STEPS 1
#endif

/* No Newton steps where their systems are large; off: whatever they cost. */
#ifndef MK_WITH_NEWTON_PRICE
#define MK_WITH_NEWTON_PRICE 1
#endif

/* Newton steps that fall short of their promise are damped; off: an analytic step instead. */
#ifndef MK_WITH_DAMPING
#define MK_WITH_DAMPING 1
#endif

/* The Hessian's many rows become a pivoted Cholesky factor; off: they stay. */
#ifndef MK_WITH_COMPRESSION
#define MK_WITH_COMPRESSION 1
#endif

/* ---- Both at once (optimizer/interior.c) ---- */

/* An interior point method where moves of alpha and theta in turns don't get on; off: none. */
#ifndef MK_WITH_INTERIOR
#define MK_WITH_INTERIOR 1
#endif

/* For sparse norms over columns after one idle move; off: after several, as elsewhere. */
#ifndef MK_WITH_EARLY_INTERIOR
#define MK_WITH_EARLY_INTERIOR 1
#endif

/* ---- One SVM (svm/solve.c) ---- */

/* Proximal point steps where they are quicker than SMO, and for losses without sparsity; off:
 * SMO. */
#ifndef MK_WITH_PROXIMAL
#define MK_WITH_PROXIMAL 1
#endif

/* Systems of losses without sparsity are tried by conjugate gradients before they are factored;
 * off: factored at once. */
#ifndef MK_WITH_GRADIENTS
#define MK_WITH_GRADIENTS 1
#endif

/* ---- Rows (rows/) ---- */

/* Rows are floats until more is asked for; off: doubles. */
#ifndef MK_WITH_SINGLE_ROWS
#define MK_WITH_SINGLE_ROWS 1
#endif

/* Mixtures of Gaussians are read, for rows of floats, from tables that registers hold; off: from
 * those of doubles. */
#ifndef MK_WITH_COARSE_TABLES
#define MK_WITH_COARSE_TABLES 1
#endif

/* Products of samples that are mostly zeros take the time of their nonzeros; off: that of all
 * entries. */
#ifndef MK_WITH_SLICES
#define MK_WITH_SLICES 1
#endif

/* Distances are stored over the working set; off: made for every row. */
#ifndef MK_WITH_STORED_BASES
#define MK_WITH_STORED_BASES 1
#endif

/* Values of all kernels are stored over few samples; off: what they follow from. */
#ifndef MK_WITH_STORED_VALUES
#define MK_WITH_STORED_VALUES 1
#endif

/* Rows that cost no more together are made together; off: one by one. */
#ifndef MK_WITH_ROW_BLOCKS
#define MK_WITH_ROW_BLOCKS 1
#endif

/* Responses of several rows share a pass over the bases; off: one by one. */
#ifndef MK_WITH_ROW_GROUPS
#define MK_WITH_ROW_GROUPS 1
#endif

/* SVMs of linear kernels on few columns are solved by these; off: by rows. */
#ifndef MK_WITH_THIN_COLUMNS
#define MK_WITH_THIN_COLUMNS 1
#endif

/* Kernels of low rank become linear ones on few columns; off: they have bases. */
#ifndef MK_WITH_LOW_RANK
#define MK_WITH_LOW_RANK 1
#endif

/* Rows of very many linear kernels come from some that stand for all; off: from all. */
#ifndef MK_WITH_SAMPLED_COLUMNS
#define MK_WITH_SAMPLED_COLUMNS 1
#endif

/* Products of columns are stored for a theta; off: made for every row. */
#ifndef MK_WITH_STORED_MIXTURE
#define MK_WITH_STORED_MIXTURE 1
#endif

/* ---- Many kernels (optimizer/column-generation.c) ---- */

/* With p = 1 over thousands of linear kernels some take part, all are priced; off: all do. */
#ifndef MK_WITH_COLUMN_GENERATION
#define MK_WITH_COLUMN_GENERATION 1
#endif

#endif
