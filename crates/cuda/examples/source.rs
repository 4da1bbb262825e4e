//! Prints the kernels' source, all of it in its order: `cargo xtask cuda` compiles it.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]

fn main() {
    print!("{}", grease_cuda::SOURCE);
}
