//! One edit: the rows of everything it touches, exactly, from the rows of the graph as it is and a few walk scalars.
//!
//! With `N = D^-1 W` (rows sum to one) an edit changes the rows of touched nodes only. What a touched node gets wrong at a step is its
//! *source*; sources travel by the walks of the graph as it is:
//!
//! ```text
//! before  til^k_a   = s_a X^k_a + sum over j < k and touched b of (N^(k-j))_ab source^j_b
//! after   psi^k_a   = (d_a til^k_a - psi^(k-1) of removed neighbours + those of added ones) / d'_a
//! source  source^k_a = psi^k_a - til^k_a                                        (0 neighbours: psi^k_a = 0)
//! ```
//!
//! `psi^k_a / s'_a` is the row of layer `k` after the edit. Everything untouched follows from the sources.

use grease_kernels::dense::dot;
use grease_kernels::vectorise;

/// A touched user. The first of an edit is the person.
pub(super) struct TouchedUser<'a> {
    /// Interactions before and after.
    pub(super) degree: f32,
    pub(super) after: f32,
    /// The input row, before and after: the person's is set to zero where their profile is neutral.
    pub(super) row: &'a [f32],
    pub(super) is_neutral: bool,
    /// `sqrt(d) X^k` of layers 1 to L, one after another.
    pub(super) layers: &'a [f64],
}

/// A touched item.
pub(super) struct TouchedItem<'a> {
    /// Interactions before and after.
    pub(super) degree: f32,
    pub(super) after: f32,
    /// Rows of layers 0 to L - 1, and of layer L where the item itself is scored.
    pub(super) layers: Vec<&'a [f32]>,
}

/// An interaction that comes or goes.
pub(super) struct TouchedEdge {
    /// Places among the touched.
    pub(super) user: usize,
    pub(super) item: usize,
    /// 1 where it comes, -1 where it goes.
    pub(super) sign: f32,
}

/// An edit with the walk scalars between everything it touches.
pub(super) struct Touched<'a> {
    pub(super) dim: usize,
    /// L.
    pub(super) depth: usize,
    pub(super) users: Vec<TouchedUser<'a>>,
    pub(super) items: Vec<TouchedItem<'a>>,
    pub(super) edges: Vec<TouchedEdge>,
    /// `[users, items]`: 1 where the interaction is there before.
    pub(super) beside: Vec<f32>,
    /// `[users, items]`.
    pub(super) nu: Vec<f32>,
    /// `[users, users]`.
    pub(super) reach: Vec<f32>,
    /// `[items, items]`.
    pub(super) kappa: Vec<f32>,
}

/// What is known after an edit.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    /// The person's output row.
    pub(super) person: Vec<f32>,
    /// Its products with the sources that reach an untouched item in one step and in three, by touched user.
    pub(super) of_users: Vec<(f32, f32)>,
    /// Its product with the sources that reach one in two steps, by touched item.
    pub(super) of_items: Vec<f32>,
    /// Touched items' own scores, where they are wanted.
    pub(super) scores: Vec<Option<f32>>,
}

/// Room for the rows of a step: sources and `psi` of each layer, users first.
#[derive(Default)]
pub(super) struct Room {
    sources: Vec<Vec<f32>>,
    after: Vec<Vec<f32>>,
}

