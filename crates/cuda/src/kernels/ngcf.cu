// NGCF: a layer on tiles of rows, there and back; what the batch asks of every layer; the end of a step.
//
//   z = (p + h) W1 + b1 + (p * h) W2 + b2,   out = dropout(LeakyReLU(z)),   p = S W S h
//
// A layer's tensors lie one behind the other: W1, b1, W2, b2; a matrix has a row of `stride` float4 for each of 4 `stride` inputs,
// zeros where the model is narrower. SLOTS: at the rows of the batch alone, where `h` is still a table of all nodes, and everything else
// has a row a slot.

#define LEAK 0.2f
#define SHORTEST 1e-12f

struct Layer {
    const float4 *w1, *b1, *w2, *b2;
};

__device__ __forceinline__ Layer layer_at(const float4* tensors, const u32 stride) {
    const u64 matrix = 4 * (u64)stride * stride;
    return Layer{tensors, tensors + matrix, tensors + matrix + stride, tensors + 2 * matrix + stride};
}

// The finishing step of SplitMix64, and two numbers joined by it, as `seed::mix` has them.
__device__ __forceinline__ u64 avalanche(u64 a) {
    a += 0x9e3779b97f4a7c15ull;
    a = (a ^ (a >> 30)) * 0xbf58476d1ce4e5b9ull;
    a = (a ^ (a >> 27)) * 0x94d049bb133111ebull;
    return a ^ (a >> 31);
}

__device__ __forceinline__ u64 mix(const u64 a, const u64 b) { return avalanche(avalanche(a) + b); }

__device__ __forceinline__ float leaky(const float z) { return fmaxf(z, LEAK * z); }

// What a slope by an output is multiplied with on its way to z: the output's sign tells, and 0 where it was dropped.
__device__ __forceinline__ float gate(const float out, const float up) { return out > 0.f ? up : out < 0.f ? LEAK * up : 0.f; }

__device__ __forceinline__ float4 gated(const float4 slope, const float4 out, const float up) {
    return make_float4(
        slope.x * gate(out.x, up), slope.y * gate(out.y, up), slope.z * gate(out.z, up), slope.w * gate(out.w, up));
}

