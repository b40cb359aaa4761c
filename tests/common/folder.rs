//! Folders for the files of tests.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that goes away with its files.
pub struct Folder(PathBuf);

impl Folder {
    /// `name` is the test's own.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tengen-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A file as a command line names it.
    pub fn argument(&self, name: &str) -> String {
        self.file(name).to_str().unwrap().to_owned()
    }

    /// The names of all that is in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
