//! The service: what is shared by all requests, and the way to each handler.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use grease::Subject;
use tokio::net::TcpListener;

use crate::compute::Compute;
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::metrics::Metrics;
use crate::options::ServeOptions;
use crate::store::Store;
use crate::{api, guards, page};

/// What all requests share.
pub(crate) struct Shared {
    loaded: RwLock<Arc<Loaded>>,
    pub(crate) compute: Compute,
    pub(crate) store: Store,
    pub(crate) metrics: Metrics,
    pub(crate) options: ServeOptions,
}

impl Shared {
    /// The recommender as it is now; a request keeps the one it began with.
    pub(crate) fn loaded(&self) -> Arc<Loaded> {
        Arc::clone(&self.loaded.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A recommender behind HTTP.
#[derive(Clone)]
pub struct Service(Arc<Shared>);

impl Service {
    /// Nothing listens yet.
    pub fn new(subject: Subject, options: ServeOptions) -> Self {
        let limits = options.limits;
        Self(Arc::new(Shared {
            loaded: RwLock::new(Arc::new(Loaded::with(subject))),
            compute: Compute::new(&limits),
            store: Store::new(limits.remembered),
            metrics: Metrics::default(),
            options,
        }))
    }

    /// Serves another recommender from now on. Requests under way end with the one they began with.
    pub fn replace(&self, subject: Subject) {
        let loaded = Arc::new(Loaded::with(subject));
        *self.0.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
    }

    /// Every address it answers at.
    pub fn router(&self) -> Router {
        let shared = Arc::clone(&self.0);
        Router::new()
            .route("/", get(|| page::file("text/html; charset=utf-8", page::INDEX)))
            .route("/app.js", get(|| page::file("text/javascript; charset=utf-8", page::SCRIPT)))
            .route("/style.css", get(|| page::file("text/css; charset=utf-8", page::STYLE)))
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(|| async { "ready\n" }))
            .route("/metrics", get(api::metrics))
            .route("/api/model", get(api::model))
            .route("/api/users", get(api::users))
            .route("/api/items", get(api::items))
            .route("/api/users/{id}", get(api::user))
            .route("/api/users/{id}/recommendations", get(api::recommendations))
            .route("/api/explanations", post(api::explain))
            .route("/api/explanations/{picture}", get(api::picture))
            .route("/api/what-if", post(api::what_if))
            .fallback(|| async { ApiError::NoSuchPage })
            .method_not_allowed_fallback(|| async {
                ApiError::Bad("this address does not take requests of this method".to_owned())
            })
            .layer(DefaultBodyLimit::max(shared.options.limits.body))
            .layer(from_fn_with_state(Arc::clone(&shared), guards::guard))
            .with_state(shared)
    }

    /// Answers until `end` comes, then finishes what is under way. `listening` is told where.
    pub async fn listen(
        self,
        address: SocketAddr,
        listening: impl FnOnce(SocketAddr),
        end: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let listener = TcpListener::bind(address).await?;
        listening(listener.local_addr()?);
        axum::serve(listener, self.router()).with_graceful_shutdown(end).await
    }
}
