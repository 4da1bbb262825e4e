//! `grease demo`

use crate::support::Place;

#[test]
fn a_newcomer_sees_a_list_and_its_reasons() {
    let place = Place::new();
    let ran = place.grease("demo --keep kept -k 10 --user diego");
    assert_eq!(ran.code, 0, "{}", ran.whole());
    let told =
        ["diego", "10 of the 10 fit", "Knowing only that you ", "Had you ", "checked: ", "What to try next:"];
    for expected in told {
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

#[test]
fn the_readme_and_the_first_page_say_and_show_what_the_code_does() {
    let place = Place::new();
    let demo = place.grease("demo --keep demo").ok();
    let readme = include_str!("../../../../README.md");
    let quoted: Vec<&str> = readme.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    assert!(quoted.len() > 1, "the README begins with what the demo says");
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in quoted {
        assert!(flat(&demo).contains(&flat(&sentence.replace("**", ""))), "not in the demo: {sentence}");
    }
    let transcript =
        place.grease("explain --model demo/model --user diego -k 5 --item captain-receipts").ok();
    let first_page = include_str!("../../../../docs/index.md");
    assert!(first_page.contains(&transcript), "not in docs/index.md:\n{transcript}");
    // If the picture is to change: run this command after `grease demo --keep demo`, with --out docs/demo.svg --force.
    let picture = "explain --model demo/model --user diego -k 5 --item fjord-weather-station --goal counterfactual --format svg";
    let drawn = place.grease(picture).ok();
    assert!(
        drawn == include_str!("../../../../docs/demo.svg"),
        "docs/demo.svg is not what `grease {picture}` draws"
    );
}
