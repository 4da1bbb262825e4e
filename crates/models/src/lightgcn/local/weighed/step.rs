//! The formulas of [`super`], forward and backward.

use grease_kernels::dense::{dot, matvec};
use grease_kernels::vectorise;

use super::super::edit::{root, root_change};
use super::{Own, Panel};

/// What a pass forward finds, and the pass back needs again. Names are those of the formulas.
#[derive(Default)]
pub(super) struct Step {
    pub(super) weights: Vec<f32>,
    /// The person's.
    root: f32,
    /// `t`, `s`, `a`, `b`, `s - 1 / sqrt(d)` and `1 / t - 1 / d` of each item.
    totals: Vec<f32>,
    roots: Vec<f32>,
    a: Vec<f32>,
    b: Vec<f32>,
    change: Vec<f32>,
    change_of_square: Vec<f32>,
    /// `A`.
    back_and_forth: f32,
    /// `G`.
    around: Vec<f32>,
    /// Sums over the items in `x1`, `x2` and `x3`, before `s_u`.
    sums: [Vec<f32>; 3],
    x1: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    /// Products of `z` with the items' input rows and with what others send them in layer 1.
    input_z: Vec<f32>,
    first_z: Vec<f32>,
    p: Vec<f32>,
    /// Of the panel's own items: `sum over l of P^l_i.z + sum kappa(i, k) p_k`.
    told: Vec<f32>,
}

impl Step {
    /// The scores, for the weights.
    pub(super) fn forward(&mut self, own: &Own, panel: &Panel, out: &mut [f32]) {
        self.of_weights(own);
        self.of_person(own);
        self.of_paths(own);
        let around: Vec<f32> = match own.depth {
            0 | 1 => vec![0.0; out.len()],
            _ => products(&panel.kappa, &self.p, out.len()),
        };
        matvec(&panel.rows, &self.z, out);
        let share = share(own);
        let y_z = dot(&self.y, &self.z);
        let mut told = products(&panel.sent, &self.z, panel.own.len());
        for ((&(at, place), told), s) in panel.own.iter().zip(&mut told).zip(self.own_roots(panel)) {
            *told += around[at];
            // Its share of what is around it is taken back below, where its degree is that without the person.
            out[at] += s * *told + self.a[place] * self.root * y_z - panel.roots[at] * around[at];
        }
        self.told = told;
        vectorise(|| {
            let items = out.iter_mut().zip(&around).zip(&panel.roots);
            items.for_each(|((out, around), s)| *out = share * (*out + s * around));
        });
    }

    /// `s` of the panel's own items.
    fn own_roots<'a>(&'a self, panel: &'a Panel) -> impl Iterator<Item = f32> + 'a {
        panel.own.iter().map(|&(_, place)| self.roots[place])
    }

    /// All that follows from the weights alone.
    fn of_weights(&mut self, own: &Own) {
        let lists = [
            &mut self.totals,
            &mut self.roots,
            &mut self.a,
            &mut self.b,
            &mut self.change,
            &mut self.change_of_square,
        ];
        lists.into_iter().for_each(Vec::clear);
        for (&d, &w) in own.degrees.iter().zip(&self.weights) {
            let t = d + w;
            let s = root(t);
            self.totals.push(t);
            self.roots.push(s);
            self.a.push(w * s);
            self.b.push(if t > 0.0 { w / t } else { 0.0 });
            // Nobody else hears of an item that nobody else has.
            let heard = d > 0.0;
            self.change.push(if heard { root_change(d, t) } else { 0.0 });
            self.change_of_square.push(if heard { -w / t / d } else { 0.0 });
        }
        self.root = root(self.weights.iter().sum());
        self.back_and_forth = dot(&self.weights, &self.b);
    }