impl Touched<'_> {
    /// Computes the rows of everything touched.
    pub(super) fn rows(&self, room: &mut Room) -> Rows {
        vectorise(|| {
            self.inputs(room);
            for layer in 1..=self.depth {
                self.layer(layer, room);
            }
            self.read(room)
        })
    }

    fn nodes(&self) -> usize {
        self.users.len() + self.items.len()
    }

    /// Layer 0: what changes is the factor `1 / sqrt(degree)`.
    #[inline(always)]
    fn inputs(&self, room: &mut Room) {
        let size = self.nodes() * self.dim;
        for rows in [&mut room.sources, &mut room.after] {
            rows.resize_with((self.depth + 1).max(rows.len()), Vec::new);
            rows.iter_mut().for_each(|layer| {
                layer.clear();
                layer.resize(size, 0.0);
            });
        }
        let (sources, after) = (&mut room.sources[0], &mut room.after[0]);
        let users = self.users.iter().map(|u| (u.degree, u.after, u.row, u.is_neutral));
        let items = self.items.iter().map(|i| (i.degree, i.after, i.layers[0], false));
        for (at, (before, now, row, is_neutral)) in users.chain(items).enumerate() {
            let (change, root) = match is_neutral {
                true => (-root(before), 0.0),
                false => (root_change(before, now), root(now)),
            };
            let place = at * self.dim..(at + 1) * self.dim;
            set(&mut sources[place.clone()], row, change);
            set(&mut after[place], row, root);
        }
    }

    #[inline(always)]
    fn layer(&self, layer: usize, room: &mut Room) {
        let dim = self.dim;
        let (known, new) = room.after.split_at_mut(layer);
        let (known_sources, new_sources) = room.sources.split_at_mut(layer);
        let (before, after, sources) = (&known[layer - 1], &mut new[0], &mut new_sources[0]);
        // In the last layer only what is scored matters.
        let is_last = layer == self.depth;
        for at in 0..if is_last { 1 } else { self.users.len() } {
            let user = &self.users[at];
            let after = &mut after[at * dim..][..dim];
            let source = &mut sources[at * dim..][..dim];
            // `d til`, in `source` for now.
            self.travelled_to_user(at, layer, known_sources, source);
            let own = &user.layers[(layer - 1) * dim..][..dim];
            let mut changed = vec![0f32; dim];
            for edge in self.edges.iter().filter(|edge| edge.user == at) {
                add(&mut changed, &before[(self.users.len() + edge.item) * dim..][..dim], edge.sign);
            }
            let (share, share_before) = (inverse(user.after), inverse(user.degree));
            for k in 0..dim {
                let til = own[k] + f64::from(source[k]);
                after[k] = ((til + f64::from(changed[k])) * share) as f32;
                source[k] = (f64::from(after[k]) - til * share_before) as f32;
            }
        }
        for at in 0..self.items.len() {
            let item = &self.items[at];
            let Some(own) = item.layers.get(layer) else { continue };
            let place = (self.users.len() + at) * dim;
            let after = &mut after[place..][..dim];
            let source = &mut sources[place..][..dim];
            self.travelled_to_item(at, layer, known_sources, after);
            let (share, root) = (inverse(item.degree) as f32, root(item.degree));
            // `til`, in `after` for now.
            after.iter_mut().zip(*own).for_each(|(til, x)| *til = root * x + share * *til);
            let lost = item.degree - item.after;
            set(source, after, lost);
            for edge in self.edges.iter().filter(|edge| edge.item == at) {
                add(source, &before[edge.user * dim..][..dim], edge.sign);
            }
            match item.after > 0.0 {
                true => {
                    let share = inverse(item.after) as f32;
                    source.iter_mut().for_each(|s| *s *= share);
                    after.iter_mut().zip(&*source).for_each(|(til, s)| *til += s);
                }
                false => {
                    source.iter_mut().zip(&*after).for_each(|(s, til)| *s = -til);
                    after.fill(0.0);
                }
            }
        }
    }

    /// What sources bring to a touched user, times their degree.
    #[inline(always)]
    fn travelled_to_user(&self, at: usize, layer: usize, sources: &[Vec<f32>], out: &mut [f32]) {
        let (dim, users, items) = (self.dim, self.users.len(), self.items.len());
        for item in 0..items {
            let place = (users + item) * dim;
            let pair = at * items + item;
            add(out, &sources[layer - 1][place..][..dim], self.beside[pair]);
            if layer >= 3 {
                add(out, &sources[layer - 3][place..][..dim], self.nu[pair]);
            }
        }
        if layer >= 2 {
            for other in 0..users {
                add(out, &sources[layer - 2][other * dim..][..dim], self.reach[at * users + other]);
            }
        }
    }

    /// What sources bring to a touched item, times its degree.
    #[inline(always)]
    fn travelled_to_item(&self, at: usize, layer: usize, sources: &[Vec<f32>], out: &mut [f32]) {
        let (dim, users, items) = (self.dim, self.users.len(), self.items.len());
        for user in 0..users {
            let pair = user * items + at;
            add(out, &sources[layer - 1][user * dim..][..dim], self.beside[pair]);
            if layer >= 3 {
                add(out, &sources[layer - 3][user * dim..][..dim], self.nu[pair]);
            }
        }
        if layer >= 2 {
            for other in 0..items {
                let place = (users + other) * dim;
                add(out, &sources[layer - 2][place..][..dim], self.kappa[at * items + other]);
            }
        }
    }

    /// The person's output row, and what it makes of all sources.
    #[inline(always)]
    fn read(&self, room: &Room) -> Rows {
        let (dim, users) = (self.dim, self.users.len());
        let layers = (self.depth + 1) as f32;
        let output = |at: usize, row: &[f32], now: f32, is_neutral: bool| {
            let mut out = vec![0f32; dim];
            for after in &room.after[1..=self.depth] {
                add(&mut out, &after[at * dim..][..dim], now.sqrt());
            }
            add(&mut out, row, if is_neutral { 0.0 } else { 1.0 });
            out.iter_mut().for_each(|v| *v /= layers);
            out
        };
        let first = &self.users[0];
        let person = output(0, first.row, first.after, first.is_neutral);
        let steps = |at: usize, most: usize| -> f32 {
            let layers = (self.depth + 1).saturating_sub(most);
            (0..layers).map(|layer| dot(&person, &room.sources[layer][at * dim..][..dim])).sum()
        };
        let of_users = (0..users).map(|at| (steps(at, 1), steps(at, 3))).collect();
        let of_items = (0..self.items.len()).map(|at| steps(users + at, 2)).collect();
        let scores = self.items.iter().enumerate().map(|(at, item)| {
            let is_wanted = item.layers.len() > self.depth;
            is_wanted.then(|| dot(&person, &output(users + at, item.layers[0], item.after, false)))
        });
        Rows { of_users, of_items, scores: scores.collect(), person }
    }
}

#[inline(always)]
fn set(out: &mut [f32], x: &[f32], factor: f32) {
    out.iter_mut().zip(x).for_each(|(o, x)| *o = factor * x);
}

#[inline(always)]
fn add(out: &mut [f32], x: &[f32], factor: f32) {
    if factor != 0.0 {
        out.iter_mut().zip(x).for_each(|(o, x)| *o += factor * x);
    }
}

fn inverse(degree: f32) -> f64 {
    if degree > 0.0 { 1.0 / f64::from(degree) } else { 0.0 }
}

/// `1 / sqrt(degree)`.
pub(super) fn root(degree: f32) -> f32 {
    grease_kernels::normalise::inverse_root(degree)
}

/// `1 / sqrt(now) - 1 / sqrt(before)`, without the cancellation.
pub(super) fn root_change(before: f32, now: f32) -> f32 {
    if before > 0.0 && now > 0.0 {
        let (a, b) = (before.sqrt(), now.sqrt());
        (before - now) / (a * b * (a + b))
    } else {
        root(now) - root(before)
    }
}
