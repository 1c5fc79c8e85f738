#include "store/run_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/units.h"
#include "store/digest.h"
#include "store/run_file.h"
#include "store/run_tables.h"
#include "store/sqlite.h"

namespace headroom::store {
namespace {

// How the file is laid out and how durable a commit is.
//
// page_size: larger pages would hold histograms of around a kilobyte with less waste, but thirty
//   tables of at least a page each make a short run's file large.
// journal_mode MEMORY: only while the tables are made, before anybody is told that the file exists.
// synchronous FULL: with a write-ahead log, NORMAL would flush it only at checkpoints, so that a
//   power failure could take many committed seconds; FULL flushes it at every commit.
constexpr const char* kBeforeTables =
    "PRAGMA page_size = 4096;"
    "PRAGMA auto_vacuum = NONE;"
    "PRAGMA journal_mode = MEMORY;"
    "PRAGMA synchronous = FULL;"
    "PRAGMA application_id = 0x4844524D;"
    "PRAGMA user_version = 1;"
    "BEGIN IMMEDIATE";
// A checkpoint moves the log into the database once it has grown to 4 MiB.
constexpr const char* kAfterTables = "PRAGMA wal_autocheckpoint = 1024";
constexpr int kBusyTimeoutMilliseconds = 2000;

std::string free_space(const std::filesystem::path& path) {
  struct statvfs disk{};
  if (::statvfs(path.c_str(), &disk) != 0) return "an unknown amount of space";
  return human_bytes(static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize));
}

// Makes the empty file, so that nobody else can make it, and nothing of another file that had its
// name is taken for its own.
Status claim(const std::filesystem::path& path) {
  const auto exists = [&] {
    return fail(ErrorKind::kUsage,
                "{}: exists; run files are never overwritten, choose another name", path.string());
  };
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return exists();
  for (const std::string_view suffix : {"-wal", "-shm", "-journal"}) {
    const std::filesystem::path sidecar = beside(path, suffix);
    if (std::filesystem::exists(sidecar, ignored)) {
      return fail(ErrorKind::kUsage,
                  "{}: {} is left of another run file of that name; move it away or choose another "
                  "name",
                  path.string(), sidecar.filename().string());
    }
  }
  const UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (fd.valid()) return {};
  if (errno == EEXIST) return exists();
  return fail(ErrorKind::kUsage, "{}: cannot be created: {}", path.string(), errno_text(errno));
}

void remove_claimed(const std::filesystem::path& path) {
  std::error_code ignored;
  for (const std::string_view suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(beside(path, suffix), ignored);
  }
}

// Makes the file's name itself outlast a power failure.
void flush_directory(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.valid()) static_cast<void>(::fsync(fd.get()));
}

}  // namespace

class RunWriter::Impl {
 public:
  Impl(Database database, std::filesystem::path path)
      : database_(std::move(database)), path_(std::move(path)) {}

  [[nodiscard]] Status create(const record::RunHeader& header);
  // Runs `body` inside the open transaction, which it begins if there is none, unless an earlier
  // failure or the seal has ended all writing. `body` returns SQLite's result code.
  template <class Body>
  [[nodiscard]] Status write(Body body) {
    if (failure_) return fail(*failure_);
    if (sealed_) {
      return fail(ErrorKind::kInternal, "{}: is sealed and takes no more data", path_.string());
    }
    if (!in_transaction_) {
      if (Status begun = take(database_.execute("BEGIN IMMEDIATE")); !begun) return begun;
      in_transaction_ = true;
    }
    return take(body());
  }
  [[nodiscard]] Status commit();
  [[nodiscard]] Status seal(record::RunEnd end, std::string_view reason);

  [[nodiscard]] RunTables& tables() { return tables_; }

