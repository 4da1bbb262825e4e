//! NumPy's `.npz`: a ZIP archive of `.npy` files, stored or deflated.

use std::io::{Cursor, Read as _};

use zip::{CompressionMethod, ZipArchive};

use crate::import::npy;
use crate::import::tensors::NamedTensors;

/// What an archive may grow to, however small it is.
const ALWAYS_ALLOWED: u64 = 64 << 20;

/// How many times its size an archive may grow to beyond that. Weights that were learned hardly shrink at all.
const MOST_GROWTH: u64 = 100;

/// All arrays of an archive, by the names they were saved under.
pub(super) fn read(bytes: &[u8]) -> Result<NamedTensors, String> {
    let broken = |error: &dyn std::fmt::Display| format!("not a whole .npz file ({error}); copy it again");
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(&error))?;
    // Of two arrays of one name only the last can be found: who knows which was meant.
    if archive.has_duplicate_names() {
        return Err("one name stands in it twice; save every array under a name of its own".to_owned());
    }
    let mut allowed = ALWAYS_ALLOWED.max((bytes.len() as u64).saturating_mul(MOST_GROWTH));
    let mut tensors = NamedTensors::new();
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(|error| broken(&error))?;
        let name = entry.name().map_err(|error| broken(&error))?.into_owned();
        let shown = name.escape_debug().to_string();
        let name = name.strip_suffix(".npy").ok_or_else(|| format!("`{shown}` in it is not an .npy file"))?;
        if !matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(format!(
                "`{shown}` is compressed otherwise than NumPy does: {:?}",
                entry.compression()
            ));
        }
        // What the archive says of its sizes need not be true: what counts is what comes out of it.
        let mut array = Vec::new();
        let grown = entry.take(allowed + 1).read_to_end(&mut array).map_err(|error| broken(&error))? as u64;
        allowed = allowed.checked_sub(grown).ok_or_else(|| {
            format!(
                "`{shown}` unpacks to more than {MOST_GROWTH} times the archive's size: not what weights do"
            )
        })?;
        let tensor = npy::read(&array).map_err(|reason| format!("`{shown}`: {reason}"))?;
        tensors.insert(name, &tensor.shape, tensor.data).map_err(|error| error.to_string())?;
    }
    Ok(tensors)
}
