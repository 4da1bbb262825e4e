//! How good explanations are: against the paper, the baselines and the ceiling.
//!
//! ```text
//! Settings -> units of work -> Journal -> Results -> tables, charts, report
//! ```

mod agreement;
mod audit;
mod fidelity;
mod memory;
mod published;
pub mod report;
mod results;
mod rows;
mod run;
mod settings;
mod tally;
#[cfg(test)]
mod tests;
mod unit;

pub use audit::{Audit, AuditError, AuditOptions, Audited, Comparison, Figures, Group, Share, retrain};
pub use published::{Published, published};
pub use results::{
    Axis, BothSolve, Cell, Curve, EVALUATION_SCHEMA, Evaluated, FidelityReport, Gap, ModelResults, Point,
    Quarter, Results, Row, RowTime, Spread, Stability, Times,
};
pub use run::{EvaluateError, Evaluation, MARKDOWN, NamedSubject, PAGE, RESULTS, ROWS, Run, TIMES};
pub use settings::{Fewer, Sample, Settings, Table};
