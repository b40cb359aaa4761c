// A library of the coursework that tries to do harm, when it is loaded and at its first move, and
// ends the process with the number of the attempt that succeeded: 100 and more when it was loaded,
// 150 and more at a move. Built by tests/host.rs, which looks at the harm from outside too.
//
// ONLY: the one attempt to make. VICTIM: a file of the user's. READ: a descriptor of the caller's, open to that file. WRITE:
// another, open for writing.

#define _GNU_SOURCE
#include "strategy.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Numbers of processes: the first of the machine, and those that were started about when we were.
enum { EACH = 500 };

static int number(int index) {
    return index <= EACH ? index : getpid() + index - EACH - EACH / 2;
}

// Whether an attempt succeeds with any process but our own.
static int does_to_another(int (*attempt)(int pid)) {
    for (int i = 1; i <= 2 * EACH; i++)
        if (number(i) > 0 && number(i) != getpid() && attempt(number(i))) return 1;
    return 0;
}

// No signal at all, but the right to send one: this machine may be somebody's.
static int may_signal(int pid) {
    return kill(pid, 0) == 0;
}

// 1. Signals to the runner, to its group and to everybody.
static int signals(void) {
    int parent = getppid();
    int sent = parent > 0 && kill(parent, SIGKILL) == 0;
    sent |= may_signal(0);
    sent |= may_signal(-1);
    return sent || does_to_another(may_signal);
}

// The memory of a process as a file, opened with these flags.
static int opens_memory(int pid, int flags) {
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/mem", pid);
    return open(name, flags) >= 0;
}

// 2. The heap of other processes, read.
static int reads_memory_of(int pid) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)&byte, 1};
    return opens_memory(pid, O_RDONLY) || process_vm_readv(pid, &here, 1, &there, 1, 0) > 0;
}

static int reads_memory(void) {
    return does_to_another(reads_memory_of);
}

// 3. The same, written, and by a debugger's means.
static int writes_memory_of(int pid) {
    char byte = 0;
    struct iovec here = {&byte, 1}, there = {(void *)&byte, 1};
    return opens_memory(pid, O_RDWR) || process_vm_writev(pid, &here, 1, &there, 1, 0) > 0 ||
           ptrace(PTRACE_SEIZE, pid, NULL, NULL) == 0;
}

static int writes_memory(void) {
    return does_to_another(writes_memory_of) || ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0;
}

// 4. The user's files, and those that everybody can read.
static int reads_files(void) {
    return open(VICTIM, O_RDONLY) >= 0 || open("/etc/passwd", O_RDONLY) >= 0 || opendir("/home") ||
           opendir("/tmp");
}

// 5. The same, changed or deleted.
static int deletes_files(void) {
    return unlink(VICTIM) == 0 || truncate(VICTIM, 0) == 0 || open(VICTIM, O_WRONLY) >= 0 ||
           rename(VICTIM, VICTIM ".gone") == 0 || chmod(VICTIM, 0) == 0 || link(VICTIM, VICTIM ".link") == 0 ||
           mkdir(VICTIM ".folder", 0700) == 0 || symlink("/", VICTIM ".symlink") == 0;
}

// 6. A shell.
static int runs_shells(void) {
    pid_t child;
    char *words[] = {"sh", "-c", "true", NULL};
    int status = system("true");
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0) return 1;
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, NULL) == 0) return 1;
    execv("/bin/sh", words);
    return 0;
}

// 7. The network, and the sockets of the machine.
static int opens_sockets(void) {
    int pair[2];
    return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_INET6, SOCK_DGRAM, 0) >= 0 ||
           socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || socket(AF_NETLINK, SOCK_RAW, 0) >= 0 ||
           socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0;
}

// 8. Thousands of processes.
static int forks(void) {
    for (int count = 0; count < 9000; count++) {
        pid_t child = fork();
        if (child == 0) {
            sleep(1000);
            _exit(0);
        }
        if (child > 0) return 1;
    }
    return vfork() >= 0;
}

// 9. A descriptor that the caller left open, read.
static int reads_descriptors(void) {
    char byte;
    return pread(READ, &byte, 1, 0) > 0;
}

// 10. The same, written.
static int writes_descriptors(void) {
    return write(WRITE, "harm", 4) > 0;
}

// 11. A process in a session of its own, that stays.
static int leaves_a_session(void) {
    if (setsid() >= 0 || setpgid(0, 0) == 0) return 1;
    long child = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0) {
        setsid();
        sleep(1000);
        _exit(0);
    }
    return child > 0;
}

