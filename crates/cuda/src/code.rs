//! The kernels as a card takes them: compiled for it by NVRTC where the machine has one, else the PTX that came with the binary.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::Ptx;
use sha2::{Digest, Sha256};

use crate::cache::{Cache, users_folder};
use crate::error::CardError;
use crate::nvrtc::Nvrtc;

/// All kernels: one source, in files by what they are for. The order is that of what needs what.
pub(crate) const SOURCE: &str = concat!(
    include_str!("kernels/rows.cu"),
    include_str!("kernels/dense.cu"),
    include_str!("kernels/train.cu"),
    include_str!("kernels/lightgcn.cu"),
    include_str!("kernels/ngcf.cu"),
    include_str!("kernels/ranking.cu"),
    include_str!("kernels/ask.cu"),
);
/// The same, for every card from `compute_80` on; `cargo xtask cuda` makes it from [`SOURCE`].
pub(crate) const PTX: &str = include_str!("kernels/kernels.ptx");

/// Which code is loaded, where somebody says so: `cubin` or `ptx`.
const FORCED: &str = "GREASE_CUDA_CODE";

/// How the kernels came to the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Compiled on this machine, for this card.
    Compiled,
    /// Shipped, and translated by the driver.
    Shipped,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compiled => "compiled here",
            Self::Shipped => "shipped",
        })
    }
}

impl FromStr for Code {
    type Err = CardError;

    fn from_str(text: &str) -> Result<Self, CardError> {
        match text {
            "cubin" => Ok(Self::Compiled),
            "ptx" => Ok(Self::Shipped),
            _ => Err(CardError::Code(format!("{FORCED} is `{text}`; known are cubin and ptx"))),
        }
    }
}

/// Brings the kernels to a card, as the environment has it.
pub(crate) fn load(context: &Arc<CudaContext>) -> Result<(Arc<CudaModule>, Code), CardError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let forced = set(FORCED).map(|value| value.to_string_lossy().parse()).transpose()?;
    let cache = Cache::at(users_folder(set, std::env::home_dir()));
    choose(&ThisMachine { context }, &cache, forced)
}

/// What choosing asks of a machine and its card.
trait Machine {
    /// A compiler that was found.
    type Compiler;
    /// Code that the card has taken.
    type Module;
    /// Such as `sm_90`.
    fn architecture(&self) -> Result<String, String>;
    /// With its version.
    fn compiler(&self) -> Option<(Self::Compiler, String)>;
    fn compile(&self, compiler: &Self::Compiler, architecture: &str) -> Result<Vec<u8>, String>;
    fn take_cubin(&self, cubin: Vec<u8>) -> Result<Self::Module, String>;
    fn take_ptx(&self, ptx: &str) -> Result<Self::Module, String>;
}

/// Machine code first: it is made for exactly this card, and a driver older than the compiler takes it too. The PTX needs no compiler,
/// and is taken by cards newer than the compiler knows. Where the card takes neither, both reasons are told.
fn choose<M: Machine>(
    machine: &M,
    cache: &Cache,
    forced: Option<Code>,
) -> Result<(M::Module, Code), CardError> {
    let mut refused = Vec::new();
    if forced != Some(Code::Shipped) {
        match compiled(machine, cache) {
            Ok(module) => return Ok((module, Code::Compiled)),
            Err(why) => refused.push(format!("{}: {why}", Code::Compiled)),
        }
    }
    if forced != Some(Code::Compiled) {
        match machine.take_ptx(PTX) {
            Ok(module) => return Ok((module, Code::Shipped)),
            Err(why) => refused.push(format!("{}: {why}", Code::Shipped)),
        }
    }
    Err(CardError::Code(refused.join("; ")))
}

/// What was compiled before, if the card takes it; else compiled now, and kept once the card has taken it.
fn compiled<M: Machine>(machine: &M, cache: &Cache) -> Result<M::Module, String> {
    let (compiler, version) = machine.compiler().ok_or("no NVRTC was found")?;
    let architecture = machine.architecture()?;
    let name = file_name(&architecture, &version);
    if let Some(module) = cache.get(&name).and_then(|cubin| machine.take_cubin(cubin).ok()) {
        return Ok(module);
    }
    let cubin = machine.compile(&compiler, &architecture)?;
    let module = machine.take_cubin(cubin.clone())?;
    cache.put(&name, &cubin);
    Ok(module)
}

