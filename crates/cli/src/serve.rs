//! `grease serve`

use std::net::{IpAddr, SocketAddr};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Args;
use grease_serve::{Limits, ServeOptions, Service};

use crate::failure::Failure;
use crate::interruption;
use crate::oracle::Wanted;
use crate::output::Output;
use crate::subject::{Opened, SubjectArguments};
use crate::words::WordArguments;

/// Answer other programs over HTTP: lists, explanations, what-ifs, as JSON
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  grease serve --model model
  grease serve --model model --host 0.0.0.0 --token-env TOKEN
  curl localhost:8080/api/users/42/recommendations?k=5
  curl localhost:8080/api/explanations --json '{\"user\": \"42\", \"k\": 5}'

Only this machine is served unless --host says otherwise, and then only who sends the token, as
`Authorization: Bearer TOKEN`. Ctrl-C finishes what is under way. docs/api.md has every address.")]
pub(crate) struct ServeArguments {
    /// The port to listen at; 0 takes a free one
    #[arg(long, default_value_t = 8080, value_name = "N")]
    port: u16,
    /// The address to listen at: 0.0.0.0 is everybody
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    host: IpAddr,
    /// Answer only who sends the token in this environment variable
    #[arg(long, value_name = "VAR")]
    token_env: Option<String>,
    /// Listen at an address others can reach without a token
    #[arg(long, conflicts_with = "token_env")]
    without_token: bool,
    /// Do not let people be searched for
    #[arg(long)]
    no_user_search: bool,
    #[command(flatten)]
    words: WordArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

pub(crate) fn run(arguments: &ServeArguments, output: &Output) -> Result<ExitCode, Failure> {
    let token = arguments.token()?;
    let limits = Limits { threads: rayon::current_num_threads(), ..Limits::default() };
    let wanted = Wanted { list: limits.k, items: Vec::new() };
    let Opened { mut subject, asking: _asking } = arguments.subject.open(&wanted, output)?;
    arguments.words.apply(&mut subject.data_mut().words);
    let options = ServeOptions { token, user_search: !arguments.no_user_search, limits };
    let service = Service::new(subject, options);
    let address = SocketAddr::new(arguments.host, arguments.port);
    let interrupted = interruption::watch("finishing what is under way; Ctrl-C again quits at once")?;
    let end = async move {
        while !interrupted.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::unexpected)?;
    let listening = |address: SocketAddr| output.note(format_args!("listening at http://{address}"));
    runtime.block_on(service.listen(address, listening, end)).map_err(|error| {
        Failure::unexpected(format_args!("{address}: {error}"))
            .help("another --port may be free; below 1024 they need privileges")
    })?;
    Ok(ExitCode::SUCCESS)
}

impl ServeArguments {
    /// The token, where there is one; an address others can reach wants one.
    fn token(&self) -> Result<Option<String>, Failure> {
        let Some(variable) = &self.token_env else {
            if self.host.is_loopback() || self.without_token {
                return Ok(None);
            }
            return Err(Failure::usage(format_args!(
                "others can reach {}, and there is no token",
                self.host
            ))
            .help("name a variable that has one by --token-env, or serve everybody by --without-token"));
        };
        match std::env::var(variable) {
            Ok(token) if token.len() >= 8 && token.bytes().all(|byte| byte.is_ascii_graphic()) => {
                Ok(Some(token))
            }
            Ok(_) => Err(Failure::usage(format_args!("the token in {variable} is no token"))
                .help("at least 8 letters, digits and signs, without spaces")),
            Err(_) => Err(Failure::usage(format_args!("the environment variable {variable} is not set"))),
        }
    }
}
