mod fixtures;
mod forms;
mod sentences;
