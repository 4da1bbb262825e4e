// Every kernel of GREASE's, in one source without headers: NVRTC compiles it as it stands.
//
// People and items are nodes of one graph, people first; a table has a row of `stride` float4 a node, padded with zeros. A warp takes
// a row: `G` lanes hold it, 16 bytes each, and 32 / G edges are read at a time.
//
// Sums are always taken in one order, and nothing is added by atomics: the same card gives the same bytes.

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

#define NONE 0xffffffffu
#define WARP 32
#define FULL 0xffffffffu

__device__ __forceinline__ float4 zero4() { return make_float4(0.f, 0.f, 0.f, 0.f); }

__device__ __forceinline__ void add(float4& a, const float4 b) {
    a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w;
}

__device__ __forceinline__ void add_scaled(float4& a, const float f, const float4 b) {
    a.x = fmaf(f, b.x, a.x); a.y = fmaf(f, b.y, a.y); a.z = fmaf(f, b.z, a.z); a.w = fmaf(f, b.w, a.w);
}

__device__ __forceinline__ float dot4(const float4 a, const float4 b) {
    return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, a.w * b.w)));
}

__device__ __forceinline__ float4 scaled(const float f, const float4 a) {
    return make_float4(f * a.x, f * a.y, f * a.z, f * a.w);
}

// Adds up what the groups of a warp hold for the same columns; every lane then has the sum.
template <int G> __device__ __forceinline__ float4 across_groups(float4 v) {
    for (int offset = G; offset < WARP; offset *= 2) {
        v.x += __shfl_xor_sync(FULL, v.x, offset);
        v.y += __shfl_xor_sync(FULL, v.y, offset);
        v.z += __shfl_xor_sync(FULL, v.z, offset);
        v.w += __shfl_xor_sync(FULL, v.w, offset);
    }
    return v;
}

__device__ __forceinline__ float across_warp(float v) {
    for (int offset = 1; offset < WARP; offset *= 2) v += __shfl_xor_sync(FULL, v, offset);
    return v;
}

// Which row a warp takes, and what of it its lane.
struct Place {
    u32 row;     // number of the warp in the grid
    u32 column;  // float4 of the row
    u32 group;   // which of the edges read together
};

template <int G> __device__ __forceinline__ Place place() {
    const u32 lane = threadIdx.x % WARP;
    return Place{(blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane % G, lane / G};
}

// The sum of some rows of `x`, for float4 `column` of them: those that the first `count` lanes hold the number of. Each group takes
// every (32 / G)th, and the groups are added up at the end.
template <int G>
__device__ __forceinline__ void gather(
    const u32 mine, const u32 count, const float4* __restrict__ x, const u32 stride, const u32 column, const u32 group, float4& a,
    float4& b) {
    constexpr u32 E = WARP / G;
    const bool inside = column < stride;
    // All lanes go round as often: a number comes from the lane that holds it.
    #pragma unroll 4
    for (u32 at = 0; at < count; at += 2 * E) {
        const u32 first = at + group, second = first + E;
        const u32 i = __shfl_sync(FULL, mine, first % WARP), j = __shfl_sync(FULL, mine, second % WARP);
        if (inside && first < count) add(a, x[(u64)i * stride + column]);
        if (inside && second < count) add(b, x[(u64)j * stride + column]);
    }
}

// Adds the rows of N edges to four sums in turn; all are read before any is added, so that N reads are under way at a time.
template <int N>
__device__ __forceinline__ void add_rows(
    const u32* __restrict__ cols, const u32 edge, const u32 step, const float4* __restrict__ x, const u32 stride, const u32 column,
    float4 (&sums)[4]) {
    float4 rows[N];
    #pragma unroll
    for (u32 t = 0; t < N; ++t) rows[t] = x[(u64)cols[edge + t * step] * stride + column];
    #pragma unroll
    for (u32 t = 0; t < N; ++t) add(sums[t % 4], rows[t]);
}

// The sum of the rows of `x` at a node's neighbours, for float4 `column` of them: a read waits long, so many are begun at once.
template <int G>
__device__ __forceinline__ float4 neighbours(
    const u32 from, const u32 to, const u32* __restrict__ cols, const float4* __restrict__ x, const u32 stride, const u32 column,
    const u32 group) {
    constexpr u32 E = WARP / G;
    float4 sums[4] = {zero4(), zero4(), zero4(), zero4()};
    if (column < stride) {
        u32 edge = from + group;
        for (; edge + 15 * E < to; edge += 16 * E) add_rows<16>(cols, edge, E, x, stride, column, sums);
        for (; edge + 7 * E < to; edge += 8 * E) add_rows<8>(cols, edge, E, x, stride, column, sums);
        for (; edge + 3 * E < to; edge += 4 * E) add_rows<4>(cols, edge, E, x, stride, column, sums);
        for (; edge < to; edge += E) add_rows<1>(cols, edge, E, x, stride, column, sums);
    }
    add(sums[0], sums[2]);
    add(sums[1], sums[3]);
    add(sums[0], sums[1]);
    return across_groups<G>(sums[0]);
}

// The same where only the rows that have a slot are not zero; `x` has a row a slot. Those are brought together first.
template <int G>
__device__ __forceinline__ float4 slotted_neighbours(
    const u32 from, const u32 to, const u32* __restrict__ cols, const u32* __restrict__ slot_of, const float4* __restrict__ x,
    const u32 stride, const u32 column, const u32 group) {
    __shared__ u32 found[8][WARP];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    float4 a = zero4(), b = zero4();
    for (u32 edge = from; edge < to; edge += WARP) {
        const u32 slot = edge + lane < to ? slot_of[cols[edge + lane]] : NONE;
        const u32 there = __ballot_sync(FULL, slot != NONE);
        if (slot != NONE) found[warp][__popc(there & ((1u << lane) - 1))] = slot;
        __syncwarp();
        const u32 mine = found[warp][lane];
        __syncwarp();
        gather<G>(mine, __popc(there), x, stride, column, group, a, b);
    }
    add(a, b);
    return across_groups<G>(a);
}
