//! `grease serve`

use std::net::{IpAddr, SocketAddr};

use clap::Args;
use grease::Subject;
use grease_serve::{Limits, ServeOptions, Service};

use crate::device::DeviceArguments;
use crate::failure::{Code, Failure};
use crate::link::link_key;
use crate::oracle::{Expected, Opened};
use crate::output::{Log, Output};
use crate::subject::{self, SubjectArguments};
use crate::words::WordArguments;

const EXAMPLES: &str = "\
Examples:
  grease serve --model model            then open http://127.0.0.1:8080
  grease serve --model model --host 0.0.0.0 --token-env TOKEN
  grease serve --model model --link-key-env LINK_KEY --no-user-search    then: grease link";

/// The rest of `--help`.
const MORE: &str = "
  curl localhost:8080/api/users/42/recommendations?k=5
  curl localhost:8080/api/explanations --json '{\"user\": \"42\", \"k\": 5}'

The page is at http://127.0.0.1:8080, what other programs can ask at /docs. Only this machine is
served unless --host says otherwise, and then only who sends the token, as
`Authorization: Bearer TOKEN`, or has a signed link of `grease link`, which opens one person's page.

Ctrl-C finishes what is under way; after a SIGHUP the model folder is read again, and no request is
dropped. Every request is a line on stderr, unless --log none or --quiet.";

/// Serve the page and the API: see why in a browser, ask from other programs
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = format!("{EXAMPLES}{MORE}"))]
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
    /// Let in who has a link signed with the key in this environment variable, to one person's page
    #[arg(long, value_name = "VAR")]
    link_key_env: Option<String>,
    /// Serve whoever can reach it, by any name, without a token
    #[arg(long, hide_short_help = true, conflicts_with = "token_env")]
    without_token: bool,
    /// Let nobody search for people, nor suggest any
    #[arg(long)]
    no_user_search: bool,
    /// How requests are logged: text, json or none
    #[arg(
        long,
        hide_short_help = true,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = "FORM"
    )]
    pub(crate) log: Log,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    words: WordArguments,
    #[command(flatten)]
    pub(crate) subject: SubjectArguments,
}

pub(crate) fn run(arguments: &ServeArguments, output: &Output) -> Result<Code, Failure> {
    let link_key = arguments.link_key_env.as_deref().map(link_key).transpose()?;
    let token = arguments.token()?;
    let limits = Limits { threads: rayon::current_num_threads(), ..Limits::default() };
    let expected = Expected { list: limits.k, items: Vec::new() };
    let device = arguments.device.device;
    let Opened { mut subject, asking: _asking } = arguments.subject.open_on(device, &expected, output)?;
    arguments.words.apply(subject.words_mut());
    let options = ServeOptions {
        token,
        link_key,
        any_host: arguments.without_token,
        user_search: !arguments.no_user_search,
        limits,
    };
    let service = Service::new(&subject, options);
    let address = SocketAddr::new(arguments.host, arguments.port);
    listen(service, address, arguments.reloading(*output), *output)
}

/// Answers until Ctrl-C. `reload` gives the recommender anew, where it can be read again.
pub(crate) fn listen(
    service: Service,
    address: SocketAddr,
    reload: Option<impl Fn() -> Result<Subject, Failure> + Send + 'static>,
    output: Output,
) -> Result<Code, Failure> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::unexpected)?;
    let _guard = runtime.enter();
    let end = ended(output)?;
    let listening = |address: SocketAddr| output.note(format_args!("listening at http://{address}"));
    if let Some(reload) = reload {
        reload_on_hangup(service.clone(), reload, output)?;
    }
    runtime.block_on(service.listen(address, listening, end)).map_err(|error| {
        Failure::unexpected(format_args!("{address}: {error}"))
            .help("another --port may be free; below 1024 they need privileges")
    })?;
    Ok(Code::Done)
}

/// Comes with Ctrl-C or SIGTERM; a second one does not wait. Listens for itself, as whoever else listens here takes a SIGHUP for an end, too.
#[cfg(unix)]
fn ended(output: Output) -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupts = signal(SignalKind::interrupt()).map_err(Failure::unexpected)?;
    let mut terminations = signal(SignalKind::terminate()).map_err(Failure::unexpected)?;
    let mut either = async move || {
        tokio::select! {
            _ = interrupts.recv() => {}
            _ = terminations.recv() => {}
        }
    };
    Ok(async move {
        either().await;
        output.note("finishing what is under way; Ctrl-C again quits at once");
        tokio::spawn(async move {
            either().await;
            std::process::exit(Code::Interrupted as i32);
        });
    })
}

/// Comes with Ctrl-C.
#[cfg(not(unix))]
fn ended(_: Output) -> Result<impl Future<Output = ()> + Send + 'static, Failure> {
    let interrupted = crate::interruption::watch("finishing what is under way; Ctrl-C again quits at once")?;
    Ok(async move {
        while !interrupted.load(std::sync::atomic::Ordering::SeqCst) {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    })
}

/// On SIGHUP the model is read again. One that cannot be read does not replace the one that is served.
#[cfg(unix)]
fn reload_on_hangup(
    service: Service,
    reload: impl Fn() -> Result<Subject, Failure> + Send + 'static,
    output: Output,
) -> Result<(), Failure> {
    let mut hangups = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup())
        .map_err(Failure::unexpected)?;
    tokio::spawn(async move {
        while hangups.recv().await.is_some() {
            match tokio::task::block_in_place(&reload) {
                Ok(subject) => match tokio::task::block_in_place(|| service.replace(&subject)) {
                    Ok(()) => output.note("the model was read again"),
                    Err(error) => {
                        output.note(format_args!("{error}; the model before is still served"));
                    }
                },
                Err(failure) => {
                    output.note("the model could not be read again; the one before is still served");
                    let _ = failure.report();
                }
            }
        }
    });
    Ok(())
}

/// There is no such signal here.
#[cfg(not(unix))]
fn reload_on_hangup(
    _: Service,
    _: impl Fn() -> Result<Subject, Failure> + Send + 'static,
    _: Output,
) -> Result<(), Failure> {
    Ok(())
}

impl ServeArguments {
    /// How the model is read again; an oracle is asked as it is.
    fn reloading(&self, output: Output) -> Option<impl Fn() -> Result<Subject, Failure> + Send + 'static> {
        let (folder, words, device) =
            (self.subject.folder()?.to_owned(), self.words.clone(), self.device.device);
        Some(move || {
            let mut subject = subject::open(&folder, device, &output)?;
            words.apply(subject.words_mut());
            Ok(subject)
        })
    }

    /// The token, where there is one; an address others can reach wants one.
    fn token(&self) -> Result<Option<String>, Failure> {
        let Some(variable) = &self.token_env else {
            if self.host.is_loopback() || self.without_token || self.link_key_env.is_some() {
                return Ok(None);
            }
            return Err(Failure::usage(format_args!(
                "others can reach {}, and there is no token",
                self.host
            ))
            .help("name a variable that has one by --token-env, sign links with the key of --link-key-env, or serve everybody by \
                   --without-token"));
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
