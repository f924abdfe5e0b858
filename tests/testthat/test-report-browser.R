# A report in a real browser: at three widths nothing overflows, images have texts, no errors in the console.
skip_on_cran() # a slow file

browser <- function() {
  found <- Sys.which(c("chromium", "chromium-browser", "google-chrome"))
  found <- found[nzchar(found)]
  if (length(found)) found[[1L]] else skip("needs Chromium")
}

# The page with three frames of the report, and a script that writes what it finds in them into the title.
framed <- function(file, widths) {
  frames <- sprintf("<iframe src='%s' width='%d' height='800'></iframe>", basename(file), widths)
  script <- "
    window.addEventListener('load', () => setTimeout(() => {
      document.title = JSON.stringify([...document.querySelectorAll('iframe')].map((frame) => {
        const page = frame.contentDocument, width = page.documentElement.clientWidth;
        const clipped = (e) => e && (getComputedStyle(e).overflowX !== 'visible' || clipped(e.parentElement));
        const beyond = [...page.querySelectorAll('body *')].filter((e) =>
          e.getBoundingClientRect().right > width + 1 && !clipped(e.parentElement));
        const links = [...page.querySelectorAll('#TOC a')];
        return { width: width, overflows: beyond.length, images: page.images.length,
                 silent: [...page.images].filter((i) => !i.alt).length,
                 links: links.length, reachable: links.filter((a) => a.tabIndex >= 0).length };
      }));
    }, 1000));"
  page <- file.path(dirname(file), "frames.html")
  writeLines(c("<!doctype html><title></title>", frames, "<script>", script, "</script>"), page)
  page
}

test_that("the report is whole on a telephone, a tablet and a desk", {
  skip_if_not_installed("rmarkdown")
  skip_if_not_installed("jsonlite")
  skip_if_not(rmarkdown::pandoc_available(), "pandoc")
  program <- browser()
  folder <- tempfile("report")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  views <- list(petal = as.matrix(iris[, 3:4]), sepal = as.matrix(iris[, 1:2]))
  train <- seq(1, 150, 2)
  some <- function(rows) lapply(views, function(view) view[rows, ])
  set.seed(1)
  cv <- cv_mkl(some(train), iris$Species[train], gaussian_kernel(c(1, 4)), p = 2, C = c(0.1, 1), folds = 3,
               control = mkl_control(progress = FALSE))
  found <- permutation_importance(cv, some(-train), iris$Species[-train], repeats = 3)
  file <- report(cv, file.path(folder, "report.html"), data = some(train), newdata = some(-train),
                 y = iris$Species[-train], importance = found)
  log <- file.path(folder, "log")
  dom <- suppressWarnings(system2(program, c("--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
                                             "--window-size=1600,1000", "--allow-file-access-from-files",
                                             "--virtual-time-budget=10000", "--enable-logging=stderr",
                                             shQuote(paste0("file://", framed(file, c(360, 800, 1400))))),
                                  stdout = TRUE, stderr = log, timeout = 120))
  seen <- jsonlite::fromJSON(sub(".*<title>(.*)</title>.*", "\\1", paste(dom, collapse = " ")))
  expect_equal(seen$width, c(360, 800, 1400), tolerance = 0.06) # a bar to scroll takes some of it
  expect_identical(seen$overflows, c(0L, 0L, 0L))
  expect_gt(min(seen$images), 4L)
  expect_identical(seen$silent, c(0L, 0L, 0L))
  expect_gt(min(seen$links), 6L)
  expect_identical(seen$reachable, seen$links)
  expect_identical(grep("CONSOLE.*(error|Uncaught)", readLines(log, warn = FALSE), ignore.case = TRUE, value = TRUE),
                   character())
})
