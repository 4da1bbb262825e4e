//! The service: the way to each handler, and listening.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use grease::{Refusal, Subject};
use tokio::net::TcpListener;

use crate::error::ApiError;
use crate::listening::listen;
use crate::options::ServeOptions;
use crate::shared::Shared;
use crate::{guards, openapi, page};

/// A recommender behind HTTP.
#[derive(Clone)]
pub struct Service(Arc<Shared>);

impl Service {
    /// Nothing listens yet.
    pub fn new(subject: &Subject, options: ServeOptions) -> Self {
        Self(Arc::new(Shared::new(subject, options)))
    }

    /// Serves another recommender from now on, unless it cannot make a list. Requests under way end with the one they began with.
    pub fn replace(&self, subject: &Subject) -> Result<(), Refusal> {
        self.0.replace(subject)
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
            ending.stop();
        };
        listen(listener, self.router(), self.0.options.limits, end).await;
        Ok(())
    }
}