__device__ __forceinline__ float4 plus(const float4 a, const float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ __forceinline__ float4 times(const float4 a, const float4 b) {
    return make_float4(a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}

// Drops values of a row: sixteen random bits decide each. `key` names step, layer and side, `row` counts within the side.
__device__ __forceinline__ float4 dropped(
    const float4 v, const u64 key, const u32 row, const u32 quad, const u32 threshold, const float up) {
    if (threshold == 0) return scaled(up, v);
    const u64 bits = mix(key, (u64)row << 16 | quad);
    return make_float4(
        (bits & 0xffff) < threshold ? 0.f : up * v.x, (bits >> 16 & 0xffff) < threshold ? 0.f : up * v.y,
        (bits >> 32 & 0xffff) < threshold ? 0.f : up * v.z, bits >> 48 < threshold ? 0.f : up * v.w);
}

// A tile of a layer's output; with `scaled_out` also S times it, as the next layer reads it.
template <bool SLOTS>
__device__ __forceinline__ void forward(
    const Step* steps, const u32* now, const u32* rows_of_slots, const u32 nodes, const u32 users, const u32 layer, const u32 threshold,
    const float up, const float* roots, const float4* tensors, const float4* h, const float4* p, const u32 stride, float4* out,
    float4* scaled_out) {
    __shared__ Panel sums, products, first, second;
    const u32 count = SLOTS ? steps[*now].slots : nodes;
    const u32* own = SLOTS ? rows_of_slots + steps[*now].slot_at : nullptr;
    const u32 row0 = blockIdx.x * TILE, quad0 = blockIdx.y * (TILE / 4);
    if (row0 >= count) return;
    const Layer w = layer_at(tensors, stride);
    float4 c[4] = {zero4(), zero4(), zero4(), zero4()};
    for (u32 quad = 0; quad < stride; quad += DEPTH / 4) {
        __syncthreads();
        for (u32 round = 0; round < 2; ++round) {
            const Piece at = piece(round);
            const u32 row = row0 + at.row;
            float4 a = zero4(), b = zero4();
            if (row < count && quad + at.quad < stride) {
                a = h[(u64)(SLOTS ? own[row] : row) * stride + quad + at.quad];
                b = p[(u64)row * stride + quad + at.quad];
            }
            put_turned(sums, at, plus(a, b));
            put_turned(products, at, times(a, b));
        }
        bring(first, w.w1, 4 * quad, 4 * stride, quad0, stride);
        bring(second, w.w2, 4 * quad, 4 * stride, quad0, stride);
        __syncthreads();
        multiply(sums, first, c);
        multiply(products, second, c);
    }
    const u32 quad = quad0 + own_quad();
    if (quad >= stride) return;
    const float4 bias = plus(w.b1[quad], w.b2[quad]);
    const u64 key = threshold == 0 ? 0 : steps[*now].key;
    for (u32 k = 0; k < 4; ++k) {
        const u32 row = row0 + own_row() + k;
        if (row >= count) return;
        const u32 node = SLOTS ? own[row] : row;
        const u32 item = node >= users;
        const float4 z = plus(c[k], bias);
        const float4 v = dropped(
            make_float4(leaky(z.x), leaky(z.y), leaky(z.z), leaky(z.w)), mix(key, (u64)layer << 1 | item), item ? node - users : node, quad,
            threshold, up);
        out[(u64)row * stride + quad] = v;
        if (scaled_out != nullptr) scaled_out[(u64)row * stride + quad] = scaled(roots[node], v);
    }
}

// A tile of the gradients by a layer's inputs, from that by its output: with dz = slope * gate, s = dz W1' and q = dz W2'
// by_h = s + q * p, without what comes through p, and S (s + q * h), as it then goes back through the graph.
template <bool SLOTS>
__device__ __forceinline__ void back_rows(
    const Step* steps, const u32* now, const u32* rows_of_slots, const u32 nodes, const float up, const float* roots,
    const float4* tensors, const float4* h, const float4* p, const float4* out, const float4* slopes, const u32 slope_stride,
    const u32 stride, float4* by_h, float4* scaled_by_p) {
    __shared__ Panel dz, first, second;
    const u32 count = SLOTS ? steps[*now].slots : nodes;
    const u32* own = SLOTS ? rows_of_slots + steps[*now].slot_at : nullptr;
    const u32 row0 = blockIdx.x * TILE, quad0 = blockIdx.y * (TILE / 4);
    if (row0 >= count) return;
    const Layer w = layer_at(tensors, stride);
    float4 s[4] = {zero4(), zero4(), zero4(), zero4()}, q[4] = {zero4(), zero4(), zero4(), zero4()};
    for (u32 quad = 0; quad < stride; quad += DEPTH / 4) {
        __syncthreads();
        for (u32 round = 0; round < 2; ++round) {
            const Piece at = piece(round);
            const u32 row = row0 + at.row;
            float4 v = zero4();
            if (row < count && quad + at.quad < stride)
                v = gated(slopes[(u64)row * slope_stride + quad + at.quad], out[(u64)row * stride + quad + at.quad], up);
            put_turned(dz, at, v);
        }
        bring_turned(first, w.w1, 4 * quad0, 4 * stride, quad, stride);
        bring_turned(second, w.w2, 4 * quad0, 4 * stride, quad, stride);
        __syncthreads();
        multiply(dz, first, s);
        multiply(dz, second, q);
    }
    const u32 quad = quad0 + own_quad();
    if (quad >= stride) return;
    for (u32 k = 0; k < 4; ++k) {
        const u32 row = row0 + own_row() + k;
        if (row >= count) return;
        const u32 node = SLOTS ? own[row] : row;
        const u64 here = (u64)row * stride + quad;
        by_h[here] = plus(s[k], times(q[k], p[here]));
        scaled_by_p[here] = scaled(roots[node], plus(s[k], times(q[k], h[(u64)node * stride + quad])));
    }
}

// Parts of the gradients by a layer's tensors: (p + h)' dz, (p * h)' dz and the sum of dz. blockIdx.x has its share of the rows and
// writes its part; blockIdx.y is a tile of the matrices, of which there are `tiles` x `tiles`.
#define TOGETHER 16
template <bool SLOTS>
__device__ __forceinline__ void back_tensors(
    const Step* steps, const u32* now, const u32* rows_of_slots, const u32 nodes, const float up, const float4* h, const float4* p,
    const float4* out, const float4* slopes, const u32 slope_stride, const u32 stride, const u32 tiles, float4* parts) {
    __shared__ float sums[TOGETHER][TILE], products[TOGETHER][TILE], dz[TOGETHER][TILE];
    const u32 count = SLOTS ? steps[*now].slots : nodes;
    const u32* own = SLOTS ? rows_of_slots + steps[*now].slot_at : nullptr;
    const u32 share = (count + gridDim.x - 1) / gridDim.x;
    const u32 to = min(count, (blockIdx.x + 1) * share);
    const u32 left0 = blockIdx.y / tiles * (TILE / 4), right0 = blockIdx.y % tiles * (TILE / 4);
    const u32 at = threadIdx.x / 16, quad = own_quad();
    float4 c[4] = {zero4(), zero4(), zero4(), zero4()}, d[4] = {zero4(), zero4(), zero4(), zero4()};
    float bias = 0.f;
    for (u32 from = blockIdx.x * share; from < to; from += TOGETHER) {
        const u32 row = from + at;
        float4 a = zero4(), b = zero4(), v = zero4();
        if (row < to && left0 + quad < stride) {
            a = h[(u64)(SLOTS ? own[row] : row) * stride + left0 + quad];
            b = p[(u64)row * stride + left0 + quad];
        }
        if (row < to && right0 + quad < stride)
            v = gated(slopes[(u64)row * slope_stride + right0 + quad], out[(u64)row * stride + right0 + quad], up);
        __syncthreads();
        *(float4*)&sums[at][4 * quad] = plus(a, b);
        *(float4*)&products[at][4 * quad] = times(a, b);
        *(float4*)&dz[at][4 * quad] = v;
        __syncthreads();
        #pragma unroll 4
        for (u32 k = 0; k < TOGETHER; ++k) {
            const float4 y = *(const float4*)&dz[k][4 * quad];
            outer(c, *(const float4*)&sums[k][own_row()], y);
            outer(d, *(const float4*)&products[k][own_row()], y);
        }
        if (left0 == 0 && threadIdx.x < TILE)
            for (u32 k = 0; k < TOGETHER; ++k) bias += dz[k][threadIdx.x];
    }
    const u64 matrix = 4 * (u64)stride * stride;
    float4* part = parts + blockIdx.x * (2 * matrix + stride);
    for (u32 k = 0; k < 4; ++k) {
        const u32 row = 4 * left0 + own_row() + k;
        if (row >= 4 * stride || right0 + quad >= stride) break;
        part[(u64)row * stride + right0 + quad] = c[k];
        part[matrix + (u64)row * stride + right0 + quad] = d[k];
    }
    const u32 column = 4 * right0 + threadIdx.x;
    if (left0 == 0 && threadIdx.x < TILE && column < 4 * stride) ((float*)(part + 2 * matrix))[column] = bias;
}

// Adds the parts up, in order, and takes Adam's step with a layer's tensors; both biases have the same gradient.
extern "C" __global__ void __launch_bounds__(256) learn_layer(
    const Step* steps, const u32* now, const u32 count, const u32 stride, const float* parts, float* values, float* means,
    float* squares) {
    __shared__ float sums[8][WARP];
    const u64 width = 4 * (u64)stride, matrix = width * width, size = 2 * matrix + width;
    const u32 lane = threadIdx.x % WARP, slice = threadIdx.x / WARP;
    const u64 at = (u64)blockIdx.x * WARP + lane;
    float sum = 0.f;
    if (at < size) {
        #pragma unroll 4
        for (u32 part = slice; part < count; part += 8) sum += parts[part * size + at];
    }
    sums[slice][lane] = sum;
    __syncthreads();
    if (slice != 0 || at >= size) return;
    for (u32 other = 1; other < 8; ++other) sum += sums[other][lane];
    const Step step = steps[*now];
    // Behind the first matrix stands its bias, which the parts have at their end.
    const bool biases = at >= 2 * matrix;
    const u64 first = at < matrix ? at : biases ? at - matrix : at + width;
    values[first] = adam(values[first], sum, means[first], squares[first], step.rate, step.root);
    if (biases) {
        const u64 second = at + width;
        values[second] = adam(values[second], sum, means[second], squares[second], step.rate, step.root);
    }
}

// S W x at the rows of the batch.
template <int G>
__device__ __forceinline__ void aggregate_slots(
    const Step* steps, const u32* now, const u32* rows_of_slots, const u32* ptr, const u32* cols, const float* roots, const float4* x,
    const u32 stride, float4* out) {
    const Step step = steps[*now];
    const Place at = place<G>();
    if (at.row >= step.slots) return;
    const u32 node = rows_of_slots[step.slot_at + at.row];
    for (u32 column = at.column; column < (stride + G - 1) / G * G; column += G) {
        const float4 sum = neighbours<G>(ptr[node], ptr[node + 1], cols, x, stride, column, at.group);
        if (at.group == 0 && column < stride) out[(u64)at.row * stride + column] = scaled(roots[node], sum);
    }
}

template <int G> __device__ __forceinline__ float across_group(float v) {
    for (int offset = 1; offset < G; offset *= 2) v += __shfl_xor_sync(FULL, v, offset);
    return v;
}

// One layer's part of the output embeddings, a group of lanes a row: layer 0 as it is, every other divided by its length. SLOTS: of
// the rows of the batch, which are those `nodes_of` names, or where it is nothing, one a slot.
template <int G, bool SLOTS>
__device__ __forceinline__ void read_layer(
    const Step* steps, const u32* now, const u32* nodes_of, const u32 nodes, const float4* x, const u32 stride, const u32 part,
    const u32 parts, float4* out, float* shrinks) {
    const u32 lane = threadIdx.x % WARP;
    const u32 row = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * (WARP / G) + lane / G;
    const bool there = row < (SLOTS ? steps[*now].slots : nodes);
    const u32 from = SLOTS && there && nodes_of != nullptr ? nodes_of[steps[*now].slot_at + row] : row;
    float square = 0.f;
    if (there)
        for (u32 column = lane % G; column < stride; column += G) {
            const float4 v = x[(u64)from * stride + column];
            square += dot4(v, v);
        }
    const float length = sqrtf(across_group<G>(square));
    if (!there) return;
    const float shrink = part == 0 ? 1.f : 1.f / fmaxf(length, SHORTEST);
    for (u32 column = lane % G; column < stride; column += G)
        out[((u64)row * parts + part) * stride + column] = scaled(shrink, x[(u64)from * stride + column]);
    if (SLOTS && lane % G == 0) shrinks[(u64)row * parts + part] = shrink;
}

// What the batch asks of each layer's rows, a group of lanes a slot and layer: the gradient by the output's part, taken back through its
// division by the length; in layer 0 with the penalty. With n = x / |x|: dx = (dn - n (n . dn)) / |x|.
template <int G>
__device__ __forceinline__ void back_readout(
    const Step* steps, const u32* now, const u32* rows_of_slots, const u32* segments, const u32* entries, const u32* triples,
    const float2* slopes, const float4* out, const float* shrinks, const float4* table, const u32 stride, const u32 parts,
    float4* asked) {
    const Step step = steps[*now];
    const u32 lane = threadIdx.x % WARP;
    const u32 pair = (blockIdx.x * blockDim.x + threadIdx.x) / WARP * (WARP / G) + lane / G, slot = pair / parts, part = pair % parts;
    const bool there = slot < step.slots;
    const u32 from = there ? segments[step.segment_at + slot] : 0, to = there ? segments[step.segment_at + slot + 1] : 0;
    const u64 begin = (u64)pair * stride;
    float along = 0.f;
    if (there)
        for (u32 column = lane % G; column < stride; column += G) {
            const float4 sum = slope_of(step, from, to, entries, triples, slopes, out, parts * stride, part * stride + column);
            along += dot4(sum, out[begin + column]);
            asked[begin + column] = sum;
        }
    along = across_group<G>(along);
    if (!there) return;
    for (u32 column = lane % G; column < stride; column += G) {
        float4 v = asked[begin + column];
        if (part == 0) {
            add_scaled(v, step.penalty * (float)(to - from), table[(u64)rows_of_slots[step.slot_at + slot] * stride + column]);
        } else {
            add_scaled(v, -along, out[begin + column]);
            v = scaled(shrinks[pair], v);
        }
        asked[begin + column] = v;
    }
}

// Float4 `column` of the gradient by a node's row of a layer's input: what came by h, what comes back through the graph, and what the
// batch asks of that row itself (`asked` begins with the layer's part). FROM: 0 only that, 1 from the batch's slots, 2 from all nodes.
template <int G, int FROM>
__device__ __forceinline__ float4 back_to(
    const u32 node, const u32 slot, const u32* ptr, const u32* cols, const float* roots, const u32* slot_of, const float4* by_h,
    const float4* x, const float4* asked, const u32 asked_stride, const u32 stride, const u32 column, const u32 group) {
    float4 sum = zero4();
    if (FROM == 1) sum = slotted_neighbours<G>(ptr[node], ptr[node + 1], cols, slot_of, x, stride, column, group);
    if (FROM == 2) sum = neighbours<G>(ptr[node], ptr[node + 1], cols, x, stride, column, group);
    float4 v = zero4();
    if (group != 0 || column >= stride) return v;
    if (FROM == 2) v = by_h[(u64)node * stride + column];
    if (FROM == 1 && slot != NONE) v = by_h[(u64)slot * stride + column];
    if (slot != NONE) add(v, asked[(u64)slot * asked_stride + column]);
    add_scaled(v, roots[node], sum);
    return v;
}

template <int G, int FROM>
__device__ __forceinline__ void back_layer(
    const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots, const u32* slot_of, const float4* by_h,
    const float4* x, const float4* asked, const u32 asked_stride, const u32 stride, float4* out) {
    const Place at = place<G>();
    if (at.row >= nodes) return;
    const u32 node = order[at.row], slot = slot_of[node];
    for (u32 column = at.column; column < (stride + G - 1) / G * G; column += G) {
        const float4 v =
            back_to<G, FROM>(node, slot, ptr, cols, roots, slot_of, by_h, x, asked, asked_stride, stride, column, at.group);
        if (at.group == 0 && column < stride) out[(u64)node * stride + column] = v;
    }
}

// The end of the way back: the gradient by a node's row of the table, and at once what Adam makes of it. `base` is left as the next
// step begins with it: S times the table.
template <int G, int FROM>
__device__ __forceinline__ void learn_rows(
    const Step* steps, const u32* now, const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots,
    const u32* slot_of, const float4* by_h, const float4* x, const float4* asked, const u32 asked_stride, const u32 stride,
    float4* table, float4* means, float4* squares, float4* base) {
    const Step step = steps[*now];
    const Place at = place<G>();
    if (at.row >= nodes) return;
    const u32 node = order[at.row], slot = slot_of[node];
    for (u32 column = at.column; column < (stride + G - 1) / G * G; column += G) {
        const float4 grad =
            back_to<G, FROM>(node, slot, ptr, cols, roots, slot_of, by_h, x, asked, asked_stride, stride, column, at.group);
        if (at.group == 0 && column < stride) {
            const u64 here = (u64)node * stride + column;
            float4 mean = means[here], square = squares[here];
            const float4 value = adam4(table[here], grad, mean, square, step.rate, step.root);
            table[here] = value;
            means[here] = mean;
            squares[here] = square;
            base[here] = scaled(roots[node], value);
        }
    }
}

#define NGCF_TILES(NAME, SLOTS)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(256, 3) forward_##NAME(                                                             \
        const Step* steps, const u32* now, const u32* rows_of_slots, const u32 nodes, const u32 users, const u32 layer,              \
        const u32 threshold, const float up, const float* roots, const float4* tensors, const float4* h, const float4* p,            \
        const u32 stride, float4* out, float4* scaled_out) {                                                                         \
        forward<SLOTS>(steps, now, rows_of_slots, nodes, users, layer, threshold, up, roots, tensors, h, p, stride, out,             \
                       scaled_out);                                                                                                  \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256, 3) back_rows_##NAME(                                                           \
        const Step* steps, const u32* now, const u32* rows_of_slots, const u32 nodes, const float up, const float* roots,            \
        const float4* tensors, const float4* h, const float4* p, const float4* out, const float4* slopes, const u32 slope_stride,    \
        const u32 stride, float4* by_h, float4* scaled_by_p) {                                                                       \
        back_rows<SLOTS>(steps, now, rows_of_slots, nodes, up, roots, tensors, h, p, out, slopes, slope_stride, stride, by_h,        \
                         scaled_by_p);                                                                                               \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256, 3) back_tensors_##NAME(                                                        \
        const Step* steps, const u32* now, const u32* rows_of_slots, const u32 nodes, const float up, const float4* h,               \
        const float4* p, const float4* out, const float4* slopes, const u32 slope_stride, const u32 stride, const u32 tiles,         \
        float4* parts) {                                                                                                             \
        back_tensors<SLOTS>(steps, now, rows_of_slots, nodes, up, h, p, out, slopes, slope_stride, stride, tiles, parts);            \
    }

