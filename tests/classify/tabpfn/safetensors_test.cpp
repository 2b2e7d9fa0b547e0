#include "classify/tabpfn/safetensors.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "classify/tabpfn/weights.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::tabpfn {
namespace {

namespace fs = std::filesystem;

std::string file_of(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string out(sizeof length, '\0');
  std::memcpy(out.data(), &length, sizeof length);
  return out + header + data;
}

SafetensorsView view_of(const std::string& bytes) {
  return {std::as_bytes(std::span(bytes)), "w.safetensors"};
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::string& header, const std::string& data) {
  const std::string bytes = file_of(header, data);
  return message_of([&] { view_of(bytes); });
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const fs::path tiny = fs::path(JSDIV_GOLDEN_DIR) / "tabpfn" / "tiny.safetensors";

/// Loads `bytes` as a file called `name` and returns what load_weights says.
std::string load_refusal(const std::string& name, const std::string& bytes) {
  const fs::path path = fs::temp_directory_path() / ("jsdiv_" + std::to_string(getpid()) + "_" + name);
  std::ofstream(path, std::ios::binary) << bytes;
  const std::string message = message_of([&] { load_weights(path); });
  fs::remove(path);
  return message;
}

/// The tiny weights with their header changed.
std::string with_header(const std::function<void(nlohmann::json&)>& change) {
  const std::string bytes = contents(tiny);
  std::uint64_t length;
  std::memcpy(&length, bytes.data(), sizeof length);
  auto header = nlohmann::json::parse(bytes.substr(8, length));
  change(header);
  return file_of(header.dump(), bytes.substr(8 + length));
}

TEST(Safetensors, ReadsBothTypes) {
  const float numbers[] = {1.5F, -2};
  const std::uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7C00};
  std::string data(reinterpret_cast<const char*>(numbers), 8);
  data.append(reinterpret_cast<const char*>(halves), 8);
  const std::string bytes = file_of(R"({"__metadata__":{"k":"v"},
    "a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},"b":{"dtype":"F16","shape":[4],"data_offsets":[8,16]}})",
                                    data);
  const SafetensorsView view = view_of(bytes);
  EXPECT_EQ(view.metadata().at("k"), "v");
  EXPECT_EQ(view.tensors().at("a").shape, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(view.tensors().at("a").values(), (std::vector<float>{1.5F, -2}));
  EXPECT_EQ(view.tensors().at("b").values(), (std::vector<float>{1, -2, 0x1.0p-24F, INFINITY}));
}

TEST(Safetensors, RefusesWhatDoesNotFit) {
  const std::string eight(8, '\0');
  const auto tensor = [](const std::string& shape, const std::string& offsets,
                         const std::string& type = "F32") {
    return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
  };
  EXPECT_EQ(refusal(R"({"a":)" + tensor("[2]", "[0,8]") + "}", eight), "accepted");
  EXPECT_NE(refusal(R"({"a":)" + tensor("[3]", "[0,12]") + "}", eight).find("outside the file"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[1]", "[0,8]") + "}", eight).find("does not fit"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[4294967296,4294967296,4294967296]", "[0,8]") + "}", eight)
                .find("exceeds"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[-2]", "[0,8]") + "}", eight).find("non-negative"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[2]", "[0,8]", "I32") + "}", eight).find("F32"), std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[1]", "[0,4]") + "}", eight).find("after the last"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[1]", "[4,8]") + "}", eight).find("gap"), std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[2]", "[0,8]") + R"(,"b":)" + tensor("[1]", "[4,8]") + "}", eight)
                .find("overlap"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"a":)" + tensor("[2]", "[0,8]") + R"(,"a":)" + tensor("[2]", "[0,8]") + "}", eight)
                .find("twice"),
            std::string::npos);
  EXPECT_NE(refusal("{]", eight).find("not JSON"), std::string::npos);
  EXPECT_NE(refusal(std::string(5000, '['), eight).find("deeply"), std::string::npos);
}

TEST(Weights, AnyTruncationIsRefused) {
  const std::string bytes = contents(tiny);
  for (std::size_t size = 0; size < bytes.size(); size += 97) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_NE(message_of([&] { read_weights(view_of(cut), "w"); }), "accepted") << size;
  }
  EXPECT_NE(load_refusal("long", bytes + "x").find("after the last"), std::string::npos);
}

TEST(Weights, MessagesSayWhatIsWrong) {
  EXPECT_EQ(load_refusal("same", contents(tiny)), "accepted");
  EXPECT_NE(load_refusal("zip", "PK\x03\x04 and so on").find("tools/tabpfn_convert.py"), std::string::npos);
  EXPECT_NE(load_refusal("pickle", "\x80\x02}q").find("tools/tabpfn_convert.py"), std::string::npos);
  EXPECT_NE(load_refusal("foreign", file_of("{}", "")).find("not a converted TabPFN"), std::string::npos);
  EXPECT_NE(load_refusal("empty", "").find("is empty"), std::string::npos);
  EXPECT_NE(message_of([] { load_weights("/nonexistent/w"); }).find("cannot be read"), std::string::npos);
  const auto changed = [](const std::function<void(nlohmann::json&)>& change) {
    return load_refusal("changed", with_header(change));
  };
  EXPECT_NE(changed([](auto& h) { h["__metadata__"]["nhead"] = "4"; }).find("wrong shape"),
            std::string::npos);
  EXPECT_NE(changed([](auto& h) { h["__metadata__"]["emsize"] = "8x"; }).find("must be an integer"),
            std::string::npos);
  EXPECT_NE(changed([](auto& h) { h["__metadata__"].erase("nlayers"); }).find("lacks 'nlayers'"),
            std::string::npos);
  EXPECT_NE(changed([](auto& h) { h["__metadata__"]["normalize_x"] = "false"; }).find("only 'true'"),
            std::string::npos);
  EXPECT_NE(changed([](auto& h) {
              h["other"] = h["y_encoder.2.layer.bias"];
              h.erase("y_encoder.2.layer.bias");
            }).find("is missing"),
            std::string::npos);
  EXPECT_NE(changed([](auto& h) { h["__metadata__"]["nlayers"] = "1"; }).find("unexpected tensor"),
            std::string::npos);
}

TEST(Weights, RefusesNumbersThatAreNotFinite) {
  std::string bytes = contents(tiny);
  const float bad = NAN;
  std::memcpy(bytes.data() + bytes.size() - 4, &bad, 4);
  EXPECT_NE(load_refusal("nan", bytes).find("not finite"), std::string::npos);
}

TEST(SafetensorsFuzz, CorpusIsAcceptedOrRefused) {
  std::size_t files = 0, accepted = 0;
  for (const auto& entry : fs::directory_iterator(JSDIV_CORPUS_DIR)) {
    const std::string bytes = contents(entry.path());
    const std::string message = message_of([&] { read_weights(view_of(bytes), "w"); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << entry.path();
    accepted += message == "accepted";
    ++files;
  }
  EXPECT_GE(files, 16U);
  EXPECT_EQ(accepted, 1U);
}

}  // namespace
}  // namespace jsdiv::tabpfn
