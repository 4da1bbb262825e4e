//! How good explanations are: against the paper, the baselines and the ceiling.
//!
//! ```text
//! Settings -> units of work -> Journal -> Results -> tables, charts, report
//! ```

mod agreement;
mod audit;
mod bar;
mod bench;
mod beside;
mod citations;
mod crowd;
mod evaluation;
mod fidelity;
mod first_look;
mod importance;
mod interval;
mod lists;
mod memory;
mod personal;
mod plan;
mod pretty;
mod published;
mod repeat;
pub mod report;
mod results;
mod row;
mod rows;
mod run;
mod settings;
mod table;
mod tally;
#[cfg(test)]
mod tests;
mod unit;

pub use audit::{
    Audit, AuditError, AuditOptions, Audited, Comparison, FEWEST, Figures, Group, Training, retrain,
};
pub use bar::{Figure, Held, Standing, bar, standing};
pub use evaluation::{EvaluateError, Evaluation, NamedSubject};
pub use first_look::FirstLook;
pub use interval::Interval;
pub use published::{Published, published};
pub use results::{
    Answers, Axis, BesideGrease, BothSolve, Cell, Claims, Curve, EVALUATION_SCHEMA, Evaluated,
    FidelityReport, Gap, Importance, ListShares, ModelResults, Named, Personal, Point, Proved, Quarter,
    Results, RowTime, Spread, Stability, Times,
};
pub use row::Row;
pub use run::{MARKDOWN, PAGE, RESULTS, ROWS, Run, TIMES};
pub use settings::{Fewer, Sample, Settings};
pub use table::Table;