    /// The person's rows.
    fn of_person(&mut self, own: &Own) {
        let (dim, su) = (own.dim, self.root);
        self.sums.iter_mut().for_each(|sum| {
            sum.clear();
            sum.resize(dim, 0.0);
        });
        let [first, second, third] = &mut self.sums;
        add_rows(&own.input, dim, &self.a, first);
        self.x1.clear();
        self.x1.extend(first.iter().map(|x| su * x));
        self.y.clone_from(&own.person);
        self.z.clone_from(&own.person);
        add(&mut self.z, 1.0, &self.x1);
        let back = su * su * self.back_and_forth;
        if own.depth >= 2 {
            add_rows(&own.first, dim, &self.b, second);
            add(&mut self.y, 1.0, &self.x1);
            add(&mut self.z, back, &own.person);
            add(&mut self.z, su, second);
        }
        if own.depth >= 3 {
            self.around = products(&own.kappa, &self.b, own.many());
            let changes = times(&self.around, &self.change);
            add_rows(&own.second, dim, &self.b, third);
            add_rows(&own.input, dim, &changes, third);
            add(&mut self.y, back, &own.person);
            add(&mut self.y, su, second);
            add(&mut self.z, back, &self.x1);
            add(&mut self.z, su, third);
        }
    }

    /// `p`: what reaches other items by way of the person's.
    fn of_paths(&mut self, own: &Own) {
        if own.depth < 2 {
            return;
        }
        self.input_z = products(&own.input, &self.z, own.many());
        self.p = times(&self.change, &self.input_z);
        if own.depth >= 3 {
            self.first_z = products(&own.first, &self.z, own.many());
            add(&mut self.p, self.root * dot(&own.person, &self.z), &self.b);
            add(&mut self.p, 1.0, &times(&self.change_of_square, &self.first_z));
        }
    }

    /// The gradient by the weight of each item, for the weights of the pass before.
    pub(super) fn backward(&self, own: &Own, panel: &Panel, slopes: &[f32]) -> Vec<f32> {
        let mut by = By::zeros(own);
        let share = share(own);
        let slopes: Vec<f32> = slopes.iter().map(|slope| share * slope).collect();
        self.back_of_scores(own, panel, &slopes, &mut by);
        self.back_of_person(own, &mut by);
        self.back_of_weights(own, &by)
    }

    fn back_of_scores(&self, own: &Own, panel: &Panel, slopes: &[f32], by: &mut By) {
        let y_z = dot(&self.y, &self.z);
        add_rows(&panel.rows, own.dim, slopes, &mut by.z);
        let mut by_around = times(slopes, &panel.roots);
        let mut by_told = Vec::with_capacity(panel.own.len());
        let mut by_y_z = 0f32;
        for ((&(at, place), told), s) in panel.own.iter().zip(&self.told).zip(self.own_roots(panel)) {
            let slope = slopes[at];
            by_told.push(slope * s);
            by_around[at] = slope * s;
            by.roots[place] += slope * told;
            by.a[place] += slope * self.root * y_z;
            by.root += slope * self.a[place] * y_z;
            by_y_z += slope * self.a[place] * self.root;
        }
        add_rows(&panel.sent, own.dim, &by_told, &mut by.z);
        add(&mut by.z, by_y_z, &self.y);
        add(&mut by.y, by_y_z, &self.z);
        if own.depth < 2 {
            return;
        }
        let mut by_p = vec![0f32; own.many()];
        add_rows(&panel.kappa, own.many(), &by_around, &mut by_p);
        add(&mut by.change, 1.0, &times(&by_p, &self.input_z));
        add_rows(&own.input, own.dim, &times(&by_p, &self.change), &mut by.z);
        if own.depth >= 3 {
            let person_z = dot(&own.person, &self.z);
            add(&mut by.b, self.root * person_z, &by_p);
            let by_person_z = dot(&by_p, &self.b);
            by.root += by_person_z * person_z;
            add(&mut by.z, by_person_z * self.root, &own.person);
            add(&mut by.change_of_square, 1.0, &times(&by_p, &self.first_z));
            add_rows(&own.first, own.dim, &times(&by_p, &self.change_of_square), &mut by.z);
        }
    }

