//! What is known of all the items nobody asked about: bounds first, a look at the catalogue where they do not decide.
//!
//! An untouched item's score is `h . x + correction` with the person's row `h` and its own output row `x`, and
//!
//! ```text
//! |correction| <= 1 / (sqrt(d) (L + 1)) min(kappa(i, i) A, B)        since kappa(i, t) <= min(kappa(i, i), kappa(t, t))
//! h . x = c (h0 . x) + (h - c h0) . x <= c (h0 . x) + |h - c h0| |x|    with h0 as things are
//! ```
//!
//! The first part of the second line is known for every item once a person; of each group of items of like length only the best matters.

use grease_graph::{Edit, Panel, Profile, ScoreError};
use grease_kernels::dense::{dot, matvec};
use grease_kernels::top_k;
use rayon::prelude::*;

use super::axes::{Axes, LARGE, ROUNDING};
use super::tables::GROUPS;
use super::{After, Answer, Local};
use crate::halves::row;
use crate::lightgcn::LightGcn;

/// Items looked at together, so that what is known of them stays in a cache.
const PART: usize = 1 << 13;

/// How many more items than are wanted are looked at first, to see what the best come to.
const SOME_MORE: usize = 256;

/// Products of all items' output rows with one row: each is to the bit the same, by however many threads.
fn of_catalogue(model: &LightGcn, x: &[f32], out: &mut [f32]) {
    let items = model.output().items;
    if out.len() <= LARGE {
        return matvec(items, x, out);
    }
    let parts = items.par_chunks(PART * x.len()).zip(out.par_chunks_mut(PART));
    parts.for_each(|(items, out)| matvec(items, x, out));
}

/// What is looked for in the catalogue after an edit.
struct Look {
    /// Length of the person's row.
    length: f32,
    /// `1 / (L + 1)`.
    share: f32,
    reach: Reach,
    threshold: f32,
}

/// How much corrections can be at most.
struct Reach {
    /// For each unit of an item's `kappa(i, i)`.
    steep: f32,
    /// For any item.
    most: f32,
    /// For the items of other people who were touched.
    near: f32,
}

impl Reach {
    /// On an item, by its `kappa(i, i)`; its scale comes on top.
    #[inline(always)]
    fn of(&self, kappa: f32) -> f32 {
        (kappa * self.steep).min(self.most) + self.near
    }
}

impl Look {
    /// What a correction adds to an item's product at most.
    #[inline(always)]
    fn on_top(&self, kappa: f32, root: f32) -> f32 {
        self.share * root * self.reach.of(kappa)
    }
}

