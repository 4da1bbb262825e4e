//! `grease link`

use std::io::Write as _;
use std::time::{Duration, SystemTime};

use clap::Args;
use grease_serve::LinkKey;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::failure::{Code, Failure};
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  export LINK_KEY=$(openssl rand -hex 32)
  grease serve --model model --link-key-env LINK_KEY --no-user-search
  grease link --user 42 --link-key-env LINK_KEY --page http://127.0.0.1:8080";

/// The rest of `--help`.
const MORE: &str = "
  grease link --user 42 --user 43 --link-key-env LINK_KEY --page https://why.example.org --days 7

One link a line. Whoever has it sees that person's history, list and explanations until its time is
over, so send it to nobody else. No model is read: whether there is such a person the service says.
docs/api.md has the form of a link, for programs that sign their own.";

/// Sign links that open one person's page, and nobody else's
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
pub(crate) struct LinkArguments {
    /// Whose page it opens, by id; may be repeated
    #[arg(long, required = true, value_name = "ID")]
    user: Vec<String>,
    /// The environment variable that has the key, as for `grease serve --link-key-env`
    #[arg(long, alias = "key-env", value_name = "VAR")]
    link_key_env: String,
    /// Where the page is
    #[arg(long, default_value = "http://127.0.0.1:8080", value_name = "URL")]
    page: String,
    /// For how many days it is valid
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=3650))]
    days: u16,
}

/// What cannot stand in an address as it is.
const UNSAFE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(crate) fn run(arguments: &LinkArguments, output: &Output) -> Result<Code, Failure> {
    let key = link_key(&arguments.link_key_env)?;
    if !(arguments.page.starts_with("http://") || arguments.page.starts_with("https://")) {
        return Err(Failure::usage(format_args!("--page {} is not the address of a page", arguments.page))
            .help("give it with http:// or https://, as the browser shows it"));
    }
    let page = arguments.page.split('#').next().unwrap_or_default().trim_end_matches('/');
    let expires = SystemTime::now() + Duration::from_secs(24 * 60 * 60) * u32::from(arguments.days);
    output.results(|out| {
        for user in &arguments.user {
            writeln!(
                out,
                "{page}/#user={}&pass={}",
                utf8_percent_encode(user, UNSAFE),
                key.sign(user, expires)
            )?;
        }
        Ok(())
    })?;
    Ok(Code::Done)
}

/// The key in an environment variable.
pub(crate) fn link_key(variable: &str) -> Result<LinkKey, Failure> {
    let secret = std::env::var(variable)
        .map_err(|_| Failure::usage(format_args!("the environment variable {variable} is not set")))?;
    LinkKey::new(secret.as_bytes()).map_err(|error| {
        Failure::usage(format_args!("{variable}: {error}")).help("`openssl rand -hex 32` makes a good one")
    })
}
