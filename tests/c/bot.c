// A library of the coursework that drops its stones into the first open column, and behaves as
// MODE says from its call FROM on. Built by tests/host.rs, like those of the course without any
// library that it needs: sqrt is for the loader to find.

#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

struct Point {
    int x, y;
};

static int calls;
static _Thread_local int calls_of_thread;

static int is_mode(const char *mode) {
    return calls >= FROM && strcmp(TEXT(MODE), mode) == 0;
}

static struct Point *point(int x, int y) {
    struct Point *p = malloc(sizeof *p);
    p->x = x;
    p->y = y;
    return p;
}

// Ends the process unless the host keeps what it promises.
static void check_confinement(void) {
    char byte;
    struct rlimit limit;
    const char *name = "/tmp/tengen-test-of-the-host";
    FILE *file = fopen(name, "w");
    int wrote = file && fputc('x', file) == 'x' && fflush(file) == 0;
    if (file) unlink(name);
    if (wrote || geteuid() == 0 || read(0, &byte, 1) > 0 || setuid(0) == 0) abort();
    getrlimit(RLIMIT_AS, &limit);
    if (limit.rlim_cur > (2ul << 30)) abort();
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur > 100) abort();
}

// No line may reach the referee, whatever descriptor of a standard stream it is written to.
static void flood(void) {
    for (int i = 0; i < 100000; i++) {
        printf("{\"x\":0,\"y\":0}\nready\n");
        fprintf(stderr, "flood\n");
    }
    fflush(stdout);
    while (getchar() != EOF) {
    }
}

struct Point *getPoint(int rows, int cols, const int *top, const int *board, int last_x, int last_y,
                       int no_x, int no_y) {
    calls++;
    volatile double cells = (double)rows * rows;
    if (sqrt(cells) != rows || ++calls_of_thread != 1) abort();
    if ((last_x < 0) != (last_y < 0) || (no_x >= 0 && board[no_x * cols + no_y] != 0)) abort();
    if (last_x >= 0 && board[last_x * cols + last_y] != 1) abort();
    if (is_mode("crash")) *(volatile int *)8 = 1;
    if (is_mode("exit")) exit(0);
    while (is_mode("loop")) {
    }
    if (is_mode("memory")) memset(malloc(4ul << 30), 1, 4ul << 30);
    if (is_mode("outside")) return point(rows, -1);
    if (is_mode("air")) return point(0, 0);
    if (is_mode("null")) return NULL;
    if (is_mode("flood")) flood();
    if (is_mode("confined")) check_confinement();
    if (is_mode("fork") && calls < 4 && fork() == 0) sleep(1000);
    for (int y = 0; y < cols; y++) {
        if (top[y] > 0) return point(top[y] - 1, y);
    }
    return NULL;
}

void clearPoint(struct Point *p) {
    free(p);
}
