//! All sets of one size, branch by branch: a branch is left where even the best that could still be taken for each rival by itself
//! does not bring enough of them past the item.

use grease_graph::{Edge, ScoreError};
use grease_kernels::{Largest, vectorise};

use super::rivals::Rivals;
use super::search::Search;

/// Branches looked at for the price of one edit.
const BRANCHES_AN_EDIT: usize = 32;

/// What is known about the sets of a size.
pub(super) enum Verdict {
    /// None of them does it.
    NoneDoesIt,
    /// This one does.
    DoesIt(Vec<Edge>),
    /// There were more to try than allowed.
    TooMany,
}

/// What came of trying all sets of a size.
pub(super) struct Tried {
    pub(super) verdict: Verdict,
    pub(super) edits: usize,
    pub(super) work: usize,
}

/// All sets of one size.
pub(super) struct Branches<'p> {
    pool: &'p [Edge],
    /// The strongest first: what is left then does little, and branches end early.
    order: Vec<usize>,
    size: usize,
    /// Rivals that have to pass the item.
    needed: u32,
    /// Rivals that can pass it at all; in the last column whoever is no contender.
    width: usize,
    /// How far ahead each can be with nothing taken yet.
    start: Vec<f32>,
    /// `[order, width]`: what each adds.
    change: Vec<f32>,
    /// `[order + 1, size + 1, width]`: the most that so many of those from here on add to each.
    most: Vec<f32>,
    /// How much further ahead each can be for a unit of weight.
    by_weight: Vec<f32>,
    /// Of each its weight, and `[order + 1, size + 1]`: the most that so many of those from here on weigh.
    weight: Vec<f32>,
    most_weight: Vec<f32>,
    /// Whether others than the rivals are thought of.
    others: bool,
    allowed: usize,
    branches: usize,
    edits: usize,
}

/// A branch: what was taken, and what that does.
struct Branch {
    places: Vec<usize>,
    /// `[size + 1, width]`: how far ahead each is, by sums, after each that was taken.
    ahead: Vec<f32>,
    weight: f32,
}

impl<'p> Branches<'p> {
    /// Of a pool; whether others than the rivals are to be thought of decides whether anything is proved.
    pub(super) fn new(
        rivals: &Rivals,
        pool: &'p [Edge],
        size: usize,
        k: usize,
        allowed: usize,
        others: bool,
    ) -> Self {
        let order = rivals.strongest();
        let add = |values: &[f32], last: f32| values.iter().copied().chain([last]).collect::<Vec<f32>>();
        let off = if others { rivals.others.start + rivals.others.slack } else { f32::NEG_INFINITY };
        let start: Vec<f32> =
            rivals.start.iter().zip(&rivals.slack).map(|(start, slack)| start + slack).collect();
        let weight: Vec<f32> = order.iter().map(|&at| rivals.weight[at]).collect();
        let mut all = Self {
            pool,
            size,
            needed: k as u32,
            width: start.len() + 1,
            start: add(&start, off),
            change: order.iter().flat_map(|&at| add(rivals.change(at), rivals.others.change[at])).collect(),
            most: Vec::new(),
            by_weight: add(&rivals.slack_by_weight, rivals.others.slack_by_weight),
            most_weight: most_from_each(&weight, 1, size),
            weight,
            order,
            others,
            allowed,
            branches: 0,
            edits: 0,
        };
        all.most = most_from_each(&all.change, all.width, size);
        all
    }

    /// Tries every set that is not excluded.
    pub(super) fn try_all(mut self, search: &mut Search<'_, '_>) -> Result<Tried, ScoreError> {
        let mut ahead = vec![0f32; (self.size + 1) * self.width];
        ahead[..self.width].copy_from_slice(&self.start);
        let mut branch = Branch { places: Vec::with_capacity(self.size), ahead, weight: 0.0 };
        let verdict = match self.size <= self.pool.len() {
            true => self.descend(search, 0, &mut branch)?,
            false => None,
        };
        Ok(Tried {
            verdict: verdict.unwrap_or(Verdict::NoneDoesIt),
            edits: self.edits,
            work: self.edits + self.branches / BRANCHES_AN_EDIT,
        })
    }

    /// Takes one more of those from `first` on, in every way; none where no set of this branch does it.
    fn descend(
        &mut self,
        search: &mut Search<'_, '_>,
        first: usize,
        branch: &mut Branch,
    ) -> Result<Option<Verdict>, ScoreError> {
        let (width, taken) = (self.width, branch.places.len());
        let left = self.size - taken;
        for at in first..=self.order.len() - left {
            self.branches += 1;
            if self.edits + self.branches / BRANCHES_AN_EDIT > self.allowed {
                return Ok(Some(Verdict::TooMany));
            }
            if !self.could_do_it(branch, at, left) {
                break;
            }
            let change = &self.change[at * width..][..width];
            let (here, next) = branch.ahead[taken * width..].split_at_mut(width);
            vectorise(|| {
                let all = next.iter_mut().zip(here).zip(change);
                all.for_each(|((next, here), change)| *next = *here + change);
            });
            branch.places.push(at);
            branch.weight += self.weight[at];
            let found = match left {
                1 if self.could_do_it(branch, self.order.len(), 0) => self.try_set(search, branch)?,
                1 => None,
                _ => self.descend(search, at + 1, branch)?,
            };
            branch.places.pop();
            branch.weight -= self.weight[at];
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Whether enough rivals could be ahead with so many more of those from `first` on.
    fn could_do_it(&self, branch: &Branch, first: usize, left: usize) -> bool {
        let (width, place) = (self.width, first * (self.size + 1) + left);
        let ahead = &branch.ahead[branch.places.len() * width..][..width];
        let most = &self.most[place * width..][..width];
        let weight = branch.weight + self.most_weight[place];
        let past = vectorise(|| {
            let all = ahead.iter().zip(most).zip(&self.by_weight);
            all.map(|((ahead, most), by_weight)| u32::from(ahead + most + weight * by_weight > 0.0))
                .sum::<u32>()
        });
        let last = width - 1;
        past >= self.needed || ahead[last] + most[last] + weight * self.by_weight[last] > 0.0
    }

    /// Asks about a set that sums do not exclude.
    fn try_set(
        &mut self,
        search: &mut Search<'_, '_>,
        branch: &Branch,
    ) -> Result<Option<Verdict>, ScoreError> {
        let edges: Vec<Edge> = branch.places.iter().map(|&at| self.pool[self.order[at]]).collect();
        self.edits += 1;
        Ok(search.try_out(&edges, self.others)?.then_some(Verdict::DoesIt(edges)))
    }
}

/// Of rows of numbers, for each row and each count up to `size`: the most that so many of the rows from there on add up to, column by
/// column.
fn most_from_each(rows: &[f32], width: usize, size: usize) -> Vec<f32> {
    let many = rows.len() / width;
    let step = (size + 1) * width;
    let mut most = vec![f32::NEG_INFINITY; (many + 1) * step];
    most[many * step..][..width].fill(0.0);
    let mut largest = Largest::new(size, width);
    for at in (0..many).rev() {
        largest.add(&rows[at * width..][..width], 1.0);
        let most = &mut most[at * step..][..step];
        most[..width].fill(0.0);
        for (few, largest) in largest.rows().enumerate() {
            let (fewer, more) = most.split_at_mut((few + 1) * width);
            let fewer = &fewer[few * width..];
            vectorise(|| {
                let all = more.iter_mut().zip(fewer).zip(largest);
                all.for_each(|((more, fewer), largest)| *more = fewer + largest);
            });
        }
    }
    most
}
