//! The built `grease`, from outside: what people and scripts see.

mod data;
mod demo;
mod errors;
mod evaluate_model;
mod explain;
mod help;
mod recommend;
mod support;
mod train;
#[path = "../../../grease/src/telling/tests/validator.rs"]
mod validator;
mod verify;
