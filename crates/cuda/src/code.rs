//! The kernels as a card takes them: compiled for it by NVRTC where the machine has one, else the PTX that came with the binary.

use std::ffi::CString;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaModule};
use cudarc::nvrtc::{Ptx, result, sys};

use crate::card::CardError;

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

/// How the kernels came to the card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Compiled on this machine, for this card.
    Compiled,
    /// Shipped, and translated by the driver.
    Shipped,
}

/// Brings the kernels to a card.
pub(crate) fn load(context: &Arc<CudaContext>) -> Result<(Arc<CudaModule>, Code), CardError> {
    let shipped = || context.load_module(Ptx::from_src(PTX)).map(|module| (module, Code::Shipped));
    match shipped() {
        Ok(loaded) => Ok(loaded),
        // A driver older than the PTX, or a card older than it is for: what this machine compiles itself may still do.
        Err(refused) => match compiled(context) {
            Some(Ok(module)) => Ok((module, Code::Compiled)),
            Some(Err(why)) => Err(CardError::Code(format!("{refused}; compiled here: {why}"))),
            None => Err(CardError::Code(refused.to_string())),
        },
    }
}

/// A cubin for exactly this card; nothing where there is no NVRTC.
fn compiled(context: &Arc<CudaContext>) -> Option<Result<Arc<CudaModule>, String>> {
    // SAFETY: only asks whether the library can be loaded.
    if !unsafe { sys::is_culib_present() } {
        return None;
    }
    let load = || {
        let (major, minor) = context.compute_capability().map_err(|error| error.to_string())?;
        let cubin = cubin(&format!("sm_{major}{minor}"))?;
        context.load_module(Ptx::from_binary(cubin)).map_err(|error| error.to_string())
    };
    Some(load())
}

fn cubin(architecture: &str) -> Result<Vec<u8>, String> {
    let source = CString::new(SOURCE).map_err(|error| error.to_string())?;
    let program = result::create_program(&source, Some(c"kernels.cu")).map_err(|error| error.to_string())?;
    let options = [format!("--gpu-architecture={architecture}"), "--std=c++17".to_owned()];
    // SAFETY: `program` was just made, and is destroyed once, below.
    let compiled = unsafe { result::compile_program(program, &options) }.map_err(|error| error.to_string());
    let image = compiled.and_then(|()| {
        let mut size = 0;
        // SAFETY: the program is compiled; NVRTC writes as many bytes as it has just said.
        unsafe {
            sys::nvrtcGetCUBINSize(program, &mut size).result().map_err(|error| error.to_string())?;
            let mut image = vec![0u8; size];
            sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast())
                .result()
                .map_err(|error| error.to_string())?;
            Ok(image)
        }
    });
    // SAFETY: made above, and not used afterwards.
    let _ = unsafe { result::destroy_program(program) };
    image
}
