// The text that INFO answers with, as sections of fields. Pure; keeps what it does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::resp {

// "calls=1,usec=91": the value of one of an INFO field's parts.
[[nodiscard]] std::optional<std::string_view> info_part(std::string_view value,
                                                        std::string_view name);
// A whole text as a finite decimal number; nullopt for anything else.
[[nodiscard]] std::optional<double> info_number(std::string_view text);

class Info {
 public:
  struct Field {
    std::string name;
    std::string value;
  };
  struct Section {
    std::string name;  // as the engine writes it: "Commandstats"
    std::vector<Field> fields;
  };

  // Any text parses: lines that are neither "# Section" nor "field:value" are passed over.
  [[nodiscard]] static Info parse(std::string_view text);

  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  // By name, in whatever case. A section may be there and have no field (Keyspace without keys).
  [[nodiscard]] const Section* section(std::string_view name) const;
  // The first field of that name in any section; nullopt if the engine did not tell.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view field) const;
  [[nodiscard]] std::optional<double> number(std::string_view field) const;
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view field) const;
  // Sum of a part ("keys", "expires") over the databases of the keyspace section; 0 if it lists
  // none, nullopt if it is missing.
  [[nodiscard]] std::optional<std::uint64_t> keyspace_sum(std::string_view part) const;

 private:
  std::vector<Section> sections_;
};

}  // namespace headroom::resp
