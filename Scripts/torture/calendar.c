// Loaded into a program by LD_PRELOAD, shows it a calendar that is set by so many seconds as the file named by
// TORTURE_CALENDAR says, eight bytes that may change at any time. Clocks that only count, and timers, are left as they are, as
// they are when a machine's calendar is set; libfaketime moves timers too.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *offset;

__attribute__((constructor)) static void open_calendar(void) {
    const char *path = getenv("TORTURE_CALENDAR");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *mapping = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    if (mapping != MAP_FAILED) offset = mapping;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *offset;
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int result = (int)syscall(SYS_gettimeofday, now, zone);
    if (result == 0 && offset && now) now->tv_sec += *offset;
    return result;
}

time_t time(time_t *where) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (where) *where = now.tv_sec;
    return now.tv_sec;
}