impl Local<'_> {
    /// Products of the person's row after the last edit with every item.
    fn products(&mut self, after: &After) {
        if !self.products_are_last {
            self.model.work.product();
            self.products.resize(self.candidates.len(), 0.0);
            of_catalogue(self.model, &after.rows.person, &mut self.products);
            self.products_are_last = true;
        }
    }

    pub(super) fn best_of_all(
        &mut self,
        profile: Profile,
        edit: &Edit,
        count: usize,
    ) -> Result<Vec<u32>, ScoreError> {
        self.answer(profile, edit)?;
        let (profile, edit, answer) = self.last.take().expect("answered above");
        let best = match (&answer, &self.tables.axes) {
            (Answer::Whole(all), _) => self.best_by(all, count),
            (Answer::Local(after), Some(axes)) => self.best_along(axes, &after.rows.person, count),
            (Answer::Local(after), None) => {
                self.products(after);
                self.best_by(&self.products, count)
            }
        };
        self.last = Some((profile, edit, answer));
        Ok(best)
    }

    /// The best candidates by everybody's scores.
    fn best_by(&self, scores: &[f32], count: usize) -> Vec<u32> {
        let best = top_k(scores, count.min(scores.len()), |item| self.candidates[item as usize]);
        best.into_iter().map(|ranked| ranked.index).collect()
    }

    /// The same by their products with a row, of which few are worked out.
    fn best_along(&self, axes: &Axes, person: &[f32], count: usize) -> Vec<u32> {
        self.model.work.product();
        let seen = axes.see(person);
        let likely = axes.likeliest(&seen, count.saturating_add(SOME_MORE));
        let (_, scores) = self.products_of(likely, person);
        // Who is among the best of all has no less than the last of the best of some.
        let last =
            top_k(&scores, count, |_| true).last().filter(|_| scores.len() >= count).map(|last| last.score);
        let line = last.map_or(f32::NEG_INFINITY, f32::next_down);
        let (items, scores) = self.products_of(axes.above(&seen, line, |_, _| 0.0), person);
        top_k(&scores, count, |_| true).into_iter().map(|ranked| items[ranked.index as usize]).collect()
    }

    /// Those of these items that are candidates, ascending, and their products with a row: the bits are those of a product with all items.
    fn products_of(&self, items: impl IntoIterator<Item = u32>, x: &[f32]) -> (Vec<u32>, Vec<f32>) {
        let mut items: Vec<u32> = items.into_iter().filter(|&item| self.candidates[item as usize]).collect();
        items.sort_unstable();
        let rows = self.model.output().items;
        let product = |&item: &u32| {
            let mut product = [0f32];
            matvec(row(rows, self.dim(), item), x, &mut product);
            product[0]
        };
        let products = items.iter().map(product).collect();
        (items, products)
    }

    pub(super) fn all_above(
        &mut self,
        profile: Profile,
        edit: &Edit,
        panel: Panel,
        threshold: f32,
    ) -> Result<Vec<u32>, ScoreError> {
        self.answer(profile, edit)?;
        let (profile, edit, answer) = self.last.take().expect("answered above");
        let above = match &answer {
            Answer::Whole(all) => self.outsiders(panel, |item| all[item as usize] > threshold),
            Answer::Local(after) => self.could_be_above(panel, after, threshold),
        };
        self.last = Some((profile, edit, answer));
        Ok(above)
    }

    /// Whether an item is a candidate outside a panel.
    fn is_outside(&self, panel: Panel, item: u32) -> bool {
        self.candidates[item as usize] && !self.panels[panel].places.contains_key(&item)
    }

    /// Candidates outside a panel that no bound speaks of: touched items, and the person's own, should they be candidates at all.
    fn apart(&self, panel: Panel, after: &After) -> impl Iterator<Item = u32> {
        let items = after.items.iter().map(|&(_, item)| item).chain(self.own.iter().copied());
        items.filter(move |&item| self.is_outside(panel, item))
    }

    /// Candidates outside a panel for which something is true.
    fn outsiders(&self, panel: Panel, is_one: impl Fn(u32) -> bool) -> Vec<u32> {
        let all = 0..self.candidates.len() as u32;
        all.filter(|&item| is_one(item) && self.is_outside(panel, item)).collect()
    }

    fn could_be_above(&mut self, panel: Panel, after: &After, threshold: f32) -> Vec<u32> {
        let reach = self.reach_of(after);
        // Products that are there anyhow tell more.
        let none_is = !self.products_are_last && self.bound(panel, after, &reach) <= threshold;
        let mut above = if none_is { Vec::new() } else { self.looked_for(panel, after, reach, threshold) };
        // No bound speaks of these, so they are always named.
        above.extend(self.apart(panel, after));
        above.sort_unstable();
        above.dedup();
        above
    }

    /// Those that could be above by what is known of each.
    fn looked_for(&mut self, panel: Panel, after: &After, reach: Reach, threshold: f32) -> Vec<u32> {
        let person = &after.rows.person;
        let share = 1.0 / (self.model.layers + 1) as f32;
        let look = Look { length: dot(person, person).sqrt(), share, reach, threshold };
        let Some(axes) = &self.tables.axes else {
            self.products(after);
            return self.outsiders(panel, |item| self.is_above(&look, item, self.products[item as usize]));
        };
        self.model.work.product();
        let rows = self.model.output().items;
        // What the few axes leave is looked at with all of them.
        let product = |item: u32| dot(person, row(rows, self.dim(), item));
        let mut likely = axes.above(&axes.see(person), threshold, |kappa, root| look.on_top(kappa, root));
        likely.retain(|&item| self.is_outside(panel, item) && self.is_above(&look, item, product(item)));
        likely
    }

    /// Whether an item's product and the most its correction can be are above the line.
    fn is_above(&self, look: &Look, item: u32, product: f32) -> bool {
        let at = item as usize;
        let root = self.model.adjacency.roots().items[at];
        let rounding = ROUNDING * look.length * self.tables.lengths[at];
        product + look.on_top(self.tables.diagonal[at], root) + rounding > look.threshold
    }

    /// How much corrections can be at most after an edit.
    fn reach_of(&self, after: &After) -> Reach {
        let own = self.own.len();
        let mut factors: Vec<(u32, f32)> = Vec::new();
        if after.is_evicted
            && let Some(evicted) = &self.evicted
        {
            let mut gains = vec![0f32; own];
            matvec(&evicted.gains, &after.rows.person, &mut gains);
            factors.extend(self.own.iter().copied().zip(gains));
        }
        for (&(place, item), &factor) in after.items.iter().zip(&after.rows.of_items) {
            match after.is_evicted && place < own {
                true => factors[place].1 += factor,
                false => factors.push((item, factor)),
            }
        }
        let mut reach = Reach { steep: 0.0, most: 0.0, near: 0.0 };
        for (item, factor) in factors {
            reach.steep += factor.abs();
            reach.most += factor.abs() * self.tables.diagonal[item as usize];
        }
        let mut add = |items: &[u32], far: f32| {
            let inverse = &self.model.adjacency.squares().items;
            for &item in items {
                let share = far.abs() * inverse[item as usize];
                reach.steep += share;
                reach.most += share * self.tables.diagonal[item as usize];
            }
        };
        if !after.is_evicted {
            add(self.own, after.rows.of_users[0].1);
        }
        for (&user, &(near, far)) in after.people.iter().zip(&after.rows.of_users[1..]) {
            add(self.model.adjacency.graph().by_user().row(user as usize), far);
            reach.near += near.abs();
        }
        reach
    }

    /// No untouched candidate outside the panel scores more than this; infinite where only a product can tell.
    fn bound(&mut self, panel: Panel, after: &After, reach: &Reach) -> f32 {
        let is_known = (self.user as usize) < self.model.adjacency.graph().users();
        if after.is_evicted || !is_known {
            return f32::INFINITY;
        }
        let dim = self.dim();
        let before = row(self.model.output().users, dim, self.user);
        let (person, square) = (&after.rows.person, dot(before, before));
        let along = dot(person, before) / square;
        if !(along.is_finite() && along > 0.0) {
            return f32::INFINITY;
        }
        let aside: f32 =
            person.iter().zip(before).map(|(h, h0)| (h - along * h0).powi(2)).sum::<f32>().sqrt();
        let length = dot(person, person).sqrt() + along * square.sqrt();
        let groups = self.best_by_group(panel);
        let best = groups
            .iter()
            .zip(&self.tables.longest)
            .map(|(best, longest)| along * best + (aside + ROUNDING * length) * longest);
        let share = 1.0 / (self.model.layers + 1) as f32;
        // The lesser of two numbers is at most their geometric mean.
        let correction = (reach.steep * reach.most * self.tables.steepest).sqrt() + reach.near;
        best.fold(f32::NEG_INFINITY, f32::max) + share * correction
    }

    /// The best score of a candidate outside a panel, as things are, by group.
    pub(super) fn best_by_group(&mut self, panel: Panel) -> [f32; GROUPS] {
        if !self.groups.contains_key(&panel) {
            let dim = self.dim();
            if self.scores.is_empty() {
                self.scores.resize(self.candidates.len(), 0.0);
                self.model.work.product();
                let own = row(self.model.output().users, dim, self.user);
                of_catalogue(self.model, own, &mut self.scores);
            }
            let places = &self.panels[panel].places;
            let mut groups = [f32::NEG_INFINITY; GROUPS];
            for (item, (&score, &group)) in self.scores.iter().zip(&self.tables.groups).enumerate() {
                let best = &mut groups[group as usize];
                if score > *best && self.candidates[item] && !places.contains_key(&(item as u32)) {
                    *best = score;
                }
            }
            self.groups.insert(panel, groups);
        }
        self.groups[&panel]
    }
}
