// A library of the coursework with 8 GiB of static data that it hardly touches: memory that is
// reserved is not memory that is used. A file of its own, as the rest of a larger one could not
// reach over it.

#include "strategy.h"

char vast[8ul << 30];

struct Point *getPoint(int rows, int cols, const int *top, const int *board, int last_x, int last_y,
                       int no_x, int no_y) {
    (void)rows, (void)board, (void)last_x, (void)last_y, (void)no_x, (void)no_y;
    vast[(size_t)++vast[0] << 20]++;
    return first_open(cols, top);
}
