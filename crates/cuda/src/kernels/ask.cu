// NGCF asked about edited graphs, many edits side by side. Only rows that an edit reaches are computed; all others are read as the
// unedited graph has them.
//
// A key names a row of an edit: edit * nodes + node. Of every key there is a byte: bit l says that the edit changes the row of layer l,
// the highest bit that it changes the node's neighbours.

#define MOST_LAYERS 6
#define CHANGED 0x80u
// Where a row lies: among those of the edits, rather than those of the unedited graph.
#define EDITED 0x80000000u

// The model; `Held` in ask/held.rs is the same. Node `users` is somebody new, items follow.
struct Held {
    const u32* ptr;
    const u32* cols;
    const float* roots;
    const float4* base[MOST_LAYERS + 1];
    const float4* w1[MOST_LAYERS];
    const float4* w2[MOST_LAYERS];
    const float4* bias[MOST_LAYERS];
    u32 users, nodes, stride, layers, normalised, unused;
};

// One call; `Call` in ask/desk.rs is the same. The nodes whose neighbours an edit changes have neighbours of their own here, keys ascending.
struct Call {
    u8* marks;
    float4* tables;
    u64 table_size;
    const u32* changed_from;
    const u32* changed_keys;
    const u32* changed_ptr;
    const u32* changed_cols;
    const float* changed_roots;
    u32 edits, user, changed, extra;
};

__device__ __forceinline__ u32 changed_at(const Call& call, const u32 edit, const u32 key) {
    u32 low = call.changed_from[edit], high = call.changed_from[edit + 1];
    while (low + 1 < high) {
        const u32 middle = (low + high) / 2;
        if (call.changed_keys[middle] <= key) low = middle;
        else high = middle;
    }
    return low;
}

// A row of layer `layer`, as the edit leaves it; nothing for the row of zeros that a neutral profile begins with.
__device__ __forceinline__ const float4* row_of(
    const Held& held, const Call& call, const u32 layer, const u32 key, const u32 node, const u32 mark) {
    if (!(mark >> layer & 1)) return held.base[layer] + (u64)node * held.stride;
    if (layer == 0) return nullptr;
    return call.tables + (layer - 1) * call.table_size + (u64)key * held.stride;
}

// The rows everything begins with: those whose neighbours change, and behind them, one an edit, whom the question is about where their
// own row is put to zero (`zeroed`) or they are new.
extern "C" __global__ void __launch_bounds__(256) ask_begin(const Call call, const u32* keys, const u32 zeroed) {
    const u32 at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= call.changed + call.extra) return;
    const u32 key = keys[at];
    const u32 bits = at < call.changed ? CHANGED : zeroed;
    // Two threads may write to one byte.
    if (bits) atomicOr((u32*)call.marks + key / 4, bits << 8 * (key % 4));
}

// Marks who is reached in layer `layer`: the rows reached below, and their neighbours. In the last layer only items and one person count.
extern "C" __global__ void __launch_bounds__(256) ask_reach(
    const Held held, const Call call, const u32 layer, const u32* list, const u32* count) {
    const u32 total = *count, lane = threadIdx.x % WARP, warps = gridDim.x * blockDim.x / WARP;
    const bool last = layer == held.layers;
    const u8 bit = 1u << layer;
    for (u32 at = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; at < total; at += warps) {
        const u32 key = list[at], node = key % held.nodes, first = key - node;
        const auto mark = [&](const u32 reached) {
            // Whoever else writes here writes the same.
            if (!last || reached > held.users || reached == call.user) call.marks[first + reached] |= bit;
        };
        if (lane == 0) mark(node);
        for (u32 edge = held.ptr[node] + lane; edge < held.ptr[node + 1]; edge += WARP) mark(held.cols[edge]);
    }
}

// The keys of the rows reached in layer `layer`, in no order: every row is computed by itself.
extern "C" __global__ void __launch_bounds__(256) ask_collect(
    const Call call, const u32 keys, const u32 layer, u32* list, u32* count) {
    const u32 lane = threadIdx.x % WARP, word = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 marks = 4 * word < keys ? ((const u32*)call.marks)[word] >> layer & 0x01010101u : 0;
    const u32 mine = __popc(marks);
    u32 before = mine;
    for (u32 step = 1; step < WARP; step *= 2) {
        const u32 other = __shfl_up_sync(FULL, before, step);
        if (lane >= step) before += other;
    }
    u32 at = 0;
    if (lane == WARP - 1 && before) at = atomicAdd(count, before);
    at = __shfl_sync(FULL, at, WARP - 1) + before - mine;
    for (u32 k = 0; k < 4; ++k)
        if (marks >> 8 * k & 1) list[at++] = 4 * word + k;
}

