//! NVRTC, NVIDIA's compiler as a library: looked for by name, and called by what it has offered since CUDA 11.

use std::ffi::{CStr, CString, c_char, c_int};
use std::fmt;

use libloading::{Library, Symbol};

/// A program under compilation, as NVRTC hands it out.
type Program = *mut std::ffi::c_void;
type Read<T> = unsafe extern "C" fn(Program, *mut T) -> c_int;

/// The unversioned name is there where somebody installed a toolkit to build with, the others where something else needed it.
const NAMES: &[&str] = if cfg!(windows) {
    &["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"]
} else {
    &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"]
};

/// An NVRTC that was found.
pub(crate) struct Nvrtc {
    library: Library,
    version: Version,
}

/// Which CUDA it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) major: i32,
    pub(crate) minor: i32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Nvrtc {
    /// The first that can be loaded and says which one it is; nothing where there is none.
    pub(crate) fn find() -> Option<Self> {
        // A program that is linked statically has no loader to find anything with.
        if cfg!(target_feature = "crt-static") {
            return None;
        }
        NAMES.iter().find_map(|name| Self::called(name))
    }

    fn called(name: &str) -> Option<Self> {
        // SAFETY: loading runs the library's initialisers, which are the business of whoever installed it under this name.
        let library = unsafe { Library::new(name) }.ok()?;
        let (mut major, mut minor) = (0, 0);
        // SAFETY: the signature is `nvrtcVersion`'s; both places live while it writes to them.
        let answered = unsafe {
            let version: Symbol<'_, unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int> =
                library.get(b"nvrtcVersion").ok()?;
            version(&raw mut major, &raw mut minor)
        };
        (answered == 0).then_some(Self { library, version: Version { major, minor } })
    }

    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// Machine code for exactly one architecture, such as `sm_90`.
    pub(crate) fn cubin(&self, source: &str, architecture: &str) -> Result<Vec<u8>, String> {
        let source = CString::new(source).map_err(|error| error.to_string())?;
        let program = self.program(&source)?;
        let options = [format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned()];
        let made = self.compile(program, &options).and_then(|()| {
            // SAFETY: the signatures are those of these two functions; the program is compiled and not destroyed yet.
            unsafe { self.read::<u8>(program, b"nvrtcGetCUBINSize", b"nvrtcGetCUBIN") }
        });
        self.destroy(program);
        match made {
            // For an architecture that is not a real one NVRTC succeeds, and makes nothing.
            Ok(cubin) if cubin.is_empty() => Err(format!("nothing was made for {architecture}")),
            made => made,
        }
    }

    fn program(&self, source: &CStr) -> Result<Program, String> {
        type Create = unsafe extern "C" fn(
            *mut Program,
            *const c_char,
            *const c_char,
            c_int,
            *const *const c_char,
            *const *const c_char,
        ) -> c_int;
        let mut program: Program = std::ptr::null_mut();
        // SAFETY: the signature is `nvrtcCreateProgram`'s; it copies the source, and there are no headers.
        let answered = unsafe {
            let create: Symbol<'_, Create> = self.symbol(b"nvrtcCreateProgram")?;
            let name = c"kernels.cu".as_ptr();
            create(&raw mut program, source.as_ptr(), name, 0, std::ptr::null(), std::ptr::null())
        };
        self.well(answered).map(|()| program)
    }

    /// Where it fails, the first line that says why.
    fn compile(&self, program: Program, options: &[String]) -> Result<(), String> {
        let options =
            options.iter().map(|option| CString::new(option.as_str())).collect::<Result<Vec<_>, _>>();
        let options = options.map_err(|error| error.to_string())?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the signature is `nvrtcCompileProgram`'s; the options live until it returns, and there are as many as it is told.
        let answered = unsafe {
            let compile: Symbol<'_, unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int> =
                self.symbol(b"nvrtcCompileProgram")?;
            compile(program, pointers.len() as c_int, pointers.as_ptr())
        };
        self.well(answered).map_err(|why| {
            // SAFETY: the signatures are those of these two functions; a program that failed to compile has a log.
            let log = unsafe { self.read::<u8>(program, b"nvrtcGetProgramLogSize", b"nvrtcGetProgramLog") };
            let log = log.unwrap_or_default();
            let text = String::from_utf8_lossy(&log);
            let first = text.lines().map(|line| line.trim_matches(['\0', ' '])).find(|line| !line.is_empty());
            first.map_or(why.clone(), |line| format!("{why}: {line}"))
        })
    }

    /// What NVRTC has made: as many values as it says, then the values.
    ///
    /// # Safety
    ///
    /// `size` and `values` name functions that take a program and a place for a size, and for so many values.
    unsafe fn read<T: Default + Clone>(
        &self,
        program: Program,
        size: &[u8],
        values: &[u8],
    ) -> Result<Vec<T>, String> {
        let mut len = 0usize;
        // SAFETY: the caller says so.
        let size: Symbol<'_, Read<usize>> = unsafe { self.symbol(size)? };
        // SAFETY: `len` lives while it is written to.
        self.well(unsafe { size(program, &raw mut len) })?;
        let mut made = vec![T::default(); len];
        // SAFETY: the caller says so.
        let values: Symbol<'_, Read<T>> = unsafe { self.symbol(values)? };
        // SAFETY: there is room for as many values as NVRTC has just said.
        self.well(unsafe { values(program, made.as_mut_ptr()) })?;
        Ok(made)
    }

    fn destroy(&self, mut program: Program) {
        // SAFETY: the signature is `nvrtcDestroyProgram`'s; the program was made by this library and is not used afterwards.
        unsafe {
            let destroy: Result<Symbol<'_, unsafe extern "C" fn(*mut Program) -> c_int>, String> =
                self.symbol(b"nvrtcDestroyProgram");
            // One that cannot be destroyed is a little memory.
            let _ = destroy.map(|destroy| destroy(&raw mut program));
        }
    }

    /// # Safety
    ///
    /// `T` is the signature of what goes by this name.
    unsafe fn symbol<T>(&self, name: &[u8]) -> Result<Symbol<'_, T>, String> {
        // SAFETY: the caller says so.
        unsafe { self.library.get(name) }.map_err(|error| error.to_string())
    }

    /// An answer of 0 is well; any other is said in NVRTC's words.
    fn well(&self, answered: c_int) -> Result<(), String> {
        if answered == 0 {
            return Ok(());
        }
        // SAFETY: the signature is `nvrtcGetErrorString`'s, which answers any number with a text that stays.
        let said = unsafe {
            self.symbol::<unsafe extern "C" fn(c_int) -> *const c_char>(b"nvrtcGetErrorString")
                .map(|say| CStr::from_ptr(say(answered)).to_string_lossy().into_owned())
        };
        Err(said.unwrap_or_else(|_| format!("error {answered} of NVRTC")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::SOURCE;

    #[test]
    fn what_is_not_there_is_not_found() {
        assert!(Nvrtc::called("libnvrtc-of-nobody.so").is_none());
        // There, but somebody else's.
        assert!(cfg!(windows) || Nvrtc::called("libc.so.6").is_none());
    }

    /// Needs no card. Where there is no NVRTC there is nothing to look at: `cargo xtask cuda` compiles all kernels by one of its own.
    #[test]
    fn kernels_become_machine_code_and_what_cannot_says_why() {
        let Some(nvrtc) = Nvrtc::find() else { return };
        let cubin = nvrtc.cubin(SOURCE, "sm_80").unwrap();
        assert_eq!(&cubin[..4], b"\x7fELF");
        let unknown = nvrtc.cubin(SOURCE, "sm_9999").unwrap_err();
        assert!(unknown.to_lowercase().contains("option") || unknown.contains("9999"), "{unknown}");
        let wrong = nvrtc.cubin("__global__ void f() { nobody(); }", "sm_80").unwrap_err();
        assert!(wrong.contains("kernels.cu(1)") && wrong.contains("nobody"), "{wrong}");
    }
}
