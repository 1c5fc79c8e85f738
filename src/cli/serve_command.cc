#include <fmt/format.h>

#include <future>
#include <memory>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/page_file.h"
#include "cli/terminal.h"
#include "lab/interrupts.h"
#include "serve/http_server.h"
#include "serve/site.h"

namespace headroom::cli {
namespace {

struct ServeFlags {
  std::string directory;
  std::string listen{serve::kDefaultListen};
  bool open = false;
};

int serve_directory(const ServeFlags& flags) {
  const auto address = serve::parse_listen_address(flags.listen);
  if (!address) return print_error({address.error().kind, "--listen " + address.error().message});
  auto catalogue = serve::Catalogue::open(flags.directory);
  if (!catalogue) return print_error(catalogue.error());
  lab::block_interrupts();
  serve::Site site(std::move(*catalogue));
  const auto server = serve::HttpServer::start(
      *address, [&site](const serve::HttpRequest& request) { return site.answer(request); });
  if (!server) return print_error(server.error());
  const serve::ListenAddress& listening = (*server)->address();
  print_message(fmt::format("run files of {} at {} (Ctrl-C ends it)\n", printable(flags.directory),
                            listening.url()));
  if (!listening.is_loopback())
    print_message("headroom: others can reach this address, and there is no password\n");
  ExitCode code = kDone;
  if (flags.open) {
    if (const Status opened = open_url(listening.url()); !opened)
      code = print_error(opened.error());
  }
  std::promise<void> ended;
  const lab::Interrupts interrupts([&ended](const std::string&) { ended.set_value(); },
                                   "the server ends");
  ended.get_future().wait();
  return code;
}

}  // namespace

void add_serve_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* const command = app.add_subcommand(
      "serve", "Show the run files of a directory in a browser: list, reports, comparisons.");
  command->add_option("DIR", flags->directory, "Where the run files are; folders in it count")
      ->required();
  CLI::Option* const listen =
      command
          ->add_option("--listen", flags->listen,
                       "Where to listen; only this machine unless told otherwise")
          ->type_name("ADDR:PORT")
          ->capture_default_str();
  refuse_empty(*listen);
  command->add_flag("--open", flags->open, "Show the list in the browser");
  command->callback([flags, &invocation] { invocation.exit_code = serve_directory(*flags); });
}

}  // namespace headroom::cli
