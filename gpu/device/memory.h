// Accesses to the GPU's memory with the width and the predicate that the layout promises: the compiler would merge, split
// and drop plain ones. A lane that is masked off touches no memory. Compiled by NVRTC only.
#ifndef TILESCOPE_GPU_DEVICE_MEMORY_H_
#define TILESCOPE_GPU_DEVICE_MEMORY_H_

#include "gpu/device/tile.h"

namespace ts {

/// One access of `bytes` bytes in 32-bit words (one word for 1 to 4 bytes).
template <int bytes>
TS_FN void load_words(uint32_t* w, pointer p) {
  if constexpr (bytes == 1)
    asm volatile("ld.global.u8 %0, [%1];" : "=r"(w[0]) : "l"(p) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("{ .reg .b16 h; ld.global.b16 h, [%1]; cvt.u32.u16 %0, h; }" : "=r"(w[0]) : "l"(p) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("ld.global.b32 %0, [%1];" : "=r"(w[0]) : "l"(p) : "memory");
  else if constexpr (bytes == 8)
    asm volatile("ld.global.v2.b32 {%0, %1}, [%2];" : "=r"(w[0]), "=r"(w[1]) : "l"(p) : "memory");
  else
    asm volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(p) : "memory");
}
template <int bytes>
TS_FN void store_words(const uint32_t* w, pointer p) {
  if constexpr (bytes == 1)
    asm volatile("st.global.u8 [%1], %0;" : : "r"(w[0]), "l"(p) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("{ .reg .b16 h; cvt.u16.u32 h, %0; st.global.b16 [%1], h; }" : : "r"(w[0]), "l"(p) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("st.global.b32 [%1], %0;" : : "r"(w[0]), "l"(p) : "memory");
  else if constexpr (bytes == 8)
    asm volatile("st.global.v2.b32 [%2], {%0, %1};" : : "r"(w[0]), "r"(w[1]), "l"(p) : "memory");
  else
    asm volatile("st.global.v4.b32 [%4], {%0, %1, %2, %3};" : : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(p) : "memory");
}

/// The same, if `on`.
template <int bytes>
TS_FN void load_words(uint32_t* w, pointer p, bool on) {
  const int q = on;
  if constexpr (bytes == 1)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.u8 %0, [%1]; }" : "+r"(w[0]) : "l"(p), "r"(q) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("{ .reg .pred p; .reg .b16 h; cvt.u16.u32 h, %0; setp.ne.s32 p, %2, 0; @p ld.global.b16 h, [%1]; cvt.u32.u16 %0, h; }" : "+r"(w[0]) : "l"(p), "r"(q) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.b32 %0, [%1]; }" : "+r"(w[0]) : "l"(p), "r"(q) : "memory");
  else if constexpr (bytes == 8)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2.b32 {%0, %1}, [%2]; }" : "+r"(w[0]), "+r"(w[1]) : "l"(p), "r"(q) : "memory");
  else
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.b32 {%0, %1, %2, %3}, [%4]; }" : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]) : "l"(p), "r"(q) : "memory");
}
template <int bytes>
TS_FN void store_words(const uint32_t* w, pointer p, bool on) {
  const int q = on;
  if constexpr (bytes == 1)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.u8 [%1], %0; }" : : "r"(w[0]), "l"(p), "r"(q) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("{ .reg .pred p; .reg .b16 h; cvt.u16.u32 h, %0; setp.ne.s32 p, %2, 0; @p st.global.b16 [%1], h; }" : : "r"(w[0]), "l"(p), "r"(q) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.global.b32 [%1], %0; }" : : "r"(w[0]), "l"(p), "r"(q) : "memory");
  else if constexpr (bytes == 8)
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p st.global.v2.b32 [%2], {%0, %1}; }" : : "r"(w[0]), "r"(w[1]), "l"(p), "r"(q) : "memory");
  else
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p st.global.v4.b32 [%4], {%0, %1, %2, %3}; }" : : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(p), "r"(q) : "memory");
}

/// The bits of an element in memory; a bool is one byte, and any byte that is not 0 is true.
template <class T>
TS_FN uint64_t memory_bits(T x) {
  if constexpr (is_any_float<T>)
    return float_bits(x);
  else if constexpr (is_bool<T>)
    return x;
  else
    return (uint64_t)(unsigned_of<T>)x;
}
template <class T>
TS_FN T from_memory(uint64_t bits) {
  if constexpr (is_bool<T>)
    return (bits & 0xff) != 0;
  else
    return from_bits<T>((unsigned_of<T>)bits);
}

