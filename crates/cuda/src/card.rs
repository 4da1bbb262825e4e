//! One card: its memory, the kernels on it, and the stream they run in.

use std::sync::Arc;

use cudarc::driver::sys::CUdevice_attribute_enum as Attribute;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, DriverError, ValidAsZeroBits,
};

use crate::code::{self, Code};
use crate::devices::devices;

/// Why a card cannot be used, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CardError {
    /// The machine has no driver of NVIDIA's.
    #[error("no CUDA driver (libcuda) was found")]
    NoDriver,
    /// The program has no way to load one.
    #[error(
        "this program is linked statically and cannot load a CUDA driver; the Python package can, and a build from source"
    )]
    Static,
    /// There is one, and it does not work.
    #[error("the CUDA driver does not answer: {0}")]
    Driver(String),
    /// There is no such card.
    #[error("there is no card {asked}: the driver knows {known}")]
    NoCard {
        /// Its number.
        asked: usize,
        /// How many there are.
        known: usize,
    },
    /// The card does not take the kernels.
    #[error("the card does not take the kernels: {0}")]
    Code(String),
    /// The card is too small for it.
    #[error("the card has {free} MB of memory free, and {needed} MB are needed")]
    Memory {
        /// In megabytes.
        needed: usize,
        /// In megabytes.
        free: usize,
    },
    /// Nobody has taught cards to do it.
    #[error("{0}")]
    Unable(String),
    /// Something on the card went wrong.
    #[error("the card failed: {0}")]
    Failed(String),
}

impl From<DriverError> for CardError {
    fn from(error: DriverError) -> Self {
        Self::Failed(error.to_string())
    }
}

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
        let known = devices()?.len();
        if number >= known {
            return Err(CardError::NoCard { asked: number, known });
        }
        let context = CudaContext::new(number)?;
        // SAFETY: all that is allocated here is used in one stream alone, so there is nothing to wait for.
        unsafe { context.disable_event_tracking() };
        let (module, code) = code::load(&context)?;
        // Not the default stream, which cannot be captured.
        let (stream, copying) = (context.new_stream()?, context.new_stream()?);
        let name = context.name()?;
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
        if bytes > free {
            return Err(CardError::Memory { needed: bytes.div_ceil(1_000_000), free: free / 1_000_000 });
        }
        Ok(())
    }

    pub(crate) fn zeros<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        len: usize,
    ) -> Result<CudaSlice<T>, CardError> {
        // An empty piece of memory has no address a kernel could be given.
        Ok(self.stream.alloc_zeros(len.max(1))?)
    }

    pub(crate) fn upload<T: DeviceRepr + ValidAsZeroBits>(
        &self,
        values: &[T],
    ) -> Result<CudaSlice<T>, CardError> {
        if values.is_empty() {
            return self.zeros(1);
        }
        Ok(self.stream.clone_htod(values)?)
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
