// Tables for spreadsheets and scripts: RFC 4180 (commas, CRLF, quotes doubled), a title row, plain numbers in bytes and
// shares from 0 to 1.
#pragma once

#include <string>
#include <vector>

#include "sim/cost/cost.h"

namespace tilescope::report {

/// One row a tensor and kind of access (loads, stores).
std::string tensors_csv(const cost::CostReport& report);
/// One row a memory op of the source. `source` may be null; then its column is empty.
std::string lines_csv(const cost::CostReport& report, const SourcePtr& source);
/// One row a value that was tried.
std::string alternatives_csv(const cost::CostReport& report);

/// One cell, quoted when it must be. A spreadsheet takes a text that begins with = + - @ for a formula; such texts of a
/// kernel get an apostrophe in front.
std::string csv_cell(std::string_view text);

/// "cost.csv" and "cost" both give "cost.tensors.csv" for the table "tensors".
std::string csv_path(const std::string& given, const std::string& table);

}  // namespace tilescope::report
