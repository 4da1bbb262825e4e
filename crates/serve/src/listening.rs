//! Connections: let in, bounded in number, watched for silence, and ended when the service ends.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::options::Limits;

/// Answers until `end` comes; then nobody is let in any more, and who is being answered is answered to the end, within the time a
/// request may take.
pub(crate) async fn listen(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    end: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    let under_way = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    // Whoever sends a request a letter a minute, or nothing at all, does not keep their place.
    http.timer(TokioTimer::new()).header_read_timeout(limits.silence);
    let mut end = std::pin::pin!(end);
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (accept(&listener).await, place)
        };
        let (stream, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut end => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = under_way.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            // A client that goes away is no news.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.timeout, under_way.shutdown()).await;
}

/// The next connection. One that breaks before it is let in is passed over.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are written whole: waiting for more to send only makes them late.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) if is_about_one_connection(&error) => {}
            Err(error) => {
                // Out of file handles, most likely: some will be given back.
                tracing::error!(%error, "nobody can be let in");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

fn is_about_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