// Adds the `k`th of the rows that the lanes have found.
template <int G>
__device__ __forceinline__ void take(
    const u32 where, const float factor, const u32 k, const u32 count, const bool inside, const float4* base, const float4* edited,
    const u32 stride, const u32 column, float4& sum) {
    const u32 row = __shfl_sync(FULL, where, k % WARP);
    const float f = __shfl_sync(FULL, factor, k % WARP);
    if (k < count && inside && row != NONE)
        add_scaled(sum, f, (row & EDITED ? edited : base)[(u64)(row & ~EDITED) * stride + column]);
}

// Rows of layer `layer + 1`: ROWS of them a block. First a warp a row sums up the neighbours, then all threads multiply, four rows by
// four columns each.
template <int G, int ROWS>
__device__ void ask_layer(
    const Held& held, const Call& call, const u32 layer, const u32* list, const u32* count, float4* out) {
    extern __shared__ float4 inputs[];
    const u32 stride = held.stride, pitch = stride + 1, total = *count;
    float4 *sums = inputs, *products = inputs + ROWS * pitch;
    const u32 lane = threadIdx.x % WARP, group = lane / G, E = WARP / G;
    for (u32 from = blockIdx.x * ROWS; from < total; from += gridDim.x * ROWS) {
        for (u32 r = threadIdx.x / WARP; r < ROWS; r += blockDim.x / WARP) {
            const bool there = from + r < total;
            const u32 key = there ? list[from + r] : 0, node = key % held.nodes, first = key - node, edit = key / held.nodes;
            const u32 own_mark = there ? call.marks[key] : 0;
            const u32* cols = held.cols;
            u32 edge = 0, end = 0;
            float root = 0.f;
            if (there && own_mark & CHANGED) {
                const u32 at = changed_at(call, edit, key);
                edge = call.changed_ptr[at], end = call.changed_ptr[at + 1], root = call.changed_roots[at];
                cols = call.changed_cols;
            } else if (there) {
                edge = held.ptr[node], end = held.ptr[node + 1], root = held.roots[node];
            }
            const float4* edited = layer ? call.tables + (layer - 1) * call.table_size : nullptr;
            const float4* own = there ? row_of(held, call, layer, key, node, own_mark) : nullptr;
            for (u32 column = lane % G; column < (stride + G - 1) / G * G; column += G) {
                const bool inside = column < stride;
                float4 a = zero4(), b = zero4();
                // Each lane finds one neighbour's row; then the rows are read, several at a time.
                for (u32 at = edge; at < end; at += WARP) {
                    const u32 n = at + lane < end ? cols[at + lane] : NONE;
                    u32 where = NONE;
                    float factor = 0.f;
                    if (n != NONE) {
                        const u32 mark = call.marks[first + n];
                        factor = mark & CHANGED ? call.changed_roots[changed_at(call, edit, first + n)] : held.roots[n];
                        where = !(mark >> layer & 1) ? n : layer ? (first + n) | EDITED : NONE;
                    }
                    const u32 there = min(end - at, (u32)WARP);
                    #pragma unroll 4
                    for (u32 k = group; k < there + group; k += 2 * E) {
                        take<G>(where, factor, k, there, inside, held.base[layer], edited, stride, column, a);
                        take<G>(where, factor, k + E, there, inside, held.base[layer], edited, stride, column, b);
                    }
                }
                add(a, b);
                a = across_groups<G>(a);
                if (group == 0 && inside) {
                    const float4 p = scaled(root, a), h = own ? own[column] : zero4();
                    sums[r * pitch + column] = make_float4(p.x + h.x, p.y + h.y, p.z + h.z, p.w + h.w);
                    products[r * pitch + column] = make_float4(p.x * h.x, p.y * h.y, p.z * h.z, p.w * h.w);
                }
            }
        }
        __syncthreads();
        for (u32 job = threadIdx.x; job < ROWS / 4 * stride; job += blockDim.x) {
            const u32 r = job / stride * 4, column = job % stride;
            const float4 *w1 = held.w1[layer] + column, *w2 = held.w2[layer] + column;
            float4 sum[4];
            for (u32 i = 0; i < 4; ++i) sum[i] = held.bias[layer][column];
            for (u32 k = 0; k < stride; ++k) {
                float s[4][4], q[4][4];
                for (u32 i = 0; i < 4; ++i) {
                    *(float4*)s[i] = sums[(r + i) * pitch + k];
                    *(float4*)q[i] = products[(r + i) * pitch + k];
                }
                #pragma unroll
                for (u32 j = 0; j < 4; ++j) {
                    const float4 a = w1[(4 * k + j) * stride], b = w2[(4 * k + j) * stride];
                    #pragma unroll
                    for (u32 i = 0; i < 4; ++i) {
                        add_scaled(sum[i], s[i][j], a);
                        add_scaled(sum[i], q[i][j], b);
                    }
                }
            }
            for (u32 i = 0; i < 4; ++i) {
                if (from + r + i >= total) break;
                const float4 z = sum[i];
                out[(u64)list[from + r + i] * stride + column] =
                    make_float4(fmaxf(z.x, LEAK * z.x), fmaxf(z.y, LEAK * z.y), fmaxf(z.z, LEAK * z.z), fmaxf(z.w, LEAK * z.w));
            }
        }
        __syncthreads();
        if (held.normalised) {
            for (u32 r = threadIdx.x / WARP; r < ROWS && from + r < total; r += blockDim.x / WARP) {
                float4* row = out + (u64)list[from + r] * stride;
                float square = 0.f;
                for (u32 column = lane; column < stride; column += WARP) square += dot4(row[column], row[column]);
                const float shrink = 1.f / fmaxf(sqrtf(across_warp(square)), SHORTEST);
                for (u32 column = lane; column < stride; column += WARP) row[column] = scaled(shrink, row[column]);
            }
        }
    }
}

