// What training has in common, whatever is trained: Adam, the losses, and steps that know their number.

// What one step of training is about; `Step` in plan.rs is the same. Offsets are into the arrays of the epoch.
struct Step {
    u32 triples, slots;
    u32 triple_at, slot_at, entry_at, segment_at;
    // Adam's rate and root of this step, and the penalty's share a triple.
    float rate, root, penalty;
    // 1 / triples, times the gain of a score.
    float share;
    // Decides what is dropped in this step.
    u64 key;
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

extern "C" __global__ void __launch_bounds__(256) judge_triples(
    const Step* steps, const u32* now, const u32* triples, const float4* out, const u32 stride, const float gain, const int bpr,
    float2* slopes, double* values) {
    judge(steps, now, triples, out, stride, gain, bpr, slopes, values);
}

// Float4 `column` of the gradient by a slot's output row, from the triples it is in, one after the other: `entries` names them (4
// triple + role), from `from` to `to`. Rows of `out` have `stride` float4.
__device__ __forceinline__ float4 slope_of(
    const Step& step, const u32 from, const u32 to, const u32* entries, const u32* triples, const float2* slopes, const float4* out,
    const u32 stride, const u32 column) {
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
    return sum;
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
