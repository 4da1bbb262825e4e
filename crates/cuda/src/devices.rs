//! What cards there are, and why there are none.

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute};
use cudarc::driver::{CudaContext, result};

use crate::card::CardError;

/// A card the driver knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The N of `cuda:N`.
    pub number: usize,
    /// As its maker calls it.
    pub name: String,
    /// Bytes of memory, all of it.
    pub memory: usize,
    /// What its processors can do, as (8, 0).
    pub capability: (i32, i32),
}

/// All cards, in the driver's order; or why there are none.
pub fn devices() -> Result<Vec<Device>, CardError> {
    if cfg!(target_feature = "crt-static") {
        return Err(CardError::Static);
    }
    // SAFETY: only asks whether the library can be loaded; what its initialisers do is the driver's business.
    if !unsafe { sys::is_culib_present() } {
        return Err(CardError::NoDriver);
    }
    result::init().map_err(|error| CardError::Driver(error.to_string()))?;
    let count = CudaContext::device_count()?;
    (0..count).map(device).collect()
}

fn device(number: i32) -> Result<Device, CardError> {
    let device = result::device::get(number)?;
    // SAFETY: `device` was just handed out by the driver.
    let (memory, major, minor) = unsafe {
        (
            result::device::total_mem(device)?,
            result::device::get_attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            result::device::get_attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        )
    };
    let name = result::device::get_name(device)?;
    Ok(Device { number: number as usize, name, memory, capability: (major, minor) })
}
