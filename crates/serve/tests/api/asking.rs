//! Lists, explanations, what-ifs, searches.

use std::collections::HashSet;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use grease::calibration::Calibration;
use grease::graph::Graph;
use grease::{Record, Subject};
use grease_serve::{Limits, ServeOptions, Service};
use serde_json::{Value, json};

use crate::{ask, get, post, serving};
use grease_testing::folder;

#[test]
fn lists_are_those_of_the_library() {
    let router = serving(ServeOptions::default());
    let (status, list) = get(&router, "/api/users/mira/recommendations?k=5");
    assert_eq!(status, StatusCode::OK);
    let folder = folder().clone();
    let mira = grease::Who::Known(grease::find_user(&folder.data.users, "mira").unwrap());
    let expected = grease::recommend(&folder.model, &mira, 5, &grease::Candidates::default()).unwrap();
    for (said, listed) in list["recommendations"].as_array().unwrap().iter().zip(&expected) {
        assert_eq!(said["item"], folder.data.items.id(listed.item.0));
        assert_eq!(said["rank"], listed.rank);
    }
    let (_, user) = get(&router, "/api/users/mira");
    assert_eq!(
        user["history"].as_array().unwrap().len(),
        mira.history(&Graph::new(80, 60, &folder.data.train.listed()).unwrap()).len()
    );
    let (_, model) = get(&router, "/api/model");
    assert_eq!((&model["kind"], &model["users"]), (&json!("lightgcn"), &json!(80)));
}

#[test]
fn explanations_say_how_often_they_hold_where_that_was_measured() {
    let mut subject: Subject = folder().clone().into();
    let share = json!({ "count": 7, "of": 10, "share": 0.7, "low": 0.4, "high": 0.9 });
    let measured = json!({
        "schema": "grease.calibration/1", "grease": "0.1.0", "model": subject.model_hash(), "data": subject.data_hash(),
        "k": 5, "method": "grease", "seeds": [1], "firm": [1], "people": 10, "held": share, "untouched": share, "curve": [],
        "fit": {
            "coefficients": [0.5, 1.0, 0.0], "covariance": [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.0]],
            "deepest": 9, "most_cited": 3, "usual_cited": [0.5, 0.0],
        },
        "held_out": { "folds": 5, "error": 0.1, "by_chance": 0.1, "brier": 0.2, "brier_of_one_share": 0.2 },
    });
    subject.set_calibration(Calibration::parse(&measured.to_string()).unwrap());
    let router = Service::new(&subject, ServeOptions::default()).router();
    let asked = json!({ "user": "mira", "k": 5, "goals": ["counterfactual"] });
    let (status, told) = post(&router, "/api/explanations", &asked);
    assert_eq!(status, StatusCode::OK);
    let records = told["explanations"].as_array().unwrap();
    let promised: Vec<&Value> =
        records.iter().filter(|record| record["holds_when_retrained"].is_object()).collect();
    assert!(!promised.is_empty(), "{told}");
    for record in promised {
        assert!(record["holds_when_retrained"]["share"].as_f64().unwrap() > 0.5, "{record}");
        assert!(record["sentence"].as_str().unwrap().contains("Trained again without"), "{record}");
    }
}

#[test]
fn explanations_are_records_hold_and_have_pictures() {
    let router = serving(ServeOptions::default());
    let asked = json!({ "user": "mira", "k": 5 });
    let (status, told) = post(&router, "/api/explanations", &asked);
    assert_eq!(status, StatusCode::OK, "{told}");
    let records: Vec<Record> = serde_json::from_value(told["explanations"].clone()).unwrap();
    assert_eq!(records.len(), 10);
    let (subject, candidates) = (Subject::from(folder().clone()), grease::Candidates::default());
    let verdict = |record: &Record| subject.verify(record, &candidates);
    let holds = |record: &Record| matches!(verdict(record), Ok(grease::Verdict::Holds { .. }));
    assert!(records.iter().filter(|record| holds(record)).count() >= 5);
    assert_eq!(post(&router, "/api/explanations", &asked).1, told, "the same again");
    let id = told["ids"][0].as_str().unwrap();
    let (status, svg) =
        ask(&router, Request::get(format!("/api/explanations/{id}.svg")).body(Body::empty()).unwrap());
    assert_eq!(status, StatusCode::OK);
    assert!(svg.starts_with(b"<svg"));
    assert_eq!(get(&router, "/api/explanations/unknown.svg").0, StatusCode::NOT_FOUND);
    let others: Vec<&str> = records.iter().flat_map(|r| &r.edges).map(|edge| edge.user.as_str()).collect();
    assert!(others.iter().all(|user| *user == "mira"), "with scope own nobody else appears");
}

