//! An invented service written as it is invented: memory goes with the artists, not with who listens to them.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray, builder::StringBuilder};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use rayon::prelude::*;

use super::taste::{Listener, Scene};
use super::{Invented, SampleOptions, first_listeners, names};
use crate::Catalogue;
use crate::watch::{Stopped, Watch};
use crate::write::{WriteError, put_titles, put_watched};

/// Listeners invented side by side: enough for every thread, few enough for what they played to be little.
const TOGETHER: usize = 2048;

/// Room for the ids of the artists of a million interactions: past it the same id would be written out again and again.
const DICTIONARY: usize = 1 << 24;

/// Writes the service that [`sample`](super::sample) invents, as Parquet: `interactions.parquet` and, with the titles, `items.tsv`.
///
/// Interactions stand listener by listener; those of artists whom nobody played by chance come last.
pub fn write_sample(
    folder: &Path,
    options: &SampleOptions,
    watch: &dyn Watch,
) -> Result<Vec<PathBuf>, WriteError> {
    let options = options.sensible();
    let Invented { scene, items } = Invented::of(&options);
    let path = folder.join("interactions.parquet");
    watch.begin("inventing listeners", options.users as u64);
    put_watched(&path, |out| {
        let mut table = Table::new(out, &items)?;
        let mut heard = vec![false; items.len()];
        let mut invented = invent(&scene, 0..TOGETHER.min(options.users), options.seed);
        let mut first = 0;
        while !invented.is_empty() {
            let next = first + invented.len();
            let range = next..(next + TOGETHER).min(options.users);
            let (written, following) =
                rayon::join(|| table.write(first, &invented), || invent(&scene, range, options.seed));
            written?;
            invented.iter().flatten().for_each(|&artist| heard[artist as usize] = true);
            watch.advance(invented.len() as u64)?;
            (first, invented) = (next, following);
        }
        let tastes = |user| Listener::tastes_at(user, &scene, options.seed);
        for edge in first_listeners(&scene, options.users, |artist| heard[artist as usize], tastes) {
            table.write(edge.user.row(), &[vec![edge.item.0]])?;
        }
        Ok(table.finish()?)
    })?;
    let mut files = vec![path.clone()];
    files.extend(put_titles(&path, &items)?);
    Ok(files)
}

/// What each of some listeners played, as ascending rows.
fn invent(scene: &Scene, listeners: Range<usize>, seed: u64) -> Vec<Vec<u32>> {
    let played = |n| {
        let mut played = Listener::at(n, scene, seed).1;
        played.sort_unstable();
        played
    };
    listeners.into_par_iter().map(played).collect()
}

/// A Parquet file of users and items.
struct Table<'a, W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: Arc<Schema>,
    items: &'a Catalogue,
}

impl<'a, W: Write + Send> Table<'a, W> {
    fn new(out: W, items: &'a Catalogue) -> io::Result<Self> {
        let field = |name| Field::new(name, DataType::Utf8, false);
        let schema = Arc::new(Schema::new(vec![field("user"), field("item")]));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_page_size_limit(DICTIONARY)
            .build();
        let writer = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties))?;
        Ok(Self { writer, schema, items })
    }

    /// What some listeners played, the first of them by number.
    fn write(&mut self, first: usize, played: &[Vec<u32>]) -> io::Result<()> {
        let rows = played.iter().map(Vec::len).sum();
        let mut users = StringBuilder::with_capacity(rows, 16 * rows);
        for (number, played) in (first..).zip(played) {
            let name = names::listener(number);
            played.iter().for_each(|_| users.append_value(&name));
        }
        let items: StringArray = played.iter().flatten().map(|&artist| Some(self.items.id(artist))).collect();
        let columns: Vec<ArrayRef> = vec![Arc::new(users.finish()), Arc::new(items)];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(io::Error::other)?;
        Ok(self.writer.write(&batch)?)
    }

    fn finish(self) -> io::Result<()> {
        self.writer.close()?;
        Ok(())
    }
}

impl From<parquet::errors::ParquetError> for Stopped {
    fn from(error: parquet::errors::ParquetError) -> Self {
        io::Error::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::read::{ReadOptions, read};
    use crate::watch::Interrupted;
    use crate::{Interactions, sample};

    fn pairs(data: &Interactions) -> BTreeSet<(String, String, String)> {
        let names = |edge: &crate::Edge| {
            let (user, item) = (edge.user.0, edge.item.0);
            (data.users.id(user).to_owned(), data.items.id(item).to_owned(), data.items.name(item).to_owned())
        };
        data.edges.iter().map(names).collect()
    }

    #[test]
    fn what_is_written_is_what_is_invented_by_any_number_of_threads() {
        let options =
            SampleOptions { users: 5_000, artists: 4_000, interactions: Some(60_000), ..Default::default() };
        let folder = tempfile::tempdir().unwrap();
        let bytes = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let files = pool.install(|| write_sample(folder.path(), &options, &())).unwrap();
            files.iter().map(|file| std::fs::read(file).unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(bytes[0], bytes[1]);
        let (data, report) = read(folder.path(), &ReadOptions::default()).unwrap();
        assert_eq!((data.users.len(), data.items.len(), report.duplicates), (5_000, 4_000, 0));
        assert!((55_000..65_000).contains(&data.edges.len()), "{}", data.edges.len());
        assert_eq!(pairs(&data), pairs(&sample(&options).interactions));
    }

    #[test]
    fn who_is_interrupted_leaves_nothing() {
        struct Impatient;
        impl Watch for Impatient {
            fn begin(&self, _: &str, _: u64) {}
            fn advance(&self, _: u64) -> Result<(), Interrupted> {
                Err(Interrupted)
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let error = write_sample(folder.path(), &SampleOptions::default(), &Impatient).unwrap_err();
        assert!(matches!(error, WriteError::Interrupted(_)), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
