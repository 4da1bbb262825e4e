//! What a list rests on, as a sentence for the person whose list it is.

use grease_explain::Status;
use grease_graph::Words;

use super::{ListRecord, called};
use crate::grammar::{list, number, participle};

/// The most items named one by one; of more, the first are named and the rest counted.
const NAMED: usize = 5;
/// The most newly listed items named.
const NEW: usize = 3;

/// The record in plain words, addressed to the person.
pub fn list_sentence(record: &ListRecord, words: &Words) -> String {
    let called = called(record, words);
    let (did, items) = (&called.words.did, &called.words.items);
    let (k, length) = (record.k, record.before.len());
    if record.before.is_empty() {
        return "There is no list: nothing can be recommended.".to_owned();
    }
    if record.status != Status::Verified || record.edges.is_empty() {
        return match record.max_edges {
            0 => format!("Nothing was found: no {items} may be named."),
            most => format!(
                "Your top {k} stands firmly: no set of up to {} of the {items} you {did} was found without which {} of its {} places would be taken by others.",
                number(most),
                number(record.needed),
                number(length)
            ),
        };
    }
    let cited: Vec<String> =
        record.edges.iter().map(|edge| called.item(edge.title.as_deref(), &edge.item)).collect();
    let new: Vec<&super::ListItem> = record.after.iter().filter(|item| item.moved).collect();
    let had = match cited.as_slice() {
        [one] => format!("Had you not {} {one}", participle(did)),
        [a, b] => format!("Had you {} neither {a} nor {b}", participle(did)),
        many => format!("Had you {} none of {}", participle(did), named(many, NAMED, items)),
    };
    let named_new: Vec<String> =
        new.iter().map(|item| called.item(item.title.as_deref(), &item.item)).collect();
    let all = match new.len() {
        changed if changed == length => {
            format!("all {} {items} of your top {k} would be others", number(changed))
        }
        1 => format!("one of the {} {items} of your top {k} would be another", number(length)),
        changed => {
            format!("{} of the {} {items} of your top {k} would be others", number(changed), number(length))
        }
    };
    let whole = match (record.minimal, cited.len()) {
        (Some(true), 2) => " Leaving out just one of them does not change as much.",
        (Some(true), 3..) => " With any one of them back, less than that would change.",
        _ => "",
    };
    format!("{had}, {all}: {}.{whole}", named(&named_new, NEW, items))
}

/// The first few by name, the rest counted.
fn named(names: &[String], most: usize, items: &str) -> String {
    if names.len() <= most {
        return list(names);
    }
    let mut some = names[..most - 1].to_vec();
    some.push(format!("{} more {items}", number(names.len() - some.len())));
    list(&some)
}
