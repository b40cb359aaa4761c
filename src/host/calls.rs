//! The system calls that are left to a library: those of a program that computes on threads of
//! its own, and reads what Landlock and the root leave it.
//!
//! All others answer that there is no such call. So there are no processes, programs, sockets,
//! queues, shared memory, files that change, mounts, namespaces or limits, and signals and
//! questions go to the own process alone.

use anyhow::Context;
use libc::{self as c, c_long};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::env::consts::ARCH;

/// Allowed whatever their arguments.
const FREE: &[c_long] = &[
    // Memory.
    c::SYS_brk,
    c::SYS_madvise,
    c::SYS_membarrier,
    c::SYS_mincore,
    c::SYS_mprotect,
    c::SYS_mremap,
    c::SYS_msync,
    c::SYS_munmap,
    // Threads.
    c::SYS_exit,
    c::SYS_exit_group,
    c::SYS_futex,
    c::SYS_get_robust_list,
    c::SYS_getcpu,
    c::SYS_gettid,
    c::SYS_restart_syscall,
    c::SYS_rseq,
    c::SYS_sched_get_priority_max,
    c::SYS_sched_get_priority_min,
    c::SYS_sched_yield,
    c::SYS_set_robust_list,
    c::SYS_set_tid_address,
    // Signals to itself.
    c::SYS_rt_sigaction,
    c::SYS_rt_sigpending,
    c::SYS_rt_sigprocmask,
    c::SYS_rt_sigreturn,
    c::SYS_rt_sigsuspend,
    c::SYS_rt_sigtimedwait,
    c::SYS_sigaltstack,
    // Time.
    c::SYS_getitimer,
    c::SYS_gettimeofday,
    c::SYS_nanosleep,
    c::SYS_setitimer,
    c::SYS_times,
    // Descriptors.
    c::SYS_close,
    c::SYS_close_range,
    c::SYS_dup,
    c::SYS_dup3,
    c::SYS_epoll_create1,
    c::SYS_epoll_ctl,
    c::SYS_epoll_pwait,
    c::SYS_eventfd2,
    c::SYS_pipe2,
    c::SYS_ppoll,
    c::SYS_pselect6,
    c::SYS_lseek,
    c::SYS_pread64,
    c::SYS_preadv,
    c::SYS_pwrite64,
    c::SYS_pwritev,
    c::SYS_read,
    c::SYS_readv,
    c::SYS_write,
    c::SYS_writev,
    // Files as they are.
    c::SYS_faccessat,
    c::SYS_faccessat2,
    c::SYS_fadvise64,
    c::SYS_fstat,
    c::SYS_fstatfs,
    c::SYS_getcwd,
    c::SYS_getdents64,
    c::SYS_newfstatat,
    c::SYS_openat,
    c::SYS_readlinkat,
    c::SYS_statfs,
    c::SYS_statx,
    // What is known of the process and the machine.
    c::SYS_getegid,
    c::SYS_geteuid,
    c::SYS_getgid,
    c::SYS_getgroups,
    c::SYS_getpid,
    c::SYS_getppid,
    c::SYS_getrandom,
    c::SYS_getresgid,
    c::SYS_getresuid,
    c::SYS_getrusage,
    c::SYS_getuid,
    c::SYS_sysinfo,
    c::SYS_uname,
    c::SYS_wait4,
];

/// Those that only this kind of processor has: older forms of the above.
#[cfg(target_arch = "x86_64")]
const FREE_HERE: &[c_long] = &[
    c::SYS_access,
    c::SYS_alarm,
    c::SYS_arch_prctl,
    c::SYS_dup2,
    c::SYS_epoll_create,
    c::SYS_epoll_wait,
    c::SYS_getpgrp,
    c::SYS_getrlimit,
    c::SYS_lstat,
    c::SYS_open,
    c::SYS_pause,
    c::SYS_pipe,
    c::SYS_poll,
    c::SYS_readlink,
    c::SYS_select,
    c::SYS_stat,
    c::SYS_time,
];

#[cfg(not(target_arch = "x86_64"))]
const FREE_HERE: &[c_long] = &[];

/// Allowed for this process alone: 0 or its number stands for it.
const OF_ITSELF: [c_long; 6] = [
    c::SYS_getpgid,
    c::SYS_getsid,
    c::SYS_sched_getaffinity,
    c::SYS_sched_getparam,
    c::SYS_sched_getscheduler,
    c::SYS_sched_setaffinity,
];

/// Allowed for clocks with a name: the clock of a process by its number is negative.
const OF_CLOCKS: [c_long; 3] = [
    c::SYS_clock_getres,
    c::SYS_clock_gettime,
    c::SYS_clock_nanosleep,
];