NGCF_TILES(all, false)
NGCF_TILES(slots, true)

#define NGCF_BACK(NAME, G, FROM)                                                                                                     \
    extern "C" __global__ void __launch_bounds__(256) back_layer_##NAME##_##G(                                                       \
        const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots, const u32* slot_of,                  \
        const float4* by_h, const float4* x, const float4* asked, const u32 asked_stride, const u32 stride, float4* out) {           \
        back_layer<G, FROM>(nodes, ptr, cols, order, roots, slot_of, by_h, x, asked, asked_stride, stride, out);                     \
    }

#define NGCF_LEARN(NAME, G, FROM)                                                                                                    \
    extern "C" __global__ void __launch_bounds__(256) learn_rows_##NAME##_##G(                                                       \
        const Step* steps, const u32* now, const u32 nodes, const u32* ptr, const u32* cols, const u32* order, const float* roots,   \
        const u32* slot_of, const float4* by_h, const float4* x, const float4* asked, const u32 asked_stride, const u32 stride,      \
        float4* table, float4* means, float4* squares, float4* base) {                                                               \
        learn_rows<G, FROM>(steps, now, nodes, ptr, cols, order, roots, slot_of, by_h, x, asked, asked_stride, stride, table,        \
                            means, squares, base);                                                                                   \
    }

