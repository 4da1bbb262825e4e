//! The few directions in which items differ most: a product with those alone, and a bound for the rest, rules out most items for a
//! quarter of the price, and most boxes of items for next to nothing.

use grease_kernels::dense::{dot, matmul_transposed, matvec, transposed_matmul};
use grease_kernels::{Array, vectorise};
use rayon::prelude::*;

use super::boxes::{ABREAST, Boxes, Corners, LARGE_BOX, Most, alike, boxed};
use crate::stored::{Parts, Stored};

/// How many.
pub(super) const AXES: usize = 16;

/// Rounds in which they are found: any axes are right, good ones rule out more.
const ROUNDS: usize = 12;

/// What rounding may add to a score, as a share of the product of the lengths.
pub(super) const ROUNDING: f32 = 4e-6;

/// Catalogues larger than this are looked at by all threads: below, waking them costs more.
pub(super) const LARGE: usize = 1 << 16;

/// Items seen along the axes.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    dim: usize,
    /// `[axes, dim]`, each of length one, each at a right angle to the others.
    axes: Array<f32>,
    /// Items in the order in which they lie: those that are alike together.
    order: Array<u32>,
    /// So many items side by side: `[boxes, axes, abreast]`; those that are missing at the end are zeros.
    along: Array<f32>,
    /// Length of what is left of each item, in their order.
    aside: Array<f32>,
    /// The boxes they lie in.
    small: Boxes,
    /// The boxes those lie in.
    large: Boxes,
}

/// What an item has beside its row, by item.
#[derive(Clone, Copy)]
pub(super) struct OfItems<'a> {
    pub(super) lengths: &'a [f32],
    /// `kappa(i, i)`.
    pub(super) diagonal: &'a [f32],
    /// `1 / sqrt(degree)`.
    pub(super) roots: &'a [f32],
}

impl Axes {
    /// Of rows of this width; none where they are hardly wider than the axes.
    pub(super) fn of(rows: &[f32], dim: usize, of_items: OfItems<'_>) -> Option<Self> {
        let items = rows.len() / dim.max(1);
        if dim < 2 * AXES || items == 0 {
            return None;
        }
        let axes = found(rows, dim)?;
        let mut places = vec![[0f32; AXES]; items];
        matmul_transposed(rows, &axes, dim, AXES, places.as_flattened_mut(), false);
        let rows = rows.par_chunks_exact(dim).zip(&places);
        let asides: Vec<f32> = rows.map(|(x, place)| left(dot(x, x), place)).collect();
        let order = alike(&places);
        let OfItems { lengths, diagonal, roots } = of_items;
        let [small, large] = boxed(&order, |item| {
            let at = item as usize;
            let most = Most { aside: asides[at], length: lengths[at], kappa: diagonal[at], root: roots[at] };
            Corners::of(places[at], most)
        });
        let mut along = vec![0f32; small.len() * AXES * ABREAST];
        for (slot, &item) in order.iter().enumerate() {
            let first = slot / ABREAST * AXES * ABREAST + slot % ABREAST;
            let place = &places[item as usize];
            place.iter().enumerate().for_each(|(axis, &x)| along[first + axis * ABREAST] = x);
        }
        let aside = order.iter().map(|&item| asides[item as usize]).collect();
        Some(Self { dim, axes: axes.into(), order: order.into(), along: along.into(), aside, small, large })
    }

