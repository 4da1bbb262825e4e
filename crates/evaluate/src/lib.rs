//! How good explanations are: against the paper, the baselines and the ceiling.
//!
//! ```text
//! Settings -> units of work -> Journal -> Results -> tables, charts, report
//! ```

mod agreement;
mod audit;
mod bench;
mod evaluation;
mod fidelity;
mod first_look;
mod lists;
mod memory;
mod plan;
mod pretty;
mod published;
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
pub use evaluation::{EvaluateError, Evaluation, NamedSubject};
pub use first_look::FirstLook;
pub use published::{Published, published};
pub use results::{
    Answers, Axis, BothSolve, Cell, Claims, Curve, EVALUATION_SCHEMA, Evaluated, FidelityReport, Gap,
    ListShares, ModelResults, Point, Quarter, Results, RowTime, Spread, Stability, Times,
};
pub use row::Row;
pub use run::{MARKDOWN, PAGE, RESULTS, ROWS, Run, TIMES};
pub use settings::{Fewer, Sample, Settings};
pub use table::Table;
