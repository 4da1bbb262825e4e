//! `grease demo`

use crate::support::Place;

#[test]
fn a_newcomer_sees_a_list_and_its_reasons() {
    let place = Place::new();
    let ran = place.grease("demo --keep kept -k 10 --user diego");
    assert_eq!(ran.code, 0, "{}", ran.whole());
    for expected in ["diego", "10 of the 10 fit", "Without ", "it would fall", "What to try next:"] {
        assert!(ran.stdout.contains(expected), "'{expected}' is missing\n{}", ran.whole());
    }
    let widest = ran.stdout.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(100), "{}", ran.stdout);
    // Every command it ends with works as it stands.
    let commands = ran.stdout.lines().filter_map(|line| line.strip_prefix("  grease "));
    let commands: Vec<&str> = commands.collect();
    assert!(commands.len() >= 3, "{}", ran.stdout);
    for command in commands {
        place.grease(command).ok();
    }
    let again = place.grease("demo --keep kept");
    assert_eq!(again.code, 2, "{}", again.whole());
    let unknown = place.grease("demo --user diegoo");
    assert_eq!((unknown.code, unknown.stderr.contains("'diego'")), (5, true), "{}", unknown.whole());
}

#[test]
fn the_same_seed_tells_the_same_story() {
    let place = Place::new();
    let [one, two] =
        ["1", "2"].map(|threads| place.grease(&format!("demo --threads {threads} --seed 11")).ok());
    assert_eq!(one, two);
}
