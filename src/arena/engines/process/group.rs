//! An engine together with every process that it starts, so that one call ends them all.
//!
//! Ctrl-C at the terminal does not reach such a group: the referee ends the engines itself.

pub use system::Group;

/// A process group, which a shell script shares with what it runs.
#[cfg(unix)]
mod system {
    use nix::sys::signal::{Signal, killpg};
    use nix::unistd::Pid;
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    /// The group of one engine. Dropping it kills what is left of it, which must happen before
    /// the engine is reaped: after that its number could be another group's.
    #[derive(Debug)]
    pub struct Group(Pid);

    impl Group {
        /// Starts the command as the first of a new group.
        ///
        /// # Errors
        /// When the program cannot be started.
        pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
            let child = command.process_group(0).spawn()?;
            let group = i32::try_from(child.id()).map_err(io::Error::other)?;
            Ok((child, Group(Pid::from_raw(group))))
        }
    }

    impl Drop for Group {
        fn drop(&mut self) {
            // Fails where all of it has ended.
            let _ = killpg(self.0, Signal::SIGKILL);
        }
    }
}

/// A job object, which the system also ends when this process does, however that happens.
#[cfg(windows)]
mod system {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::os::windows::process::CommandExt;
    use std::process::{Child, Command};
    use std::sync::OnceLock;
    use win32job::{ExtendedLimitInfo, Job};

    /// The flag of `CreateProcess` that keeps Ctrl-C from a process and those it starts.
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0000_0200;

    /// The job of one engine. Dropping it kills what is left of it.
    #[derive(Debug)]
    pub struct Group(#[expect(dead_code, reason = "closing the handle ends the job")] Job);

    impl Group {
        /// Starts the command in a new job.
        ///
        /// # Errors
        /// When the program cannot be started, or the system grants no job.
        pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
            join_own_job();
            let job = new_job()?;
            let mut child = command.creation_flags(CREATE_NEW_PROCESS_GROUP).spawn()?;
            match job.assign_process(child.as_raw_handle() as isize) {
                Ok(()) => Ok((child, Group(job))),
                Err(error) => {
                    child.kill()?;
                    Err(io::Error::other(error))
                }
            }
        }
    }

    /// A job that ends with its handle.
    fn new_job() -> io::Result<Job> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        Job::create_with_limit_info(&limits).map_err(io::Error::other)
    }

    /// Puts this process into a job, where what it starts is from its first moment: an engine gets
    /// its own only when it runs.
    fn join_own_job() {
        static OWN: OnceLock<Option<Job>> = OnceLock::new();
        OWN.get_or_init(|| {
            let job = new_job().and_then(|job| {
                job.assign_current_process().map_err(io::Error::other)?;
                Ok(job)
            });
            job.inspect_err(|error| log::warn!("no job for this process: {error}"))
                .ok()
        });
    }
}
