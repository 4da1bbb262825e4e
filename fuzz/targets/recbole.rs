#![no_main]

use grease_graph::read::InputFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    grease_fuzz::interactions::read_both_ways(InputFormat::RecBole, bytes);
});
