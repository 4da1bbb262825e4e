// Products of dense matrices, in tiles of 64 x 64 by blocks of 256 threads: each thread has 4 x 4 values of a tile in registers, and
// what they are multiplied from lies in shared memory, 32 deep at a time. Plain 32-bit floats, sums in one order.

#define TILE 64
#define DEPTH 32
// Four more than a tile is wide: what is turned while it is written then goes to different banks.
#define PITCH 68

// A piece of a matrix, 32 deep: `panel[k][i]` is row i and column k of what stands left, row k and column i of what stands right.
typedef float Panel[DEPTH][PITCH];

// Which float4 of 64 rows of 32 values a thread brings in each of two rounds. A warp's lanes read pairs of neighbours, and write them
// turned without two going to one bank.
struct Piece {
    u32 row, quad;
};

__device__ __forceinline__ Piece piece(const u32 round) {
    const u32 lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    return Piece{lane / 2 + 16 * (warp / 4) + 32 * round, lane % 2 + 2 * (warp % 4)};
}

__device__ __forceinline__ void put_turned(Panel& panel, const Piece at, const float4 v) {
    panel[4 * at.quad][at.row] = v.x;
    panel[4 * at.quad + 1][at.row] = v.y;
    panel[4 * at.quad + 2][at.row] = v.z;
    panel[4 * at.quad + 3][at.row] = v.w;
}

// Rows of a matrix as they stand, from row `from` and float4 `quad` on; zeros beyond its `rows` and its `stride`.
__device__ __forceinline__ void bring(Panel& panel, const float4* x, const u32 from, const u32 rows, const u32 quad, const u32 stride) {
    for (u32 round = 0; round < 2; ++round) {
        const u32 k = threadIdx.x / 16 + 16 * round, column = threadIdx.x % 16;
        const bool inside = from + k < rows && quad + column < stride;
        *(float4*)&panel[k][4 * column] = inside ? x[(u64)(from + k) * stride + quad + column] : zero4();
    }
}

// The same, turned: its rows become the panel's columns.
__device__ __forceinline__ void bring_turned(
    Panel& panel, const float4* x, const u32 from, const u32 rows, const u32 quad, const u32 stride) {
    for (u32 round = 0; round < 2; ++round) {
        const Piece at = piece(round);
        const bool inside = from + at.row < rows && quad + at.quad < stride;
        put_turned(panel, at, inside ? x[(u64)(from + at.row) * stride + quad + at.quad] : zero4());
    }
}

// Row and float4 of a tile's corner that a thread has.
__device__ __forceinline__ u32 own_row() { return 4 * (threadIdx.x / 16); }
__device__ __forceinline__ u32 own_quad() { return threadIdx.x % 16; }

// c += the outer product of what a thread's rows and columns have at one depth.
__device__ __forceinline__ void outer(float4 (&c)[4], const float4 x, const float4 y) {
    add_scaled(c[0], x.x, y);
    add_scaled(c[1], x.y, y);
    add_scaled(c[2], x.z, y);
    add_scaled(c[3], x.w, y);
}

// c += left right, over what lies in the panels.
__device__ __forceinline__ void multiply(const Panel& left, const Panel& right, float4 (&c)[4]) {
    const u32 row = own_row(), column = 4 * own_quad();
    #pragma unroll 8
    for (u32 k = 0; k < DEPTH; ++k) outer(c, *(const float4*)&left[k][row], *(const float4*)&right[k][column]);
}
