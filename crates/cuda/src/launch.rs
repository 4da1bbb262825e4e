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

/// A block for each tile of 64 rows and 64 columns; `stride` counts columns by fours.
pub(crate) fn tiles(rows: u32, stride: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (rows.div_ceil(64).max(1), stride.div_ceil(16), 1), ..grid(1) }
}

/// Where a kernel takes an address, none.
pub(crate) const NOWHERE: u64 = 0;

/// Launches a kernel with these arguments, in its order.
macro_rules! launch {
    ($card:expr, $kernel:expr, $config:expr, $($argument:expr),+ $(,)?) => {{
        let mut launch = $card.stream.launch_builder($kernel);
        $(launch.arg($argument);)+
        launch.launch($config)
    }};
}
pub(crate) use launch;
