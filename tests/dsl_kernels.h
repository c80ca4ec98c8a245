// The four lesson kernels, written in C++: each is the text of lessons/kernels/NAME/kernel.py, line by line.
#pragma once

#include <limits>

#include "core/dsl.h"

namespace tilescope::dsl_kernels {

namespace tl = tilescope::dsl;

inline std::shared_ptr<const HostKernel> vector_add() {
  return tl::kernel("add_kernel", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr"), y_ptr = k.pointer("y_ptr"), out_ptr = k.pointer("out_ptr");
    auto n = k.scalar("n");
    const int64_t BLOCK = k.constant("BLOCK");
    auto pid = tl::program_id(0);
    auto offsets = pid * BLOCK + tl::arange(0, BLOCK);
    auto mask = offsets < n;
    auto x = tl::load(x_ptr + offsets, mask);
    auto y = tl::load(y_ptr + offsets, {.mask = mask});
    tl::store(out_ptr + offsets, x + y, mask);
  });
}

inline std::shared_ptr<const HostKernel> softmax() {
  return tl::kernel("softmax_kernel", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr"), y_ptr = k.pointer("y_ptr");
    auto N = k.scalar("N");
    const int64_t BLOCK_SIZE = k.constant("BLOCK_SIZE");
    auto row = tl::program_id(0);
    auto cols = tl::arange(0, BLOCK_SIZE);
    auto mask = cols < N;
    auto x = tl::load(x_ptr + row * N + cols, mask, -std::numeric_limits<double>::infinity());
    x = x - tl::max(x, 0);
    auto numerator = tl::exp(x);
    auto denominator = tl::sum(numerator, 0);
    tl::store(y_ptr + row * N + cols, numerator / denominator, mask);
  });
}

inline std::shared_ptr<const HostKernel> matmul() {
  return tl::kernel("matmul_kernel", [](tl::Kernel& kernel) {
    auto a_ptr = kernel.pointer("a_ptr"), b_ptr = kernel.pointer("b_ptr"), c_ptr = kernel.pointer("c_ptr");
    auto M = kernel.scalar("M"), N = kernel.scalar("N"), K = kernel.scalar("K");
    const int64_t BLOCK_M = kernel.constant("BLOCK_M"), BLOCK_N = kernel.constant("BLOCK_N");
    const int64_t BLOCK_K = kernel.constant("BLOCK_K");
    auto rows = tl::program_id(0) * BLOCK_M + tl::arange(0, BLOCK_M);
    auto cols = tl::program_id(1) * BLOCK_N + tl::arange(0, BLOCK_N);
    auto acc = tl::zeros({BLOCK_M, BLOCK_N}, tl::float32);
    for (auto k : tl::range(0, K, BLOCK_K)) {
      auto ks = k + tl::arange(0, BLOCK_K);
      auto a = tl::load(a_ptr + tl::column(rows) * K + tl::row(ks),
                        {.mask = (tl::column(rows) < M) & (tl::row(ks) < K), .other = 0.0});
      auto b = tl::load(b_ptr + tl::column(ks) * N + tl::row(cols),
                        {.mask = (tl::column(ks) < K) & (tl::row(cols) < N), .other = 0.0});
      acc += tl::dot(a, b);
    }
    tl::store(c_ptr + tl::column(rows) * N + tl::row(cols), acc, (tl::column(rows) < M) & (tl::row(cols) < N));
  });
}

inline std::shared_ptr<const HostKernel> grouped_matmul() {
  return tl::kernel("grouped_matmul_kernel", [](tl::Kernel& kernel) {
    auto a_ptr = kernel.pointer("a_ptr"), b_ptr = kernel.pointer("b_ptr"), c_ptr = kernel.pointer("c_ptr");
    auto M = kernel.scalar("M"), N = kernel.scalar("N"), K = kernel.scalar("K");
    auto stride_am = kernel.scalar("stride_am"), stride_ak = kernel.scalar("stride_ak");
    auto stride_bk = kernel.scalar("stride_bk"), stride_bn = kernel.scalar("stride_bn");
    auto stride_cm = kernel.scalar("stride_cm"), stride_cn = kernel.scalar("stride_cn");
    const int64_t BLOCK_M = kernel.constant("BLOCK_M"), BLOCK_N = kernel.constant("BLOCK_N");
    const int64_t BLOCK_K = kernel.constant("BLOCK_K"), GROUP_M = kernel.constant("GROUP_M");

    auto pid = tl::program_id(0);
    auto tiles_m = tl::cdiv(M, BLOCK_M);
    auto tiles_n = tl::cdiv(N, BLOCK_N);
    auto in_group = GROUP_M * tiles_n;
    auto first_m = tl::floordiv(pid, in_group) * GROUP_M;
    auto group_m = tl::minimum(tiles_m - first_m, GROUP_M);
    auto tile_m = first_m + (pid % in_group) % group_m;
    auto tile_n = tl::floordiv(pid % in_group, group_m);

    auto rows = tile_m * BLOCK_M + tl::arange(0, BLOCK_M);
    auto cols = tile_n * BLOCK_N + tl::arange(0, BLOCK_N);
    auto ks = tl::arange(0, BLOCK_K);
    auto a_tile = a_ptr + tl::column(rows) * stride_am + tl::row(ks) * stride_ak;
    auto b_tile = b_ptr + tl::column(ks) * stride_bk + tl::row(cols) * stride_bn;
    auto acc = tl::zeros({BLOCK_M, BLOCK_N}, tl::float32);
    for (auto k : tl::range(0, tl::cdiv(K, BLOCK_K))) {
      auto left = K - k * BLOCK_K;
      auto a = tl::load(a_tile, (tl::column(rows) < M) & (tl::row(ks) < left), 0.0);
      auto b = tl::load(b_tile, (tl::column(ks) < left) & (tl::row(cols) < N), 0.0);
      acc = tl::dot(a, b, acc);
      a_tile += BLOCK_K * stride_ak;
      b_tile += BLOCK_K * stride_bk;
    }
    auto c_tile = c_ptr + tl::column(rows) * stride_cm + tl::row(cols) * stride_cn;
    tl::store(c_tile, acc.to(c_ptr.dtype()), (tl::column(rows) < M) & (tl::row(cols) < N));
  });
}

}  // namespace tilescope::dsl_kernels
