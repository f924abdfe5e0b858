# The axis of a path, along C or along p.

axis_place <- function(axis, at) if (axis$name == "C") log(at) else 1 / at
axis_value <- function(axis, place) if (axis$name == "C") exp(place) else 1 / place
# Mixtures of two points are linear in this.
axis_mixing <- function(axis, at) if (axis$name == "C") at else 1 / at
axis_cost <- function(axis, at) if (axis$name == "C") at else rep(1, length(at))
axis_norm <- function(axis, norm, at) if (axis$name == "C") norm else lp_norm(at)
