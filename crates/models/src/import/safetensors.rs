//! `.safetensors` files of floats.

use half::{bf16, f16};
use safetensors::tensor::{Dtype, SafeTensors};

use crate::import::tensors::NamedTensors;

/// All tensors of a file.
pub(super) fn read(bytes: &[u8]) -> Result<NamedTensors, String> {
    // It checks that shapes, offsets and the file's length agree before anything of these sizes is allocated.
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| format!("not a whole safetensors file ({error}); copy it again"))?;
    let mut tensors = NamedTensors::new();
    for (name, view) in file.iter() {
        let data = view.data();
        let values = match view.dtype() {
            Dtype::F32 => data.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect(),
            Dtype::F64 => data.as_chunks().0.iter().map(|&b| f64::from_le_bytes(b) as f32).collect(),
            Dtype::F16 => data.as_chunks().0.iter().map(|&b| f16::from_le_bytes(b).to_f32()).collect(),
            Dtype::BF16 => data.as_chunks().0.iter().map(|&b| bf16::from_le_bytes(b).to_f32()).collect(),
            other => {
                let name = name.escape_debug();
                return Err(format!("tensor `{name}` is of {other:?}; expected F32, F64, F16 or BF16"));
            }
        };
        tensors.insert(name, view.shape(), values).map_err(|error| error.to_string())?;
    }
    Ok(tensors)
}