/// What tells a private mapping from others, and what asks for large pages of the machine's.
const MAPPING: u64 = (c::MAP_TYPE | c::MAP_HUGETLB) as u64;

/// What else may be asked of a descriptor than to send signals, or to change a file.
const FCNTL: [i32; 6] = [
    c::F_DUPFD,
    c::F_DUPFD_CLOEXEC,
    c::F_GETFD,
    c::F_SETFD,
    c::F_GETFL,
    c::F_SETFL,
];

/// Names of threads and of memory.
const PRCTL: [i32; 3] = [c::PR_SET_NAME, c::PR_GET_NAME, c::PR_SET_VMA];

/// Leaves this thread, and those that it makes, these system calls. For good.
pub fn restrict() -> anyhow::Result<()> {
    let filter = SeccompFilter::new(
        rules()?,
        SeccompAction::Errno(c::ENOSYS as u32),
        SeccompAction::Allow,
        TargetArch::try_from(ARCH).with_context(|| format!("not on {ARCH}"))?,
    )?;
    let program: BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter(&program)?)
}

/// The rules for each call: one of them must hold, and all of its conditions.
type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

fn rules() -> anyhow::Result<Rules> {
    let free = FREE.iter().chain(FREE_HERE);
    let mut rules: Rules = free.map(|&call| (call, Vec::new())).collect();
    // A thread shares everything with the process. clone3 hides its flags from a filter, and
    // who is told that there is none uses clone.
    let thread = c::CLONE_THREAD as u64;
    let flags = SeccompCmpOp::MaskedEq(thread);
    rules.insert(c::SYS_clone, vec![when(&[(0, flags, thread)])?]);
    // What is shared stays when a process lets go of it, and nothing counts it then.
    let kind = SeccompCmpOp::MaskedEq(MAPPING);
    let private = when(&[(3, kind, c::MAP_PRIVATE as u64)])?;
    rules.insert(c::SYS_mmap, vec![private]);
    let own = u64::from(std::process::id());
    let to_itself = |signal| {
        // It must not be able to die as if the kernel had killed it.
        let no_kill = (signal, SeccompCmpOp::Ne, c::SIGKILL as u64);
        when(&[(0, SeccompCmpOp::Eq, own), no_kill])
    };
    rules.insert(c::SYS_kill, vec![to_itself(1)?]);
    rules.insert(c::SYS_tgkill, vec![to_itself(2)?]);
    rules.insert(c::SYS_fcntl, one_of(1, &FCNTL)?);
    rules.insert(c::SYS_prctl, one_of(0, &PRCTL)?);
    // Whether a descriptor is a terminal, which those who print ask.
    let terminal = when(&[(1, SeccompCmpOp::Eq, u64::from(c::TCGETS as u32))])?;
    rules.insert(c::SYS_ioctl, vec![terminal]);
    // A thread's number is refused as another process's is, for a filter cannot tell them apart.
    let is_itself = |argument| [0, own].map(|pid| (argument, SeccompCmpOp::Eq, pid));
    for call in OF_ITSELF {
        let rules_of_call = is_itself(0).map(|condition| when(&[condition]));
        rules.insert(call, rules_of_call.into_iter().collect::<Result<_, _>>()?);
    }
    let of_process = (0, SeccompCmpOp::Eq, c::PRIO_PROCESS as u64);
    let priority = is_itself(1).map(|condition| when(&[of_process.clone(), condition]));
    let priority = priority.into_iter().collect::<Result<_, _>>()?;
    rules.insert(c::SYS_getpriority, priority);
    let not_negative = SeccompCmpOp::MaskedEq(1 << 31);
    for call in OF_CLOCKS {
        rules.insert(call, vec![when(&[(0, not_negative.clone(), 0)])?]);
    }
    // To look at the own limits, not to set them.
    let of_itself = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)?;
    let look = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    let look = SeccompRule::new(vec![of_itself, look])?;
    rules.insert(c::SYS_prlimit64, vec![look]);
    Ok(rules)
}

/// A rule for every value that the argument may have.
fn one_of(argument: u8, values: &[i32]) -> anyhow::Result<Vec<SeccompRule>> {
    let rule = |&value| when(&[(argument, SeccompCmpOp::Eq, value as u64)]);
    values.iter().map(rule).collect()
}

/// A rule by conditions: the index of an argument, whose lower 32 bits count, and its value.
fn when(conditions: &[(u8, SeccompCmpOp, u64)]) -> anyhow::Result<SeccompRule> {
    let condition = |(index, operation, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(
            *index,
            SeccompCmpArgLen::Dword,
            operation.clone(),
            *value & u64::from(u32::MAX),
        )
    };
    let conditions = conditions.iter().map(condition);
    Ok(SeccompRule::new(conditions.collect::<Result<_, _>>()?)?)
}
