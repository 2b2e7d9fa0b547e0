#include "plot/page.hpp"

#include <cstdint>

#include "core/safe_text.hpp"
#include "core/sha256.hpp"
#include "plot/svg.hpp"

namespace jsdiv::plot {
namespace {

/// The colours are told apart by people with any kind of colour vision as far as twelve can be (after Okabe &
/// Ito); c-auto is the strongest.
constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1c1e21; --soft: #5b6068; --rule: #e3e5e8; --paper: #fff; --axis: #8a9099;
  --mlp: #0072b2; --rf: #009e73; --logreg: #8c8c8c; --xgboost: #d55e00; --lr-pol: #cc79a7; --tabpfn: #56b4e9;
  --syndat: #b08900; --synthcity: #7a5c2e; --gaussian: #7b4fb5; --kernel: #2f8f9d; --pairs: #6b8e23; --auto: #c4123f; --oracle: #1c1e21; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #a2a8b0; --rule: #33373d; --paper: #17191c; --axis: #757b84;
    --mlp: #4aa8e0; --rf: #2fc79a; --logreg: #a3a3a3; --xgboost: #f0833a; --lr-pol: #e09cc2; --tabpfn: #7cc8f2;
    --syndat: #d4ac2a; --synthcity: #b0905c; --gaussian: #a888dd; --kernel: #58bccb; --pairs: #a3c644; --auto: #ff5c7f; --oracle: #e8eaed; } }
body { margin: 2rem auto; max-width: 72rem; padding: 0 1.25rem; font: 15px/1.5 system-ui, sans-serif; color: var(--ink);
  background: var(--paper); }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .2rem; }
p { margin: .2rem 0 .8rem; color: var(--soft); max-width: 60rem; }
figure { margin: 0; overflow-x: auto; } .grid-of { display: flex; flex-wrap: wrap; gap: .4rem 1rem; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: .22rem .6rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
tr.more td { color: var(--soft); }
text { font: 12px system-ui, sans-serif; fill: var(--ink); } .tick { fill: var(--soft); } .name { font-weight: 600; font-size: 13px; }
.mark { font-size: 11px; } .label { fill: var(--soft); } .on-dark { fill: #fff; } .on-light { fill: #1c1e21; }
.grid { stroke: var(--rule); } .axis { stroke: var(--axis); } .frame { fill: none; stroke: var(--rule); }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke: currentColor; } .dashed { stroke-dasharray: 5 4; opacity: .75; }
.dot { fill: currentColor; stroke: var(--paper); stroke-width: 1; } .hollow { fill: var(--paper); stroke: currentColor; stroke-width: 1.6; }
.whisker { stroke: currentColor; opacity: .6; } .ink { color: var(--ink); }
.bar { fill: currentColor; } .hollow-bar { fill: currentColor; fill-opacity: .18; stroke: currentColor; }
.point-p, .legend-p, .hist-p { fill: #0072b2; } .point-q, .legend-q, .hist-q { fill: #d55e00; }
.point-p, .point-q { fill-opacity: .45; } .hist-p, .hist-q { fill-opacity: .4; }
.c-mlp { color: var(--mlp); } .c-rf { color: var(--rf); } .c-logreg { color: var(--logreg); } .c-xgboost { color: var(--xgboost); }
.c-lr-pol { color: var(--lr-pol); } .c-tabpfn { color: var(--tabpfn); } .c-syndat { color: var(--syndat); }
.c-synthcity { color: var(--synthcity); } .c-gaussian { color: var(--gaussian); } .c-kernel { color: var(--kernel); } .c-pairs { color: var(--pairs); }
.c-auto { color: var(--auto); } .line.c-auto { stroke-width: 2.8; } .c-oracle { color: var(--oracle); }
)";

/// The base64 form of a hexadecimal digest, as content security policies want it.
std::string base64_of_hex(const std::string& hex) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : digits[group >> (18 - 6 * j) & 63U];
    }
  }
  return text;
}

std::string html_row(const std::vector<std::string>& cells, const char* tag, bool more) {
  std::string row = more ? "<tr class=\"more\">" : "<tr>";
  for (const std::string& cell : cells) row += std::string("<") + tag + ">" + escape(cell) + "</" + tag + ">";
  return row + "</tr>\n";
}

std::string html_table(const TextTable& table) {
  std::string text = "<h2>" + escape(table.title) + "</h2>\n<figure><table>\n<thead>" +
                     html_row(table.header, "th", false) + "</thead>\n<tbody>\n";
  for (const auto& row : table.rows) text += html_row(row, "td", row[0].empty());
  return text + "</tbody></table></figure>\n";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) {
    row += " " + safe_text(cell, Medium::markdown) + " |";
  }
  return row + "\n";
}

}  // namespace

std::string policy_hash(std::string_view text) {
  Sha256 hash;
  hash.update(text.data(), text.size());
  return "'sha256-" + base64_of_hex(hash.finish()) + "'";
}

std::string html_page(const std::string& title, const std::string& introduction,
                      const std::vector<Figure>& figures, const std::vector<TextTable>& tables) {
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src " +
      policy_hash(style) + "\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
      escape(title) + "</title>\n<style>" + std::string(style) + "</style>\n</head>\n<body>\n<h1>" +
      escape(title) + "</h1>\n<p>" + escape(introduction) + "</p>\n";
  for (const Figure& figure : figures) {
    page += "<h2>" + escape(figure.title) + "</h2>\n<p>" + escape(figure.note) +
            "</p>\n<figure class=\"grid-of\">\n";
    for (const std::string& picture : figure.pictures) page += picture;
    page += "</figure>\n";
  }
  for (const TextTable& table : tables) page += html_table(table);
  return page + "</body>\n</html>\n";
}

std::string markdown(const TextTable& table) {
  std::string rule = "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) rule += i < 2 ? "---|" : "--:|";
  std::string text =
      "### " + safe_text(table.title, Medium::markdown) + "\n\n" + markdown_row(table.header) + rule + "\n";
  for (const auto& row : table.rows) text += markdown_row(row);
  return text;
}

}  // namespace jsdiv::plot
