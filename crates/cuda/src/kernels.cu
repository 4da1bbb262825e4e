// Every kernel of GREASE's, in one source without headers: NVRTC compiles it as it stands.
//
// People and items are nodes of one graph, people first; a table has a row of `stride` float4 a node, padded with zeros. A warp takes
// a row: `G` lanes hold it, 16 bytes each, and 32 / G edges are read at a time.
//
// Sums are always taken in one order, and nothing is added by atomics: the same card gives the same bytes.

typedef unsigned int u32;
typedef unsigned long long u64;

#define NONE 0xffffffffu
#define WARP 32
#define FULL 0xffffffffu

// What one step of training is about; `Step` in plan.rs is the same. Offsets are into the arrays of the epoch.
struct Step {
    u32 triples, slots;
    u32 triple_at, slot_at, entry_at, segment_at;
    // Adam's rate and root of this step, and the penalty's share a triple.
    float rate, root, penalty;
    // 1 / triples, times the gain of a score.
    float share;
};

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

// The sum of the rows of `x` at a node's neighbours, for float4 `column` of them; four reads are under way at a time.
template <int G>
__device__ __forceinline__ float4 neighbours(
    const u32 from, const u32 to, const u32* __restrict__ cols, const float4* __restrict__ x, const u32 stride, const u32 column,
    const u32 group) {
    constexpr u32 E = WARP / G;
    float4 a = zero4(), b = zero4(), c = zero4(), d = zero4();
    const bool inside = column < stride;
    u32 edge = from + group;
    for (; edge + 3 * E < to; edge += 4 * E) {
        const u32 i = cols[edge], j = cols[edge + E], k = cols[edge + 2 * E], l = cols[edge + 3 * E];
        if (inside) {
            add(a, x[(u64)i * stride + column]);
            add(b, x[(u64)j * stride + column]);
            add(c, x[(u64)k * stride + column]);
            add(d, x[(u64)l * stride + column]);
        }
    }
    for (; edge < to; edge += E)
        if (inside) add(a, x[(u64)cols[edge] * stride + column]);
    add(a, c);
    add(b, d);
    add(a, b);
    return across_groups<G>(a);
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

// out = base + factor (W x), every node's row. `order` begins with the longest rows, so that nobody waits for them at the end; the
// others stay as they are in the data, where neighbours have neighbours in common.
template <int G>
__device__ void propagate(
    const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* factor, const float4* base, const float4* x,
    const u32 stride, float4* out) {
    const Place at = place<G>();
    if (at.row >= nodes) return;
    const u32 node = order[at.row];
    for (u32 column = at.column; column < (stride + G - 1) / G * G; column += G) {
        const float4 sum = neighbours<G>(ptr[node], ptr[node + 1], cols, x, stride, column, at.group);
        if (at.group == 0 && column < stride) {
            float4 v = base == nullptr ? zero4() : base[(u64)node * stride + column];
            add_scaled(v, factor[node], sum);
            out[(u64)node * stride + column] = v;
        }
    }
}

// The same at the rows of a batch: out[slot] = table[node] + factor (W x)[node].
template <int G>
__device__ void propagate_at_slots(
    const Step* steps, const u32* now, const u32* rows_of_slots, const u32* ptr, const u32* cols, const float* factor,
    const float4* table, const float4* x, const u32 layers, const u32 stride, float4* out) {
    const Step step = steps[*now];
    const Place at = place<G>();
    if (at.row >= step.slots) return;
    const u32 node = rows_of_slots[step.slot_at + at.row];
    for (u32 column = at.column; column < (stride + G - 1) / G * G; column += G) {
        float4 sum = zero4();
        if (layers > 0) sum = neighbours<G>(ptr[node], ptr[node + 1], cols, x, stride, column, at.group);
        if (at.group == 0 && column < stride) {
            float4 v = table[(u64)node * stride + column];
            add_scaled(v, factor[node], sum);
            out[(u64)at.row * stride + column] = v;
        }
    }
}

// out = S G (at slots) + factor (W x), where x is what the batch asks for (its own scaled slopes) or a whole table.
template <int G, bool SPARSE>
__device__ void propagate_back(
    const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* factor, const u32* slot_of,
    const float4* scaled_slopes, const float4* x, const u32 stride, float4* out) {
    const Place at = place<G>();
    if (at.row >= nodes) return;
    const u32 node = order[at.row], slot = slot_of[node];
    for (u32 column = at.column; column < (stride + G - 1) / G * G; column += G) {
        const float4 sum = SPARSE
            ? slotted_neighbours<G>(ptr[node], ptr[node + 1], cols, slot_of, scaled_slopes, stride, column, at.group)
            : neighbours<G>(ptr[node], ptr[node + 1], cols, x, stride, column, at.group);
        if (at.group == 0 && column < stride) {
            float4 v = slot == NONE ? zero4() : scaled_slopes[(u64)slot * stride + column];
            add_scaled(v, factor[node], sum);
            out[(u64)node * stride + column] = v;
        }
    }
}

struct Moments {
    float* mean;
    float* square;
};

// Adam (Kingma and Ba, 2015), the bias corrections folded into `rate` and `root`.
__device__ __forceinline__ float adam(const float value, const float grad, float& mean, float& square, const float rate, const float root) {
    mean = fmaf(0.9f, mean, 0.1f * grad);
    square = fmaf(0.999f, square, 0.001f * grad * grad);
    return value - rate * mean / fmaf(sqrtf(square), root, 1e-8f);
}

__device__ __forceinline__ float4 adam4(const float4 v, const float4 g, float4& m, float4& s, const float rate, const float root) {
    return make_float4(
        adam(v.x, g.x, m.x, s.x, rate, root), adam(v.y, g.y, m.y, s.y, rate, root), adam(v.z, g.z, m.z, s.z, rate, root),
        adam(v.w, g.w, m.w, s.w, rate, root));
}

// The end of the way back: the gradient by a node's row of the table, and at once what Adam makes of it. `base` is left as the next
// step begins with it: S times the table. FROM: 0 the slopes alone, 1 from slots, 2 from a whole table.
template <int G, int FROM>
__device__ void learn(
    const Step* steps, const u32* now, const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots,
    const u32* slot_of, const float4* slopes, const float4* scaled_slopes, const float4* x, const u32 stride, float4* table,
    float4* means, float4* squares, float4* base) {
    const Step step = steps[*now];
    const Place at = place<G>();
    if (at.row >= nodes) return;
    const u32 node = order[at.row], slot = slot_of[node];
    for (u32 column = at.column; column < (stride + G - 1) / G * G; column += G) {
        float4 sum = zero4();
        if (FROM == 1)
            sum = slotted_neighbours<G>(ptr[node], ptr[node + 1], cols, slot_of, scaled_slopes, stride, column, at.group);
        if (FROM == 2) sum = neighbours<G>(ptr[node], ptr[node + 1], cols, x, stride, column, at.group);
        if (at.group == 0 && column < stride) {
            const u64 here = (u64)node * stride + column;
            float4 grad = slot == NONE ? zero4() : slopes[(u64)slot * stride + column];
            add_scaled(grad, roots[node], sum);
            float4 mean = means[here], square = squares[here];
            const float4 value = adam4(table[here], grad, mean, square, step.rate, step.root);
            table[here] = value;
            means[here] = mean;
            squares[here] = square;
            base[here] = scaled(roots[node], value);
        }
    }
}

// log(1 + e^x) without overflow.
__device__ __forceinline__ double softplus(const float x) {
    const double y = x;
    return fmax(y, 0.0) + log1p(exp(-fabs(y)));
}

__device__ __forceinline__ float sigmoid(const float x) { return 1.f / (1.f + expf(-x)); }

// The loss of every triple, and its slopes by the two scores. `triples` has three slots each: person, touched, other.
__device__ void judge(
    const Step* steps, const u32* now, const u32* triples, const float4* out, const u32 stride, const float gain, const int bpr,
    float2* slopes, double* values) {
    const Step step = steps[*now];
    const u32 triple = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
    if (triple >= step.triples) return;
    const u32* slots = triples + 3 * ((u64)step.triple_at + triple);
    const float4 *person = out + (u64)slots[0] * stride, *touched = out + (u64)slots[1] * stride, *other = out + (u64)slots[2] * stride;
    float positive = 0.f, negative = 0.f;
    for (u32 column = lane; column < stride; column += WARP) {
        const float4 mine = person[column];
        positive += dot4(mine, touched[column]);
        negative += dot4(mine, other[column]);
    }
    positive = gain * across_warp(positive);
    negative = gain * across_warp(negative);
    if (lane == 0) {
        if (bpr) {
            const float slope = step.share * sigmoid(negative - positive);
            slopes[triple] = make_float2(-slope, slope);
            values[triple] = softplus(negative - positive);
        } else {
            slopes[triple] = make_float2(-step.share * sigmoid(-positive), step.share * sigmoid(negative));
            values[triple] = softplus(-positive) + softplus(negative);
        }
    }
}

// The gradient by every slot's output row, from the triples it is in, one after the other: `entries` names them (4 triple + role).
// Written scaled for the way back, and with the penalty for its end.
template <int G>
__device__ void slope_rows(
    const Step* steps, const u32* now, const u32* rows_of_slots, const u32* segments, const u32* entries, const u32* triples,
    const float2* slopes, const float4* out, const float* roots, const float4* table, const u32 stride, float4* by_row,
    float4* by_row_scaled) {
    const Step step = steps[*now];
    // A group a slot, not a warp: segments are short.
    const u32 lane = threadIdx.x % WARP, column0 = lane % G;
    const u32 slot = ((blockIdx.x * blockDim.x + threadIdx.x) / WARP) * (WARP / G) + lane / G;
    if (slot >= step.slots) return;
    const u32 from = segments[step.segment_at + slot], to = segments[step.segment_at + slot + 1];
    const u32 node = rows_of_slots[step.slot_at + slot];
    for (u32 column = column0; column < stride; column += G) {
        float4 sum = zero4();
        for (u32 at = from; at < to; ++at) {
            const u32 entry = entries[step.entry_at + at], triple = entry / 4, role = entry % 4;
            const u32* slots = triples + 3 * ((u64)step.triple_at + triple);
            const float2 slope = slopes[triple];
            if (role == 0) {
                const float4 a = out[(u64)slots[1] * stride + column], b = out[(u64)slots[2] * stride + column];
                sum.x += slope.x * a.x + slope.y * b.x;
                sum.y += slope.x * a.y + slope.y * b.y;
                sum.z += slope.x * a.z + slope.y * b.z;
                sum.w += slope.x * a.w + slope.y * b.w;
            } else {
                add_scaled(sum, role == 1 ? slope.x : slope.y, out[(u64)slots[0] * stride + column]);
            }
        }
        const u64 here = (u64)slot * stride + column;
        by_row_scaled[here] = scaled(roots[node], sum);
        add_scaled(sum, step.penalty * (float)(to - from), table[(u64)node * stride + column]);
        by_row[here] = sum;
    }
}

#define KERNELS(G)                                                                                                                   \
    extern "C" __global__ void __launch_bounds__(256) propagate_##G(                                                                 \
        const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* factor, const float4* base,                 \
        const float4* x, const u32 stride, float4* out) {                                                                            \
        propagate<G>(nodes, ptr, cols, order, factor, base, x, stride, out);                                                         \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) propagate_at_slots_##G(                                                        \
        const Step* steps, const u32* now, const u32* rows, const u32* ptr, const u32* cols, const float* factor,                    \
        const float4* table, const float4* x, const u32 layers, const u32 stride, float4* out) {                                     \
        propagate_at_slots<G>(steps, now, rows, ptr, cols, factor, table, x, layers, stride, out);                                   \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) propagate_back_slots_##G(                                                      \
        const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* factor, const u32* slot_of,                 \
        const float4* scaled_slopes, const float4* x, const u32 stride, float4* out) {                                               \
        propagate_back<G, true>(nodes, ptr, cols, order, factor, slot_of, scaled_slopes, x, stride, out);                            \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) propagate_back_##G(                                                            \
        const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* factor, const u32* slot_of,                 \
        const float4* scaled_slopes, const float4* x, const u32 stride, float4* out) {                                               \
        propagate_back<G, false>(nodes, ptr, cols, order, factor, slot_of, scaled_slopes, x, stride, out);                           \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) learn_alone_##G(                                                               \
        const Step* steps, const u32* now, const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots,   \
        const u32* slot_of, const float4* slopes, const float4* scaled_slopes, const float4* x, const u32 stride, float4* table,     \
        float4* means, float4* squares, float4* base) {                                                                              \
        learn<G, 0>(steps, now, nodes, ptr, cols, order, roots, slot_of, slopes, scaled_slopes, x, stride, table, means, squares,    \
                    base);                                                                                                           \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) learn_from_slots_##G(                                                          \
        const Step* steps, const u32* now, const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots,   \
        const u32* slot_of, const float4* slopes, const float4* scaled_slopes, const float4* x, const u32 stride, float4* table,     \
        float4* means, float4* squares, float4* base) {                                                                              \
        learn<G, 1>(steps, now, nodes, ptr, cols, order, roots, slot_of, slopes, scaled_slopes, x, stride, table, means, squares,    \
                    base);                                                                                                           \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) learn_##G(                                                                     \
        const Step* steps, const u32* now, const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots,   \
        const u32* slot_of, const float4* slopes, const float4* scaled_slopes, const float4* x, const u32 stride, float4* table,     \
        float4* means, float4* squares, float4* base) {                                                                              \
        learn<G, 2>(steps, now, nodes, ptr, cols, order, roots, slot_of, slopes, scaled_slopes, x, stride, table, means, squares,    \
                    base);                                                                                                           \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) slope_rows_##G(                                                                \
        const Step* steps, const u32* now, const u32* rows, const u32* segments, const u32* entries, const u32* triples,             \
        const float2* slopes, const float4* out, const float* roots, const float4* table, const u32 stride, float4* by_row,          \
        float4* by_row_scaled) {                                                                                                     \
        slope_rows<G>(steps, now, rows, segments, entries, triples, slopes, out, roots, table, stride, by_row, by_row_scaled);       \
    }

