//! Which rows have to be computed anew: those that weights can change and the scores need.

use crate::halves::Side;
use crate::weighed::touched::Scene;

/// Live rows of each layer, users and items, ascending.
pub(super) struct Live(Vec<[Vec<u32>; 2]>);

/// A mark a node, users and items.
type Marks = [Vec<bool>; 2];

impl Live {
    /// Those of layers `0..=depth`, where the output rows `read` are wanted.
    pub(super) fn of(scene: &Scene<'_>, depth: usize, keeps_itself: bool, read: &[(Side, u32)]) -> Self {
        let changed = changed(scene, depth, keeps_itself);
        let is_changed = |l: usize, side: Side, row: u32| match changed.get(l) {
            Some(marks) => marks[side as usize][row as usize],
            None => is_reached(scene, &changed[l - 1], keeps_itself, side, row),
        };
        let mut live: Vec<[Vec<u32>; 2]> = Vec::new();
        for l in (0..=depth).rev() {
            let mut rows = Side::BOTH.map(|side| {
                let read = read.iter().filter(|(of, _)| *of == side).map(|&(_, row)| row);
                let mut rows: Vec<u32> = read.collect();
                // The same rows of the layer before need no mention: whoever is read is so in each layer, and on the way to them each
                // step is taken in each.
                if let Some(above) = live.last() {
                    let far = side.other();
                    above[far as usize].iter().for_each(|&row| rows.extend(scene.neighbours(far, row)));
                }
                rows.sort_unstable();
                rows.dedup();
                rows
            });
            for side in Side::BOTH {
                rows[side as usize].retain(|&row| is_changed(l, side, row));
            }
            live.push(rows);
        }
        live.reverse();
        Self(live)
    }

    pub(super) fn rows(&self, l: usize, side: Side) -> &[u32] {
        &self.0[l][side as usize]
    }
}

/// What weights can change in what a node sends: layers 0 to `depth - 1`, and layer 0 in any case.
fn changed(scene: &Scene<'_>, depth: usize, keeps_itself: bool) -> Vec<Marks> {
    // A touched node sends something else from layer 0 on, as its degree is another.
    let touched: Marks = Side::BOTH.map(|side| {
        let mut marks = vec![false; scene.nodes(side)];
        scene.touched(side).iter().for_each(|touched| marks[touched.row as usize] = true);
        marks
    });
    let mut changed = vec![touched];
    for l in 1..depth {
        let before = &changed[l - 1];
        let mut marks = if keeps_itself { before.clone() } else { changed[0].clone() };
        for side in Side::BOTH {
            let far = &mut marks[side.other() as usize];
            let of_side = before[side as usize].iter().zip(0u32..).filter(|(is_changed, _)| **is_changed);
            of_side.for_each(|(_, row)| scene.neighbours(side, row).for_each(|n| far[n as usize] = true));
        }
        changed.push(marks);
    }
    changed
}

/// Whether a row changes, given what changes in the layer before.
fn is_reached(scene: &Scene<'_>, before: &Marks, keeps_itself: bool, side: Side, row: u32) -> bool {
    scene.find(side, row).is_some()
        || (keeps_itself && before[side as usize][row as usize])
        || scene.neighbours(side, row).any(|n| before[side.other() as usize][n as usize])
}
