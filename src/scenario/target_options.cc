#include "scenario/target_options.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/units.h"
#include "scenario/node_options.h"
#include "scenario/option_access.h"
#include "scenario/uri.h"

namespace headroom::scenario {
namespace {

constexpr std::size_t kLongestPathBytes = 4095;  // PATH_MAX without the final zero byte

// What a URI leaves open is for the other options to say, or their defaults.
std::vector<Setting> expand_uri(const Value& value) {
  const auto uri = parse_uri(std::get<std::string>(value));
  check(uri.has_value(), "a URI that was read is one");
  std::vector<Setting> settings;
  if (uri->socket.empty()) {
    settings.push_back({"host", uri->host});
    settings.push_back({"port", std::uint64_t{uri->port}});
    settings.push_back({"tls", uri->tls});
  } else {
    settings.push_back({"socket", uri->socket});
  }
  if (!uri->username.empty()) settings.push_back({"username", uri->username});
  if (uri->database) settings.push_back({"database", std::uint64_t{*uri->database}});
  return settings;
}

void add_endpoint(std::vector<Option>& table) {
  const std::vector<TargetKind> endpoint = {TargetKind::kEndpoint};
  table.push_back({.section = "target",
                   .name = "uri",
                   .type = TextType{TextForm::kUri, 4096},
                   .when_absent = "none; an endpoint needs uri, host or socket",
                   .help = "host, port, tls (schemes valkeys and rediss), username and database, "
                           "or a socket, in one; what it says is not given again. A password in "
                           "it is refused. The run file keeps the options that it stands for.",
                   .kinds = endpoint,
                   .expand = &expand_uri});
  table.push_back({.section = "target",
                   .name = "host",
                   .type = TextType{TextForm::kHost, 253},
                   .when_absent = "none; an endpoint needs uri, host or socket",
                   .help = "Where the cache listens.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::host>()});
  table.push_back({.section = "target",
                   .name = "port",
                   .type = CountType{1, 65535},
                   .default_text = "6379",
                   .help = "TCP port of host.",
                   .kinds = endpoint,
                   .needs = "host",
                   .access = at<&Scenario::target, &Target::port>()});
  table.push_back({.section = "target",
                   .name = "socket",
                   // sockaddr_un::sun_path holds 108 bytes, the last one zero.
                   .type = TextType{TextForm::kPath, 107},
                   .when_absent = "none",
                   .help = "Path of a unix socket, instead of host and port.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::socket>()});
  table.push_back({.section = "target",
                   .name = "username",
                   .type = TextType{TextForm::kWord, 256},
                   .when_absent = "the engine's default user",
                   .help = "ACL user. Needs password_file or password_env.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::username>()});
  table.push_back({.section = "target",
                   .name = "database",
                   .type = CountType{0, kHighestDatabase},
                   .default_text = "0",
                   .help = "That every connection SELECTs. The engine's own limit is usually 16.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::database>()});
  table.push_back({.section = "target",
                   .name = "password_file",
                   .type = TextType{TextForm::kPath, kLongestPathBytes},
                   .when_absent = "no password",
                   .help = "File that holds the password. The password itself never stands in a "
                           "scenario or a run file.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::password_file>()});
  table.push_back({.section = "target",
                   .name = "password_env",
                   .type = TextType{TextForm::kVariable, 256},
                   .when_absent = "no password",
                   .help = "Environment variable that holds the password, instead of a file.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::password_env>()});
  table.push_back({.section = "target",
                   .name = "allow_existing_data",
                   .type = BooleanType{},
                   .default_text = "false",
                   .help = "Whether a cache that already holds keys may be loaded. They are never "
                           "flushed.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::allow_existing_data>()});
  table.push_back({.section = "target",
                   .name = "cluster",
                   .type = BooleanType{},
                   .default_text = "false",
                   .help = "Whether it is a cluster, of which the address is that of any node. "
                           "Requests then go to the node that serves the slot of their key, and "
                           "follow slots that move.",
                   .kinds = endpoint,
                   .access = at<&Scenario::target, &Target::cluster>()});
}

Option tls_option(std::string_view name, OptionType type, Access access) {
  return {.section = "target",
          .name = name,
          .type = std::move(type),
          .kinds = {TargetKind::kEndpoint},
          .needs = "tls",
          .access = access};
}

void add_tls_file(std::vector<Option>& table, std::string_view name, std::string_view when_absent,
                  std::string_view help, Access access) {
  Option option = tls_option(name, TextType{TextForm::kPath, kLongestPathBytes}, access);
  option.when_absent = when_absent;
  option.help = help;
  table.push_back(std::move(option));
}

void add_tls(std::vector<Option>& table) {
  table.push_back({.section = "target",
                   .name = "tls",
                   .type = BooleanType{},
                   .default_text = "false",
                   .help = "Whether every connection is made under TLS.",
                   .kinds = {TargetKind::kEndpoint},
                   .access = at<&Scenario::target, &Target::tls>()});
  add_tls_file(table, "tls_ca_file", "the CAs that this system trusts",
               "PEM file of the CAs to trust.", at<&Scenario::target, &Target::tls_ca_file>());
  add_tls_file(table, "tls_ca_directory", "none",
               "Directory of CAs to trust, hashed as by openssl rehash; may stand beside "
               "tls_ca_file.",
               at<&Scenario::target, &Target::tls_ca_directory>());
  add_tls_file(table, "tls_certificate", "none",
               "PEM file of the client's own certificate, its chain behind it. Needs tls_key.",
               at<&Scenario::target, &Target::tls_certificate>());
  add_tls_file(table, "tls_key", "none",
               "PEM file of the private key of tls_certificate, without passphrase.",
               at<&Scenario::target, &Target::tls_key>());
  Option server_name = tls_option("tls_server_name", TextType{TextForm::kHost, 253},
                                  at<&Scenario::target, &Target::tls_server_name>());
  server_name.when_absent = "host; with a unix socket, any name will do";
  server_name.help =
      "The name or address that the server's certificate must be for. A name is also sent as SNI.";
  table.push_back(std::move(server_name));
  Option verify =
      tls_option("tls_verify", BooleanType{}, at<&Scenario::target, &Target::tls_verify>());
  verify.default_text = "true";
  verify.help = "false: any certificate will do, so anybody may answer.";
  table.push_back(std::move(verify));
  Option minimum = tls_option("tls_minimum", choice_of<TlsVersion>(),
                              at<&Scenario::target, &Target::tls_minimum>());
  minimum.default_text = "1.2";
  minimum.help = "The lowest version of TLS that is spoken.";
  table.push_back(std::move(minimum));
}

void add_local(std::vector<Option>& table) {
  const std::vector<TargetKind> local = {TargetKind::kLocal};
  table.push_back({.section = "target",
                   .name = "engine_path",
                   .type = TextType{TextForm::kProgram, kLongestPathBytes},
                   .when_absent = "valkey-server, else redis-server, from PATH",
                   .help = "The server program to start.",
                   .kinds = local,
                   .access = at<&Scenario::target, &Target::engine_path>()});
  add_node_options(table);
  table.push_back({.section = "target",
                   .name = "maxmemory",
                   .type = BytesType{4 * kMiB, kTiB},
                   .default_text = "64MiB",
                   .help = "What the engine may use for data. Below 4 MiB its own needs leave no "
                           "room for keys. A node with memory has memory x (1 - "
                           "reserved_memory_pct / 100) x scale.",
                   .kinds = local,
                   .derive = &derive_maxmemory,
                   .access = at<&Scenario::target, &Target::maxmemory_bytes>()});
  table.push_back(
      {.section = "target",
       .name = "maxmemory_policy",
       .type = ChoiceType{{"noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random",
                           "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"}},
       .default_text = "allkeys-lru",
       .help = "What the engine does when maxmemory is reached. The volatile policies evict only "
               "keys with a TTL.",
       .kinds = local,
       .access = at<&Scenario::target, &Target::maxmemory_policy>()});
}

}  // namespace

void add_target_options(std::vector<Option>& table) {
  table.push_back({.section = "target",
                   .name = "kind",
                   .type = choice_of<TargetKind>(),
                   .default_text = "local",
                   .help = "local: a cache that Headroom starts on this machine and takes down "
                           "afterwards. endpoint: one that runs already.",
                   .access = at<&Scenario::target, &Target::kind>()});
  table.push_back({.section = "target",
                   .name = "protocol",
                   .type = choice_of<Protocol>(),
                   .default_text = "resp2",
                   .help = "resp3: every connection begins with HELLO 3.",
                   .access = at<&Scenario::target, &Target::protocol>()});
  add_endpoint(table);
  add_tls(table);
  add_local(table);
}

}  // namespace headroom::scenario
