pub(crate) mod fixtures;
mod forms;
mod hostile;
mod promised;
mod schema;
mod sentences;
pub(crate) mod weaker;