// 12. More rights: root's, those of namespaces, mounts, limits.
static int gains_rights(void) {
    struct rlimit most = {RLIM_INFINITY, RLIM_INFINITY};
    return setuid(0) == 0 || setgid(0) == 0 || setgroups(0, NULL) == 0 || chroot("/") == 0 ||
           unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 ||
           mount("none", "/", "tmpfs", 0, NULL) == 0 || umount("/") == 0 ||
           setrlimit(RLIMIT_FSIZE, &most) == 0 || setrlimit(RLIMIT_NOFILE, &most) == 0;
}

// 13. Files in folders where everybody may make them.
static int makes_files(void) {
    const char *names[] = {"/tmp/tengen-harm", "/var/tmp/tengen-harm", "/dev/shm/tengen-harm", "/tengen-harm",
                           "tengen-harm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (open(names[i], O_CREAT | O_RDWR, 0600) >= 0) return 1;
    return open("/tmp", O_TMPFILE | O_RDWR, 0600) >= 0;
}

// 14. Memory and queues that outlive the process, or that no limit counts.
static int shares_memory(void) {
    return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0 || msgget(IPC_PRIVATE, IPC_CREAT | 0600) >= 0 ||
           semget(IPC_PRIVATE, 1, IPC_CREAT | 0600) >= 0 || memfd_create("harm", 0) >= 0 ||
           syscall(SYS_mq_open, "harm", O_CREAT | O_RDWR, 0600, NULL) >= 0 ||
           syscall(SYS_memfd_secret, 0) >= 0;
}

// 15. To stay when the runner is gone, and to hide.
static int stays(void) {
    return prctl(PR_SET_PDEATHSIG, 0) == 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ||
           prctl(PR_SET_DUMPABLE, 0) == 0;
}

// 16. Other doors of the kernel.
static int knocks(void) {
    char place[256] = {0};
    const long calls[] = {SYS_io_uring_setup, SYS_bpf,         SYS_perf_event_open, SYS_userfaultfd,
                          SYS_keyctl,         SYS_add_key,     SYS_seccomp,         SYS_landlock_restrict_self,
                          SYS_pidfd_open,     SYS_setns,       SYS_open_by_handle_at, SYS_inotify_init1,
                          SYS_clone3,         SYS_timer_create};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (syscall(calls[i], 1, place, 0, 0, 0, 0) >= 0 || errno != ENOSYS) return 1;
    return 0;
}

// 17. Other processes, seen by their numbers and moved to some of the processors.
static int sees(int pid) {
    struct sched_param parameter;
    struct timespec used;
    struct rlimit limit;
    cpu_set_t set;
    clockid_t processor_time;
    if (getpgid(pid) >= 0 || getsid(pid) >= 0 || sched_getscheduler(pid) >= 0) return 1;
    if (sched_getparam(pid, &parameter) == 0 || prlimit(pid, RLIMIT_NOFILE, NULL, &limit) == 0) return 1;
    if (sched_getaffinity(pid, sizeof set, &set) == 0) return 1;
    if (sched_setaffinity(pid, 0, &set) == 0 || errno == EINVAL) return 1;
    if (clock_getcpuclockid(pid, &processor_time) == 0 && clock_gettime(processor_time, &used) == 0) return 1;
    errno = 0;
    return getpriority(PRIO_PROCESS, pid) != -1 || errno == 0;
}

static int sees_others(void) {
    if (does_to_another(sees)) return 1;
    errno = 0;
    return getpriority(PRIO_USER, 0) != -1 || errno == 0;
}

// 18. Memory that is not seen where it is measured: shared, let go of and there all the same, or of
// pages that the machine keeps apart.
static int maps_unseen(void) {
    const int access = PROT_READ | PROT_WRITE;
    const int hidden[] = {MAP_SHARED, MAP_SHARED_VALIDATE, MAP_PRIVATE | MAP_HUGETLB};
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (mmap(NULL, 2 << 20, access, hidden[i] | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED) return 1;
    return 0;
}

static int (*const attempts[])(void) = {
#ifdef ONLY
    ONLY,
#else
    signals,           reads_memory,       writes_memory,    reads_files,  deletes_files, runs_shells,
    opens_sockets,     forks,              reads_descriptors, writes_descriptors, leaves_a_session,
    gains_rights,      makes_files,        shares_memory,    stays,        knocks,
    sees_others,       maps_unseen,
#endif
};

static void attempt_all(int base) {
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (attempts[i]()) _exit(base + 1 + (int)i);
}

__attribute__((constructor)) static void loaded(void) {
    attempt_all(100);
}

struct Point *getPoint(int rows, int cols, const int *top, const int *board, int last_x, int last_y,
                       int no_x, int no_y) {
    static int calls;
    (void)rows, (void)board, (void)last_x, (void)last_y, (void)no_x, (void)no_y;
    if (calls++ == 0) attempt_all(150);
    return first_open(cols, top);
}
