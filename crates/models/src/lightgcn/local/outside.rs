//! What is known of all the items nobody asked about: bounds first, one product over the catalogue where they do not decide.
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
use grease_kernels::{top_k, vectorise};

use super::tables::GROUPS;
use super::{After, Answer, Local};
use crate::halves::row;

/// What rounding may add to a score, as a share of the product of the lengths.
const ROUNDING: f32 = 4e-6;

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

impl Local<'_> {
    /// Products of the person's row after the last edit with every item.
    fn products(&mut self, after: &After) {
        if !self.products_are_last {
            self.model.work.product();
            self.products.resize(self.candidates.len(), 0.0);
            matvec(self.model.output().items, &after.rows.person, &mut self.products);
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
        let scores = match &answer {
            Answer::Whole(all) => all,
            Answer::Local(after) => {
                self.products(after);
                &self.products
            }
        };
        let best = top_k(scores, count.min(scores.len()), |item| self.candidates[item as usize]);
        self.last = Some((profile, edit, answer));
        Ok(best.into_iter().map(|ranked| ranked.index).collect())
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

    /// Candidates outside a panel that no bound speaks of: touched items, and the person's own, should they be candidates at all.
    fn apart(&self, panel: Panel, after: &After) -> Vec<u32> {
        let places = &self.panels[panel].places;
        let items = after.items.iter().map(|&(_, item)| item).chain(self.own.iter().copied());
        let mut apart: Vec<u32> =
            items.filter(|item| self.candidates[*item as usize] && !places.contains_key(item)).collect();
        apart.sort_unstable();
        apart.dedup();
        apart
    }

    /// Candidates outside a panel for which something is true.
    fn outsiders(&self, panel: Panel, is_one: impl Fn(u32) -> bool) -> Vec<u32> {
        let places = &self.panels[panel].places;
        let all = 0..self.candidates.len() as u32;
        all.filter(|&item| is_one(item) && self.candidates[item as usize] && !places.contains_key(&item))
            .collect()
    }

    fn could_be_above(&mut self, panel: Panel, after: &After, threshold: f32) -> Vec<u32> {
        let reach = self.reach_of(after);
        let share = 1.0 / (self.model.layers + 1) as f32;
        // No bound speaks of these, so they are always named.
        let apart = self.apart(panel, after);
        if self.bound(panel, after, &reach) <= threshold {
            return apart;
        }
        let person = &after.rows.person;
        let length = dot(person, person).sqrt();
        let (lengths, diagonal) = (&self.tables.lengths, &self.tables.diagonal);
        let roots = &self.model.adjacency.roots().items;
        let mut bounds = std::mem::take(&mut self.bounds);
        bounds.resize(self.candidates.len(), 0.0);
        match &self.tables.axes {
            Some(axes) if !self.products_are_last => {
                self.model.work.product();
                axes.bounds(person, &mut bounds);
            }
            _ => {
                self.products(after);
                bounds.copy_from_slice(&self.products);
            }
        }
        vectorise(|| {
            let all = bounds.iter_mut().zip(lengths).zip(diagonal).zip(roots);
            for (((bound, x), kappa), root) in all {
                *bound += share * root * reach.of(*kappa) + ROUNDING * length * x;
            }
        });
        // What the few axes leave is looked at with all of them.
        let items = self.model.output().items;
        let is_above = |item: u32| {
            let at = item as usize;
            let correction = share * roots[at] * reach.of(diagonal[at]);
            dot(person, row(items, self.dim(), item)) + correction + ROUNDING * length * lengths[at]
                > threshold
        };
        let is_apart = |item: u32| apart.binary_search(&item).is_ok();
        let could_be = |item: u32| bounds[item as usize] > threshold || is_apart(item);
        let mut above = self.outsiders(panel, could_be);
        above.retain(|&item| is_apart(item) || is_above(item));
        self.bounds = bounds;
        above
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
                let output = self.model.output();
                matvec(output.items, row(output.users, dim, self.user), &mut self.scores);
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
