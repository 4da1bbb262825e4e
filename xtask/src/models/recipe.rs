//! Recipes: what is trained on what, and how, as it was published.

use std::str::FromStr;

/// A model worth explaining.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Recipe {
    pub(super) data: &'static str,
    pub(super) kind: &'static str,
    pub(super) loss: &'static str,
    batch: u32,
    learning_rate: &'static str,
    l2: &'static str,
    /// The most epochs there may be.
    pub(super) most_epochs: u32,
    /// Looks without improvement before choosing ends.
    patience: u32,
}

const DATA: [&str; 3] = ["lastfm", "yelp2018", "gowalla"];

/// Epochs between two looks at the held-out slice.
const LOOK_EVERY: u32 = 20;

/// Minutes both stages took together, on which card.
const TOOK: &[(&str, &str)] = &[
    ("lightgcn-lastfm", "0.2 on an H200 that was shared"),
    ("ngcf-bce-lastfm", "0.3 on an H200 that was shared"),
    ("lightgcn-bce-yelp2018", "5.1 on an H200 that was shared"),
];

impl Recipe {
    /// Every model there is a recipe for.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        let of = |data| {
            [Self::lightgcn, Self::lightgcn_bce, Self::ngcf, Self::ngcf_bce].map(|recipe| recipe(data))
        };
        DATA.into_iter().flat_map(of)
    }

    /// He et al., 2020: pairwise ranking, up to 1,000 epochs.
    fn lightgcn(data: &'static str) -> Self {
        Self {
            data,
            kind: "lightgcn",
            loss: "bpr",
            batch: 2048,
            learning_rate: "0.001",
            l2: "0.0001",
            most_epochs: 1000,
            patience: 5,
        }
    }

    /// Wang et al., 2019. It stands still for long and then improves again.
    fn ngcf(data: &'static str) -> Self {
        let published = Self::lightgcn(data);
        Self { kind: "ngcf", batch: 1024, learning_rate: "0.0001", l2: "0.00001", patience: 10, ..published }
    }

    /// GREASE's paper: binary cross-entropy, Adam at 0.001. It names no batch: ours are those of the measurements.
    fn lightgcn_bce(data: &'static str) -> Self {
        let batch = if data == "lastfm" { 4096 } else { 8192 };
        Self { loss: "bce", batch, ..Self::lightgcn(data) }
    }

    fn ngcf_bce(data: &'static str) -> Self {
        Self { kind: "ngcf", patience: 10, ..Self::lightgcn_bce(data) }
    }

    pub(super) fn name(&self) -> String {
        let Self { kind, data, .. } = self;
        if self.loss == "bpr" { format!("{kind}-{data}") } else { format!("{kind}-{}-{data}", self.loss) }
    }

    /// How long it took, where somebody has measured it.
    pub(super) fn took(&self) -> &'static str {
        let name = self.name();
        TOOK.iter().find(|(of, _)| *of == name).map_or("not timed yet", |(_, took)| took)
    }

    /// What decides the weights but for the epochs: options of `grease train`.
    fn options(&self) -> Vec<String> {
        let batch = self.batch.to_string();
        let mut options = vec!["--kind", self.kind, "--loss", self.loss, "--layers", "3", "--dim", "64"];
        options.extend(["--batch", &batch, "--learning-rate", self.learning_rate, "--l2", self.l2]);
        if self.kind == "ngcf" {
            options.extend(["--dropout", "0.1"]);
        }
        options.into_iter().map(str::to_owned).collect()
    }

    /// Looks for the number of epochs, on a tenth of what there is to learn from.
    pub(super) fn choosing(&self) -> Vec<String> {
        let [most, every, patience] =
            [self.most_epochs, LOOK_EVERY, self.patience].map(|number| number.to_string());
        let mut options = self.options();
        let choosing = [
            "--early-stopping",
            &patience,
            "--hold-out",
            "0.1",
            "--evaluate-every",
            &every,
            "--epochs",
            &most,
        ];
        options.extend(choosing.map(str::to_owned));
        options
    }

    /// Learns from all of it, for so many epochs.
    pub(super) fn training(&self, epochs: &str) -> Vec<String> {
        let mut options = self.options();
        options.extend(["--evaluate-every", "0", "--epochs", epochs].map(str::to_owned));
        options
    }
}

impl FromStr for Recipe {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::all().find(|recipe| recipe.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::all().map(|recipe| recipe.name()).collect();
            format!("there is no recipe for it; known are {}", known.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_has_a_name_of_its_own() {
        let names: Vec<String> = Recipe::all().map(|recipe| recipe.name()).collect();
        assert_eq!(names[..4], ["lightgcn-lastfm", "lightgcn-bce-lastfm", "ngcf-lastfm", "ngcf-bce-lastfm"]);
        for recipe in Recipe::all() {
            assert_eq!(recipe.name().parse(), Ok(recipe));
        }
        assert!(TOOK.iter().all(|(name, _)| names.iter().any(|known| known == name)));
    }

    #[test]
    fn the_published_recipes_are_as_published() {
        let line = |name: &str| name.parse::<Recipe>().unwrap().training("7").join(" ");
        assert_eq!(
            line("lightgcn-gowalla"),
            "--kind lightgcn --loss bpr --layers 3 --dim 64 --batch 2048 --learning-rate 0.001 --l2 0.0001 \
             --evaluate-every 0 --epochs 7"
        );
        assert_eq!(
            line("ngcf-yelp2018"),
            "--kind ngcf --loss bpr --layers 3 --dim 64 --batch 1024 --learning-rate 0.0001 --l2 0.00001 --dropout 0.1 \
             --evaluate-every 0 --epochs 7"
        );
    }

    #[test]
    fn both_stages_train_the_same_but_for_when_they_end() {
        for recipe in Recipe::all() {
            let (choosing, training) = (recipe.choosing(), recipe.training("7"));
            let common = recipe.options().len();
            assert_eq!(choosing[..common], training[..common]);
            assert!(!training.contains(&"--early-stopping".to_owned()));
        }
    }
}
