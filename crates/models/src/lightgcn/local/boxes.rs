//! Items that are alike lie together, in boxes, and boxes in larger ones: one bound rules out all that is in a box.

use grease_kernels::Array;
use rayon::prelude::*;

use super::axes::{AXES, Seen};

/// Things looked at side by side, one a lane: nothing has to be added up across a register. It is also how many are in a box.
pub(super) const ABREAST: usize = 16;

/// Items in a box of boxes.
pub(super) const LARGE_BOX: usize = ABREAST * ABREAST;

/// Fewer are put in order by one thread.
const ALONE: usize = 1 << 14;

/// What is kept of a box: its highest and lowest place along each axis, and the most of what its items have.
const ROWS: usize = 2 * AXES + 4;

/// What rounding may add to the bound of a box, as a share of the product of the lengths: places along the axes are at most as long as
/// an item, and there are twice as many as axes.
const ROUNDING: f32 = 1.2e-5;

/// The most that any item of a box has.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Most {
    /// Of what is not along the axes.
    pub(super) aside: f32,
    /// Of length.
    pub(super) length: f32,
    /// Of `kappa(i, i)`.
    pub(super) kappa: f32,
    /// Of `1 / sqrt(degree)`.
    pub(super) root: f32,
}

impl Most {
    #[inline(always)]
    fn of_lane(rows: &[f32], lane: usize) -> Self {
        let [aside, length, kappa, root] = [0, 1, 2, 3].map(|row| rows[row * ABREAST + lane]);
        Self { aside, length, kappa, root }
    }
}

/// A box: it goes from its lowest to its highest place along each axis.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Corners {
    highest: [f32; AXES],
    lowest: [f32; AXES],
    most: Most,
}

impl Corners {
    /// The box of one item.
    pub(super) fn of(along: [f32; AXES], most: Most) -> Self {
        Self { highest: along, lowest: along, most }
    }

    /// The box around several.
    fn around(boxes: &[Self]) -> Self {
        let join = |mut all: Self, one: &Self| {
            all.highest.iter_mut().zip(one.highest).for_each(|(all, one)| *all = all.max(one));
            all.lowest.iter_mut().zip(one.lowest).for_each(|(all, one)| *all = all.min(one));
            let (most, of) = (&mut all.most, one.most);
            most.aside = most.aside.max(of.aside);
            most.length = most.length.max(of.length);
            most.kappa = most.kappa.max(of.kappa);
            most.root = most.root.max(of.root);
            all
        };
        boxes[1..].iter().fold(boxes[0].clone(), join)
    }

    fn rows(&self) -> impl Iterator<Item = f32> + '_ {
        let Most { aside, length, kappa, root } = self.most;
        self.highest.iter().chain(&self.lowest).copied().chain([aside, length, kappa, root])
    }
}

/// Boxes of one size, side by side: `[boxes / abreast, ROWS, abreast]`; those that are missing at the end are zeros.
#[derive(Debug, Clone)]
pub(super) struct Boxes {
    many: usize,
    pub(super) lanes: Array<f32>,
}

impl Boxes {
    fn new(boxes: &[Corners]) -> Self {
        let mut lanes = vec![0f32; Self::numbers(boxes.len())];
        for (at, corners) in boxes.iter().enumerate() {
            let unit = &mut lanes[at / ABREAST * ROWS * ABREAST..][..ROWS * ABREAST];
            corners.rows().enumerate().for_each(|(row, x)| unit[row * ABREAST + at % ABREAST] = x);
        }
        Self { many: boxes.len(), lanes: lanes.into() }
    }

    /// As they were stored.
    pub(super) fn stored(many: usize, lanes: Array<f32>) -> Self {
        Self { many, lanes }
    }

    /// How many numbers so many boxes are.
    pub(super) fn numbers(many: usize) -> usize {
        many.div_ceil(ABREAST) * ROWS * ABREAST
    }

    /// How many boxes there are.
    pub(super) fn len(&self) -> usize {
        self.many
    }

    /// Boxes side by side, however many of those there are.
    pub(super) fn units(&self) -> usize {
        self.many.div_ceil(ABREAST)
    }

    /// Which of the boxes that lie side by side are there.
    pub(super) fn of_unit(&self, unit: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        (unit * ABREAST..self.many.min((unit + 1) * ABREAST)).enumerate()
    }

    /// At most what the product of any item of each box with what was seen comes to, with what its items may have on top.
    #[inline(always)]
    pub(super) fn bounds(
        &self,
        unit: usize,
        seen: &Seen,
        on_top: impl Fn(f32, f32) -> f32,
    ) -> [f32; ABREAST] {
        let unit = &self.lanes[unit * ROWS * ABREAST..][..ROWS * ABREAST];
        let (places, most) = unit.split_at(2 * AXES * ABREAST);
        let mut sums = [0f32; ABREAST];
        for (lanes, x) in places.chunks_exact(ABREAST).zip(seen.upward.iter().chain(&seen.downward)) {
            sums.iter_mut().zip(lanes).for_each(|(sum, lane)| *sum += x * lane);
        }
        for (lane, sum) in sums.iter_mut().enumerate() {
            let Most { aside, length, kappa, root } = Most::of_lane(most, lane);
            *sum += seen.aside * aside + ROUNDING * seen.length * length + on_top(kappa, root);
        }
        sums
    }

    /// The most that any item of one box has.
    #[inline(always)]
    pub(super) fn most(&self, unit: usize, lane: usize) -> Most {
        Most::of_lane(&self.lanes[(unit * ROWS + 2 * AXES) * ABREAST..], lane)
    }
}

/// Which items lie together, box by box and large box by large box, so that each goes a short way along the axes.
pub(super) fn alike(along: &[[f32; AXES]]) -> Vec<u32> {
    let mut items: Vec<u32> = (0..along.len() as u32).collect();
    divide(&mut items, along);
    items
}

