// The flags of valkey-benchmark 9.1, those of redis-benchmark 7 among them, and what Headroom makes
// of each.
#include <array>

#include "interop/valkey.h"

namespace headroom::interop {
namespace {

using enum Handling;

constexpr std::array kValkeyFlags = {
    // Connection.
    Flag{.name = "-h", .argument = "HOST", .does = "`target.host`; default 127.0.0.1."},
    Flag{.name = "-p", .argument = "PORT", .does = "`target.port`; default 6379."},
    Flag{.name = "-s",
         .argument = "SOCKET",
         .does = "`target.socket`. Not together with an address."},
    Flag{.name = "-a",
         .argument = "PASSWORD",
         .does =
             "Neither the run file nor `--explain` shows it. A warning says that a command line "
             "is no place for it."},
    Flag{.name = "--user", .argument = "USER", .does = "`target.username`. Needs -a."},
    Flag{.name = "-u",
         .argument = "URI",
         .does = "Address, user, password, database and TLS in one."},
    Flag{.name = "--dbnum", .argument = "DB", .does = "`target.database`."},
    Flag{.name = "-3", .does = "`target.protocol = \"resp3\"`."},
    Flag{.name = "--tls", .handling = kOption, .option = "target.tls", .does = "`target.tls`."},
    Flag{.name = "--sni",
         .argument = "HOST",
         .handling = kOption,
         .option = "target.tls_server_name",
         .does = "`target.tls_server_name`."},
    Flag{.name = "--cacert",
         .argument = "FILE",
         .handling = kOption,
         .option = "target.tls_ca_file",
         .does = "`target.tls_ca_file`."},
    Flag{.name = "--cacertdir",
         .argument = "DIR",
         .handling = kOption,
         .option = "target.tls_ca_directory",
         .does = "`target.tls_ca_directory`."},
    Flag{.name = "--insecure", .does = "`target.tls_verify = false`."},
    Flag{.name = "--cert",
         .argument = "FILE",
         .handling = kOption,
         .option = "target.tls_certificate",
         .does = "`target.tls_certificate`."},
    Flag{.name = "--key",
         .argument = "FILE",
         .handling = kOption,
         .option = "target.tls_key",
         .does = "`target.tls_key`."},
    Flag{.name = "--tls-ciphers",
         .argument = "LIST",
         .handling = kRefused,
         .does =
             "ciphers are chosen by OpenSSL's defaults; the nearest is --set target.tls_minimum"},
    Flag{.name = "--tls-ciphersuites",
         .argument = "LIST",
         .handling = kRefused,
         .does =
             "ciphers are chosen by OpenSSL's defaults; the nearest is --set target.tls_minimum"},
    Flag{.name = "--mptcp", .handling = kRefused, .does = "connections are plain TCP, not MPTCP"},
    Flag{.name = "--cluster",
         .does = "`target.cluster = true`: each connection becomes a client with one to every "
                 "node, where there it has one to one of them."},
    Flag{.name = "--rfr",
         .argument = "MODE",
         .does = "`load.read_from`, with --cluster: no is primary, yes is replica, all is any."},
    Flag{.name = "--enable-tracking",
         .handling = kRefused,
         .does = "CLIENT TRACKING is not switched on"},

    // Load.
    Flag{.name = "-c",
         .argument = "CLIENTS",
         .does = "All connections together; default 50. `load.connections` is CLIENTS divided by "
                 "the threads, without remainder."},
    Flag{.name = "--threads", .argument = "NUM", .does = "`load.workers`; default 1."},
    Flag{.name = "-n",
         .argument = "REQUESTS",
         .does = "`load.requests`, all connections together; default 100000, as there. The run may "
                 "last a day at most."},
    Flag{.name = "--duration",
         .argument = "SECONDS",
         .does = "`timing.measure`. Not together with -n."},
    Flag{.name = "--warmup", .argument = "SECONDS", .does = "`timing.warmup`."},
    Flag{.name = "-P",
         .argument = "NUMREQ",
         .handling = kOption,
         .option = "load.pipeline",
         .does = "`load.pipeline`. There a batch waits for all of its replies; here a request goes "
                 "out for each reply that came in."},
    Flag{.name = "--rps",
         .argument = "REQUESTS",
         .does = "`load.rate`; 0 is none. Here the load is an open loop, and latency also counts "
                 "from when each request was due. -n is then the time in which so many are due."},
    Flag{.name = "-k",
         .argument = "BOOLEAN",
         .does = "1 is what Headroom does; 0 is `load.reconnect_every = 1`."},
    Flag{.name = "-I",
         .handling = kRefused,
         .does = "a run without requests measures nothing; the nearest is --set "
                 "load.idle_connections=N beside a load"},
    Flag{.name = "-l",
         .handling = kRefused,
         .does = "a run has an end; loop in the shell, or give a long --duration"},
    Flag{.name = "--seed",
         .argument = "NUM",
         .handling = kOption,
         .option = "seed",
         .does = "`seed`; default 1. There it is the time."},

    // Commands, keys and values.
    Flag{.name = "-t",
         .argument = "TESTS",
         .does = "One run for each test, in the order of valkey-benchmark, whatever the order of "
                 "the list: see [Tests](#tests)."},
    Flag{.name = "-d", .argument = "SIZE", .does = "`workload.value_size` in bytes; default 3."},
    Flag{.name = "-r",
         .argument = "KEYSPACELEN",
         .does = "`workload.keys`; without it, one key, as there."},
    Flag{.name = "--sequential", .does = "`workload.key_distribution = \"sequential\"`."},
    Flag{.name = "-x",
         .handling = kRefused,
         .does = "no argument is read from standard input; write it, or give its size as -d with "
                 "__data__"},
    Flag{.name = "--num-functions",
         .argument = "NUM",
         .handling = kRefused,
         .does = "FUNCTION LOAD is no test of Headroom's"},
    Flag{.name = "--num-keys-in-fcall",
         .argument = "NUM",
         .handling = kRefused,
         .does = "FCALL is no test of Headroom's"},
    Flag{.name = "--fuzz", .handling = kRefused, .does = "Headroom measures, it does not fuzz"},
    Flag{.name = "--fuzz-mode",
         .argument = "MODES",
         .handling = kRefused,
         .does = "Headroom measures, it does not fuzz"},
    Flag{.name = "--fuzz-loglevel",
         .argument = "LEVEL",
         .handling = kRefused,
         .does = "Headroom measures, it does not fuzz"},

    // Output.
    Flag{.name = "--csv",
         .does = "On standard output, a line per test, in valkey-benchmark's shape: see "
                 "[CSV](#csv)."},
    Flag{.name = "-q",
         .does = "On standard output, one line per test, in valkey-benchmark's shape."},
    Flag{.name = "--precision",
         .argument = "NUM",
         .does = "Decimal places of the latencies of --csv and -q; default 3."},
    Flag{.name = "-e",
         .handling = kAlways,
         .does =
             "Always so: error replies are counted, and the first of each kind is told. (A flag "
             "of older versions.)"},
    Flag{.name = "--version",
         .handling = kRefused,
         .does = "this is not valkey-benchmark; headroom --version tells its own"},
};

}  // namespace

const Program& valkey_program() {
  static constexpr Program kProgram{"valkey-benchmark", Grammar::kPlain, kValkeyFlags};
  return kProgram;
}

}  // namespace headroom::interop
