#include "core/host_facts.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <vector>

#include "core/letters.h"
#include "core/syntax/parser.h"

namespace tilescope {
namespace {

constexpr const char* kCuda = "PyTorch is built for CUDA";
constexpr const char* kHopper = "an H200 is of compute capability 9.0";
constexpr const char* kH200 = "data sheet of the H200";
constexpr const char* kOther = "the GPU is NVIDIA's";
constexpr const char* kTarget = "Triton's target of an H200: GPUTarget('cuda', 90, 32)";
constexpr const char* kRelease = "the release that Tilescope follows, and the PyTorch that comes with it";

constexpr HostFact kFacts[] = {
    {"torch.__version__", "'2.10.0'", kRelease},
    {"torch.version.cuda", "'12.8'", kCuda},
    {"torch.version.hip", "None", kCuda},
    {"torch.version.xpu", "None", kCuda},
    {"torch.cuda.is_available()", "True", kCuda},
    {"torch.cuda.is_bf16_supported()", "True", kHopper},
    {"torch.cuda.device_count()", "1", "one GPU is simulated"},
    {"torch.cuda.current_device()", "0", "one GPU is simulated"},
    {"torch.cuda.get_device_capability()", "(9, 0)", kHopper},
    {"torch.cuda.get_device_name()", "'NVIDIA H200'", kH200},
    {"torch.cuda.get_device_properties().name", "'NVIDIA H200'", kH200},
    {"torch.cuda.get_device_properties().major", "9", kHopper},
    {"torch.cuda.get_device_properties().minor", "0", kHopper},
    {"torch.cuda.get_device_properties().multi_processor_count", "132", kH200},
    {"torch.cuda.get_device_properties().warp_size", "32", kHopper},
    {"torch.cuda.get_device_properties().shared_memory_per_block_optin", "232448", "227 KiB for one block at 9.0"},
    {"torch.xpu.is_available()", "False", kOther},
    {"torch.mps.is_available()", "False", kOther},
    {"torch.backends.mps.is_available()", "False", kOther},
    {"torch.utils._triton.has_triton()", "True", "there is Triton"},
    {"triton.runtime.driver.active.get_current_device()", "0", "one GPU is simulated"},
    {"triton.runtime.driver.active.get_current_target().backend", "'cuda'", kTarget},
    {"triton.runtime.driver.active.get_current_target().arch", "90", kTarget},
    {"triton.runtime.driver.active.get_current_target().warp_size", "32", kTarget},
    {"triton.runtime.driver.active.get_active_torch_device().type", "'cuda'", kTarget},
    {"sys.platform", "'linux'", "Triton runs on Linux"},
    {"platform.system()", "'Linux'", "Triton runs on Linux"},
    // vLLM's object for the machine; other packages have taken it over.
    {"current_platform.is_cuda()", "True", kOther},
    {"current_platform.is_cuda_alike()", "True", kOther},
    {"current_platform.is_rocm()", "False", kOther},
    {"current_platform.is_xpu()", "False", kOther},
    {"current_platform.is_cpu()", "False", kOther},
    {"current_platform.is_tpu()", "False", kOther},
    {"current_platform.is_hpu()", "False", kOther},
    {"current_platform.is_npu()", "False", kOther},
    {"current_platform.is_out_of_tree()", "False", kOther},
    {"current_platform.is_fp8_fnuz()", "False", "only AMD has fp8 of the FNUZ kind"},
    {"current_platform.supports_fp8()", "True", kHopper},
    {"current_platform.fp8_dtype()", "torch.float8_e4m3fn", kHopper},
    {"current_platform.device_type", "'cuda'", kOther},
    {"current_platform.get_device_name()", "'NVIDIA H200'", kH200},
    {"current_platform.get_device_capability().major", "9", kHopper},
    {"current_platform.get_device_capability().minor", "0", kHopper},
    {"current_platform.get_device_capability().to_int()", "90", kHopper},
};

/// Names without underscores before them, in small letters.
constexpr HostFact kNames[] = {
    {"is_nvidia*", "True", kOther},
    {"is_cuda", "True", kOther},
    {"is_cuda_alike", "True", kOther},
    {"is_cuda_available", "True", kOther},
    {"is_hopper*", "True", kHopper},
    {"is_sm90*", "True", kHopper},
    {"is_tf32_supported", "True", kHopper},
    {"is_tma_supported", "True", kHopper},
    {"supports_tma", "True", kHopper},
    {"is_fp8_supported", "True", kHopper},
    {"device_platform", "'cuda'", kTarget},
    {"is_fp8_fnuz", "False", "only AMD has fp8 of the FNUZ kind"},
    {"is_hip*", "False", kOther},
    {"is_rocm*", "False", kOther},
    {"is_amd*", "False", kOther},
    {"is_gfx*", "False", kOther},
    {"is_cdna*", "False", kOther},
    {"is_rdna*", "False", kOther},
    {"is_mi3*", "False", kOther},
    {"is_xpu*", "False", kOther},
    {"is_intel*", "False", kOther},
    {"is_npu*", "False", kOther},
    {"is_ascend*", "False", kOther},
    {"is_musa*", "False", kOther},
    {"is_mlu*", "False", kOther},
    {"is_hpu*", "False", kOther},
    {"is_mps*", "False", kOther},
    {"is_tpu*", "False", kOther},
    {"is_cpu", "False", "the kernel runs on a GPU"},
    {"is_blackwell*", "False", kHopper},
    {"is_sm10*", "False", kHopper},
    {"is_sm12*", "False", kHopper},
};

ParsedExpr parsed(const HostFact& f) {
  auto source = std::make_shared<SourceFile>();
  source->path = "<facts about the machine>";
  source->text = std::string(f.value);
  Expected<ParsedExpr> e = parse_expression(source);
  if (!e) internal_error("the value of " + std::string(f.name) + " does not parse");
  return std::move(*e);
}

template <size_t N>
std::vector<ParsedExpr> parse_all(const HostFact (&facts)[N]) {
  std::vector<ParsedExpr> out;
  for (const HostFact& f : facts) out.push_back(parsed(f));
  return out;
}

}  // namespace

const HostFact* find_host_fact(std::string_view path) {
  const auto* f = std::find_if(std::begin(kFacts), std::end(kFacts), [&](const HostFact& x) { return x.name == path; });
  return f == std::end(kFacts) ? nullptr : f;
}

bool holds_host_facts(std::string_view path) {
  return std::any_of(std::begin(kFacts), std::end(kFacts), [&](const HostFact& f) {
    return f.name.size() > path.size() && f.name.starts_with(path) && (f.name[path.size()] == '.' || f.name[path.size()] == '(');
  });
}

const HostFact* find_named_fact(std::string_view name) {
  const std::string plain = lower_case(std::string(name.substr(std::min(name.find_first_not_of('_'), name.size()))));
  const auto* f = std::find_if(std::begin(kNames), std::end(kNames), [&](const HostFact& x) {
    return x.name.ends_with('*') ? plain.starts_with(x.name.substr(0, x.name.size() - 1)) : plain == x.name;
  });
  return f == std::end(kNames) ? nullptr : f;
}

const Expr& value_of(const HostFact& fact) {
  static const auto* facts = new std::vector<ParsedExpr>(parse_all(kFacts));
  static const auto* names = new std::vector<ParsedExpr>(parse_all(kNames));
  const bool named = &fact >= std::begin(kNames) && &fact < std::end(kNames);
  return *(named ? (*names)[static_cast<size_t>(&fact - kNames)] : (*facts)[static_cast<size_t>(&fact - kFacts)]).root;
}

}  // namespace tilescope
