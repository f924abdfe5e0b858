# Builds the site with pkgdown into .build/site, from the package in .build/lib, without a network.
# "quick" leaves out the vignettes, which R CMD build makes anyway. Counts pages: each topic and each
# article must have one, and each link inside the site a target. Writes counts to $MK_RESULT.
# usage: Rscript dev/site.R [library] [quick]

arguments <- commandArgs(trailingOnly = TRUE)
library_folder <- if (length(arguments) > 0) arguments[1] else ".build/lib"
quick <- "quick" %in% arguments
.libPaths(c(normalizePath(library_folder, mustWork = TRUE), .libPaths()))
options(pkgdown.internet = FALSE)
# Asked for the addresses of packages that are not installed; stops where there is no network.
if (exists("CRAN_urls", asNamespace("downlit"))) {
  utils::assignInNamespace("CRAN_urls", function() data.frame(Package = character(), URL = character()),
                           "downlit")
}

unlink(file.path(".build", "site"), recursive = TRUE)
pkg <- pkgdown::as_pkgdown(".", override = list(destination = file.path(getwd(), ".build", "site")))
site <- pkg$dst_path # a folder of its own for versions under development
pkgdown::check_pkgdown(pkg)
pkgdown::init_site(pkg)
pkgdown::build_home(pkg, preview = FALSE)
pkgdown::build_reference(pkg, lazy = FALSE, examples = !quick, devel = FALSE, preview = FALSE)
pkgdown::build_news(pkg, preview = FALSE)
pkgdown::build_articles_index(pkg)
articles <- pkg$vignettes$name
if (quick) articles <- grep("^articles/", articles, value = TRUE)
for (name in articles) pkgdown::build_article(name, pkg, quiet = TRUE)

# The cheat sheet's code runs, and the sheet is at the same path as in the sources, so that the README's link leads to it, too.
stopifnot(system2(file.path(R.home("bin"), "Rscript"), c("dev/cheatsheet.R", library_folder, "check")) == 0)
sheet <- "inst/doc/cheatsheet.pdf"
dir.create(file.path(site, dirname(sheet)), recursive = TRUE)
stopifnot(file.copy(sheet, file.path(site, sheet)))

page_of <- function(name) paste0(name, ".html")
article_pages <- file.path("articles", page_of(sub("^articles/", "", articles)))
wanted <- c("index.html", "news/index.html", "reference/index.html", "articles/index.html",
            file.path("reference", pkg$topics$file_out), article_pages)
lacking <- wanted[!file.exists(file.path(site, wanted))]
left_out <- setdiff(file.path("articles", page_of(pkg$vignettes$name)), article_pages)

# Links of a page to pages and pictures of the site that are not there.
dead_links <- function(page) {
  page_text <- xml2::read_html(file.path(site, page))
  links <- xml2::xml_text(xml2::xml_find_all(page_text, "//a/@href | //img/@src"))
  links <- unique(sub("[?#].*", "", links[!grepl("^([a-z]+:|//)", links)]))
  targets <- sub("^[.]/", "", file.path(dirname(page), links[nzchar(links)]))
  # a/../b is b
  while (any(grepl("/../", targets, fixed = TRUE))) targets <- sub("[^/]+/[.][.]/", "", targets)
  gone <- setdiff(targets[!file.exists(file.path(site, targets))], left_out)
  # The README may lead to files of the sources, which are not on the site.
  gone <- gone[!file.exists(gone) & !file.exists(sub("html$", "md", gone))]
  if (length(gone)) sprintf("%s links to %s", page, gone)
}
pages <- setdiff(wanted, lacking)
dead <- unlist(lapply(pages, dead_links))
for (line in c(sprintf("no page %s", lacking), dead)) cat("site:", line, "\n")
cat(sprintf("site: %d pages, %d lacking, %d dead links\n", length(pages), length(lacking), length(dead)))
failed <- length(lacking) + length(dead)
target <- Sys.getenv("MK_RESULT")
if (nzchar(target)) writeLines(paste(length(pages), failed, 0), target)
if (failed > 0) quit(status = 1)
