//! Loading and calling a library of the coursework. Together with `examples/strategy.rs`, which is
//! such a library, the place of `unsafe`.
//!
//! Its two functions and their `Point` are declared in the course's `Strategy.h`:
//!
//! ```c
//! struct Point { int x; int y; };
//! Point *getPoint(int M, int N, const int *top, const int *board, int lastX, int lastY, int noX, int noY);
//! void clearPoint(Point *p);
//! ```

#![allow(unsafe_code, reason = "a library of others is loaded and called")]

use super::confine::Place;
use super::{Answer, Question};
use anyhow::{Context, bail};
use std::ffi::{CStr, CString, c_int, c_uint, c_void};
use std::io;
use std::mem;
use std::os::unix::ffi::OsStrExt;

/// What a library of the coursework needs without saying so: it is linked to nothing.
const RUNTIME: [&CStr; 2] = [c"libstdc++.so.6", c"libm.so.6"];

#[repr(C)]
struct Point {
    x: c_int,
    y: c_int,
}

/// A C++ exception may come out of it. It ends the process then, as the call is a thread's.
type GetPoint = unsafe extern "C-unwind" fn(
    c_int,
    c_int,
    *const c_int,
    *const c_int,
    c_int,
    c_int,
    c_int,
    c_int,
) -> *mut Point;

type ClearPoint = unsafe extern "C-unwind" fn(*mut Point);

/// A library that is loaded until the process ends.
#[derive(Clone, Copy)]
pub struct Library {
    get_point: GetPoint,
    clear_point: ClearPoint,
}

impl Library {
    /// Loads a library, which runs what it has to run at the beginning.
    pub fn load(place: &Place) -> anyhow::Result<Library> {
        for name in RUNTIME {
            // SAFETY: the name is a string of C; the system's own libraries may be loaded. That
            // one is absent is no error, for the library may do without.
            unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        }
        let path = CString::new(place.path.as_os_str().as_bytes())?;
        // SAFETY: the path is a string of C. What the library does when it is loaded, nobody can
        // answer for; the process is confined for that.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
        if handle.is_null() {
            bail!("{}", last_error());
        }
        let get_point = symbol(handle, c"getPoint")?;
        let clear_point = symbol(handle, c"clearPoint")?;
        // SAFETY: the interface of the coursework says that these names are such functions.
        unsafe {
            Ok(Library {
                get_point: mem::transmute::<*mut c_void, GetPoint>(get_point),
                clear_point: mem::transmute::<*mut c_void, ClearPoint>(clear_point),
            })
        }
    }

    /// Asks for a move. Blocks until the library answers. No answer at all is a cell off the
    /// board.
    ///
    /// `question.is_whole()` must hold.
    pub fn ask(self, question: &Question) -> Answer {
        let Question {
            rows,
            cols,
            top,
            board,
            last,
            hole,
        } = question;
        // SAFETY: both lists have the lengths that the interface says, and outlive the call. That
        // the function keeps to its side, nobody can answer for; the process is confined for that.
        let point = unsafe {
            (self.get_point)(
                *rows,
                *cols,
                top.as_ptr(),
                board.as_ptr(),
                last[0],
                last[1],
                hole[0],
                hole[1],
            )
        };
        if point.is_null() {
            return Answer { x: -1, y: -1 };
        }
        // SAFETY: the interface says that an answer points to a `Point` until it is given back,
        // which happens here and once.
        unsafe {
            let Point { x, y } = point.read_unaligned();
            (self.clear_point)(point);
            Answer { x, y }
        }
    }
}

/// What this process starts from now on inherits its standard streams and no other descriptor.
pub fn keep_descriptors_from_children() -> io::Result<()> {
    let close_at_exec = libc::CLOSE_RANGE_CLOEXEC as libc::c_int;
    // SAFETY: no descriptor is closed here, and another program has no use for one that this one
    // owns.
    match unsafe { libc::close_range(3, c_uint::MAX, close_at_exec) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn symbol(handle: *mut c_void, name: &CStr) -> anyhow::Result<*mut c_void> {
    // SAFETY: the handle is one of `dlopen` that was not closed, and the name a string of C.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    let found = (!address.is_null()).then_some(address);
    found.with_context(|| format!("it has no {}", name.to_string_lossy()))
}

/// What the last call of `dlopen` complains about.
fn last_error() -> String {
    // SAFETY: the text, if there is one, is a string of C that lasts until the next call of its
    // family on this thread.
    unsafe {
        let text = libc::dlerror();
        if text.is_null() {
            return "unknown error".to_owned();
        }
        CStr::from_ptr(text).to_string_lossy().into_owned()
    }
}
