//! From rows of all layers to output embeddings and scores, and the way back.

use grease_kernels::dense::matvec;

use crate::halves::{Side, row, row_mut};
use crate::weighed::layered::Layered;
use crate::weighed::level::Level;

/// The output embeddings of a person and some items: the person's first, then the items'.
pub(super) struct Reading {
    width: usize,
    /// What rows that are not live put there.
    still: Vec<f32>,
    /// Where live rows are read.
    live: Vec<Place>,
    output: Vec<f32>,
    by_output: Vec<f32>,
}

/// A live row that is read.
struct Place {
    /// Of which output embedding.
    output: u32,
    l: usize,
    side: Side,
    /// Where it is among the live rows.
    at: u32,
}

impl Reading {
    pub(super) fn new(network: &dyn Layered, levels: &[[Level; 2]], user: u32, items: &[u32]) -> Self {
        let width = network.output_width();
        let mut still = vec![0f32; (1 + items.len()) * width];
        let mut live = Vec::new();
        let read = std::iter::once((Side::Users, user)).chain(items.iter().map(|&item| (Side::Items, item)));
        for (output, (side, of)) in (0u32..).zip(read) {
            for (l, level) in levels.iter().enumerate() {
                match level[side as usize].find(of) {
                    Some(at) => live.push(Place { output, l, side, at: at as u32 }),
                    None => {
                        let of_layer = row(network.rows(l, side), network.dim(), of);
                        network.read(l, of_layer, row_mut(&mut still, width, output));
                    }
                }
            }
        }
        Self { width, output: still.clone(), by_output: vec![0.0; still.len()], still, live }
    }

    pub(super) fn items(&self) -> usize {
        self.output.len() / self.width - 1
    }

    pub(super) fn scores(&mut self, network: &dyn Layered, levels: &[[Level; 2]], out: &mut [f32]) {
        self.output.copy_from_slice(&self.still);
        for place in &self.live {
            let of_layer = row(&levels[place.l][place.side as usize].h, network.dim(), place.at);
            network.read(place.l, of_layer, row_mut(&mut self.output, self.width, place.output));
        }
        let (person, items) = self.output.split_at(self.width);
        matvec(items, person, out);
    }

    /// The gradient by output embeddings, given that by the scores.
    pub(super) fn slope(&mut self, slopes: &[f32]) {
        let (person, items) = self.output.split_at(self.width);
        let (by_person, by_items) = self.by_output.split_at_mut(self.width);
        by_person.fill(0.0);
        let rows = items.chunks_exact(self.width).zip(by_items.chunks_exact_mut(self.width));
        for ((item, by_item), &slope) in rows.zip(slopes) {
            by_person.iter_mut().zip(item).for_each(|(by, x)| *by += slope * x);
            by_item.iter_mut().zip(person).for_each(|(by, x)| *by = slope * x);
        }
    }

    /// Adds it where live rows are.
    pub(super) fn back(&self, network: &dyn Layered, levels: &mut [[Level; 2]]) {
        let dim = network.dim();
        for place in &self.live {
            let level = &mut levels[place.l][place.side as usize];
            let by_output = row(&self.by_output, self.width, place.output);
            let of_layer = row(&level.h, dim, place.at);
            network.read_back(place.l, of_layer, by_output, row_mut(&mut level.by_h, dim, place.at));
        }
    }
}