    /// What is stored of them.
    pub(super) fn put<'m>(&'m self, parts: &mut Parts<'m>) {
        parts.put("axes", &self.axes);
        parts.put("axes.order", &self.order);
        parts.put("axes.along", &self.along);
        parts.put("axes.aside", &self.aside);
        parts.put("axes.small", &self.small.lanes);
        parts.put("axes.large", &self.large.lanes);
    }

    /// As they were stored; none where they were not.
    pub(super) fn stored(file: &Stored, items: usize, dim: usize) -> Option<Self> {
        let small = items.div_ceil(ABREAST);
        let boxes =
            |name: &str, many: usize| Some(Boxes::stored(many, file.numbers(name, Boxes::numbers(many))?));
        let order: Array<u32> = file.numbers("axes.order", items)?;
        order.iter().all(|&item| (item as usize) < items).then_some(())?;
        Some(Self {
            dim,
            axes: file.numbers("axes", AXES * dim)?,
            order,
            along: file.numbers("axes.along", small * AXES * ABREAST)?,
            aside: file.numbers("axes.aside", items)?,
            small: boxes("axes.small", small)?,
            large: boxes("axes.large", small.div_ceil(ABREAST))?,
        })
    }

    /// A vector seen along the axes.
    pub(super) fn see(&self, x: &[f32]) -> Seen {
        debug_assert_eq!(x.len(), self.dim);
        let mut along = [0f32; AXES];
        matvec(&self.axes, x, &mut along);
        let square = dot(x, x);
        Seen::new(along, left(square, &along), square.sqrt())
    }

    /// The items whose product with what was seen may be above a line, in the order in which they lie. What may come on top is told by an
    /// item's `kappa(i, i)` and `1 / sqrt(degree)`, and does not fall as those rise.
    pub(super) fn above(&self, seen: &Seen, line: f32, on_top: impl Fn(f32, f32) -> f32 + Sync) -> Vec<u32> {
        let in_unit = |unit: usize| {
            let mut found = Vec::new();
            vectorise(|| self.above_in(unit, seen, line, &on_top, &mut found));
            found
        };
        let units = 0..self.large.units();
        match self.order.len() > LARGE {
            true => units.into_par_iter().map(in_unit).collect::<Vec<_>>().concat(),
            false => units.flat_map(in_unit).collect(),
        }
    }

    #[inline(always)]
    fn above_in(
        &self,
        unit: usize,
        seen: &Seen,
        line: f32,
        on_top: impl Fn(f32, f32) -> f32,
        found: &mut Vec<u32>,
    ) {
        let large = self.large.bounds(unit, seen, &on_top);
        for (_, large) in self.large.of_unit(unit).filter(|(lane, _)| large[*lane] > line) {
            // A large box is made of the small ones of one unit.
            let small = self.small.bounds(large, seen, &on_top);
            for (lane, at) in self.small.of_unit(large).filter(|(lane, _)| small[*lane] > line) {
                let most = self.small.most(large, lane);
                let on_top = on_top(most.kappa, most.root) + ROUNDING * seen.length * most.length;
                let products = self.products(at, seen);
                let items = at * ABREAST..self.order.len().min((at + 1) * ABREAST);
                let (order, aside) = (&self.order[items.clone()], &self.aside[items]);
                for ((&item, aside), product) in order.iter().zip(aside).zip(products) {
                    if product + seen.aside * aside + on_top > line {
                        found.push(item);
                    }
                }
            }
        }
    }

    /// Products of the items of a box along the axes alone.
    #[inline(always)]
    fn products(&self, at: usize, seen: &Seen) -> [f32; ABREAST] {
        let lanes = &self.along[at * AXES * ABREAST..][..AXES * ABREAST];
        let mut sums = [0f32; ABREAST];
        for (lanes, x) in lanes.chunks_exact(ABREAST).zip(&seen.along) {
            sums.iter_mut().zip(lanes).for_each(|(sum, lane)| *sum += x * lane);
        }
        sums
    }

    /// The items of the large boxes that may have the highest products, so many at least where there are so many.
    pub(super) fn likeliest(&self, seen: &Seen, many: usize) -> impl Iterator<Item = u32> + '_ {
        let mut boxes: Vec<(f32, usize)> = Vec::with_capacity(self.large.len());
        for unit in 0..self.large.units() {
            let bounds = vectorise(|| self.large.bounds(unit, seen, |_, _| 0.0));
            boxes.extend(self.large.of_unit(unit).map(|(lane, at)| (bounds[lane], at)));
        }
        boxes.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // The last of them may not be full.
        boxes.truncate(many.div_ceil(LARGE_BOX) + 1);
        boxes.into_iter().flat_map(|(_, at)| {
            self.order[at * LARGE_BOX..self.order.len().min((at + 1) * LARGE_BOX)].iter().copied()
        })
    }
}

/// A vector along the axes.
pub(super) struct Seen {
    pub(super) along: [f32; AXES],
    /// Its places above zero, and those below.
    pub(super) upward: [f32; AXES],
    pub(super) downward: [f32; AXES],
    /// Length of what is left of it.
    pub(super) aside: f32,
    /// Its length.
    pub(super) length: f32,
}

impl Seen {
    pub(super) fn new(along: [f32; AXES], aside: f32, length: f32) -> Self {
        Self { along, upward: along.map(|x| x.max(0.0)), downward: along.map(|x| x.min(0.0)), aside, length }
    }
}

/// Length of what is not along the axes. A little is added: what is left of nearly nothing is mostly rounding.
fn left(square: f32, along: &[f32; AXES]) -> f32 {
    (square - dot(along, along)).max(0.0).sqrt() + 1e-3 * square.sqrt()
}

/// The directions in which rows differ most; none where there are not so many.
fn found(rows: &[f32], dim: usize) -> Option<Vec<f32>> {
    let mut square = vec![0f32; dim * dim];
    transposed_matmul(rows, rows, dim, dim, &mut square);
    // Any beginning will do that is not at a right angle to what is sought.
    let mut axes: Vec<f32> = (0..AXES * dim).map(|at| ((at * 7919 % 1009) as f32 / 1009.0) - 0.5).collect();
    for _ in 0..ROUNDS {
        let mut next = vec![0f32; AXES * dim];
        matmul_transposed(&axes, &square, dim, dim, &mut next, false);
        axes = straightened(next, dim)?;
    }
    Some(axes)
}