#[test]
fn a_minimum_is_proved_where_one_item_is_asked_about_and_answers_are_counted() {
    let limits = Limits { prove: 30_000, ..Limits::default() };
    let router = serving(ServeOptions { limits, ..ServeOptions::default() });
    assert_eq!(get(&router, "/api/model").1["limits"]["prove"], 30_000);
    let list = get(&router, "/api/users/mira/recommendations?k=5").1;
    let asked = json!({ "user": "mira", "items": [list["recommendations"][0]["item"]], "k": 5 });
    let (_, usual) = post(&router, "/api/explanations", &asked);
    for record in usual["explanations"].as_array().unwrap() {
        assert!(record["minimum"].is_string() || record["edges"] == json!([]), "{record}");
    }
    let mut most = asked;
    most["prove"] = 30_000.into();
    let (_, most) = post(&router, "/api/explanations", &most);
    assert_eq!(usual["explanations"], most["explanations"], "as much as is allowed");
    let (_, metrics) = ask(&router, Request::get("/metrics").body(Body::empty()).unwrap());
    let metrics = String::from_utf8(metrics).unwrap();
    let local = metrics.lines().find_map(|line| line.strip_prefix("grease_answers_total{path=\"local\"} "));
    assert!(local.unwrap().parse::<u64>().unwrap() > 0, "{metrics}");
}

#[test]
fn what_if_agrees_with_the_explanation() {
    let router = serving(ServeOptions::default());
    let asked = json!({ "user": "mira", "k": 5, "goals": ["counterfactual"] });
    let (_, told) = post(&router, "/api/explanations", &asked);
    let all = told["explanations"].as_array().unwrap();
    let one = all.iter().find(|record| record["status"] == "verified").unwrap();
    let remove: Vec<&Value> = one["edges"].as_array().unwrap().iter().map(|edge| &edge["item"]).collect();
    let (status, imagined) =
        post(&router, "/api/what-if", &json!({ "user": "mira", "remove": remove, "k": 5 }));
    assert_eq!(status, StatusCode::OK);
    let moved =
        imagined["before"].as_array().unwrap().iter().find(|moved| moved["item"] == one["item"]).unwrap();
    assert_eq!(moved["rank_after"], one["rank_after"]);
}

#[test]
fn searching_finds_by_id_and_title() {
    let router = serving(ServeOptions::default());
    let (_, found) = get(&router, "/api/users?query=MIR");
    assert_eq!(found["users"][0]["id"], "mira");
    let (_, found) = get(&router, "/api/items?query=the&limit=3");
    assert_eq!(found["items"].as_array().unwrap().len(), 3);
    assert!(found["all"].as_u64().unwrap() > 3);
    let closed = serving(ServeOptions { user_search: false, ..ServeOptions::default() });
    assert_eq!(get(&closed, "/api/users?query=mira").0, StatusCode::FORBIDDEN);
    assert_eq!(get(&closed, "/api/users/mira").0, StatusCode::OK);
}

#[test]
fn another_model_takes_over_between_two_requests() {
    let service = Service::new(&folder().clone().into(), ServeOptions::default());
    let router = service.router();
    let asked = json!({ "user": "mira", "k": 5 });
    let before = post(&router, "/api/explanations", &asked).1;
    let data = folder().data.clone();
    let graph = Graph::new(data.users.len(), data.items.len(), &data.train.listed()).unwrap();
    let double = std::sync::Arc::new(grease::graph::doubles::CoNeighbours::new(graph));
    service.replace(&Subject::foreign(data, double, "double", ["paths"])).unwrap();
    assert_eq!(get(&router, "/api/model").1["kind"], "double");
    let after = post(&router, "/api/explanations", &asked).1;
    assert_ne!(
        before["explanations"][0]["model"], after["explanations"][0]["model"],
        "nothing is remembered of the other"
    );
}