KERNELS(4)
KERNELS(8)
KERNELS(16)
KERNELS(32)

extern "C" __global__ void __launch_bounds__(256) judge_triples(
    const Step* steps, const u32* now, const u32* triples, const float4* out, const u32 stride, const float gain, const int bpr,
    float2* slopes, double* values) {
    judge(steps, now, triples, out, stride, gain, bpr, slopes, values);
}

// The mean loss of the batch, by one block: each thread its share in order, then the threads in order.
extern "C" __global__ void __launch_bounds__(1024) mean_loss(const Step* steps, const u32* now, const double* values, double* losses) {
    __shared__ double sums[1024];
    const u32 triples = steps[*now].triples;
    double sum = 0.0;
    for (u32 at = threadIdx.x; at < triples; at += blockDim.x) sum += values[at];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (u32 half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) losses[*now] = sums[0] / (double)triples;
}

// Writes which slot each node of the batch has, or takes it back.
extern "C" __global__ void __launch_bounds__(256) mark_slots(const Step* steps, const u32* now, const u32* rows_of_slots, u32* slot_of) {
    const Step step = steps[*now];
    const u32 slot = blockIdx.x * blockDim.x + threadIdx.x;
    if (slot < step.slots) slot_of[rows_of_slots[step.slot_at + slot]] = slot;
}

extern "C" __global__ void __launch_bounds__(256) unmark_slots(const Step* steps, const u32* now, const u32* rows_of_slots, u32* slot_of) {
    const Step step = steps[*now];
    const u32 slot = blockIdx.x * blockDim.x + threadIdx.x;
    if (slot < step.slots) slot_of[rows_of_slots[step.slot_at + slot]] = NONE;
}

// On to the next step; the last of a step's kernels.
extern "C" __global__ void next_step(u32* now) { *now += 1; }

// out = factor x, a row a node.
extern "C" __global__ void __launch_bounds__(256) scale_rows(const u64 values, const u32 stride, const float* factor, const float4* x, float4* out) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < values) out[at] = scaled(factor[at / stride], x[at]);
}
