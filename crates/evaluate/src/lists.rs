//! Counting what whole lists rest on.

use std::collections::BTreeMap;

use crate::results::ListShares;
use crate::unit::WholeList;

/// By length of lists.
#[derive(Default)]
pub(crate) struct Lists {
    by_k: BTreeMap<usize, Counts>,
}

#[derive(Default)]
struct Counts {
    people: usize,
    found: usize,
    edges: usize,
    changed: f64,
    by_rank: f64,
}

impl Lists {
    pub(crate) fn add(&mut self, lists: &[WholeList]) {
        for list in lists {
            let counts = self.by_k.entry(list.k).or_default();
            counts.people += 1;
            if let Some((edges, changed, by_rank)) = list.found {
                counts.found += 1;
                counts.edges += edges;
                counts.changed += changed;
                counts.by_rank += by_rank;
            }
        }
    }

    pub(crate) fn finish(self) -> Vec<ListShares> {
        let shares = |(k, counts): (usize, Counts)| {
            let people = counts.people as f64;
            ListShares {
                k,
                people: counts.people,
                found: counts.found,
                edges: (counts.found > 0).then(|| counts.edges as f64 / counts.found as f64),
                changed: counts.changed / people,
                changed_by_rank: counts.by_rank / people,
            }
        };
        self.by_k.into_iter().map(shares).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_none_counts_as_nothing_changed() {
        let mut lists = Lists::default();
        let list = |found| WholeList { k: 10, found };
        lists.add(&[list(Some((3, 0.5, 0.4))), list(None)]);
        lists.add(&[list(Some((5, 0.7, 0.6))), list(None), WholeList { k: 20, found: None }]);
        let shares = lists.finish();
        assert_eq!((shares[0].people, shares[0].found, shares[0].edges), (4, 2, Some(4.0)));
        assert!((shares[0].changed - 0.3).abs() < 1e-12 && (shares[0].changed_by_rank - 0.25).abs() < 1e-12);
        assert_eq!((shares[1].k, shares[1].found, shares[1].edges), (20, 0, None));
    }
}
