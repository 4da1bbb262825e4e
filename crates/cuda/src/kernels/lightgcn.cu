// LightGCN: products with the graph, and the end of a step.
//
// What is read or written once a kernel passes through the cache (`__ldcs`, `__stcs`): the rows that are gathered are to stay there.

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
            float4 v = base == nullptr ? zero4() : __ldcs(&base[(u64)node * stride + column]);
            add_scaled(v, factor[node], sum);
            __stcs(&out[(u64)node * stride + column], v);
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
            __stcs(&out[(u64)node * stride + column], v);
        }
    }
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
            float4 mean = __ldcs(&means[here]), square = __ldcs(&squares[here]);
            const float4 value = adam4(__ldcs(&table[here]), grad, mean, square, step.rate, step.root);
            __stcs(&table[here], value);
            __stcs(&means[here], mean);
            __stcs(&squares[here], square);
            base[here] = scaled(roots[node], value);
        }
    }
}

// The gradient by every slot's output row: written scaled for the way back, and with the penalty for its end.
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
        float4 sum = slope_of(step, from, to, entries, triples, slopes, out, stride, column);
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

// out = factor x, a row a node.
extern "C" __global__ void __launch_bounds__(256) scale_rows(const u64 values, const u32 stride, const float* factor, const float4* x, float4* out) {
    const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < values) out[at] = scaled(factor[at / stride], x[at]);
}
