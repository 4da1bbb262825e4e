//! How good explanations are: against the paper, the baselines and the ceiling.
//!
//! ```text
//! Settings -> units of work -> Journal -> Results -> tables, charts, report
//! ```

mod published;
pub mod report;
mod results;
mod settings;

pub use published::{Published, published};
pub use results::{
    Audit, Axis, BothSolve, Cell, Curve, EVALUATION_SCHEMA, Evaluated, FidelityReport, Gap, ModelResults,
    Point, Quarter, Results, Row, RowTime, Spread, Stability, Times,
};
pub use settings::{Fewer, Sample, Settings, Table};