/// The same axes at right angles and of length one; none where there are not so many.
fn straightened(mut axes: Vec<f32>, dim: usize) -> Option<Vec<f32>> {
    for at in 0..AXES {
        let (before, rest) = axes.split_at_mut(at * dim);
        let axis = &mut rest[..dim];
        // Twice: once leaves rounding of the others behind.
        for other in before.chunks_exact(dim).chain(before.chunks_exact(dim)) {
            let along = dot(axis, other);
            axis.iter_mut().zip(other).for_each(|(x, o)| *x -= along * o);
        }
        let length = dot(axis, axis).sqrt();
        if !(length.is_finite() && length > f32::MIN_POSITIVE.sqrt()) {
            return None;
        }
        axis.iter_mut().for_each(|x| *x /= length);
    }
    Some(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIM: usize = 40;

    /// Most of what there is lies in the first few columns.
    fn rows(items: usize) -> Vec<f32> {
        (0..items * DIM).map(|at| value(at) / (1 + at % DIM) as f32).collect()
    }

    fn value(at: usize) -> f32 {
        ((at * 2_654_435_761) % 10_007) as f32 / 10_007.0 - 0.5
    }

    #[test]
    fn what_is_above_a_line_is_found_and_hardly_anything_else() {
        let items = 5000;
        let rows = rows(items);
        let lengths: Vec<f32> = rows.chunks_exact(DIM).map(|x| dot(x, x).sqrt()).collect();
        let diagonal: Vec<f32> = (0..items).map(|item| (item % 7) as f32 * 0.01).collect();
        let roots: Vec<f32> = (0..items).map(|item| 1.0 / (1.0 + item as f32)).collect();
        let of_items = OfItems { lengths: &lengths, diagonal: &diagonal, roots: &roots };
        let axes = Axes::of(&rows, DIM, of_items).expect("wide enough");
        let x: Vec<f32> = (0..DIM).map(|at| value(at + 77)).collect();
        let on_top = |kappa: f32, root: f32| kappa * root;
        let mut products = vec![0f32; items];
        matvec(&rows, &x, &mut products);
        let exact = |item: u32| {
            let at = item as usize;
            products[at] + on_top(diagonal[at], roots[at])
        };
        let mut best: Vec<f32> = (0..items as u32).map(exact).collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let seen = axes.see(&x);
        for many in [1, 10, 100, items - 1] {
            let above = axes.above(&seen, best[many], on_top);
            let wanted = (0..items as u32).filter(|&item| exact(item) > best[many]);
            assert!(wanted.clone().all(|item| above.contains(&item)), "{many}");
            assert!(above.len() < 10 * many + items / 10, "{many}: {}", above.len());
        }
        assert!(axes.above(&seen, f32::INFINITY, on_top).is_empty());
        let likeliest: Vec<u32> = axes.likeliest(&seen, 300).collect();
        assert!(likeliest.len() >= 300 && likeliest.iter().any(|&item| exact(item) >= best[5]));
        assert_eq!(axes.likeliest(&seen, 2 * items).count(), items);
    }

    #[test]
    fn what_was_stored_says_the_same() {
        let items = 700;
        let rows = rows(items);
        let ones = vec![1.0; items];
        let axes = Axes::of(&rows, DIM, OfItems { lengths: &ones, diagonal: &ones, roots: &ones }).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let kept = |axes: &Axes| {
            let (mut parts, mut out) = (Parts::default(), Vec::new());
            axes.put(&mut parts);
            parts.write("axes", &mut out, &mut |_| std::io::Result::Ok(())).unwrap();
            let path = folder.path().join("store");
            // A file of its own: the one before may be mapped.
            _ = std::fs::remove_file(&path);
            std::fs::write(&path, out).unwrap();
            Stored::open::<String>(&path).unwrap().1
        };
        let file = kept(&axes);
        let stored = Axes::stored(&file, items, DIM).expect("all of it is there");
        let seen = axes.see(&rows[..DIM]);
        let above = |axes: &Axes| axes.above(&seen, 0.2, |kappa, root| 0.01 * kappa * root);
        let likeliest = |axes: &Axes| axes.likeliest(&seen, 20).collect::<Vec<u32>>();
        assert!(!above(&axes).is_empty() && above(&axes) == above(&stored));
        assert_eq!(likeliest(&axes), likeliest(&stored));
        assert!(
            Axes::stored(&file, items - 1, DIM).is_none() && Axes::stored(&file, items, DIM + 1).is_none()
        );
        let nowhere = Axes { order: vec![items as u32; items].into(), ..axes };
        assert!(Axes::stored(&kept(&nowhere), items, DIM).is_none(), "there is no such item");
    }

    #[test]
    fn narrow_or_empty_tables_have_none() {
        let none = |rows: &[f32], dim| {
            let ones = [1.0; 20];
            Axes::of(rows, dim, OfItems { lengths: &ones, diagonal: &ones, roots: &ones }).is_none()
        };
        assert!(none(&[1.0; 300], 30) && none(&[], 64) && none(&[0.0; 64], 64));
    }
}
