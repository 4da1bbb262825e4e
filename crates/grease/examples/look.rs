#![allow(missing_docs, warnings)]
mod evaluate {
    pub use grease::evaluate::*;
}
#[path = "../src/evaluate/report/tests/fixtures.rs"]
mod f;
use grease::evaluate::report::*;
fn main() {
    let r = f::whole();
    std::fs::write("/tmp/wtc-report.html", html(&r)).unwrap();
    std::fs::write("/tmp/wtc-report.md", markdown(&r)).unwrap();
    std::fs::write("/tmp/wtc-small.html", html(&f::small())).unwrap();
    let t = f::times(&r);
    for w in [80, 120, 240] {
        for s in sheets(&r, Some(&t)).iter().take(4) {
            println!("{}", terminal(s, Terminal { width: w, unicode: true, colour: false }));
        }
    }
    let s = f::small();
    for s in sheets(&s, Some(&f::times(&s))) {
        println!("{}", terminal(&s, Terminal { width: 100, unicode: false, colour: false }));
    }
}
