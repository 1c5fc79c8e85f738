// The site of `headroom serve DIR`: the list of run files, the report of each, comparisons of
// several. Paths:
//
//   /                the list
//   /runs.json       the list as JSON, of which the page asks for what was not read yet
//   /run/FILE        the report of a run
//   /json/FILE       its summary as JSON
//   /compare?run=FILE&run=FILE...
//                    a comparison: runs that ask the same of the same are one arm, and if all are,
//                    what is shown is the group
//
// FILE is a name of the list, percent-encoded. What is not of the list is not found.
#pragma once

#include <memory>

#include "serve/catalogue.h"
#include "serve/http.h"

namespace headroom::serve {

// Shared by the threads of a server; outlives it.
class Site {
 public:
  explicit Site(Catalogue catalogue) : catalogue_(std::move(catalogue)) {}
  [[nodiscard]] HttpResponse answer(const HttpRequest& request);

 private:
  [[nodiscard]] HttpResponse list_page();
  [[nodiscard]] HttpResponse list_json();
  [[nodiscard]] HttpResponse report_page(const std::string& file) const;
  [[nodiscard]] HttpResponse summary(const std::string& file) const;
  [[nodiscard]] HttpResponse comparison(const HttpRequest& request) const;

  Catalogue catalogue_;
};

}  // namespace headroom::serve
