// The best items of people, from their embeddings: scores of a block of people, then the best of each row.

// scores[row][item] = person . item, a tile a block. Rows of `embeddings` have `stride` float4, people's first.
extern "C" __global__ void __launch_bounds__(256) score_people(
    const u32* people, const u32 count, const u32 users, const u32 items, const float4* embeddings, const u32 stride, float* scores) {
    __shared__ Panel left, right;
    const u32 row0 = blockIdx.y * TILE, item0 = blockIdx.x * TILE;
    float4 c[4] = {zero4(), zero4(), zero4(), zero4()};
    for (u32 quad = 0; quad < stride; quad += DEPTH / 4) {
        __syncthreads();
        for (u32 round = 0; round < 2; ++round) {
            const Piece at = piece(round);
            const bool inside = row0 + at.row < count && quad + at.quad < stride;
            put_turned(left, at, inside ? embeddings[(u64)people[row0 + at.row] * stride + quad + at.quad] : zero4());
        }
        bring_turned(right, embeddings + (u64)users * stride, item0, items, quad, stride);
        __syncthreads();
        multiply(left, right, c);
    }
    for (u32 k = 0; k < 4; ++k) {
        const u32 row = row0 + own_row() + k, item = item0 + 4 * own_quad();
        if (row >= count) continue;
        const float values[4] = {c[k].x, c[k].y, c[k].z, c[k].w};
        for (u32 j = 0; j < 4; ++j)
            if (item + j < items) scores[(u64)row * items + item + j] = values[j];
    }
}

// A number that is larger for what stands higher in a list: by score, then by the lower item. 0 for what is no number.
__device__ __forceinline__ u64 place_of(const float score, const u32 item) {
    if (isnan(score)) return 0;
    const u32 bits = __float_as_uint(score);
    const u32 ordered = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (u64)ordered << 32 | (u32)~item;
}

// Whether a node has this neighbour; a node's neighbours ascend.
__device__ __forceinline__ bool has(const u32* cols, const u32 from, const u32 to, const u32 neighbour) {
    u32 low = from, high = to;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (cols[middle] < neighbour) low = middle + 1;
        else high = middle;
    }
    return low < to && cols[low] == neighbour;
}

// The 32 best so far, lane by lane, best first.
struct Best {
    u64 mine;

    __device__ __forceinline__ u64 worst() const { return __shfl_sync(FULL, mine, WARP - 1); }

    // All lanes offer the same one.
    __device__ __forceinline__ void offer(const u64 other) {
        const u32 lane = threadIdx.x % WARP;
        const u32 at = __popc(__ballot_sync(FULL, mine > other));
        const u64 before = __shfl_up_sync(FULL, mine, 1);
        if (lane == at) mine = other;
        if (lane > at) mine = before;
    }
};

// The 32 best items of every row of scores that the person does not have, best first; NONE where there are no more. A block a row,
// each warp its share, and the first brings together what they found.
extern "C" __global__ void __launch_bounds__(256) best_items(
    const u32* people, const u32 users, const u32 items, const u32* ptr, const u32* cols, const float* scores, u32* lists) {
    __shared__ u64 found[8][WARP];
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, person = people[blockIdx.x];
    const float* row = scores + (u64)blockIdx.x * items;
    Best best{0};
    u64 worst = 0;
    for (u32 from = warp * WARP; from < items; from += blockDim.x) {
        const u32 item = from + lane;
        u64 mine = item < items ? place_of(row[item], item) : 0;
        if (mine > worst && has(cols, ptr[person], ptr[person + 1], users + item)) mine = 0;
        for (u32 left = __ballot_sync(FULL, mine > worst); left != 0; left &= left - 1) {
            best.offer(__shfl_sync(FULL, mine, __ffs(left) - 1));
        }
        worst = best.worst();
    }
    found[warp][lane] = best.mine;
    __syncthreads();
    if (warp != 0) return;
    for (u32 other = 1; other < blockDim.x / WARP; ++other)
        for (u32 at = 0; at < WARP && found[other][at] > best.worst(); ++at) best.offer(found[other][at]);
    lists[blockIdx.x * WARP + lane] = best.mine == 0 ? NONE : ~(u32)best.mine;
}
