//! One card: its memory, the kernels on it, and the stream they run in.

use std::sync::Arc;

use cudarc::driver::sys::{CUdevice_attribute_enum as Attribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, DriverError, ValidAsZeroBits,
};

use crate::code::{self, Code};
use crate::devices::{devices, numbered};
pub(crate) use crate::error::CardError;

/// A card that is ready.
pub struct Card {
    context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    /// For copies while kernels run.
    pub(crate) copying: Arc<CudaStream>,
    module: Arc<CudaModule>,
    code: Code,
    name: String,
}

impl Card {
    /// Opens a card and brings the kernels there.
    pub fn open(number: usize) -> Result<Self, CardError> {
        let known = devices()?;
        let name = numbered(number, &known)?.name.clone();
        let context = CudaContext::new(number)?;
        // SAFETY: all that is allocated here is used in one stream alone, so there is nothing to wait for.
        unsafe { context.disable_event_tracking() };
        let (module, code) = code::load(&context)?;
        // Not the default stream, which cannot be captured.
        let (stream, copying) = (context.new_stream()?, context.new_stream()?);
        Ok(Self { context, stream, copying, module, code, name })
    }

    /// As its maker calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the kernels came to it.
    pub fn code(&self) -> Code {
        self.code
    }

    pub(crate) fn kernel(&self, name: &str) -> Result<CudaFunction, CardError> {
        self.module.load_function(name).map_err(|error| CardError::Code(format!("`{name}`: {error}")))
    }

    /// A stream besides, for work that is apart from all other.
    pub(crate) fn new_stream(&self) -> Result<Arc<CudaStream>, CardError> {
        Ok(self.context.new_stream()?)
    }

    /// How many processors it has.
    pub(crate) fn processors(&self) -> Result<u32, CardError> {
        let count = self.context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        Ok(count.max(1) as u32)
    }

    /// Bytes of memory that nobody uses.
    pub(crate) fn free(&self) -> Result<usize, CardError> {
        Ok(self.context.mem_get_info()?.0)
    }

    /// Refuses what would not fit: a card that runs out of memory half way says so less clearly.
    pub(crate) fn need(&self, bytes: usize) -> Result<(), CardError> {
        let free = self.free()?;
        if bytes > free { Err(too_small(bytes, free)) } else { Ok(()) }
    }

    /// A piece of memory, or how large it would have been: others may have taken what was free.
    fn piece<T>(
        &self,
        bytes: usize,
        made: Result<CudaSlice<T>, DriverError>,
    ) -> Result<CudaSlice<T>, CardError> {
        made.map_err(|error| match error {
            DriverError(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => too_small(bytes, self.free().unwrap_or(0)),
            error => error.into(),
        })
    }

    pub(crate) fn zeros<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        len: usize,
    ) -> Result<CudaSlice<T>, CardError> {
        // An empty piece of memory has no address a kernel could be given.
        let len = len.max(1);
        self.piece(len * size_of::<T>(), self.stream.alloc_zeros(len))
    }

    pub(crate) fn upload<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        values: &[T],
    ) -> Result<CudaSlice<T>, CardError> {
        if values.is_empty() {
            return self.zeros(1);
        }
        self.piece(size_of_val(values), self.stream.clone_htod(values))
    }

    pub(crate) fn download<T: DeviceRepr + Default + Clone>(
        &self,
        values: &CudaSlice<T>,
    ) -> Result<Vec<T>, CardError> {
        let here = self.stream.clone_dtoh(values)?;
        self.stream.synchronize()?;
        Ok(here)
    }
}

/// In megabytes: what is needed rounded up, what is free down, so that the one is never told as the other.
fn too_small(needed: usize, free: usize) -> CardError {
    CardError::Memory { needed: needed.div_ceil(1_000_000), free: free / 1_000_000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_memory_is_told_with_what_is_needed() {
        let said = too_small(2_000_000_001, 1_999_999_999).to_string();
        assert_eq!(said, "the card has 1999 MB of memory free, and 2001 MB are needed");
    }

    #[test]
    #[ignore = "needs a card"]
    fn what_does_not_fit_a_real_card_is_refused_with_its_size() {
        let card = Card::open(0).unwrap();
        let (_, all) = card.context.mem_get_info().unwrap();
        let needed = (2 * all).div_ceil(1_000_000);
        let refused = |error: CardError| matches!(error, CardError::Memory { needed: told, free } if told == needed && free < needed);
        assert!(refused(card.need(2 * all).unwrap_err()));
        assert!(refused(card.zeros::<u8>(2 * all).unwrap_err()), "also where nobody asked before");
        card.upload(&[1.0f32; 1024]).unwrap();
    }
}
