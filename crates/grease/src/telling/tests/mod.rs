mod fixtures;
mod sentences;
