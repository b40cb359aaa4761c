// What each library of the coursework has, and the move that those here make.

#include <stdlib.h>

struct Point {
    int x, y;
};

static struct Point *point(int x, int y) {
    struct Point *p = malloc(sizeof *p);
    p->x = x;
    p->y = y;
    return p;
}

// A stone in the first open column.
static struct Point *first_open(int cols, const int *top) {
    for (int y = 0; y < cols; y++) {
        if (top[y] > 0) return point(top[y] - 1, y);
    }
    return NULL;
}

void clearPoint(struct Point *p) {
    free(p);
}
