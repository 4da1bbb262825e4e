//! For whom: named, listed in a file, chosen by chance, or new.

use std::path::{Path, PathBuf};

use clap::Args;
use grease::graph::UserId;
use grease::{Question, Refusal, Subject, Who, sample_users};

use crate::failure::Failure;
use crate::items::brought;
use crate::numbers::at_least_one;
use crate::output::Output;
use crate::subject::SubjectArguments;
use crate::users::users_named_in;

/// Exactly one of these is given.
#[derive(Debug, Args)]
pub(super) struct PeopleArguments {
    /// Whose list, by id; may be repeated
    #[arg(long, value_name = "ID", group = "who")]
    user: Vec<String>,
    /// The lists of all users in this file, one id a line
    #[arg(long, value_name = "FILE", group = "who")]
    users: Option<PathBuf>,
    /// The lists of this many people, chosen by chance
    #[arg(long, alias = "sample-users", value_name = "N", group = "who", value_parser = at_least_one)]
    people: Option<usize>,
    /// The list of somebody new, by the items they like; may be repeated
    #[arg(long, value_name = "ITEM,ITEM,…", group = "who")]
    history: Vec<String>,
}

/// Somebody and what to call them.
#[derive(Debug)]
pub(super) struct Person {
    pub(super) name: String,
    pub(super) who: Who,
}

impl PeopleArguments {
    /// Everybody once, in the order given.
    pub(super) fn find(
        &self,
        subject: &Subject,
        named: &SubjectArguments,
        seed: u64,
        output: Output,
    ) -> Result<Vec<Person>, Failure> {
        let data = subject.data();
        if !self.history.is_empty() {
            let history = Some(brought(&self.history, &data.items));
            let who = subject.who(&Question { history, ..Question::default() });
            let who = who.map_err(|refusal| named.known_in(refusal))?;
            return Ok(vec![Person { name: "somebody new".to_owned(), who }]);
        }
        let users = match (&self.users, self.people) {
            (Some(file), _) => users_in(file, subject, named)?,
            (None, Some(count)) => {
                let users = sample_users(subject.recommender().graph(), count, seed);
                if users.len() < count {
                    output.note(format_args!("note: only {} users have a history", users.len()));
                }
                users
            }
            (None, None) => {
                let found: Result<_, _> = self.user.iter().map(|name| subject.user(name)).collect();
                found.map_err(|refusal| named.known_in(refusal))?
            }
        };
        let mut seen = vec![false; data.users.len()];
        let once = users.into_iter().filter(|user| !std::mem::replace(&mut seen[user.row()], true));
        Ok(once
            .map(|user| Person { name: data.users.id(user.0).to_owned(), who: Who::Known(user) })
            .collect())
    }
}

fn users_in(file: &Path, subject: &Subject, named: &SubjectArguments) -> Result<Vec<UserId>, Failure> {
    let find = |(name, line): (String, usize)| {
        subject.user(&name).map_err(|refusal| {
            let message = format!("{}, line {line}: {}", file.display(), refusal.message);
            named.known_in(Refusal { message, ..refusal })
        })
    };
    users_named_in(file)?.into_iter().map(find).collect()
}
