//! How many threads a kernel is given.

use cudarc::driver::LaunchConfig;

/// Threads of a block: eight warps.
pub(crate) const THREADS: u32 = 256;
pub(crate) const WARP: u32 = 32;

/// A warp for each of so many rows.
pub(crate) fn rows(count: u32) -> LaunchConfig {
    grid(count.div_ceil(THREADS / WARP))
}

pub(crate) fn grid(blocks: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks.max(1), 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
}
