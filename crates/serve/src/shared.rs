//! What all requests share: the recommender as it is now, threads that compute, explanations given lately, counters.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use grease::{Refusal, Subject};

use crate::cache::Cache;
use crate::compute::{Busy, Compute, Parts};
use crate::error::ApiError;
use crate::loaded::Loaded;
use crate::metrics::Metrics;
use crate::options::ServeOptions;
use crate::queue::Lane;

/// What all requests share.
pub(crate) struct Shared {
    loaded: RwLock<Arc<Loaded>>,
    compute: Compute,
    pub(crate) cache: Cache,
    pub(crate) metrics: Metrics,
    stopping: AtomicBool,
    pub(crate) options: ServeOptions,
    /// When, so that the ids of requests differ from those before a restart.
    pub(crate) started: String,
}

impl Shared {
    pub(crate) fn new(subject: &Subject, options: ServeOptions) -> Self {
        let limits = options.limits;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self {
            loaded: RwLock::new(Arc::new(Loaded::with(subject))),
            compute: Compute::new(&limits),
            cache: Cache::new(limits.remembered),
            metrics: Metrics::default(),
            stopping: AtomicBool::new(false),
            options,
            started: format!("{:x}", started.as_millis()),
        }
    }

    /// Serves another recommender from now on, unless it cannot make a list.
    pub(crate) fn replace(&self, subject: &Subject) -> Result<(), Refusal> {
        let loaded = Arc::new(Loaded::with(subject));
        loaded.warm_up()?;
        *self.loaded.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(())
    }

    /// From now on requests should be sent elsewhere.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
    }

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
