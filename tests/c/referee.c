/*
 * Plays two libraries of the coursework's C interface against each other, as the course's referee
 * does: libraries are loaded once and never unloaded, every call comes on a new thread, and each
 * random board is played twice with the sides changed.
 *
 *   referee A.so B.so ROUNDS SEED LIMIT_MS
 *
 * Writes a line a game. Ends with 0 if every move was legal and in time, else with 1.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SIZE = 12 };

struct point {
    int x, y;
};

typedef struct point *get_point(const int rows, const int cols, const int *top, const int *board,
                                const int last_x, const int last_y, const int no_x, const int no_y);
typedef void clear_point(struct point *point);

struct library {
    const char *name;
    get_point *get;
    clear_point *clear;
};

struct game {
    int rows, cols, no_x, no_y;
    int top[MAX_SIZE];
    int board[MAX_SIZE * MAX_SIZE]; /* 0 empty, 1 the first side's, 2 the second's */
    int last_x, last_y;
};

/* One call: what is given, and what comes back. */
struct call {
    const struct library *library;
    struct game view;
    int x, y;
    double milliseconds;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void die(const char *text, const char *detail)
{
    fprintf(stderr, "%s: %s\n", text, detail);
    exit(1);
}

static struct library load(const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY);
    if (!handle)
        die("cannot load", dlerror());
    struct library library = {path, NULL, NULL};
    /* ISO C has no cast from an object pointer to a function pointer. */
    void *get = dlsym(handle, "getPoint"), *clear = dlsym(handle, "clearPoint");
    if (!get || !clear)
        die("has not both functions", path);
    memcpy(&library.get, &get, sizeof get);
    memcpy(&library.clear, &clear, sizeof clear);
    return library;
}

static void *run_call(void *argument)
{
    struct call *call = argument;
    const struct game *view = &call->view;
    double begun = now();
    struct point *point = call->library->get(view->rows, view->cols, view->top, view->board, view->last_x,
                                             view->last_y, view->no_x, view->no_y);
    call->milliseconds = now() - begun;
    if (!point)
        die("answered with null", call->library->name);
    call->x = point->x;
    call->y = point->y;
    call->library->clear(point);
    return NULL;
}

/* The board in the eyes of a side: 1 the opponent's stones, 2 its own. */
static struct game view_of(const struct game *game, int side)
{
    struct game view = *game;
    for (int at = 0; at < game->rows * game->cols; at++)
        if (game->board[at])
            view.board[at] = game->board[at] == side ? 2 : 1;
    return view;
}

static int stone(const struct game *game, int x, int y)
{
    if (x < 0 || y < 0 || x >= game->rows || y >= game->cols)
        return 0;
    return game->board[x * game->cols + y];
}

static int wins(const struct game *game, int x, int y)
{
    static const int steps[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int side = stone(game, x, y);
    for (int line = 0; line < 4; line++) {
        int dx = steps[line][0], dy = steps[line][1], length = 1;
        for (int sign = -1; sign <= 1; sign += 2)
            for (int far = 1; stone(game, x + sign * far * dx, y + sign * far * dy) == side; far++)
                length++;
        if (length >= 4)
            return 1;
    }
    return 0;
}

static void play(struct game *game, int x, int y, int side)
{
    game->board[x * game->cols + y] = side;
    game->top[y] = x;
    if (y == game->no_y && x - 1 == game->no_x)
        game->top[y]--;
    game->last_x = x;
    game->last_y = y;
}

static int is_full(const struct game *game)
{
    for (int y = 0; y < game->cols; y++)
        if (game->top[y])
            return 0;
    return 1;
}

/* Returns the winner's number in `players`, or -1 for a draw; ends the program at a fault. */
static int play_game(struct game game, struct library *const players[2], double limit, double *longest, int *plies)
{
    for (*plies = 0; !is_full(&game); ++*plies) {
        int mover = *plies % 2;
        struct call call = {.library = players[mover], .view = view_of(&game, mover + 1)};
        pthread_t thread;
        if (pthread_create(&thread, NULL, run_call, &call) || pthread_join(thread, NULL))
            die("no thread", call.library->name);
        if (call.y < 0 || call.y >= game.cols || !game.top[call.y] || call.x != game.top[call.y] - 1) {
            fprintf(stderr, "%s: illegal move %d,%d at ply %d\n", call.library->name, call.x, call.y, *plies);
            exit(1);
        }
        if (call.milliseconds > *longest)
            *longest = call.milliseconds;
        if (call.milliseconds > limit) {
            fprintf(stderr, "%s: %.0f ms at ply %d\n", call.library->name, call.milliseconds, *plies);
            exit(1);
        }
        play(&game, call.x, call.y, mover + 1);
        if (wins(&game, call.x, call.y))
            return mover;
    }
    return -1;
}

static struct game random_game(void)
{
    struct game game = {.rows = 9 + rand() % 4, .cols = 9 + rand() % 4, .last_x = -1, .last_y = -1};
    game.no_x = rand() % game.rows;
    game.no_y = rand() % game.cols;
    for (int y = 0; y < game.cols; y++)
        game.top[y] = game.rows;
    if (game.no_x == game.rows - 1)
        game.top[game.no_y]--;
    return game;
}

/* What no referee does, and what must not end the process all the same. */
static void call_senselessly(const struct library *library)
{
    static const int sizes[][2] = {{0, 0}, {-1, -1}, {9, 9}, {1 << 30, 1 << 30}, {3, 200}};
    for (size_t index = 0; index < sizeof sizes / sizeof *sizes; index++)
        library->clear(library->get(sizes[index][0], sizes[index][1], NULL, NULL, -1, -1, -1, -1));
    library->clear(NULL);
}

int main(int count, char **arguments)
{
    if (count != 6)
        die("usage", "referee A.so B.so ROUNDS SEED LIMIT_MS");
    struct library one = load(arguments[1]), other = load(arguments[2]);
    int rounds = atoi(arguments[3]);
    srand((unsigned)atoi(arguments[4]));
    double limit = atof(arguments[5]), longest = 0;
    for (int round = 0; round < rounds; round++) {
        struct game game = random_game();
        for (int first = 0; first < 2; first++) {
            struct library *players[2] = {first ? &other : &one, first ? &one : &other};
            int plies;
            int winner = play_game(game, players, limit, &longest, &plies);
            const char *result = winner < 0 ? "draw" : winner == first ? "A wins" : "B wins";
            printf("%dx%d hole %d,%d: %s after %d moves, longest so far %.0f ms\n", game.rows, game.cols, game.no_x,
                   game.no_y, result, plies, longest);
        }
        call_senselessly(&one);
    }
    return 0;
}