/// Another source, card or compiler, another file.
fn file_name(architecture: &str, version: &str) -> String {
    let hash: String = Sha256::digest(SOURCE).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{hash}-{architecture}-nvrtc-{version}.cubin")
}

/// The real one.
struct ThisMachine<'c> {
    context: &'c Arc<CudaContext>,
}

impl Machine for ThisMachine<'_> {
    type Compiler = Nvrtc;
    type Module = Arc<CudaModule>;

    fn architecture(&self) -> Result<String, String> {
        let (major, minor) = self.context.compute_capability().map_err(|error| error.to_string())?;
        Ok(format!("sm_{major}{minor}"))
    }

    fn compiler(&self) -> Option<(Nvrtc, String)> {
        let found = Nvrtc::find()?;
        let version = found.version().to_string();
        Some((found, version))
    }

    fn compile(&self, compiler: &Nvrtc, architecture: &str) -> Result<Vec<u8>, String> {
        compiler.cubin(SOURCE, architecture)
    }

    fn take_cubin(&self, cubin: Vec<u8>) -> Result<Arc<CudaModule>, String> {
        self.context.load_module(Ptx::from_binary(cubin)).map_err(|error| error.to_string())
    }

    fn take_ptx(&self, ptx: &str) -> Result<Arc<CudaModule>, String> {
        self.context.load_module(Ptx::from_src(ptx)).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    /// A machine that has what a test says, and remembers what it was asked.
    struct Fake {
        version: Option<&'static str>,
        compiles: Result<&'static str, &'static str>,
        takes_cubin: fn(&[u8]) -> bool,
        takes_ptx: bool,
        compiled: Cell<usize>,
        offered: RefCell<Vec<&'static str>>,
    }

    impl Fake {
        fn able() -> Self {
            Self {
                version: Some("12.9"),
                compiles: Ok("cubin"),
                takes_cubin: |_| true,
                takes_ptx: true,
                compiled: Cell::new(0),
                offered: RefCell::default(),
            }
        }
    }

    impl Machine for Fake {
        type Compiler = ();
        type Module = Vec<u8>;

        fn architecture(&self) -> Result<String, String> {
            Ok("sm_90".to_owned())
        }
        fn compiler(&self) -> Option<((), String)> {
            self.version.map(|version| ((), version.to_owned()))
        }
        fn compile(&self, (): &(), architecture: &str) -> Result<Vec<u8>, String> {
            assert_eq!(architecture, "sm_90");
            self.compiled.set(self.compiled.get() + 1);
            self.compiles.map(|made| made.as_bytes().to_vec()).map_err(str::to_owned)
        }
        fn take_cubin(&self, cubin: Vec<u8>) -> Result<Vec<u8>, String> {
            self.offered.borrow_mut().push("cubin");
            if (self.takes_cubin)(&cubin) { Ok(cubin) } else { Err("no such machine code".to_owned()) }
        }
        fn take_ptx(&self, ptx: &str) -> Result<Vec<u8>, String> {
            assert_eq!(ptx, PTX);
            self.offered.borrow_mut().push("ptx");
            if self.takes_ptx { Ok(b"ptx".to_vec()) } else { Err("PTX is too new".to_owned()) }
        }
    }

    fn nowhere() -> Cache {
        Cache::default()
    }

    #[test]
    fn machine_code_comes_first() {
        let machine = Fake::able();
        assert_eq!(choose(&machine, &nowhere(), None), Ok((b"cubin".to_vec(), Code::Compiled)));
        assert_eq!(*machine.offered.borrow(), ["cubin"]);
    }

    #[test]
    fn where_nothing_can_be_compiled_what_was_shipped_is_taken() {
        let without = Fake { version: None, ..Fake::able() };
        let unknown_card = Fake { compiles: Err("invalid value for --gpu-architecture"), ..Fake::able() };
        let refusing = Fake { takes_cubin: |_| false, ..Fake::able() };
        for machine in [without, unknown_card, refusing] {
            assert_eq!(choose(&machine, &nowhere(), None), Ok((b"ptx".to_vec(), Code::Shipped)));
        }
    }

    #[test]
    fn where_the_card_takes_neither_both_reasons_are_told() {
        let machine = Fake { version: None, takes_ptx: false, ..Fake::able() };
        let why = choose(&machine, &nowhere(), None).unwrap_err().to_string();
        assert_eq!(
            why,
            "the card does not take the kernels: compiled here: no NVRTC was found; shipped: PTX is too new"
        );
        let machine = Fake { takes_cubin: |_| false, takes_ptx: false, ..Fake::able() };
        let why = choose(&machine, &nowhere(), None).unwrap_err().to_string();
        assert!(why.contains("compiled here: no such machine code; shipped: PTX is too new"), "{why}");
    }

    #[test]
    fn what_was_forced_is_taken_or_nothing() {
        let machine = Fake::able();
        assert_eq!(choose(&machine, &nowhere(), Some(Code::Shipped)).unwrap().1, Code::Shipped);
        assert_eq!((machine.compiled.get(), &*machine.offered.borrow()), (0, &vec!["ptx"]));
        assert_eq!(choose(&Fake::able(), &nowhere(), Some(Code::Compiled)).unwrap().1, Code::Compiled);
        let machine = Fake { version: None, ..Fake::able() };
        assert!(choose(&machine, &nowhere(), Some(Code::Compiled)).is_err());
        assert!(machine.offered.borrow().is_empty());
        let machine = Fake { takes_ptx: false, ..Fake::able() };
        assert!(choose(&machine, &nowhere(), Some(Code::Shipped)).is_err());

        assert_eq!(("cubin".parse(), "ptx".parse()), (Ok(Code::Compiled), Ok(Code::Shipped)));
        let wrong = "fast".parse::<Code>().unwrap_err().to_string();
        assert!(wrong.ends_with("GREASE_CUDA_CODE is `fast`; known are cubin and ptx"), "{wrong}");
    }

    #[test]
    fn what_is_compiled_once_is_read_from_then_on() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(Some(folder.path().to_owned()));
        let machine = Fake::able();
        for _ in 0..3 {
            assert_eq!(choose(&machine, &cache, None), Ok((b"cubin".to_vec(), Code::Compiled)));
        }
        assert_eq!(machine.compiled.get(), 1);
        let newer = Fake { version: Some("13.0"), compiles: Ok("newer"), ..Fake::able() };
        assert_eq!(choose(&newer, &cache, None).unwrap().0, b"newer", "another compiler, another file");
        assert_eq!(choose(&Fake::able(), &cache, None).unwrap().0, b"cubin");
    }

    #[test]
    fn what_the_card_does_not_take_is_not_kept_and_what_was_kept_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(Some(folder.path().to_owned()));
        let name = file_name("sm_90", "12.9");
        let refusing = Fake { takes_cubin: |_| false, ..Fake::able() };
        assert_eq!(choose(&refusing, &cache, None).unwrap().1, Code::Shipped);
        assert_eq!(cache.get(&name), None);

        // Whole, and still not what this card takes.
        cache.put(&name, b"stale");
        let machine = Fake { takes_cubin: |cubin| cubin == b"cubin", ..Fake::able() };
        assert_eq!(choose(&machine, &cache, None), Ok((b"cubin".to_vec(), Code::Compiled)));
        assert_eq!(cache.get(&name).as_deref(), Some(&b"cubin"[..]));
        // Damaged: not even offered to the card.
        std::fs::write(folder.path().join(&name), "half").unwrap();
        let machine = Fake::able();
        assert_eq!(choose(&machine, &cache, None), Ok((b"cubin".to_vec(), Code::Compiled)));
        assert_eq!((machine.compiled.get(), machine.offered.borrow().len()), (1, 1));
    }

    #[test]
    #[ignore = "needs a card"]
    fn a_real_card_takes_what_was_shipped_and_what_is_compiled_here_and_keeps_it() {
        let context = CudaContext::new(0).unwrap();
        let machine = ThisMachine { context: &context };
        assert_eq!(choose(&machine, &nowhere(), Some(Code::Shipped)).unwrap().1, Code::Shipped);
        let Some((_, version)) = machine.compiler() else { return };
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(Some(folder.path().to_owned()));
        let name = file_name(&machine.architecture().unwrap(), &version);
        for _ in 0..2 {
            assert_eq!(choose(&machine, &cache, Some(Code::Compiled)).unwrap().1, Code::Compiled);
            assert!(cache.get(&name).is_some(), "{name} is kept");
        }
        // Whole, and no machine code at all: the driver says so, and it is made anew.
        cache.put(&name, b"no machine code\0");
        assert_eq!(choose(&machine, &cache, Some(Code::Compiled)).unwrap().1, Code::Compiled);
        assert_eq!(&cache.get(&name).unwrap()[..4], b"\x7fELF");
    }
}
