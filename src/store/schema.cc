#include "store/schema.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "record/connect_step.h"
#include "record/event.h"
#include "record/metric.h"
#include "record/outcome.h"
#include "record/phase.h"
#include "record/request.h"
#include "store/bounded_rows.h"
#include "store/schema_text.h"
#include "store/schema_views.h"

namespace headroom::store {
namespace {

struct Name {
  int value;
  std::string_view name;
};

int insert_names(const Database& database, std::string_view table, std::span<const Name> names) {
  Statement insert(database, fmt::format("INSERT INTO {} VALUES (?, ?)", table));
  if (!insert.valid()) return sqlite3_extended_errcode(database.handle());
  for (const Name& name : names) {
    if (const int code = insert.bind(1, name.value).bind(2, name.name).run(); code != SQLITE_OK) {
      return code;
    }
  }
  return SQLITE_OK;
}

int insert_about(const Database& database) {
  Statement insert(database, "INSERT INTO about VALUES (?, ?)");
  if (!insert.valid()) return sqlite3_extended_errcode(database.handle());
  for (const auto& [topic, explanation] : schema_text::kAbout) {
    if (const int code = insert.bind(1, topic).bind(2, explanation).run(); code != SQLITE_OK) {
      return code;
    }
  }
  return SQLITE_OK;
}

int insert_warning_kinds(const Database& database) {
  Statement insert(database, "INSERT INTO warning_kinds VALUES (?, ?, ?)");
  if (!insert.valid()) return sqlite3_extended_errcode(database.handle());
  for (const record::WarningInfo& info : record::warning_catalogue()) {
    insert.bind(1, static_cast<int>(info.kind)).bind(2, info.name).bind(3, info.next_step);
    if (const int code = insert.run(); code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

std::vector<Name> event_names() {
  std::vector<Name> names;
  for (int value = 0; record::event_from_value(value); ++value) {
    names.push_back({value, record::event_name(*record::event_from_value(value))});
  }
  return names;
}

template <class Enum, std::size_t kSize>
std::vector<Name> names_of(const std::array<Enum, kSize>& values, std::string_view (*name)(Enum)) {
  std::vector<Name> names;
  for (const Enum value : values) names.push_back({static_cast<int>(value), name(value)});
  return names;
}

int fill_lookup_tables(const Database& database) {
  static constexpr std::array kLatencyKinds = {Name{0, "service"}, Name{1, "response"}};
  static constexpr std::array kRunEnds = {Name{0, "complete"}, Name{1, "interrupted"},
                                          Name{2, "failed"}};
  const auto phases = names_of(record::kPhases, record::phase_name);
  const auto outcomes = names_of(record::kOutcomes, record::outcome_name);
  const auto steps = names_of(record::kConnectSteps, record::connect_step_name);
  const auto splits = names_of(record::kSplits, record::split_name);
  for (const int code : {insert_names(database, "phase_names", phases),
                         insert_names(database, "split_kinds", splits),
                         insert_names(database, "connect_steps", steps),
                         insert_names(database, "outcome_names", outcomes),
                         insert_names(database, "latency_kinds", kLatencyKinds),
                         insert_names(database, "event_kinds", event_names()),
                         insert_names(database, "run_ends", kRunEnds),
                         insert_warning_kinds(database), insert_about(database)}) {
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

std::string_view source_name(record::MetricSource source) {
  switch (source) {
    case record::MetricSource::kEngine:
      return "engine";
    case record::MetricSource::kNode:
      return "node";
    case record::MetricSource::kGenerator:
      return "generator";
  }
  return "unknown";
}

int insert_metrics(const Database& database) {
  Statement insert(database, "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)");
  if (!insert.valid()) return sqlite3_extended_errcode(database.handle());
  int id = 0;
  for (const record::MetricInfo& info : record::metric_catalogue()) {
    const bool counter = info.kind == record::MetricKind::kCounter;
    insert.bind(1, id++)
        .bind(2, info.name)
        .bind(3, source_name(info.source))
        .bind(4, counter ? std::string_view{"counter"} : std::string_view{"gauge"})
        .bind(5, info.unit)
        .bind(6, info.help);
    if (const int code = insert.run(); code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

// One row for each turn of a sampler, one column for each metric: an eighth of the size of one row
// for each value, and what people want to select.
std::string samples_sql(const std::vector<std::string>& metrics) {
  std::string sql =
      "CREATE TABLE samples (\n"
      "  sample_id INTEGER NOT NULL PRIMARY KEY,\n"
      "  time_ns INTEGER NOT NULL,\n"
      "  node TEXT /* members; NULL: the target as a whole, or the machine */";
  for (const std::string& metric : metrics) sql += fmt::format(",\n  \"{}\" REAL", metric);
  return sql + "\n)";
}

Schema schema_with(std::vector<std::string> metrics) {
  Schema schema{std::move(metrics), {}};
  for (const schema_text::SchemaText& text : schema_text::kTables) {
    std::string sql = text.name == "samples" ? samples_sql(schema.metrics) : std::string(text.sql);
    schema.objects.push_back({text.type, text.name, std::move(sql), text.order});
  }
  for (const schema_text::SchemaText& text : schema_text::kViews)
    schema.objects.push_back({text.type, text.name, std::string(text.sql), text.order});
  std::sort(schema.objects.begin(), schema.objects.end(),
            [](const SchemaObject& a, const SchemaObject& b) { return a.name < b.name; });
  return schema;
}

// What may be a column's name without thought: letters, digits and _.
bool is_metric_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= 100 && std::all_of(name.begin(), name.end(), plain);
}

tl::unexpected<Error> refuse(const Database& database, std::string_view what,
                             std::string_view name) {
  return fail(ErrorKind::kUsage,
              "{}: {} {}: not the tables of schema {}; the file is damaged or another program "
              "changed it",
              database.shown(), what, printable(name, 60), kSchemaVersion);
}

// The names in `metrics`, which is made sure to be a table of ours first.
Result<std::vector<std::string>> metric_names(const Database& database) {
  const auto& texts = schema_text::kTables;
  const auto* own = std::find_if(texts.begin(), texts.end(),
                                 [](const auto& text) { return text.name == "metrics"; });
  Statement statement(database, "SELECT sql FROM sqlite_schema WHERE name = 'metrics'");
  if (!statement.valid() || statement.step() != SQLITE_ROW || statement.text(0) != own->sql) {
    return refuse(database, "lacks or has another", "metrics");
  }
  std::vector<std::string> names;
  BoundedRows rows(database);
  const Status read =
      rows.each("metrics", "SELECT metric_id, name FROM metrics ORDER BY metric_id",
                [&](const Statement& row) -> Status {
                  const std::string_view name = row.text(1);
                  if (row.integer(0) != std::ssize(names) || !is_metric_name(name)) {
                    return refuse(database, "has an impossible metric", name);
                  }
                  names.emplace_back(name);
                  return {};
                });
  if (!read) return fail(read.error());
  return names;
}

}  // namespace

int create_schema(const Database& database, Schema& schema) {
  std::vector<std::string> metrics;
  for (const record::MetricInfo& info : record::metric_catalogue()) {
    check(is_metric_name(info.name), "a metric's name can be a column's");
    metrics.emplace_back(info.name);
  }
  schema = schema_with(std::move(metrics));
  for (const SchemaObject& object : schema.objects) {
    const int code = object.type == "table" ? database.execute(object.sql.c_str()) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
  }
  for (const SchemaObject& object : schema.objects) {
    const int code = object.type == "view" ? database.execute(object.sql.c_str()) : SQLITE_OK;
    if (code != SQLITE_OK) return code;
  }
  if (const int code = insert_metrics(database); code != SQLITE_OK) return code;
  return fill_lookup_tables(database);
}

Result<Schema> check_schema(const Database& database) {
  auto metrics = metric_names(database);
  if (!metrics) return fail(metrics.error());
  Schema schema = schema_with(std::move(*metrics));
  // Indexes that SQLite makes for UNIQUE constraints have no text of their own.
  Statement statement(database,
                      "SELECT type, name, sql FROM sqlite_schema"
                      " WHERE NOT (type = 'index' AND sql IS NULL) ORDER BY name COLLATE BINARY");
  if (!statement.valid()) return refuse(database, "cannot show its schema:", database.failure());
  std::size_t next = 0;
  int code = SQLITE_DONE;
  while ((code = statement.step()) == SQLITE_ROW) {
    const std::string_view name = statement.text(1);
    const bool left = next < schema.objects.size();
    if (!left || name < schema.objects[next].name) {
      return refuse(database, "has an unknown", name);
    }
    const SchemaObject& object = schema.objects[next++];
    if (name != object.name) return refuse(database, "lacks", object.name);
    if (statement.text(0) != object.type || statement.text(2) != object.sql) {
      return refuse(database, "has another", name);
    }
  }
  if (code != SQLITE_DONE) return refuse(database, "cannot show its schema:", database.failure());
  if (next < schema.objects.size()) return refuse(database, "lacks", schema.objects[next].name);
  return schema;
}

}  // namespace headroom::store
