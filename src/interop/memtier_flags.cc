// The flags of memtier_benchmark 2.3, and what Headroom makes of each.
#include <array>

#include "interop/memtier.h"

namespace headroom::interop {
namespace {

using enum Handling;

constexpr std::array kMemtierFlags = {
    // Connection.
    Flag{.name = "--server",
         .short_name = "-s",
         .argument = "ADDR",
         .does = "`target.host`; default `localhost`."},
    Flag{.name = "--host", .short_name = "-h", .argument = "ADDR", .does = "The same as --server."},
    Flag{.name = "--port",
         .short_name = "-p",
         .argument = "PORT",
         .does = "`target.port`; default 6379."},
    Flag{.name = "--unix-socket",
         .short_name = "-S",
         .argument = "SOCKET",
         .does = "`target.socket`. Not together with an address."},
    Flag{.name = "--ipv4",
         .short_name = "-4",
         .handling = kRefused,
         .does = "a name is resolved as the system prefers; give the IPv4 address itself"},
    Flag{.name = "--ipv6",
         .short_name = "-6",
         .handling = kRefused,
         .does = "a name is resolved as the system prefers; give the IPv6 address itself"},
    Flag{.name = "--protocol",
         .short_name = "-P",
         .argument = "PROTOCOL",
         .does = "`redis` and `resp2` (the default) are RESP2, `resp3` is `target.protocol`. "
                 "memcache_text and memcache_binary are refused: Headroom loads caches that speak "
                 "RESP."},
    Flag{.name = "--authenticate",
         .short_name = "-a",
         .argument = "CREDENTIALS",
         .does = "PASSWORD or USER:PASSWORD. Neither the run file nor `--explain` shows it. A "
                 "warning says that a command line is no place for it."},
    Flag{.name = "--uri",
         .short_name = "-u",
         .argument = "URI",
         .does = "Address, user, password, database and TLS in one."},
    Flag{.name = "--tls", .handling = kOption, .option = "target.tls", .does = "`target.tls`."},
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
    Flag{.name = "--cacert",
         .argument = "FILE",
         .handling = kOption,
         .option = "target.tls_ca_file",
         .does = "`target.tls_ca_file`."},
    Flag{.name = "--sni",
         .argument = "STRING",
         .handling = kOption,
         .option = "target.tls_server_name",
         .does = "`target.tls_server_name`."},
    Flag{.name = "--tls-skip-verify", .does = "`target.tls_verify = false`."},
    Flag{.name = "--tls-protocols",
         .argument = "LIST",
         .does = "`target.tls_minimum`, for lists that mean one: TLSv1.2 with TLSv1.3, or TLSv1.3 "
                 "alone."},
    Flag{.name = "--select-db", .argument = "DB", .does = "`target.database`."},
    Flag{.name = "--cluster-mode",
         .does = "`target.cluster = true`: each connection becomes a client with one to every "
                 "node."},

    // Load.
    Flag{.name = "--threads",
         .short_name = "-t",
         .argument = "NUMBER",
         .handling = kOption,
         .option = "load.workers",
         .does = "`load.workers`; default 4, as there."},
    Flag{.name = "--clients",
         .short_name = "-c",
         .argument = "NUMBER",
         .handling = kOption,
         .option = "load.connections",
         .does = "`load.connections`, per thread; default 50, as there."},
    Flag{.name = "--requests",
         .short_name = "-n",
         .argument = "NUMBER",
         .does =
             "`load.requests` = NUMBER x clients x threads; default 10000, as there. `allkeys`: "
             "as many as there are keys, for each client. The run may last a day at most. Not "
             "together with --test-time."},
    Flag{.name = "--test-time", .argument = "SECS", .does = "`timing.measure`."},
    Flag{.name = "--pipeline",
         .argument = "NUMBER",
         .handling = kOption,
         .option = "load.pipeline",
         .does = "`load.pipeline`."},
    Flag{.name = "--rate-limiting",
         .argument = "NUMBER",
         .does = "`load.rate` = NUMBER x clients x threads. There every connection is held back by "
                 "itself; here the load is an open loop, and latency also counts from when each "
                 "request was due. --requests is then the time in which so many are due."},
    Flag{.name = "--run-count",
         .short_name = "-x",
         .argument = "NUMBER",
         .does = "As many runs, one after another, with a run file each."},
    Flag{.name = "--clients-start",
         .argument = "NUMBER",
         .handling = kRefused,
         .does = "the number of connections does not grow within a run; run one scenario per "
                 "number"},
    Flag{.name = "--clients-step",
         .argument = "NUMBER",
         .handling = kRefused,
         .does = "the number of connections does not grow within a run; run one scenario per "
                 "number"},
    Flag{.name = "--step-duration",
         .argument = "SECS",
         .handling = kRefused,
         .does = "the number of connections does not grow within a run; run one scenario per "
                 "number"},
    Flag{.name = "--reconnect-interval",
         .argument = "NUM",
         .handling = kOption,
         .option = "load.reconnect_every",
         .does = "`load.reconnect_every`."},
    Flag{.name = "--reconnect-on-error",
         .handling = kAlways,
         .does =
             "Always so: a connection that breaks is opened again, and its requests are counted "
             "as lost."},
    Flag{.name = "--max-reconnect-attempts",
         .argument = "NUM",
         .does = "0 (unlimited) is what Headroom does; another number is refused."},
    Flag{.name = "--reconnect-backoff-factor",
         .argument = "NUM",
         .handling = kRefused,
         .does = "the pause before a connection is opened again doubles from 10 ms to 1 s and "
                 "cannot be set"},
    Flag{.name = "--connection-timeout",
         .argument = "SECS",
         .does = "`load.connect_timeout`; 0 (none) is refused."},
    Flag{.name = "--thread-conn-start-min-jitter-micros",
         .argument = "NUM",
         .handling = kRefused,
         .does = "connections are not opened at random times; the nearest is --set "
                 "load.connect_spread=DURATION"},
    Flag{.name = "--thread-conn-start-max-jitter-micros",
         .argument = "NUM",
         .handling = kRefused,
         .does = "connections are not opened at random times; the nearest is --set "
                 "load.connect_spread=DURATION"},
    Flag{.name = "--distinct-client-seed",
         .handling = kAlways,
         .does = "Always so: every connection draws its own sequence."},
    Flag{.name = "--randomize",
         .does = "`seed`, drawn anew. Without it the seed is always the same."},

    // Commands.
    Flag{.name = "--ratio",
         .argument = "RATIO",
         .handling = kOption,
         .option = "workload.ratio",
         .does = "`workload.ratio`; default 1:10. The commands are drawn by these weights; there "
                 "they go round in a fixed order."},
    Flag{.name = "--command",
         .argument = "COMMAND",
         .does = "One `[[workload.command]]`; may be repeated, then each command has its ratio and "
                 "pattern behind it. `__key__` and `__data__` mean the same here."},
    Flag{.name = "--command-ratio",
         .argument = "NUMBER",
         .does =
             "`weight` of the --command before it; default 1. Commands are drawn by their weights; "
             "there they go round in a fixed order."},
    Flag{.name = "--command-key-pattern",
         .argument = "G|R|Z|S|P",
         .does = "`keys` of the --command before it: see --key-pattern. Default R."},
    Flag{.name = "--multi-key-get",
         .argument = "NUM",
         .handling = kRefused,
         .does = "GET asks for one key; the nearest is --command \"MGET __key__ __key__\""},
    Flag{.name = "--wait-ratio",
         .argument = "RATIO",
         .handling = kRefused,
         .does = "WAIT is not mixed into the load"},
    Flag{.name = "--num-slaves",
         .argument = "RANGE",
         .handling = kRefused,
         .does = "WAIT is not mixed into the load"},
    Flag{.name = "--wait-timeout",
         .argument = "RANGE",
         .handling = kRefused,
         .does = "WAIT is not mixed into the load"},
    Flag{.name = "--monitor-input",
         .argument = "FILE",
         .handling = kRefused,
         .does = "what MONITOR recorded is not replayed"},
    Flag{.name = "--monitor-pattern",
         .argument = "S|R",
         .handling = kRefused,
         .does = "what MONITOR recorded is not replayed"},
    Flag{.name = "--scan-incremental-iteration",
         .handling = kRefused,
         .does = "no request depends on the reply to another: cursors are not followed"},
    Flag{.name = "--scan-incremental-max-iterations",
         .argument = "NUMBER",
         .handling = kRefused,
         .does = "no request depends on the reply to another: cursors are not followed"},

    // Objects.
    Flag{.name = "--data-size",
         .short_name = "-d",
         .argument = "SIZE",
         .does = "`workload.value_size` in bytes; default 32."},
    Flag{.name = "--data-offset",
         .argument = "OFFSET",
         .handling = kRefused,
         .does = "values are written and read whole, without SETRANGE and GETRANGE"},
    Flag{.name = "--random-data",
         .short_name = "-R",
         .handling = kAlways,
         .does = "Always so: values are random bytes, incompressible. There they are repeated "
                 "letters without it."},
    Flag{.name = "--data-size-range",
         .argument = "RANGE",
         .does = "`workload.value_size = range(MIN, MAX)`."},
    Flag{.name = "--data-size-list",
         .argument = "LIST",
         .does = "`workload.value_size = list(SIZE:WEIGHT, ...)`."},
    Flag{
        .name = "--data-size-pattern",
        .argument = "R|S",
        .does =
            "R (the default): sizes are drawn. Here each key keeps the size that was drawn for it. "
            "S, sizes that grow along the key range, is refused."},
    Flag{
        .name = "--expiry-range",
        .argument = "RANGE",
        .does =
            "`workload.ttl = range(MIN, MAX)`, in seconds, of what SET writes. Not with --command, "
            "which has its own."},
    Flag{.name = "--data-import",
         .argument = "FILE",
         .handling = kRefused,
         .does = "objects are generated, not imported"},
    Flag{.name = "--data-verify",
         .handling = kRefused,
         .does = "objects are generated, not imported, and not read back after the run"},
    Flag{.name = "--verify-only",
         .handling = kRefused,
         .does = "objects are generated, not imported, and not read back after the run"},
    Flag{.name = "--generate-keys",
         .handling = kRefused,
         .does = "objects are generated, not imported"},
    Flag{
        .name = "--no-expiry", .handling = kRefused, .does = "objects are generated, not imported"},

    // Keys.
    Flag{.name = "--key-prefix",
         .argument = "PREFIX",
         .handling = kRefused,
         .does =
             "keys have names of Headroom's own, the same for the same seed, of 38 to 44 bytes; "
             "leave it out"},
    Flag{.name = "--key-minimum",
         .argument = "NUMBER",
         .does = "With --key-maximum: `workload.keys` = maximum - minimum + 1. Default 0."},
    Flag{.name = "--key-maximum", .argument = "NUMBER", .does = "See there. Default 10000000."},
    Flag{.name = "--key-pattern",
         .argument = "PATTERN",
         .does =
             "SET:GET, of one letter each. R (the default) is uniform, G "
             "`gaussian(CENTRE, SPREAD)`, Z `zipf(EXPONENT)`, P `sequential`. Two different "
             "letters become two `[[workload.command]]`. S, where every client runs through all "
             "keys by itself, is refused unless there is one client."},
    Flag{.name = "--key-stddev",
         .argument = "NUMBER",
         .does = "With G: the SPREAD; default a sixth of the range."},
    Flag{.name = "--key-median",
         .argument = "NUMBER",
         .does = "With G: the CENTRE; default the middle of the range."},
    Flag{
        .name = "--key-zipf-exp", .argument = "NUMBER", .does = "With Z: the EXPONENT; default 1."},

    // Output.
    Flag{.name = "--out-file",
         .short_name = "-o",
         .argument = "FILE",
         .does = "The closing page goes there. The run file is apart: `--run-file`."},
    Flag{.name = "--json-out-file",
         .argument = "FILE",
         .does = "Written in memtier_benchmark's shape: see [JSON](#json)."},
    Flag{.name = "--hdr-file-prefix",
         .argument = "PREFIX",
         .does = "Percentile distributions in HdrHistogram's text format: see "
                 "[Histograms](#histograms)."},
    Flag{.name = "--hide-histogram",
         .handling = kAlways,
         .does = "Always so: the page shows percentiles, the run file has the histograms."},
    Flag{.name = "--print-percentiles",
         .argument = "LIST",
         .does = "Which percentiles the JSON has; default 50,99,99.9. The page keeps its own."},
    Flag{.name = "--print-all-runs",
         .handling = kAlways,
         .does = "Always so: every run has its page and its run file."},
    Flag{.name = "--show-config",
         .handling = kAlways,
         .does = "The run file holds the whole scenario; `--explain` prints it."},
    Flag{.name = "--command-stats-breakdown",
         .argument = "command|line",
         .does = "`command` is what Headroom does; `line` is refused."},
    Flag{
        .name = "--client-stats",
        .argument = "FILE",
        .handling = kRefused,
        .does = "there is no file per client; headroom export RUN_FILE has the seconds of the run"},
    Flag{.name = "--debug",
         .short_name = "-D",
         .handling = kRefused,
         .does = "there is no debug output; the run file holds every event"},
    Flag{.name = "--statsd-host",
         .argument = "HOST",
         .handling = kRefused,
         .does = "nothing is sent to StatsD; headroom export RUN_FILE has the seconds of the run"},
    Flag{.name = "--statsd-port",
         .argument = "PORT",
         .handling = kRefused,
         .does = "nothing is sent to StatsD; headroom export RUN_FILE has the seconds of the run"},
    Flag{.name = "--statsd-prefix",
         .argument = "PREFIX",
         .handling = kRefused,
         .does = "nothing is sent to StatsD; headroom export RUN_FILE has the seconds of the run"},
    Flag{.name = "--statsd-run-label",
         .argument = "LABEL",
         .handling = kRefused,
         .does = "nothing is sent to StatsD; headroom export RUN_FILE has the seconds of the run"},
    Flag{
        .name = "--graphite-port",
        .argument = "PORT",
        .handling = kRefused,
        .does = "nothing is sent to Graphite; headroom export RUN_FILE has the seconds of the run"},
    Flag{.name = "--version",
         .short_name = "-v",
         .handling = kRefused,
         .does = "this is not memtier_benchmark; headroom --version tells its own"},
};

}  // namespace

const Program& memtier_program() {
  static constexpr Program kProgram{"memtier_benchmark", Grammar::kGetoptLong, kMemtierFlags};
  return kProgram;
}

}  // namespace headroom::interop
