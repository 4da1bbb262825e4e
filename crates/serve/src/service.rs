//! The service: what is shared by all requests, and the way to each handler.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use grease::Subject;
use grease::graph::ScoreError;
use tokio::net::TcpListener;

use crate::compute::{Busy, Compute, Parts};
use crate::error::ApiError;
use crate::listening::listen;
use crate::loaded::Loaded;
use crate::metrics::Metrics;
use crate::options::ServeOptions;
use crate::queue::Lane;
use crate::store::Store;
use crate::{guards, openapi, page};

/// What all requests share.
pub(crate) struct Shared {
    loaded: RwLock<Arc<Loaded>>,
    compute: Compute,
    pub(crate) store: Store,
    pub(crate) metrics: Metrics,
    stopping: AtomicBool,
    pub(crate) options: ServeOptions,
    /// When, so that the ids of requests differ from those before a restart.
    pub(crate) started: String,
}

impl Shared {
    /// The recommender as it is now; a request keeps the one it began with.
    pub(crate) fn loaded(&self) -> Arc<Loaded> {
        Arc::clone(&self.loaded.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Has something quick computed with the recommender: one question at most.
    pub(crate) async fn compute<R: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Loaded) -> Result<R, ApiError> + Send + 'static,
    ) -> Result<R, ApiError> {
        let (shared, loaded) = (Arc::clone(self), self.loaded());
        self.compute.run_quick(move || work(&shared, &loaded)).await?
    }

    /// Has something searched for with the recommender, which comes part by part.
    pub(crate) fn search<T: Send + 'static>(
        self: &Arc<Self>,
        loaded: Arc<Loaded>,
        work: impl FnOnce(&Self, &Loaded, &mut dyn FnMut(T)) -> Result<(), ApiError> + Send + 'static,
    ) -> Result<Parts<T, ApiError>, ApiError> {
        let shared = Arc::clone(self);
        let work = move |hand_over: &mut dyn FnMut(T)| work(&shared, &loaded, hand_over);
        self.compute.begin(Lane::Long, work).map_err(ApiError::from)
    }

    /// How busy the threads are that compute.
    pub(crate) fn busy(&self) -> Busy {
        self.compute.busy()
    }

    /// Whether requests should be sent here.
    pub(crate) fn check_readiness(&self) -> Result<(), ApiError> {
        match self.stopping.load(Ordering::SeqCst) {
            true => Err(ApiError::Stopping),
            false => self.loaded().readiness().check(),
        }
    }
}

/// A recommender behind HTTP.
#[derive(Clone)]
pub struct Service(Arc<Shared>);

impl Service {
    /// Nothing listens yet.
    pub fn new(subject: Subject, options: ServeOptions) -> Self {
        let limits = options.limits;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self(Arc::new(Shared {
            loaded: RwLock::new(Arc::new(Loaded::with(subject))),
            compute: Compute::new(&limits),
            store: Store::new(limits.remembered),
            metrics: Metrics::default(),
            stopping: AtomicBool::new(false),
            options,
            started: format!("{:x}", started.as_millis()),
        }))
    }

    /// Serves another recommender from now on, unless it cannot make a list. Requests under way end with the one they began with.
    pub fn replace(&self, subject: Subject) -> Result<(), ScoreError> {
        let loaded = Arc::new(Loaded::with(subject));
        loaded.warm_up()?;
        *self.0.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// Every address it answers at.
    pub fn router(&self) -> Router {
        let shared = Arc::clone(&self.0);
        let (addresses, _) = openapi::addresses().split_for_parts();
        addresses
            .merge(openapi::document(&shared.options.limits))
            .merge(page::files())
            .fallback(|| async { ApiError::NoSuchPage })
            .method_not_allowed_fallback(|| async { ApiError::WrongMethod })
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
        let warming_up = Arc::clone(&self.0);
        // The first question is the slowest, and nobody should have to wait for it.
        tokio::spawn(async move { warming_up.compute(|_, loaded| Ok(loaded.warm_up()?)).await });
        let ending = Arc::clone(&self.0);
        let end = async move {
            end.await;
            ending.stopping.store(true, Ordering::SeqCst);
        };
        listen(listener, self.router(), self.0.options.limits, end).await;
        Ok(())
    }
}
