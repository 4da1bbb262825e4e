//! The portable path and the machine's own give the same results, up to rounding.
//!
//! One test in a file of its own: the choice of instructions is the process's.

use grease_kernels::{Adam, AdamMoments, Csr, Isa, SparseRows, Spmm, dense, sddmm, vectorise};

fn values(n: usize, salt: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919 + salt * 104_729) % 2003) as f32 / 1001.0 - 1.0).collect()
}

/// The results of every kernel that is compiled twice.
fn everything() -> Vec<(&'static str, Vec<f32>)> {
    let (rows, cols) = (90, 70);
    let offsets: Vec<usize> = (0..=rows).map(|r| r * 11).collect();
    let indices: Vec<u32> = (0..rows * 11).map(|e| ((e * 31) % cols) as u32).collect();
    let pattern = Csr::new(cols, offsets, indices).expect("a sound pattern");
    let weights = values(pattern.nnz(), 1);
    let mut results = Vec::new();
    for width in [1, 3, 8, 16, 64, 71] {
        let x = values(cols * width, 2);
        let mut out = vec![0f32; rows * width];
        Spmm::new(&pattern).weights(&weights).apply(&x, width, &mut out);
        results.push(("spmm, weighted", out.clone()));
        Spmm::new(&pattern).apply(&x, width, &mut out);
        results.push(("spmm", out.clone()));
        let slot: Vec<u32> =
            (0..cols as u32).map(|c| if c % 2 == 0 { c / 2 } else { SparseRows::ZERO }).collect();
        let values_of_slots = &x[..cols.div_ceil(2) * width];
        Spmm::new(&pattern).apply_sparse(
            SparseRows { slot: &slot, values: values_of_slots },
            width,
            &mut out,
        );
        results.push(("spmm, few rows", out));
        let mut products = vec![0f32; pattern.nnz()];
        sddmm(&pattern, &values(rows * width, 3), &x, width, &mut products);
        results.push(("sddmm", products));
        results.push(("dot", vec![dense::dot(&x, &values(x.len(), 4))]));
    }
    let mut params = values(1000, 5);
    let mut moments = AdamMoments::new(1000);
    for step in 1..=5 {
        Adam::new(0.01).step(step, &mut params, &values(1000, 5 + step as usize), &mut moments);
    }
    results.push(("adam", params));
    let mut y = values(333, 20);
    vectorise(|| y.iter_mut().for_each(|v| *v = v.max(0.2 * *v)));
    results.push(("loops", y));
    results
}

#[test]
fn both_paths_agree() {
    let best = everything();
    Isa::restrict(Isa::Portable);
    assert_eq!(Isa::current(), Isa::Portable);
    let portable = everything();
    assert_eq!(best.len(), portable.len());
    for ((name, best), (_, portable)) in best.iter().zip(&portable) {
        for (at, (a, b)) in best.iter().zip(portable).enumerate() {
            assert!((a - b).abs() <= 2e-5 * (1.0 + a.abs()), "{name}, entry {at}: {a} against {b}");
        }
    }
}
