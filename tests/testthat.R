library(testthat)
library(manykernels)

test_check("manykernels")