 private:
  // Remembers a failure, so that nothing is written after it.
  [[nodiscard]] Status take(int code);
  [[nodiscard]] int last_code() const { return sqlite3_extended_errcode(database_.handle()); }
  [[nodiscard]] Status write_seal(record::RunEnd end, std::string_view reason);
  [[nodiscard]] Status make_plain();

  Database database_;
  std::filesystem::path path_;
  RunTables tables_{database_};
  std::optional<Error> failure_;
  bool in_transaction_ = false;
  bool sealed_ = false;
};

Status RunWriter::Impl::take(int code) {
  if (code == SQLITE_OK) return {};
  const int primary = code & 0xff;
  if (primary == SQLITE_CONSTRAINT || primary == SQLITE_MISUSE || primary == SQLITE_ERROR) {
    failure_ =
        Error{ErrorKind::kInternal, fmt::format("{}: {}", path_.string(), database_.failure())};
  } else {
    failure_ = Error{ErrorKind::kIncomplete,
                     fmt::format("{}: cannot be written: {}; {} free on its file system; what was "
                                 "committed stays readable",
                                 path_.string(), database_.failure(), free_space(path_))};
  }
  return fail(*failure_);
}

Status RunWriter::Impl::create(const record::RunHeader& header) {
  sqlite3_busy_timeout(database_.handle(), kBusyTimeoutMilliseconds);
  if (Status made = take(database_.execute(kBeforeTables)); !made) return made;
  if (Status made = take(tables_.create(header)); !made) return made;
  if (Status made = take(database_.execute("COMMIT")); !made) return made;
  {
    Statement mode(database_, "PRAGMA journal_mode = WAL");
    if (!mode.valid() || mode.step() != SQLITE_ROW) return take(last_code());
    if (mode.text(0) != "wal") {
      return fail(ErrorKind::kUsage,
                  "{}: its file system cannot hold a run that is being written (no shared memory "
                  "for SQLite's log); write to a local disk and move the file afterwards",
                  path_.string());
    }
  }
  if (Status made = take(database_.execute(kAfterTables)); !made) return made;
  flush_directory(path_);
  return take(tables_.prepare());
}

Status RunWriter::Impl::commit() {
  if (failure_) return fail(*failure_);
  if (!in_transaction_) return {};
  if (Status done = take(database_.execute("COMMIT")); !done) return done;
  in_transaction_ = false;
  return {};
}

Status RunWriter::Impl::write_seal(record::RunEnd end, std::string_view reason) {
  Statement ending(database_, "INSERT INTO ending VALUES (?, ?)");
  Statement seal(database_, "INSERT INTO seal VALUES (?, ?)");
  if (!ending.valid() || !seal.valid()) return take(last_code());
  Status done = write([&] { return ending.bind(1, static_cast<int>(end)).bind(2, reason).run(); });
  if (!done) return done;
  const auto digest = content_digest(database_, tables_.schema());
  if (!digest) {
    failure_ = digest.error();
    return fail(digest.error());
  }
  done = write([&] { return seal.bind(1, kDigestAlgorithm).bind(2, *digest).run(); });
  return done ? commit() : done;
}