/// Halves them along the axis where they differ most, until they fit into a box.
fn divide(items: &mut [u32], along: &[[f32; AXES]]) {
    if items.len() <= ABREAST {
        return;
    }
    let axis = widest(items, along);
    // Halves begin where boxes do, so that no box has items of both.
    let step = if items.len() > LARGE_BOX { LARGE_BOX } else { ABREAST };
    let middle = (items.len() / 2).next_multiple_of(step);
    let place = |item: &u32| along[*item as usize][axis];
    items.select_nth_unstable_by(middle, |a, b| place(a).total_cmp(&place(b)).then(a.cmp(b)));
    let (low, high) = items.split_at_mut(middle);
    match low.len() < ALONE {
        true => [low, high].into_iter().for_each(|half| divide(half, along)),
        false => _ = rayon::join(|| divide(low, along), || divide(high, along)),
    }
}

fn widest(items: &[u32], along: &[[f32; AXES]]) -> usize {
    let (mut sums, mut squares) = ([0f64; AXES], [0f64; AXES]);
    for item in items {
        for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(&along[*item as usize]) {
            *sum += f64::from(x);
            *square += f64::from(x) * f64::from(x);
        }
    }
    let spread = |axis: &usize| squares[*axis] - sums[*axis] * sums[*axis] / items.len() as f64;
    (0..AXES).max_by(|a, b| spread(a).total_cmp(&spread(b))).expect("there are axes")
}

/// The boxes of items that lie in this order, and the boxes of those.
pub(super) fn boxed(order: &[u32], item: impl Fn(u32) -> Corners + Sync) -> [Boxes; 2] {
    let around = |items: &[u32]| Corners::around(&items.iter().map(|&at| item(at)).collect::<Vec<_>>());
    let small: Vec<Corners> = order.par_chunks(ABREAST).map(around).collect();
    let large: Vec<Corners> = small.par_chunks(ABREAST).map(Corners::around).collect();
    [small, large].map(|boxes| Boxes::new(&boxes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(many: usize) -> Vec<[f32; AXES]> {
        let value = |at: usize| ((at * 2_654_435_761) % 10_007) as f32 / 10_007.0 - 0.5;
        (0..many)
            .map(|item| std::array::from_fn(|axis| value(item * AXES + axis) / (1 + axis) as f32))
            .collect()
    }

    #[test]
    fn every_item_lies_in_one_box_and_boxes_are_small() {
        let along = places(1000);
        let order = alike(&along);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..1000));
        let width = |items: &[u32], axis: usize| {
            let x = items.iter().map(|&item| along[item as usize][axis]);
            let (low, high) = x.fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(x), high.max(x)));
            high - low
        };
        let spread = |order: &[u32]| -> f32 {
            order.chunks(ABREAST).map(|items| width(items, 0) + width(items, 1)).sum()
        };
        let plain: Vec<u32> = (0..1000).collect();
        assert!(spread(&order) < 0.5 * spread(&plain), "{} {}", spread(&order), spread(&plain));
    }

    /// Along one axis, with nothing left aside, the bound of a box is the best there is in it.
    #[test]
    fn the_bound_of_a_box_is_the_best_along_an_axis() {
        let along = places(300);
        let order = alike(&along);
        let [small, large] = boxed(&order, |item| Corners::of(along[item as usize], Most::default()));
        assert_eq!((small.len(), large.len(), large.units()), (19, 2, 1));
        for (axis, sign) in (0..AXES).flat_map(|axis| [(axis, 1.0), (axis, -1.0)]) {
            let seen = Seen::new(std::array::from_fn(|at| if at == axis { sign } else { 0.0 }), 0.0, 0.0);
            let best = |items: &[u32]| {
                items.iter().map(|&item| sign * along[item as usize][axis]).fold(f32::MIN, f32::max)
            };
            assert_eq!(
                bounds(&small, &seen, |_, _| 0.0),
                order.chunks(ABREAST).map(best).collect::<Vec<_>>()
            );
            assert_eq!(
                bounds(&large, &seen, |_, _| 0.0),
                order.chunks(LARGE_BOX).map(best).collect::<Vec<_>>()
            );
        }
    }

    /// What items have beside their places counts by the most that any of them has.
    #[test]
    fn the_most_of_a_box_comes_on_top() {
        let order: Vec<u32> = (0..40).collect();
        let [small, _] = boxed(&order, |item| {
            let x = item as f32;
            Corners::of([0.0; AXES], Most { aside: x, length: 40.0 - x, kappa: 2.0 * x, root: 1.0 })
        });
        let seen = Seen::new([0.0; AXES], 3.0, 0.0);
        assert_eq!(bounds(&small, &seen, |kappa, root| 10.0 * kappa + root), [346.0, 714.0, 898.0]);
        assert_eq!(small.most(0, 1), Most { aside: 31.0, length: 24.0, kappa: 62.0, root: 1.0 });
        let long = Seen::new([0.0; AXES], 0.0, 2.0);
        assert_eq!(bounds(&small, &long, |_, _| 0.0), [80.0, 48.0, 16.0].map(|length| ROUNDING * length));
    }

    fn bounds(boxes: &Boxes, seen: &Seen, on_top: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        let of_unit = |unit| {
            let bounds = boxes.bounds(unit, seen, &on_top);
            boxes.of_unit(unit).map(move |(lane, _)| bounds[lane])
        };
        (0..boxes.units()).flat_map(of_unit).collect()
    }

    #[test]
    fn an_order_is_the_same_by_any_number_of_threads() {
        let along = places(50_000);
        let order = |threads| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| alike(&along))
        };
        assert_eq!(order(1), order(3));
    }
}
