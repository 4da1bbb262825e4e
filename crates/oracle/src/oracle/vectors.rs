//! An oracle's embeddings, asked for at once where somebody wants them.

use grease_graph::Recommender as _;
use serde_json::value::RawValue;

use super::Oracle;
use crate::error::OracleError;
use crate::message::{self, Expected, Fault};
use crate::transport::{Request, longest_of};

/// Vectors in rows.
pub(super) struct OwnVectors {
    pub(super) users: Vec<f32>,
    pub(super) items: Vec<f32>,
    pub(super) width: usize,
}

impl Oracle {
    /// Everybody's and everything's vectors.
    pub(super) fn ask_vectors(&self) -> Result<OwnVectors, OracleError> {
        let id = self.id();
        let (users, items) = (self.graph().users(), self.graph().items());
        let asked = Expected::Embeddings(users);
        let body = message::embeddings(id, &self.names);
        // Vectors of up to a few thousand numbers.
        let longest = longest_of((users + items).saturating_mul(4096)).min(16 << 30);
        let request = Request { body: &body, asked: &asked, longest };
        let mut found = None;
        self.transport.ask(&request, &mut |line| {
            found = Some(self.read_vectors(line, id, &asked)?);
            Ok(())
        })?;
        let none = || OracleError::Reply { asked: asked.to_string(), reason: "there is none".into() };
        found.ok_or_else(none)
    }

    fn read_vectors(&self, line: &[u8], id: u64, asked: &Expected) -> Result<OwnVectors, Fault> {
        let reply = message::vectors(line, id, asked)?;
        let wrong = |reason: String| Fault::reply(asked, reason);
        let width = reply.width.and_then(|width| usize::try_from(width).ok()).filter(|&width| width > 0);
        let width = width.ok_or_else(|| wrong("it has no `width` above 0".into()))?;
        let rows = |what: &str, count: usize, json: Option<&RawValue>, text: Option<message::Text<'_>>| {
            let numbers = count.checked_mul(width).filter(|&numbers| numbers <= line.len());
            let numbers =
                numbers.ok_or_else(|| wrong(format!("its `{what}` are not {count} vectors of {width}")))?;
            let named = |reason: String| wrong(format!("its `{what}` cannot be used: {reason}"));
            if let Some(text) = text {
                return message::decode_floats(&text.0, numbers).map_err(named);
            }
            let json = json.ok_or_else(|| wrong(format!("it has neither `{what}` nor `{what}_f32`")))?;
            let (order, mut out) = ((0..width as u32).collect::<Vec<_>>(), vec![0f32; numbers]);
            message::read_rows(json, &order, &mut out, |place| format!("place {place}")).map_err(named)?;
            Ok(out)
        };
        let users = rows("users", self.graph().users(), reply.users, reply.users_f32)?;
        let said = rows("items", self.graph().items(), reply.items, reply.items_f32)?;
        // Items come in the oracle's order.
        let mut items = vec![0f32; said.len()];
        for (vector, &row) in said.chunks_exact(width).zip(&self.names.order) {
            items[row as usize * width..][..width].copy_from_slice(vector);
        }
        Ok(OwnVectors { users, items, width })
    }
}