// No rollback journal: leaving WAL mode changes a few bytes in the file's first sector, which a
// disk writes whole or not at all, and a journal would be one more file that a crash could leave.
Status RunWriter::Impl::make_plain() {
  for (const char* sql : {"PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = OFF"}) {
    Statement statement(database_, sql);
    const int code = statement.valid() ? statement.step() : last_code();
    const bool busy =
        code == SQLITE_ROW && statement.type(0) == SQLITE_INTEGER && statement.integer(0) != 0;
    if (busy || (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) {
      return fail(ErrorKind::kIncomplete,
                  "{}: is sealed, but another program has it open; until that ends and it is "
                  "opened once more, keep {}-wal beside it",
                  path_.string(), path_.filename().string());
    }
    if (code != SQLITE_ROW) return take(code);
  }
  return {};
}

Status RunWriter::Impl::seal(record::RunEnd end, std::string_view reason) {
  if (Status done = commit(); !done) return done;
  // Fills the pages that growth left a fifth empty. It needs room for a copy; the file is as good
  // without it.
  static_cast<void>(database_.execute("VACUUM"));
  if (Status done = write_seal(end, reason); !done) return done;
  sealed_ = true;
  tables_.release();
  if (Status done = make_plain(); !done) return done;
  if (const int code = database_.close(); code != SQLITE_OK) return take(code);
  if (::chmod(path_.c_str(), 0444) != 0) {
    return fail(ErrorKind::kIncomplete, "{}: is sealed, but cannot be made read-only: {}",
                path_.string(), errno_text(errno));
  }
  flush_directory(path_);
  return {};
}

Result<RunWriter> RunWriter::create(const std::filesystem::path& path,
                                    const record::RunHeader& header) {
  if (Status claimed = claim(path); !claimed) return fail(claimed.error());
  // Absolute, so that the file is found again if the working directory changes.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  auto database = Database::open(absolute, SQLITE_OPEN_READWRITE, path);
  if (!database) {
    remove_claimed(absolute);
    return fail(database.error());
  }
  auto impl = std::make_unique<Impl>(std::move(*database), absolute);
  if (Status made = impl->create(header); !made) {
    impl.reset();
    remove_claimed(absolute);
    return fail(made.error());
  }
  return RunWriter(std::move(impl));
}

RunWriter::RunWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunWriter::RunWriter(RunWriter&&) noexcept = default;
RunWriter& RunWriter::operator=(RunWriter&&) noexcept = default;
RunWriter::~RunWriter() = default;

Status RunWriter::fact(std::string_view key, std::string_view value) {
  return impl_->write([&] { return impl_->tables().add_fact(key, value); });
}
Status RunWriter::phase_began(record::Phase phase, Nanos begin) {
  return impl_->write([&] { return impl_->tables().add_phase(phase, begin); });
}
Status RunWriter::phase_ended(record::Phase phase, Nanos end) {
  return impl_->write([&] { return impl_->tables().end_phase(phase, end); });
}
Status RunWriter::interval(const record::MergedInterval& interval) {
  return impl_->write([&] { return impl_->tables().add_interval(interval); });
}
Status RunWriter::worker_counts(const record::WorkerCounts& counts) {
  return impl_->write([&] { return impl_->tables().add_worker_counts(counts); });
}
Status RunWriter::worker_window(const record::WorkerWindow& window) {
  return impl_->write([&] { return impl_->tables().add_worker_window(window); });
}
Status RunWriter::member(const record::Member& member) {
  return impl_->write([&] { return impl_->tables().add_member(member); });
}
Status RunWriter::split_latency(const record::SplitSeries& series) {
  return impl_->write([&] { return impl_->tables().add_split_latency(series); });
}
Status RunWriter::slow_request(const record::RequestRecord& request) {
  return impl_->write([&] { return impl_->tables().add_slow_request(request); });
}
Status RunWriter::logged_request(const record::RequestRecord& request) {
  return impl_->write([&] { return impl_->tables().add_logged_request(request); });
}
Status RunWriter::samples(const record::SampleBatch& batch) {
  return impl_->write([&] { return impl_->tables().add_samples(batch); });
}
Status RunWriter::event(const record::Event& event) {
  return impl_->write([&] { return impl_->tables().add_event(event); });
}
Status RunWriter::warning(const record::Warning& warning) {
  return impl_->write([&] { return impl_->tables().add_warning(warning); });
}
Status RunWriter::receipt(const record::Receipt& receipt) {
  return impl_->write([&] { return impl_->tables().add_receipt(receipt); });
}
Status RunWriter::commit() { return impl_->commit(); }
Status RunWriter::seal(record::RunEnd end, std::string_view reason) {
  return impl_->seal(end, reason);
}

}  // namespace headroom::store
