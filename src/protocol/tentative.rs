//! The undo of a change that the session may refuse.

use std::ops::{Deref, DerefMut};

/// A value of a protocol, and what it was before the line fed last, if that line replaced it.
pub struct Tentative<T> {
    now: T,
    before: Option<T>,
}

impl<T> Tentative<T> {
    /// A value that nothing has replaced.
    pub fn new(now: T) -> Self {
        Tentative { now, before: None }
    }

    /// Begins another line: what the one before replaced is gone for good.
    pub fn settle(&mut self) {
        self.before = None;
    }

    /// Puts another value in place, until it is settled or restored.
    pub fn replace(&mut self, next: T) {
        self.before = Some(std::mem::replace(&mut self.now, next));
    }

    /// Puts back what was replaced, if anything was.
    pub fn restore(&mut self) {
        if let Some(before) = self.before.take() {
            self.now = before;
        }
    }
}

impl<T> Deref for Tentative<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.now
    }
}

impl<T> DerefMut for Tentative<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.now
    }
}
