pub(super) mod fixtures;
mod forms;
mod hostile;
mod pictures;
