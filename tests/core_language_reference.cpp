#include <doctest/doctest.h>

#include <set>

#include "core/language_reference.h"

using namespace tilescope;

TEST_CASE("every function that can be called has shapes, dtypes and an example in the reference") {
  CHECK(language_functions().size() > 130);
  for (const LanguageFunction& f : language_functions()) {
    if (f.refused) continue;
    CHECK_MESSAGE(!f.types.empty(), "core/lower/reference says nothing about " << f.names.front());
    CHECK_MESSAGE(!f.example.empty(), "core/lower/reference has no example of " << f.names.front());
  }
}

TEST_CASE("the reference describes no function that does not exist") {
  for (const std::string& name : unknown_reference_names()) FAIL_CHECK("core/lower/reference describes " << name);
}

TEST_CASE("every function stands in the reference once") {
  std::set<std::string> seen;
  for (const LanguageFunction& f : language_functions())
    for (const std::string& name : f.names) CHECK_MESSAGE(seen.insert(name).second, name);
}

TEST_CASE("the constructs of the language have a text and examples") {
  CHECK(language_sections().size() >= 14);
  for (const LanguageSection& s : language_sections()) {
    CHECK_MESSAGE(!s.text.empty(), s.title);
    CHECK_MESSAGE(!s.examples.empty(), s.title);
  }
}
