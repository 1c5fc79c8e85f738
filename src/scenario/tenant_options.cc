#include "scenario/tenant_options.h"

#include <utility>

#include "scenario/option_access.h"

namespace headroom::scenario {
namespace {

// What the run has once, however many loads there are.
bool is_of_the_run(const Option& option) {
  return option.section == "load" && option.name == "requests";
}

// The option of [workload] or [load], as a tenant's own.
Option as_tenants(const Option& common) {
  Option option = common;
  option.section = "tenant";
  option.default_text = {};
  option.when_absent = common.section == "load" ? "as in [load]" : "as in [workload]";
  option.unless = {};
  option.derive = nullptr;
  option.inherits = common.section;
  option.access.of_tenant = true;
  if (common.unit == "all workers together") option.unit = "all workers of the tenant together";
  return option;
}

}  // namespace

void add_tenant_options(std::vector<Option>& table) {
  std::vector<Option> own;
  own.push_back({.section = "tenant",
                 .name = "name",
                 .type = TextType{TextForm::kName, 32},
                 .when_absent = "none; every tenant needs it",
                 .help = "What its numbers are shown under.",
                 .access = at_top_row<&Scenario::tenants, &Tenant::name>()});
  own.push_back({.section = "tenant",
                 .name = "keys_of",
                 .type = TextType{TextForm::kName, 32},
                 .when_absent = "keys of its own",
                 .help = "Name of another tenant, before this one, in whose key space it works. "
                         "Both need key_space = \"shared\".",
                 .access = at_top_row<&Scenario::tenants, &Tenant::keys_of>()});
  for (const Option& option : table) {
    const bool of_a_load = option.section == "workload" || option.section == "load";
    if (of_a_load && !is_of_the_run(option)) own.push_back(as_tenants(option));
  }
  table.insert(table.end(), std::make_move_iterator(own.begin()),
               std::make_move_iterator(own.end()));
}

}  // namespace headroom::scenario
