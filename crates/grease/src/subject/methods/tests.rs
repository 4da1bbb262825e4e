//! Methods from outside, at the door.

use grease_explain::{About, Ask, MethodName, UnknownMethod, Unproposed};
use grease_graph::Edge;
use grease_graph::doubles::CoNeighbours;
use grease_tell::Record;
use grease_testing::folder;

use super::*;
use crate::Candidates;
use crate::question::Question;
use crate::refusal::RefusalKind;

/// In the order of rows; or it fails.
struct AsTheyStand {
    fails: bool,
}

impl GivenMethod for AsTheyStand {
    fn name(&self) -> MethodName {
        "as-they-stand".parse().unwrap()
    }

    fn version(&self) -> &str {
        "3"
    }

    fn propose(&self, about: &About<'_>, _: &mut dyn Ask) -> Result<Vec<Edge>, Unproposed> {
        if self.fails {
            Err(Unproposed::Failed("failed: no idea".to_owned()))
        } else {
            Ok(about.edges.to_vec())
        }
    }
}

fn subject() -> Subject {
    folder().clone().into()
}

fn with(fails: bool) -> (Subject, Question) {
    let mut subject = subject();
    let method = subject.give(Arc::new(AsTheyStand { fails })).unwrap();
    (subject, Question { method, k: 5, ..Question::of("mira") })
}

#[test]
fn a_method_is_asked_for_by_its_name_wherever_the_subject_goes() {
    let (subject, question) = with(false);
    let found = subject.records(&question).unwrap();
    assert!(found.iter().all(|record| record.method == "as-they-stand"));
    let elsewhere = subject.asked_through(Arc::clone(subject.recommender()));
    assert_eq!(elsewhere.records(&question).unwrap(), found);
    assert_eq!(subject.version_of(question.method), Some("3"));
    assert_eq!(subject.version_of(Method::Grease), None);
}

#[test]
fn what_it_found_is_read_and_checked_where_nobody_has_it() {
    let (_, question) = with(false);
    let found = with(false).0.records(&question).unwrap();
    let mut holding = 0;
    for record in found {
        let line = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&line).unwrap(), record);
        holding +=
            usize::from(subject().verify(&record, &Candidates::default()).unwrap().word() == "still_holds");
    }
    assert!(holding > 0);
    let refused = subject().records(&question).unwrap_err();
    assert_eq!(refused.kind, RefusalKind::Usage);
    assert_eq!(refused.message, UnknownMethod::from(question.method).to_string());
    assert!(subject().check_method(question.method).is_err());
}

#[test]
fn two_methods_cannot_be_called_the_same() {
    let (mut subject, _) = with(false);
    let refused = subject.give(Arc::new(AsTheyStand { fails: false })).unwrap_err().to_string();
    assert_eq!(refused, "there are two methods called `as-they-stand`; give each a name of its own");
}

#[test]
fn one_that_fails_is_nobodys_answer() {
    let (subject, question) = with(true);
    let failed = subject.records(&question).unwrap_err();
    assert_eq!(
        (failed.kind, &failed.message[..]),
        (RefusalKind::Method, "method as-they-stand failed: no idea")
    );
    assert!(failed.kind.is_nobodys_answer());
}

#[test]
fn what_is_offered_is_what_can_be_asked_for() {
    let (folder, _) = with(false);
    let double = CoNeighbours::new(folder.recommender().graph().clone());
    let foreign = Subject::foreign(folder.data().clone(), Arc::new(double), "double", ["methods"]);
    for subject in [&folder, &foreign] {
        let offered: Vec<Method> = subject.methods().collect();
        for method in Method::ALL.into_iter().chain(offered.clone()) {
            let asked = subject.resolve(&Question { method, k: 5, ..Question::of("mira") });
            assert_eq!(asked.is_ok(), offered.contains(&method), "{method}");
        }
    }
    assert!(folder.methods().any(|method| method == Method::Lxr), "it has gradients");
    assert!(foreign.methods().all(|method| method != Method::Lxr), "it has none");
    assert!(folder.methods().any(Method::is_given));
}
