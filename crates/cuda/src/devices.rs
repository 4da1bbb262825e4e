//! What cards there are, and why there are none.

use std::ffi::c_int;

use cudarc::driver::sys::{self, CUdevice_attribute_enum as Attribute, CUresult};
use cudarc::driver::{CudaContext, DriverError, result};

use crate::error::CardError;

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
    /// The newest CUDA its driver speaks, as (12, 8).
    pub driver: (i32, i32),
}

/// The oldest CUDA that has all the calls this crate makes: one that is missing would be found out half way.
const OLDEST: (i32, i32) = (12, 0);

/// All cards, in the driver's order; or why there are none.
pub fn devices() -> Result<Vec<Device>, CardError> {
    known(&Nvidia)
}

/// The card of this number, among those there are.
pub(crate) fn numbered(number: usize, known: &[Device]) -> Result<&Device, CardError> {
    known.get(number).ok_or(CardError::NoCard { asked: number, known: known.len() })
}

/// What is asked of a driver before anything runs on its cards.
trait Driver {
    /// Whether this program could load a driver at all.
    fn can_be_loaded(&self) -> bool;
    fn is_there(&self) -> bool;
    /// The newest CUDA it speaks.
    fn version(&self) -> Result<(i32, i32), String>;
    /// Wakes it, and counts its cards.
    fn count(&self) -> Result<usize, String>;
    fn device(&self, number: usize, version: (i32, i32)) -> Result<Device, CardError>;
}

fn known(driver: &impl Driver) -> Result<Vec<Device>, CardError> {
    if !driver.can_be_loaded() {
        return Err(CardError::Static);
    }
    if !driver.is_there() {
        return Err(CardError::NoDriver);
    }
    let version = driver.version().map_err(CardError::Driver)?;
    if version < OLDEST {
        return Err(CardError::OldDriver { speaks: version, needed: OLDEST });
    }
    let count = driver.count().map_err(CardError::Driver)?;
    (0..count).map(|number| driver.device(number, version)).collect()
}

/// The real one.
struct Nvidia;

impl Driver for Nvidia {
    fn can_be_loaded(&self) -> bool {
        !cfg!(target_feature = "crt-static")
    }

    fn is_there(&self) -> bool {
        // SAFETY: only asks whether the library can be loaded; what its initialisers do is the driver's business.
        unsafe { sys::is_culib_present() }
    }

    fn version(&self) -> Result<(i32, i32), String> {
        let mut version: c_int = 0;
        // SAFETY: the library is there, has had this call from the beginning, and `version` lives while it is written to.
        unsafe { sys::cuDriverGetVersion(&raw mut version) }.result().map_err(|error| error.to_string())?;
        Ok((version / 1000, version % 1000 / 10))
    }

    fn count(&self) -> Result<usize, String> {
        match result::init().and_then(|()| CudaContext::device_count()) {
            Ok(count) => Ok(usize::try_from(count).unwrap_or(0)),
            Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(0),
            Err(error) => Err(error.to_string()),
        }
    }

    fn device(&self, number: usize, driver: (i32, i32)) -> Result<Device, CardError> {
        let device = result::device::get(number as c_int)?;
        // SAFETY: `device` was just handed out by the driver.
        let (memory, major, minor) = unsafe {
            (
                result::device::total_mem(device)?,
                result::device::get_attribute(
                    device,
                    Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                )?,
                result::device::get_attribute(
                    device,
                    Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                )?,
            )
        };
        let name = result::device::get_name(device)?;
        Ok(Device { number, name, memory, capability: (major, minor), driver })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver that is as a test says.
    struct Fake {
        can_be_loaded: bool,
        is_there: bool,
        version: Result<(i32, i32), &'static str>,
        count: Result<usize, &'static str>,
    }

    fn working() -> Fake {
        Fake { can_be_loaded: true, is_there: true, version: Ok((12, 8)), count: Ok(2) }
    }

    impl Driver for Fake {
        fn can_be_loaded(&self) -> bool {
            self.can_be_loaded
        }
        fn is_there(&self) -> bool {
            assert!(self.can_be_loaded, "nothing is looked for that could not be loaded");
            self.is_there
        }
        fn version(&self) -> Result<(i32, i32), String> {
            assert!(self.is_there, "a driver that is not there is not called");
            self.version.map_err(str::to_owned)
        }
        fn count(&self) -> Result<usize, String> {
            self.count.map_err(str::to_owned)
        }
        fn device(&self, number: usize, driver: (i32, i32)) -> Result<Device, CardError> {
            let name = format!("Card {number}");
            Ok(Device { number, name, memory: 80_000_000_000, capability: (9, 0), driver })
        }
    }

    fn why(driver: &Fake) -> String {
        known(driver).unwrap_err().to_string()
    }

    #[test]
    fn cards_are_numbered_as_the_driver_has_them() {
        let cards = known(&working()).unwrap();
        assert_eq!(cards.iter().map(|card| card.number).collect::<Vec<_>>(), [0, 1]);
        assert_eq!((cards[1].name.as_str(), cards[1].driver), ("Card 1", (12, 8)));
        assert_eq!(numbered(1, &cards), Ok(&cards[1]));
        let beyond = numbered(2, &cards).unwrap_err();
        assert_eq!(beyond.to_string(), "there is no cuda:2: the driver knows 2 cards");
        let none = numbered(0, &[]).unwrap_err();
        assert_eq!(none.to_string(), "there is no cuda:0: the driver knows 0 cards");
    }

    #[test]
    fn a_driver_without_cards_is_no_error() {
        assert_eq!(known(&Fake { count: Ok(0), ..working() }), Ok(Vec::new()));
    }

    #[test]
    fn what_is_missing_is_said_and_nothing_after_it_is_called() {
        assert_eq!(why(&Fake { is_there: false, ..working() }), "no CUDA driver (libcuda) was found");
        let linked = Fake { can_be_loaded: false, is_there: false, ..working() };
        assert!(why(&linked).starts_with("this program is linked statically"));
        assert_eq!(
            why(&Fake { version: Ok((11, 4)), count: Err("not to be asked"), ..working() }),
            "the driver speaks CUDA 11.4, and 12.0 or later is needed"
        );
        assert_eq!(
            why(&Fake { count: Err("no answer"), ..working() }),
            "the CUDA driver does not answer: no answer"
        );
        assert_eq!(
            why(&Fake { version: Err("no answer"), ..working() }),
            "the CUDA driver does not answer: no answer"
        );
    }

    /// On any machine: there are cards or there is a reason, and never a panic.
    #[test]
    fn this_machine_answers() {
        match devices() {
            Ok(cards) => assert!(cards.iter().all(|card| card.memory > 0)),
            Err(why) => assert!(!why.to_string().is_empty()),
        }
    }
}