template <class T, int count>
struct Words {
  static constexpr int kBytes = count * (int)sizeof(T), kCount = kBytes < 4 ? 1 : kBytes / 4;
  uint32_t w[kCount];
  TS_FN void set(int i, T x) {
    const uint64_t bits = memory_bits(x);
    if constexpr (sizeof(T) == 8) {
      w[2 * i] = (uint32_t)bits;
      w[2 * i + 1] = (uint32_t)(bits >> 32);
    } else if constexpr (sizeof(T) == 4) {
      w[i] = (uint32_t)bits;
    } else {
      constexpr int per_word = 4 / (int)sizeof(T);
      w[i / per_word] |= (uint32_t)bits << (8 * (int)sizeof(T) * (i % per_word));
    }
  }
  TS_FN T get(int i) const {
    if constexpr (sizeof(T) == 8) return from_memory<T>(w[2 * i] | (uint64_t)w[2 * i + 1] << 32);
    if constexpr (sizeof(T) == 4) return from_memory<T>(w[i]);
    constexpr int per_word = sizeof(T) < 4 ? 4 / (int)sizeof(T) : 1;
    return from_memory<T>(w[i / per_word] >> (8 * (int)sizeof(T) * (i % per_word)));
  }
};

/// `count` neighbours of one thread from one address: one access. `x` holds what masked-off lanes get.
template <int count, class T>
TS_FN void load(T* x, pointer p, bool on) {
  using W = Words<T, count>;
  W words = {};
  if (!on) each(i, count) words.set(i, x[i]);
  load_words<W::kBytes>(words.w, p, on);
  each(i, count) x[i] = words.get(i);
}
template <int count, class T>
TS_FN void load(T* x, pointer p) {
  Words<T, count> words = {};
  load_words<Words<T, count>::kBytes>(words.w, p);
  each(i, count) x[i] = words.get(i);
}
template <int count, class T>
TS_FN void store(const T* x, pointer p) {
  Words<T, count> words = {};
  each(i, count) words.set(i, x[i]);
  store_words<Words<T, count>::kBytes>(words.w, p);
}
template <int count, class T>
TS_FN void store(const T* x, pointer p, bool on) {
  using W = Words<T, count>;
  W words = {};
  each(i, count) words.set(i, x[i]);
  store_words<W::kBytes>(words.w, p, on);
}

/// Whether one access may stand for `count`: the last address follows from the first. It does wherever no offset wrapped and
/// no dividend was negative.
template <int count, class T>
TS_FN bool is_run(pointer first, pointer last) {
  return last - first == (count - 1) * sizeof(T) && first % (count * sizeof(T)) == 0;
}
template <int count, class T>
TS_FN void load_checked(T* x, const pointer* p, bool on) {
  if (is_run<count, T>(p[0], p[count - 1])) return load<count>(x, p[0], on);
  each(i, count) load<1>(x + i, p[i], on);
}
template <int count, class T>
TS_FN void store_checked(const T* x, const pointer* p, bool on) {
  if (is_run<count, T>(p[0], p[count - 1])) return store<count>(x, p[0], on);
  each(i, count) store<1>(x + i, p[i], on);
}

/// `count` neighbours between registers and shared memory in one access; the address is a multiple of their size.
template <int count, class T>
TS_FN void put_shared(T* to, const T* x) {
  if constexpr (count == 1) {
    *to = x[0];
  } else {
    Words<T, count> words = {};
    each(i, count) words.set(i, x[i]);
    uint32_t* w = (uint32_t*)to;
    if constexpr (words.kBytes == 2) *(uint16_t*)w = (uint16_t)words.w[0];
    else if constexpr (words.kBytes == 4) *w = words.w[0];
    else if constexpr (words.kBytes == 8) *(uint2*)w = make_uint2(words.w[0], words.w[1]);
    else *(uint4*)w = make_uint4(words.w[0], words.w[1], words.w[2], words.w[3]);
  }
}
template <int count, class T>
TS_FN void get_shared(T* x, const T* from) {
  if constexpr (count == 1) {
    x[0] = *from;
  } else {
    Words<T, count> words = {};
    const uint32_t* w = (const uint32_t*)from;
    if constexpr (words.kBytes == 2) {
      words.w[0] = *(const uint16_t*)w;
    } else if constexpr (words.kBytes == 4) {
      words.w[0] = *w;
    } else if constexpr (words.kBytes == 8) {
      const uint2 v = *(const uint2*)w;
      words.w[0] = v.x, words.w[1] = v.y;
    } else {
      const uint4 v = *(const uint4*)w;
      words.w[0] = v.x, words.w[1] = v.y, words.w[2] = v.z, words.w[3] = v.w;
    }
    each(i, count) x[i] = words.get(i);
  }
}

