#![no_main]

use grease_fuzz::panics;
use grease_graph::read::InputFormat;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: panics::are_caught_within(), |bytes: &[u8]| {
    panics::told(|| {
        grease_fuzz::interactions::read_both_ways(InputFormat::Parquet, bytes);
    });
});