    fn back_of_person(&self, own: &Own, by: &mut By) {
        let (su, back, many) = (self.root, self.back_and_forth, own.many());
        let [first, second, third] = &self.sums;
        // Of each layer's row: where it is in `z`, and in `y`.
        let mut by_x1 = by.z.clone();
        let mut by_x2 = by.z.clone();
        if own.depth >= 2 {
            add(&mut by_x1, 1.0, &by.y);
        }
        if own.depth >= 3 {
            add(&mut by_x2, 1.0, &by.y);
            let by_x3 = &by.z;
            let along = dot(&self.x1, by_x3);
            by.root += 2.0 * su * back * along + dot(third, by_x3);
            by.back_and_forth += su * su * along;
            add(&mut by_x1, su * su * back, by_x3);
            add(&mut by.b, su, &products(&own.second, by_x3, many));
            let input = products(&own.input, by_x3, many);
            add(&mut by.change, su, &times(&self.around, &input));
            add(&mut by.b, su, &products(&own.kappa, &times(&self.change, &input), many));
        }
        if own.depth >= 2 {
            let along = dot(&own.person, &by_x2);
            by.root += 2.0 * su * back * along + dot(second, &by_x2);
            by.back_and_forth += su * su * along;
            add(&mut by.b, su, &products(&own.first, &by_x2, many));
        }
        by.root += dot(first, &by_x1);
        add(&mut by.a, su, &products(&own.input, &by_x1, many));
    }

    fn back_of_weights(&self, own: &Own, by: &By) -> Vec<f32> {
        // Step by step: the cube of a large root alone may be no number.
        let of_degree = -0.5 * by.root * self.root * self.root * self.root;
        (0..own.many())
            .map(|at| {
                let (d, w, t, s) = (own.degrees[at], self.weights[at], self.totals[at], self.roots[at]);
                let by_b = by.b[at] + by.back_and_forth * w;
                let mut slope = of_degree + by.back_and_forth * self.b[at];
                if t > 0.0 {
                    slope += by.a[at] * s * (1.0 - 0.5 * w / t) + by_b * (d / t) / t;
                }
                if d > 0.0 {
                    slope -= 0.5 * (by.roots[at] + by.change[at]) * s / t + by.change_of_square[at] / t / t;
                }
                slope
            })
            .collect()
    }
}

/// Gradients by what a pass forward finds.
struct By {
    root: f32,
    roots: Vec<f32>,
    a: Vec<f32>,
    b: Vec<f32>,
    change: Vec<f32>,
    change_of_square: Vec<f32>,
    back_and_forth: f32,
    y: Vec<f32>,
    z: Vec<f32>,
}

impl By {
    fn zeros(own: &Own) -> Self {
        let (items, row) = (|| vec![0f32; own.many()], || vec![0f32; own.dim]);
        Self {
            root: 0.0,
            roots: items(),
            a: items(),
            b: items(),
            change: items(),
            change_of_square: items(),
            back_and_forth: 0.0,
            y: row(),
            z: row(),
        }
    }
}

/// `1 / (L + 1)^2`.
fn share(own: &Own) -> f32 {
    1.0 / ((own.depth + 1) * (own.depth + 1)) as f32
}

fn products(rows: &[f32], x: &[f32], many: usize) -> Vec<f32> {
    let mut out = vec![0f32; many];
    matvec(rows, x, &mut out);
    out
}

fn times(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x * y).collect()
}

fn add(sum: &mut [f32], factor: f32, x: &[f32]) {
    vectorise(|| sum.iter_mut().zip(x).for_each(|(sum, x)| *sum += factor * x));
}

/// Adds each row times its factor.
fn add_rows(rows: &[f32], width: usize, factors: &[f32], sum: &mut [f32]) {
    if width == 0 {
        return;
    }
    vectorise(|| {
        for (row, factor) in rows.chunks_exact(width).zip(factors) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += factor * x);
        }
    });
}