/// Copies `bytes` (4, 8 or 16) from the GPU's memory to shared memory while the program goes on; zeros if not `on`.
template <int bytes>
TS_FN void copy_async(void* to, pointer from, bool on = true) {
  const uint32_t address = (uint32_t)__cvta_generic_to_shared(to);
  const int size = on ? bytes : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" : : "r"(address), "l"(from), "n"(bytes), "r"(size) : "memory");
}
/// The same past the first-level cache. It is faster into swizzled rows, and slower into padded ones.
TS_FN void copy_async_16(void* to, pointer from, bool on = true) {
  const uint32_t address = (uint32_t)__cvta_generic_to_shared(to);
  const int size = on ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(address), "l"(from), "r"(size) : "memory");
}
/// Ends a group of copies; waits until all but the last `running` groups have arrived.
TS_FN void end_copies() { asm volatile("cp.async.commit_group;" : : : "memory"); }
template <int running>
TS_FN void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" : : "n"(running) : "memory");
}

// ---- atomics: each update is one compare-and-swap of the element's bits, so that every type and combination follows the
// shared arithmetic; the GPU's own float atomics would flush subnormals.

template <class T>
TS_FN uint64_t compare_and_swap(pointer p, uint64_t expected, uint64_t desired) {
  if constexpr (sizeof(T) == 8) {
    return atomicCAS((unsigned long long*)p, expected, desired);
  } else if constexpr (sizeof(T) == 4) {
    return atomicCAS((unsigned int*)p, (uint32_t)expected, (uint32_t)desired);
  } else {
    // In the 32-bit word around the element.
    uint32_t* word = (uint32_t*)(p & ~pointer(3));
    const int shift = 8 * (int)(p & 3);
    const uint32_t mask = (sizeof(T) == 1 ? 0xffu : 0xffffu) << shift;
    uint32_t seen = *(volatile uint32_t*)word;
    for (;;) {
      if (((seen & mask) >> shift) != (uint32_t)expected) return (seen & mask) >> shift;
      const uint32_t got = atomicCAS((unsigned int*)word, seen, (seen & ~mask) | ((uint32_t)desired << shift));
      if (got == seen) return expected;
      seen = got;
    }
  }
}
template <class T>
TS_FN uint64_t read_for_update(pointer p) {
  if constexpr (sizeof(T) == 8) return *(volatile unsigned long long*)p;
  if constexpr (sizeof(T) == 4) return *(volatile unsigned int*)p;
  if constexpr (sizeof(T) == 2) return *(volatile unsigned short*)p;
  return *(volatile unsigned char*)p;
}

/// Replaces the element by combine(element, value); returns the old one.
template <class T, class F>
TS_FN T atomic_update(pointer p, T value, F combine) {
  uint64_t old = read_for_update<T>(p);
  for (;;) {
    const uint64_t seen = compare_and_swap<T>(p, old, memory_bits(combine(from_memory<T>(old), value)));
    if (seen == old) return from_memory<T>(old);
    old = seen;
  }
}
template <class T>
TS_FN T atomic_cas(pointer p, T expected, T desired) {
  return from_memory<T>(compare_and_swap<T>(p, memory_bits(expected), memory_bits(desired)));
}
/// Integer sums of 4 and 8 bytes have an instruction of their own.
template <class T>
TS_FN T atomic_add(pointer p, T value) {
  if constexpr (is_integer<T> && sizeof(T) == 4) {
    return (T)atomicAdd((unsigned int*)p, (uint32_t)value);
  } else if constexpr (is_integer<T> && sizeof(T) == 8) {
    return (T)atomicAdd((unsigned long long*)p, (unsigned long long)value);
  } else {
    return atomic_update(p, value, [](T a, T b) { return add(a, b); });
  }
}

}  // namespace ts

#endif  // TILESCOPE_GPU_DEVICE_MEMORY_H_
