#![no_main]

use grease_fuzz::panics;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: panics::are_caught_within(), |bytes: &[u8]| {
    panics::told(|| {
        grease_fuzz::runs::table(bytes);
    });
});
