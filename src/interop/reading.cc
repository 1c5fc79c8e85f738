#include "interop/reading.h"

#include <fmt/format.h>

#include <algorithm>

#include "interop/endpoint_uri.h"

namespace headroom::interop {
namespace {

constexpr std::string_view kHidden = "***";
// What a load that ends by its requests may take.
constexpr std::string_view kLongest = "1d";

}  // namespace

Reading::Reading(Words words, std::uint64_t fresh_seed)
    : words_(std::move(words)), fresh_seed_(fresh_seed) {
  apply_own_flags();
}

const Given* Reading::given(std::string_view name) const {
  const auto found =
      std::ranges::find_if(words_.flags.rbegin(), words_.flags.rend(),
                           [&](const Given& candidate) { return candidate.flag->name == name; });
  return found == words_.flags.rend() ? nullptr : &*found;
}

std::uint64_t Reading::number(std::string_view name, std::uint64_t otherwise, std::uint64_t lowest,
                              std::uint64_t highest) {
  const Given* flag = given(name);
  if (flag == nullptr) return otherwise;
  const auto read = read_number(flag->value);
  if (read && *read >= lowest && *read <= highest) return *read;
  draft.wrong(flag->written, read ? fmt::format("is outside the range; give a number from {} to {}",
                                                lowest, highest)
                                  : read.error().message);
  return otherwise;
}

std::string Reading::written(std::string_view name, std::string_view otherwise) const {
  const Given* flag = given(name);
  return flag != nullptr ? flag->written : fmt::format("{} {} (the default)", name, otherwise);
}

void Reading::apply_own_flags() {
  for (const Given& flag : words_.flags) {
    const std::string_view name = flag.flag->name;
    const auto own = std::ranges::find(own_flags(), flag.flag, [](const Flag& f) { return &f; });
    if (own == own_flags().end()) continue;
    if (name == "--explain") plan.output.explain = true;
    if (name == "--json") plan.output.json_summary = true;
    if (name == "--quiet") plan.output.quiet = true;
    if (name == "--set") overrides_.push_back(flag.value);
    if (name != "--run-file") continue;
    plan.output.run_file = flag.value;
    if (flag.value.empty()) draft.wrong(flag.written, "is empty; give a file's name");
  }
}

void Reading::apply_table() {
  for (const Given& flag : words_.flags) {
    if (flag.flag->handling == Handling::kRefused) draft.wrong(flag.written, flag.flag->does);
    if (flag.flag->handling == Handling::kOption)
      draft.set(flag.flag->option, flag.flag->argument.empty() ? "true" : flag.value, flag.written);
  }
}

void Reading::end_after(std::uint64_t requests, std::uint64_t rate_per_s,
                        std::string_view written) {
  if (rate_per_s == 0) {
    draft.set("timing.measure", kLongest, "by default");
    draft.set("load.requests", requests, written);
    return;
  }
  const double seconds = static_cast<double>(requests) / static_cast<double>(rate_per_s);
  draft.set("timing.measure", fmt::format("{:.6f}s", seconds), written);
}

void Reading::apply_endpoint(const EndpointFlags& flags) {
  draft.set("target.kind", "endpoint", "by default");
  // Both programs load whatever is there.
  draft.set("target.allow_existing_data", "true", "by default");
  const Given* host = nullptr;
  for (const std::string_view name : flags.host)
    if (const Given* flag = given(name); flag != nullptr) host = flag;
  const Given* port = given(flags.port);
  const Given* socket = given(flags.socket);
  const Given* uri = given(flags.uri);
  if (socket != nullptr) {
    draft.set("target.socket", socket->value, socket->written);
    if (host != nullptr || port != nullptr)
      draft.wrong(socket->written, "host or port is given too; leave them out or leave this out");
  } else if (uri == nullptr) {
    draft.set("target.host", host != nullptr ? host->value : std::string(flags.default_host),
              host != nullptr ? host->written : "by default");
    if (port != nullptr) draft.set("target.port", port->value, port->written);
  }
  if (uri != nullptr) {
    if (host != nullptr || port != nullptr || socket != nullptr)
      draft.wrong(uri->flag->name, "host, port or socket is given too; leave one of them out");
    apply_uri(*uri);
  }
  const Given* user = flags.user.empty() ? nullptr : given(flags.user);
  const Given* password = given(flags.password);
  if (password != nullptr && !flags.user.empty()) {
    apply_login(user != nullptr ? user->value : "", password->value, *password);
  } else if (user != nullptr) {
    draft.wrong(user->written, "a user needs a password; give -a");
  }
}

void Reading::apply_uri(const Given& given) {
  const auto uri = parse_endpoint_uri(given.value);
  const std::string place = fmt::format("{} URI", given.flag->name);
  if (!uri) {
    draft.wrong(place, uri.error().message);
    secrets_.push_back(&given);
    return;
  }
  draft.set("target.host", uri->host, place);
  if (!uri->port.empty()) draft.set("target.port", uri->port, place);
  if (!uri->database.empty() && uri->database != "0")
    draft.set("target.database", uri->database, place);
  if (uri->tls) draft.set("target.tls", "true", place);
  if (!uri->password.empty()) {
    apply_login(uri->username, uri->password, given);
  } else if (!uri->username.empty()) {
    draft.wrong(place, "names a user without a password");
  }
}

void Reading::apply_login(std::string_view user, std::string_view password, const Given& given) {
  secrets_.push_back(&given);
  const std::string place = fmt::format("{} {}", given.flag->name, kHidden);
  if (password.empty()) {
    draft.wrong(place, "the password is empty");
    return;
  }
  plan.password = password;
  // "default" is the user that a password alone is for, also on engines without users.
  if (!user.empty() && user != "default") draft.set("target.username", user, place);
  draft.set("target.password_env", kPasswordVariable, place);
  plan.notes.push_back(
      "a password on a command line can be read by everyone on this machine while the program "
      "runs; a scenario takes it from a file or the environment (headroom bench --explain)");
}

void Reading::add_run(std::string test, std::string_view name, Draft run) {
  run.set("name", name, "by default");
  drafts_.emplace_back(std::move(test), std::move(run));
}

Result<BenchPlan> Reading::finish(std::span<const std::string> words) && {
  for (auto& [test, run] : drafts_) {
    auto scenario = run.finish(overrides_);
    if (!scenario) return fail(std::move(scenario.error()));
    plan.runs.push_back({std::move(test), std::move(*scenario)});
  }
  plan.shown_words.assign(words.begin(), words.end());
  for (const Given* secret : secrets_) {
    std::string& word = plan.shown_words[secret->last];
    if (secret->first != secret->last) {
      word = kHidden;
    } else {
      word = fmt::format("{}{}", word.substr(0, word.size() - secret->value.size()), kHidden);
    }
  }
  return std::move(plan);
}

}  // namespace headroom::interop