// Scores of all items after every edit: out is [edits, items]. A group of lanes an item; the person's rows are read once a block.
template <int G>
__device__ void ask_scores(const Held& held, const Call& call, const u32 items, float* out) {
    extern __shared__ float4 person[];
    const u32 stride = held.stride, edit = blockIdx.y, lane = threadIdx.x % WARP, first = edit * held.nodes;
    for (u32 layer = threadIdx.x / WARP; layer <= held.layers; layer += blockDim.x / WARP) {
        const u32 key = first + call.user;
        const float4* row = row_of(held, call, layer, key, call.user, call.marks[key]);
        float square = 0.f;
        for (u32 column = lane; column < stride; column += WARP) {
            const float4 value = row ? row[column] : zero4();
            square += dot4(value, value);
            person[layer * stride + column] = value;
        }
        square = across_warp(square);
        const float shrink = layer ? 1.f / fmaxf(sqrtf(square), SHORTEST) : 1.f;
        for (u32 column = lane; column < stride; column += WARP)
            person[layer * stride + column] = scaled(shrink, person[layer * stride + column]);
    }
    __syncthreads();
    const u32 groups = gridDim.x * blockDim.x / G;
    const u32 rounds = (items + groups - 1) / groups;
    u32 item = (blockIdx.x * blockDim.x + threadIdx.x) / G;
    for (u32 round = 0; round < rounds; ++round, item += groups) {
        const bool there = item < items;
        const u32 node = held.users + 1 + (there ? item : 0), key = first + node, mark = call.marks[key];
        float score = 0.f;
        for (u32 layer = 0; layer <= held.layers; ++layer) {
            const float4* row = row_of(held, call, layer, key, node, mark);
            float along = 0.f, square = 0.f;
            for (u32 column = lane % G; column < stride; column += G) {
                const float4 x = row ? row[column] : zero4();
                along += dot4(x, person[layer * stride + column]);
                square += dot4(x, x);
            }
            for (u32 step = G / 2; step > 0; step /= 2) {
                along += __shfl_xor_sync(FULL, along, step);
                square += __shfl_xor_sync(FULL, square, step);
            }
            score += layer ? along / fmaxf(sqrtf(square), SHORTEST) : along;
        }
        if (there && lane % G == 0) out[(u64)edit * items + item] = score;
    }
}

#define ASK_KERNELS(G, ROWS)                                                                                                         \
    extern "C" __global__ void __launch_bounds__(256, 3) ask_layer_##G(                                                              \
        const Held held, const Call call, const u32 layer, const u32* list, const u32* count, float4* out) {                         \
        ask_layer<G, ROWS>(held, call, layer, list, count, out);                                                                     \
    }                                                                                                                                \
    extern "C" __global__ void __launch_bounds__(256) ask_scores_##G(                                                                \
        const Held held, const Call call, const u32 items, float* out) {                                                             \
        ask_scores<G>(held, call, items, out);                                                                                       \
    }

ASK_KERNELS(4, 64)
ASK_KERNELS(8, 64)
ASK_KERNELS(16, 64)
ASK_KERNELS(32, 16)
