//! Lists as they would be.

use grease_graph::{Field, WhatIfError, Who, what_if};
use grease_tell::NamedWhatIf;

use super::Subject;
use crate::question::Question;
use crate::refusal::Refusal;

impl Subject {
    /// Somebody's list as it is and as it would be: `remove` imagined away, `add` imagined there.
    pub fn what_if(
        &self,
        question: &Question,
        remove: &[String],
        add: &[String],
    ) -> Result<NamedWhatIf, Refusal> {
        let who = self.who(question)?;
        let (remove, add) = (self.items(remove, Field::Remove)?, self.items(add, Field::Add)?);
        // What was learned about a user stays; of somebody new nothing would be left to make a list of.
        if matches!(&who, Who::Newcomer(history) if history.iter().all(|item| remove.contains(item)) && add.is_empty())
        {
            return Err(Refusal::usage("nothing would be left of the history of somebody new")
                .help(format_args!("keep one of its items, or imagine another there by {}", Field::Add))
                .about(Field::Remove));
        }
        let imagined =
            what_if(self.recommender(), &who, &remove, &add, question.k, &self.candidates(question)?);
        let imagined = imagined.map_err(|error| self.cannot_imagine(error))?;
        Ok(NamedWhatIf::new(&imagined, &self.data().items))
    }

    /// In names instead of rows.
    fn cannot_imagine(&self, error: WhatIfError) -> Refusal {
        let items = &self.data().items;
        match error {
            WhatIfError::NotThere(item) => Refusal::usage(format_args!(
                "{} is not in the person's history, so it cannot be taken away",
                items.name(item.0)
            ))
            .about(Field::Remove),
            WhatIfError::AlreadyThere(item) => {
                Refusal::usage(format_args!("{} is in the person's history already", items.name(item.0)))
                    .about(Field::Add)
            }
            WhatIfError::Score(error) => error.into(),
        }
    }
}
