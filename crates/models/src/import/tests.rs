//! Files as NumPy and safetensors write them, and as nobody should.

use std::io::Write as _;
use std::path::Path;

use proptest::prelude::*;
use safetensors_crate::tensor::{Dtype, TensorView, serialize};

use super::*;
use crate::architecture::{Kind, Variant};

use ::safetensors as safetensors_crate;

/// An `.npy` file of version 1, as NumPy pads it.
fn npy_file(descr: &str, fortran: bool, shape: &str, values: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let mut line = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    while (10 + line.len() + 1) % 64 != 0 {
        line.push(' ');
    }
    line.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((line.len() as u16).to_le_bytes());
    file.extend(line.as_bytes());
    file.extend(values);
    file
}

fn little(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn npz_file(method: zip::CompressionMethod, entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        archive.start_file(*name, options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

const VALUES: [f32; 6] = [0.5, -1.0, 2.0, 0.25, -8.0, 3.0];

#[test]
fn npy_of_every_float_and_byte_order_is_the_same_array() {
    let whole = |descr: &str, bytes: Vec<u8>| npy::read(&npy_file(descr, false, "(2, 3)", &bytes)).unwrap();
    let wanted = NamedTensor { shape: vec![2, 3], data: VALUES.to_vec() };
    let each = |f: &dyn Fn(f32) -> Vec<u8>| VALUES.iter().flat_map(|&v| f(v)).collect::<Vec<u8>>();
    let half = |v: f32| half::f16::from_f32(v);
    assert_eq!(whole("<f4", little(&VALUES)), wanted);
    assert_eq!(whole(">f4", each(&|v| v.to_be_bytes().to_vec())), wanted);
    assert_eq!(whole("<f8", each(&|v| f64::from(v).to_le_bytes().to_vec())), wanted);
    assert_eq!(whole(">f8", each(&|v| f64::from(v).to_be_bytes().to_vec())), wanted);
    assert_eq!(whole("<f2", each(&|v| half(v).to_le_bytes().to_vec())), wanted);
    assert_eq!(whole(">f2", each(&|v| half(v).to_be_bytes().to_vec())), wanted);
}

#[test]
fn fortran_order_is_turned_around() {
    let columns = [0.5, 0.25, -1.0, -8.0, 2.0, 3.0];
    let read = npy::read(&npy_file("<f4", true, "(2, 3)", &little(&columns))).unwrap();
    assert_eq!(read.data, VALUES);
    let vector = npy::read(&npy_file("<f4", true, "(6,)", &little(&VALUES))).unwrap();
    assert_eq!((vector.shape, vector.data), (vec![6], VALUES.to_vec()));
    let number = npy::read(&npy_file("<f4", false, "()", &little(&[7.0]))).unwrap();
    assert_eq!((number.shape, number.data), (vec![], vec![7.0]));
}

#[test]
fn what_is_no_array_of_floats_is_refused_with_a_reason() {
    let bytes = little(&VALUES);
    let file = |descr: &str, shape: &str| npy::read(&npy_file(descr, false, shape, &bytes)).unwrap_err();
    assert!(file("<i4", "(2, 3)").contains("`<i4`; expected floats"), "{}", file("<i4", "(2, 3)"));
    assert!(file("|O", "(2, 3)").contains("pickled"));
    assert!(file("<f4", "(2, 4)").contains("truncated"));
    assert!(file("<f4", "(9223372036854775807, 9223372036854775807)").contains("truncated"));
    assert!(file("<f4", "(99999999999999999999999,)").contains("whole numbers"));
    assert!(file("<f4", &format!("({})", "1, ".repeat(40))).contains("32 dimensions"));
    assert!(file("<f4", "((((((((2").contains("whole numbers"));
    let whole = npy_file("<f4", false, "(2, 3)", &bytes);
    for end in 0..whole.len() {
        assert!(npy::read(&whole[..end]).is_err(), "cut to {end} bytes");
    }
    let mut huge_header = b"\x93NUMPY\x02\x00".to_vec();
    huge_header.extend(u32::MAX.to_le_bytes());
    assert!(npy::read(&huge_header).unwrap_err().contains("ends within its header"));
    assert!(npy::read(b"\x93NUMPY\x09\x00....").unwrap_err().contains("version 9.0"));
}

#[test]
fn npz_stored_or_deflated_is_the_same_arrays() {
    let a = npy_file("<f4", false, "(2, 3)", &little(&VALUES));
    let b = npy_file("<f4", false, "(2,)", &little(&[1.0, 2.0]));
    for method in [zip::CompressionMethod::Stored, zip::CompressionMethod::Deflated] {
        let read = npz::read(&npz_file(method, &[("a.npy", a.clone()), ("b.npy", b.clone())])).unwrap();
        assert_eq!(read.names().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(read.get("a").unwrap().data, VALUES);
    }
}

#[test]
fn an_archive_that_grows_without_end_is_refused() {
    let zeros = vec![0u8; 80 << 20];
    let bomb = npz_file(zip::CompressionMethod::Deflated, &[("a.npy", zeros)]);
    assert!(bomb.len() < 1 << 20);
    assert!(npz::read(&bomb).unwrap_err().contains("100 times"), "{}", bomb.len());
}

#[test]
fn an_archive_or_a_header_that_says_one_thing_twice_is_refused() {
    let a = npy_file("<f4", false, "(2, 3)", &little(&VALUES));
    let two = npz_file(zip::CompressionMethod::Stored, &[("a.npy", a.clone()), ("b.npy", a)]);
    // The writer refuses to do it, so it is done by hand, in the list of names and beside the arrays.
    let mut twice = two.clone();
    let at: Vec<usize> = (0..two.len() - 5).filter(|&at| two[at..].starts_with(b"b.npy")).collect();
    assert_eq!(at.len(), 2);
    at.iter().for_each(|&at| twice[at] = b'a');
    assert!(npz::read(&two).is_ok());
    assert!(npz::read(&twice).unwrap_err().contains("one name stands in it twice"));

    let header = npy_file("<f4", false, "(2, 3), 'shape': (3, 2)", &little(&VALUES));
    assert_eq!(npy::read(&header).unwrap_err(), "the header says `shape` twice");
}

#[test]
fn archives_of_something_else_and_broken_ones_are_refused() {
    let a = npy_file("<f4", false, "(2, 3)", &little(&VALUES));
    let other = npz_file(zip::CompressionMethod::Stored, &[("data.pkl", a.clone())]);
    assert_eq!(npz::read(&other).unwrap_err(), "`data.pkl` in it is not an .npy file");
    let whole = npz_file(zip::CompressionMethod::Deflated, &[("a.npy", a)]);
    for end in 0..whole.len() {
        assert!(npz::read(&whole[..end]).is_err(), "cut to {end} bytes");
    }
}

fn safetensors_file(dtype: Dtype, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let view = TensorView::new(dtype, shape.to_vec(), bytes).unwrap();
    serialize([("a", view)], None).unwrap()
}

#[test]
fn safetensors_of_every_float_are_the_same_tensor() {
    let each = |f: &dyn Fn(f32) -> Vec<u8>| VALUES.iter().flat_map(|&v| f(v)).collect::<Vec<u8>>();
    let cases = [
        (Dtype::F32, little(&VALUES)),
        (Dtype::F64, each(&|v| f64::from(v).to_le_bytes().to_vec())),
        (Dtype::F16, each(&|v| half::f16::from_f32(v).to_le_bytes().to_vec())),
        (Dtype::BF16, each(&|v| half::bf16::from_f32(v).to_le_bytes().to_vec())),
    ];
    for (dtype, bytes) in cases {
        let read = safetensors::read(&safetensors_file(dtype, &[2, 3], &bytes)).unwrap();
        assert_eq!(read.get("a").unwrap(), &NamedTensor { shape: vec![2, 3], data: VALUES.to_vec() });
    }
    let integers = safetensors_file(Dtype::I64, &[1], &[0; 8]);
    assert_eq!(
        safetensors::read(&integers).unwrap_err(),
        "tensor `a` is of I64; expected F32, F64, F16 or BF16"
    );
    let whole = safetensors_file(Dtype::F32, &[2, 3], &little(&VALUES));
    for end in 0..whole.len() {
        assert!(safetensors::read(&whole[..end]).is_err(), "cut to {end} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Whatever the bytes, there is an answer; and flipping some of a sound file's too.
    #[test]
    fn no_bytes_make_a_reader_panic(noise in prop::collection::vec(any::<u8>(), 0..200), flips in prop::collection::vec((0usize..400, any::<u8>()), 1..6)) {
        let npy_bytes = npy_file("<f4", false, "(2, 3)", &little(&VALUES));
        let files = [
            npy_bytes.clone(),
            npz_file(zip::CompressionMethod::Deflated, &[("a.npy", npy_bytes)]),
            safetensors_file(Dtype::F32, &[2, 3], &little(&VALUES)),
        ];
        for mut file in files.into_iter().chain([noise]) {
            for &(at, byte) in &flips {
                if let Some(place) = file.get_mut(at) {
                    *place = byte;
                }
            }
            let _ = (npy::read(&file), npz::read(&file), safetensors::read(&file));
        }
    }

    /// What NumPy would write is what is read, whatever the shape and order.
    #[test]
    fn npy_is_read_as_it_was_written(rows in 0usize..7, columns in 0usize..7, depth in 1usize..4, fortran: bool) {
        let shape = [rows, columns, depth];
        let at = |r: usize, c: usize, d: usize| (r * 100 + c * 10 + d) as f32;
        let mut values = Vec::new();
        if fortran {
            (0..depth).for_each(|d| (0..columns).for_each(|c| (0..rows).for_each(|r| values.push(at(r, c, d)))));
        } else {
            (0..rows).for_each(|r| (0..columns).for_each(|c| (0..depth).for_each(|d| values.push(at(r, c, d)))));
        }
        let file = npy_file("<f4", fortran, &format!("({rows}, {columns}, {depth})"), &little(&values));
        let read = npy::read(&file).unwrap();
        prop_assert_eq!(&read.shape, &shape);
        let mut wanted = Vec::new();
        (0..rows).for_each(|r| (0..columns).for_each(|c| (0..depth).for_each(|d| wanted.push(at(r, c, d)))));
        prop_assert_eq!(read.data, wanted);
    }
}

#[test]
fn pickles_are_refused_unopened_with_the_way_out() {
    let error = read_weights(&[Path::new("nowhere/model.pth")]).unwrap_err();
    assert!(matches!(error, TensorsError::Pickle { .. }));
    assert!(
        error.to_string().contains("torch.load(\"model.pth\"") && error.to_string().contains("save_file")
    );
    let error = read_weights(&[Path::new("weights.txt")]).unwrap_err();
    assert!(matches!(error, TensorsError::UnknownForm { .. }), "{error}");
}

#[test]
fn two_nameless_arrays_are_users_and_items() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, values: &[f32]| {
        let path = folder.path().join(name);
        std::fs::write(&path, npy_file("<f4", false, &format!("({}, 1)", values.len()), &little(values)))
            .unwrap();
        path
    };
    let (users, items) = (write("u.npy", &[1.0, 2.0]), write("i.npy", &[3.0]));
    let (tensors, files) = read_weights(&[&users, &items]).unwrap();
    assert_eq!(tensors.get("user_embedding").unwrap().data, [1.0, 2.0]);
    assert_eq!(tensors.get("item_embedding").unwrap().data, [3.0]);
    assert_eq!((files[0].name.as_str(), files[0].hash.len()), ("u.npy", 64));
    let alone = read_weights(&[&users]).unwrap_err();
    assert!(alone.to_string().contains("give two"), "{alone}");
    assert_eq!(read_matrix(&items).unwrap().0.data, [3.0]);
}

/// Tensors of zeros, but for what is told otherwise.
fn tensors(shapes: &[(&str, &[usize])]) -> NamedTensors {
    let mut tensors = NamedTensors::new();
    for (name, shape) in shapes {
        let n = shape.iter().product();
        tensors.insert(name, shape, (0..n).map(|at| at as f32).collect()).unwrap();
    }
    tensors
}

#[test]
fn each_layout_is_recognised_by_its_names_with_or_without_a_prefix() {
    let light = |names: [&str; 2], layout| {
        for prefix in ["", "model.", "module.model.", "state_dict.model."] {
            let names = names.map(|name| format!("{prefix}{name}"));
            let found = recognise(
                tensors(&[(&names[0], &[3, 2]), (&names[1], &[4, 2])]),
                Kind::LightGcn,
                None,
                Some(2),
            )
            .unwrap();
            assert_eq!((found.layout, found.rows), (layout, Rows::Apart { users: 3, items: 4 }));
            assert_eq!((found.architecture.layers, found.architecture.dim), (2, 2));
        }
    };
    light(["user_embedding", "item_embedding"], Layout::Grease);
    light(["embedding_user.weight", "embedding_item.weight"], Layout::LightGcnPyTorch);
    light(["user_embedding.weight", "item_embedding.weight"], Layout::RecBole);
}

fn pyg(alpha: &[f32]) -> NamedTensors {
    let mut all = tensors(&[("embedding.weight", &[5, 2]), ("convs.0.nothing", &[0])]);
    all.insert("alpha", &[alpha.len()], alpha.to_vec()).unwrap();
    all
}

#[test]
fn pyg_says_its_layers_by_alpha_and_must_mean_the_mean() {
    let found = recognise(pyg(&[1.0 / 3.0; 3]), Kind::LightGcn, None, None).unwrap();
    assert_eq!((found.architecture.layers, found.rows), (2, Rows::Joined(5)));
    let weights = found.weights(2, 3, [0, 0]).unwrap();
    assert_eq!((weights.users(), weights.items().len()), (&[0.0, 1.0, 2.0, 3.0][..], 6));
    let refused =
        |alpha: &[f32], layers| recognise(pyg(alpha), Kind::LightGcn, None, layers).unwrap_err().to_string();
    assert!(refused(&[0.5, 0.3, 0.2], None).contains("another read-out than the mean"));
    assert!(refused(&[f32::NAN, 0.5], None).contains("another read-out"));
    assert!(refused(&[0.5, 0.5], Some(3)).contains("of 1 layers, not 3"));
}

fn recbole_ngcf() -> NamedTensors {
    tensors(&[
        ("user_embedding.weight", &[3, 2]),
        ("item_embedding.weight", &[4, 2]),
        ("GNNlayers.0.linear.weight", &[2, 2]),
        ("GNNlayers.0.linear.bias", &[2]),
        ("GNNlayers.0.interActTransform.weight", &[2, 2]),
        ("GNNlayers.0.interActTransform.bias", &[2]),
        ("restore_user_e", &[3, 4]),
    ])
}

#[test]
fn recboles_ngcf_is_transposed_padded_and_hands_normalised_layers_on() {
    let found = recognise(recbole_ngcf(), Kind::Ngcf, None, None).unwrap();
    assert_eq!(found.architecture.variant, Variant::NormalisedLayers);
    assert!(found.padded);
    let weights = found.weights(2, 3, [1, 1]).unwrap();
    assert_eq!(weights.users(), [2.0, 3.0, 4.0, 5.0], "row 0 is nobody's");
    assert_eq!(
        (weights.0[2].name.as_str(), &weights.0[2].data[..]),
        ("layer.0.w1", &[0.0, 2.0, 1.0, 3.0][..])
    );
    assert_eq!((weights.0[3].name.as_str(), weights.0[3].shape), ("layer.0.b1", [1, 2]));
}

#[test]
fn what_is_not_known_is_refused_and_told() {
    let refused = |all: &NamedTensors, kind, layout, layers| {
        recognise(all.clone(), kind, layout, layers).unwrap_err().to_string()
    };
    let plain = tensors(&[("user_embedding.weight", &[3, 2]), ("item_embedding.weight", &[4, 2])]);
    assert!(refused(&plain, Kind::LightGcn, None, None).contains("`layers`"));
    assert!(refused(&recbole_ngcf(), Kind::LightGcn, None, Some(1)).contains("use `grease import ngcf`"));
    assert!(refused(&plain, Kind::Ngcf, Some(Layout::Grease), None).contains("`user_embedding` is missing"));
    assert!(refused(&plain, Kind::Ngcf, Some(Layout::Pyg), None).contains("no ngcf of this layout"));

    let strange = tensors(&[("encoder.w", &[3, 2]), ("decoder.w", &[4, 2])]);
    let said = refused(&strange, Kind::LightGcn, None, None);
    assert!(
        said.contains("`decoder.w` [4, 2], `encoder.w` [3, 2]") && said.contains("pyg: `embedding.weight`"),
        "{said}"
    );

    let kin = tensors(&[
        ("embedding_dict.user_emb", &[3, 2]),
        ("embedding_dict.item_emb", &[4, 2]),
        ("weight_dict.W_gc_0", &[2, 2]),
    ]);
    for kind in [Kind::Ngcf, Kind::LightGcn] {
        assert!(refused(&kin, kind, None, None).contains("D^-1 (A + I)"));
    }

    let mut more = plain;
    more.insert("attention", &[2], vec![1.0, 2.0]).unwrap();
    assert!(refused(&more, Kind::LightGcn, None, Some(1)).contains("`attention` [2] is one too many"));

    let mut broken = tensors(&[("user_embedding", &[3, 2])]);
    broken.insert("item_embedding", &[2, 2], vec![1.0, 1.0, 1.0, f32::INFINITY]).unwrap();
    assert!(refused(&broken, Kind::LightGcn, None, Some(1)).contains("inf at row 1, column 1"));

    let uneven = tensors(&[("user_embedding", &[3, 2]), ("item_embedding", &[4, 3])]);
    assert!(refused(&uneven, Kind::LightGcn, None, Some(1)).contains("of one width"));
    let flat = tensors(&[("user_embedding", &[3]), ("item_embedding", &[4, 3])]);
    assert!(refused(&flat, Kind::LightGcn, None, Some(1)).contains("a matrix is expected"));
    let thin = tensors(&[("user_embedding", &[3, 0]), ("item_embedding", &[4, 0])]);
    assert!(refused(&thin, Kind::LightGcn, None, Some(1)).contains("0 columns"));
}

#[test]
fn tensors_that_do_not_fill_their_shape_or_come_twice_are_refused() {
    let mut tensors = NamedTensors::new();
    assert!(tensors.insert("a", &[2, 2], vec![0.0; 3]).is_err());
    assert!(tensors.insert("a", &[usize::MAX, 2], vec![]).is_err());
    tensors.insert("a", &[2], vec![0.0; 2]).unwrap();
    assert!(tensors.insert("a", &[2], vec![0.0; 2]).unwrap_err().to_string().contains("twice"));
    let one = tensors.hash();
    tensors.insert("b", &[1], vec![0.0]).unwrap();
    assert_ne!(tensors.hash(), one);
}
