//! The binary `grease`: what was typed goes to the library of this crate, its code back to the shell.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut words = std::env::args_os();
    let called = words.next().map_or("grease".to_owned(), |name| grease_cli::quoted(Path::new(&name)));
    ExitCode::from(grease_cli::run(&called, words) as u8)
}
