//! Embeddings that have an invented service's tastes planted in them: a model of any size that nobody has to train.

use std::io;
use std::path::{Path, PathBuf};

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::taste::{Listener, Scene, Taste};
use super::{Invented, SampleOptions, names};
use crate::seed;
use crate::watch::{Stopped, Watch};
use crate::write::{WriteError, put_watched};

/// Rows made side by side.
const TOGETHER: usize = 1 << 14;

/// How far a row strays from what its genres say, in each column.
const NOISE: f32 = 0.4;

/// Writes embeddings of the listeners and the artists of the service that [`sample`](super::sample) invents, and their ids:
/// `user_embedding.npy` and `item_embedding.npy`, `users.txt` and `items.txt`.
///
/// Every genre is a direction; a listener's row is the sum of those they like, an artist's row that of their genre, and both stray
/// from it at random.
pub fn write_sample_embeddings(
    folder: &Path,
    options: &SampleOptions,
    width: usize,
    watch: &dyn Watch,
) -> Result<Vec<PathBuf>, WriteError> {
    let options = options.sensible();
    let Invented { scene, items } = Invented::of(&options);
    let planted = Planted::new(&scene, options.seed, width);
    watch.begin("planting embeddings", (options.users + options.artists) as u64);
    let of_user = |n: usize| planted.row("user", n, &Listener::tastes_at(n, &scene, options.seed));
    let of_item = |n: usize| planted.row("item", n, &[Taste { genre: scene.genre_of[n], percent: 100 }]);
    let user = |n: usize| names::listener(n);
    let item = |n: usize| items.id(n as u32).to_owned();
    let files = ["user_embedding.npy", "item_embedding.npy", "users.txt", "items.txt"];
    let [of_users, of_items, users, artists] = files.map(|name| folder.join(name));
    put_table(&of_users, [options.users, width], &of_user, watch)?;
    put_table(&of_items, [options.artists, width], &of_item, watch)?;
    put_ids(&users, options.users, user)?;
    put_ids(&artists, options.artists, item)?;
    Ok(vec![of_users, of_items, users, artists])
}

struct Planted {
    seed: u64,
    width: usize,
    /// A direction a genre.
    directions: Vec<Vec<f32>>,
}

impl Planted {
    fn new(scene: &Scene, seed: u64, width: usize) -> Self {
        let direction =
            |genre| random(&mut seed::rng_at(seed, "sample/direction", genre as u64), width).collect();
        Self { seed, width, directions: (0..scene.genres()).map(direction).collect() }
    }

    fn row(&self, side: &str, n: usize, tastes: &[Taste]) -> Vec<f32> {
        let stream = format!("sample/embedding/{side}");
        let mut row: Vec<f32> =
            random(&mut seed::rng_at(self.seed, &stream, n as u64), self.width).map(|x| NOISE * x).collect();
        for taste in tastes {
            let share = f32::from(taste.percent) / 100.0;
            let direction = &self.directions[usize::from(taste.genre)];
            row.iter_mut().zip(direction).for_each(|(x, d)| *x += share * d);
        }
        // Of a size at which training begins.
        row.iter_mut().for_each(|x| *x *= 0.1);
        row
    }
}

/// Numbers from -1 to 1, exact on every platform.
fn random(rng: &mut ChaCha8Rng, count: usize) -> impl Iterator<Item = f32> {
    (0..count).map(|_| (rng.next_u32() >> 8) as f32 / (1 << 23) as f32 - 1.0)
}

/// A NumPy array of such rows.
fn put_table(
    path: &Path,
    [rows, width]: [usize; 2],
    row: &(dyn Fn(usize) -> Vec<f32> + Sync),
    watch: &dyn Watch,
) -> Result<(), WriteError> {
    put_watched(path, |out| {
        out.write_all(&npy_header([rows, width]))?;
        for first in (0..rows).step_by(TOGETHER) {
            let range = first..(first + TOGETHER).min(rows);
            let made: Vec<Vec<f32>> = range.into_par_iter().map(row).collect();
            let bytes: Vec<u8> = made.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
            out.write_all(&bytes)?;
            watch.advance(made.len() as u64)?;
        }
        Ok(())
    })
}

/// What stands before the values in an `.npy` file, as long as NumPy makes it.
fn npy_header([rows, width]: [usize; 2]) -> Vec<u8> {
    let said = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {width}), }}");
    let before = b"\x93NUMPY\x01\x00";
    let length = (before.len() + 2 + said.len() + 1).next_multiple_of(64) - before.len() - 2;
    let mut header = before.to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{said:<width$}\n", width = length - 1).into_bytes());
    header
}

fn put_ids(path: &Path, rows: usize, id: impl Fn(usize) -> String) -> Result<(), WriteError> {
    put_watched(path, |out| {
        let written: io::Result<()> = (0..rows).try_for_each(|n| writeln!(out, "{}", id(n)));
        written.map_err(Stopped::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn read(path: &Path, width: usize) -> Vec<Vec<f32>> {
        let bytes = std::fs::read(path).unwrap();
        assert_eq!((bytes.len() - 128) % (4 * width), 0);
        let values = bytes[128..].as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b));
        values.collect::<Vec<_>>().chunks(width).map(<[f32]>::to_vec).collect()
    }

    #[test]
    fn listeners_point_to_the_artists_they_like() {
        let options = SampleOptions { users: 200, artists: 120, ..SampleOptions::default() };
        let folder = tempfile::tempdir().unwrap();
        let files = write_sample_embeddings(folder.path(), &options, 16, &()).unwrap();
        let (users, items) = (read(&files[0], 16), read(&files[1], 16));
        assert_eq!((users.len(), items.len()), (200, 120));
        let service = sample(&options);
        let ids = std::fs::read_to_string(&files[3]).unwrap();
        assert!(ids.lines().eq((0..120).map(|row| service.interactions.items.id(row))));
        let mut right = 0;
        for (user, tastes) in users.iter().zip(&service.user_tastes) {
            let score = |item: &Vec<f32>| user.iter().zip(item).map(|(a, b)| a * b).sum::<f32>();
            let best = (0..120).max_by(|&a, &b| score(&items[a]).total_cmp(&score(&items[b]))).unwrap();
            right += usize::from(tastes.iter().any(|taste| taste.genre == service.item_genre[best]));
        }
        assert!(right > 180, "{right} of 200");
    }

    #[test]
    fn headers_are_as_numpy_writes_them() {
        let header = npy_header([2_000_000, 64]);
        assert_eq!(header.len() % 64, 0);
        assert!(header.starts_with(b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', "), "{header:?}");
        assert_eq!(header.last(), Some(&b'\n'));
    }
}