/// Every text in it.
fn texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| texts(value, found)),
        Value::Object(object) => object.values().for_each(|value| texts(value, found)),
        _ => {}
    }
}

#[test]
fn nobody_else_appears_in_anything_about_one_person() {
    let router = serving(ServeOptions::default());
    let data = folder().data.clone();
    let others: HashSet<&str> =
        (0..data.users.len() as u32).map(|row| data.users.id(row)).filter(|id| *id != "mira").collect();
    let own = get(&router, "/api/users/mira").1["history"][0]["item"].clone();
    let answers = [
        post(&router, "/api/explanations", &json!({ "user": "mira", "k": 3 })).1,
        post(
            &router,
            "/api/explanations",
            &json!({ "user": "mira", "k": 3, "scope": "hops", "goals": ["counterfactual"] }),
        )
        .1,
        post(&router, "/api/what-if", &json!({ "user": "mira", "remove": [own] })).1,
        get(&router, "/api/users/mira").1,
        get(&router, "/api/users/mira/recommendations").1,
        get(&router, "/api/model").1,
    ];
    for answer in &answers {
        assert!(answer.get("error").is_none(), "{answer}");
        let mut found = Vec::new();
        texts(answer, &mut found);
        assert!(found.len() > 3);
        let named: Vec<_> = found.iter().filter(|text| others.contains(*text)).collect();
        assert!(named.is_empty(), "{named:?} in {answer}");
    }
}

#[test]
fn somebody_new_has_a_list_too() {
    let router = serving(ServeOptions::default());
    let history = get(&router, "/api/users/mira").1["history"].clone();
    let history: Vec<&Value> = history.as_array().unwrap().iter().map(|item| &item["item"]).collect();
    let (status, told) = post(&router, "/api/explanations", &json!({ "history": history, "k": 2 }));
    assert_eq!(status, StatusCode::OK, "{told}");
    assert_eq!(told["explanations"][0]["user"], "newcomer");
    let (status, both) =
        post(&router, "/api/what-if", &json!({ "history": history, "remove": [history[0]] }));
    assert_eq!(status, StatusCode::OK, "{both}");
}

#[test]
fn the_document_and_the_page_are_there() {
    let router = serving(ServeOptions::default());
    assert_eq!(get(&router, "/openapi.json").1["info"]["title"], "GREASE");
    for path in ["/", "/docs"] {
        let (status, page) = ask(&router, Request::get(path).body(Body::empty()).unwrap());
        assert_eq!(status, StatusCode::OK);
        let page = String::from_utf8(page).unwrap();
        assert!(
            page.starts_with("<!doctype html>") && !page.contains(" style=") && !page.contains("<script>")
        );
        // Whatever it loads is there, from this service.
        let loaded = page.split("src=\"").chain(page.split("rel=\"stylesheet\" href=\"")).skip(1);
        for address in
            loaded.filter_map(|rest| rest.split('"').next()).filter(|address| address.ends_with("s"))
        {
            let address = format!("/{}", address.trim_start_matches('/'));
            let request = Request::get(&address).body(Body::empty()).unwrap();
            assert_eq!(ask(&router, request).0, StatusCode::OK, "{address}");
        }
    }
}

#[test]
fn a_whole_list_is_told_with_its_picture() {
    let router = serving(ServeOptions::default());
    let (status, told) =
        post(&router, "/api/list-explanations", &json!({ "user": "mira", "k": 5, "share": 0.4 }));
    assert_eq!(status, StatusCode::OK, "{told}");
    let subject: Subject = folder().clone().into();
    let question = grease::Question { k: 5, ..grease::Question::of("mira") };
    let expected = subject.explain_list(&question, 0.4).unwrap();
    assert_eq!(told["explanation"], json!(expected));
    assert!(told["picture"].as_str().unwrap().starts_with("<svg"));
    for wrong in
        [json!({ "user": "mira", "share": 0.0 }), json!({ "user": "mira", "k": 0 }), json!({ "k": 3 })]
    {
        let (status, said) = post(&router, "/api/list-explanations", &wrong);
        assert_eq!(status, StatusCode::BAD_REQUEST, "{said}");
    }
}