#define NGCF_ROWS(G)                                                                                                                 \
    NGCF_BACK(slots, G, 1)                                                                                                           \
    NGCF_BACK(all, G, 2)                                                                                                             \
    NGCF_LEARN(alone, G, 0)                                                                                                          \
    NGCF_LEARN(slots, G, 1)                                                                                                          \
    NGCF_LEARN(all, G, 2)                                                                                                            \
    extern "C" __global__ void __launch_bounds__(256) aggregate_slots_##G(                                                           \
        const Step* steps, const u32* now, const u32* rows, const u32* ptr, const u32* cols, const float* roots, const float4* x,    \
        const u32 stride, float4* out) {                                                                                             \
        aggregate_slots<G>(steps, now, rows, ptr, cols, roots, x, stride, out);                                                      \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) read_layer_slots_##G(                                                          \
        const Step* steps, const u32* now, const u32* nodes_of, const u32 nodes, const float4* x, const u32 stride, const u32 part,  \
        const u32 parts, float4* out, float* shrinks) {                                                                              \
        read_layer<G, true>(steps, now, nodes_of, nodes, x, stride, part, parts, out, shrinks);                                      \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) read_layer_all_##G(                                                            \
        const Step* steps, const u32* now, const u32* nodes_of, const u32 nodes, const float4* x, const u32 stride, const u32 part,  \
        const u32 parts, float4* out, float* shrinks) {                                                                              \
        read_layer<G, false>(steps, now, nodes_of, nodes, x, stride, part, parts, out, shrinks);                                     \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) back_readout_##G(                                                                \
        const Step* steps, const u32* now, const u32* rows, const u32* segments, const u32* entries, const u32* triples,             \
        const float2* slopes, const float4* out, const float* shrinks, const float4* table, const u32 stride, const u32 parts,       \
        float4* asked) {                                                                                                             \
        back_readout<G>(steps, now, rows, segments, entries, triples, slopes, out, shrinks, table, stride, parts, asked);              \
    }

NGCF_ROWS(4)
NGCF_ROWS(8)
NGCF_ROWS(16)
NGCF_ROWS(32)
