// A library of the coursework that drops its stones into the first open column, and behaves as
// MODE says from its call FROM on. Built by tests/host.rs, like those of the course without any
// library that it needs: sqrt is for the loader to find.

#define _GNU_SOURCE
#include "strategy.h"
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static int calls;
static _Thread_local int calls_of_thread;

static int is_mode(const char *mode) {
    return calls >= FROM && strcmp(TEXT(MODE), mode) == 0;
}

static void *sleep_on(void *unused) {
    sleep(1000);
    return unused;
}

static void make_threads(int count) {
    pthread_t thread;
    for (int i = 0; i < count; i++) pthread_create(&thread, NULL, sleep_on, NULL);
}

// Says of itself what only the guard may say, wherever it may be heard.
static void forge(void) {
    const char line[] = "{\"late\":\"the guard itself\"}\n";
    for (int descriptor = 3; descriptor < 32; descriptor++) {
        fcntl(descriptor, F_SETFL, O_NONBLOCK);
        (void)!write(descriptor, line, sizeof line - 1);
    }
    sleep(1);
}

__attribute__((constructor)) static void loaded(void) {
    while (strcmp(TEXT(MODE), "load") == 0) {
    }
}

// Half a GiB of tables for pages that hold nothing.
static void make_tables(void) {
    const size_t size = 256ul << 30, step = 2 << 20;
    volatile char *pages = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (size_t at = 0; pages != MAP_FAILED && at < size; at += step) (void)pages[at];
    sleep(10);
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
    if (is_mode("abort")) abort();
    while (is_mode("loop")) {
    }
    while (is_mode("wait")) sleep(1);
    if (is_mode("memory")) memset(malloc(4ul << 30), 1, 4ul << 30);
    if (is_mode("tables")) make_tables();
    if (is_mode("nap") && calls == FROM) sleep(5);
    if (is_mode("outside")) return point(rows, -1);
    if (is_mode("air")) return point(0, 0);
    if (is_mode("null")) return NULL;
    if (is_mode("flood")) flood();
    if (is_mode("forge")) forge();
    if (is_mode("threads") && calls < 20) make_threads(4);
    if (is_mode("storm")) make_threads(1000);
    if (is_mode("storm")) sleep(10);
    return first_open(cols, top);
}
