#define _GNU_SOURCE
#undef _FORTIFY_SOURCE
#include "CFaultyDisk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// A change of a file's content that was not synced: what was there before, and what is there now.
struct change {
    off_t offset;
    size_t length;
    unsigned char *new_bytes;   // NULL: the file was cut to `offset`
    unsigned char *old_bytes;   // what was there before, `old_length` bytes
    size_t old_length;
};

struct file {
    char *path;                 // NULL after its removal
    struct change *changes;
    size_t count, capacity;
};

enum name_kind { CREATED, RENAMED, REMOVED };

// A change of names that was not synced.
struct name {
    enum name_kind kind;
    char *path, *from;
    char *kept;                 // a link to the file that had the name before; NULL: none had
};

struct pippin_disk {
    char *folder;
    size_t folder_length;
    struct file *files;
    size_t count, capacity;
    struct name *names;
    size_t name_count, name_capacity;
    uint64_t operations, appends, kept_count;
    pippin_disk_hook hook;
    void *context;
    struct pippin_disk *next;
};

#define DESCRIPTORS 65536
static struct { pippin_disk *disk; size_t file; ino_t inode; } opened[DESCRIPTORS];
static pippin_disk *disks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// A child of fork() closes files before it runs its program: nobody else may hold the lock at that moment.
static void take_lock(void) { pthread_mutex_lock(&lock); }
static void leave_lock(void) { pthread_mutex_unlock(&lock); }
__attribute__((constructor)) static void prepare_for_forks(void) { pthread_atfork(take_lock, leave_lock, leave_lock); }

static void *checked(void *memory) {
    if (!memory) abort();
    return memory;
}

static bool resolved(const char *path, char *into) {
    if (path[0] == '/') {
        if (strlen(path) >= PATH_MAX) return false;
        strcpy(into, path);
        return true;
    }
    char here[PATH_MAX];
    if (!getcwd(here, sizeof here)) return false;
    return snprintf(into, PATH_MAX, "%s/%s", here, path) < PATH_MAX;
}

static pippin_disk *disk_of(const char *path) {
    for (pippin_disk *disk = disks; disk; disk = disk->next)
        if (!strncmp(path, disk->folder, disk->folder_length)
            && (path[disk->folder_length] == '/' || !path[disk->folder_length])) return disk;
    return NULL;
}

static size_t file_of(pippin_disk *disk, const char *path) {
    for (size_t index = 0; index < disk->count; index++)
        if (disk->files[index].path && !strcmp(disk->files[index].path, path)) return index;
    if (disk->count == disk->capacity) {
        disk->capacity = disk->capacity ? 2 * disk->capacity : 16;
        disk->files = checked(realloc(disk->files, disk->capacity * sizeof *disk->files));
    }
    disk->files[disk->count] = (struct file){.path = checked(strdup(path))};
    return disk->count++;
}

static void forget_changes(struct file *file) {
    for (size_t index = 0; index < file->count; index++) {
        free(file->changes[index].new_bytes);
        free(file->changes[index].old_bytes);
    }
    file->count = 0;
}

static void forget_names(pippin_disk *disk) {
    for (size_t index = 0; index < disk->name_count; index++) {
        struct name *name = &disk->names[index];
        if (name->kept) syscall(SYS_unlinkat, AT_FDCWD, name->kept, 0);
        free(name->path);
        free(name->from);
        free(name->kept);
    }
    disk->name_count = 0;
}

static void add_name(pippin_disk *disk, enum name_kind kind, const char *path, const char *from, char *kept) {
    if (disk->name_count == disk->name_capacity) {
        disk->name_capacity = disk->name_capacity ? 2 * disk->name_capacity : 16;
        disk->names = checked(realloc(disk->names, disk->name_capacity * sizeof *disk->names));
    }
    disk->names[disk->name_count++] = (struct name){
        .kind = kind, .path = checked(strdup(path)), .from = from ? checked(strdup(from)) : NULL, .kept = kept,
    };
}

// A second link to the file at a path, beside the folder.
static char *keep(pippin_disk *disk, const char *path) {
    char *kept = NULL;
    if (asprintf(&kept, "%s.kept-%llu", disk->folder, (unsigned long long)disk->kept_count++) < 0) abort();
    if (syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, kept, 0) == 0) return kept;
    free(kept);
    return NULL;
}

// Asks the hook. The lock is not held meanwhile, because the hook may copy the folder.
static int ask(pippin_disk *disk) {
    uint64_t number = ++disk->operations;
    pthread_mutex_unlock(&lock);
    int answer = disk->hook ? disk->hook(disk->context, number) : 0;
    pthread_mutex_lock(&lock);
    return answer;
}

static void note_change(struct file *file, int fd, off_t offset, const void *bytes, size_t length, off_t size) {
    if (file->count == file->capacity) {
        file->capacity = file->capacity ? 2 * file->capacity : 16;
        file->changes = checked(realloc(file->changes, file->capacity * sizeof *file->changes));
    }
    struct change *change = &file->changes[file->count++];
    *change = (struct change){.offset = offset, .length = length};
    off_t end = bytes ? offset + (off_t)length : size;
    if (end > size) end = size;
    if (end > offset) {
        change->old_bytes = checked(malloc(end - offset));
        ssize_t count = syscall(SYS_pread64, fd, change->old_bytes, (size_t)(end - offset), offset);
        change->old_length = count > 0 ? (size_t)count : 0;
    }
    if (!bytes) return;
    change->new_bytes = checked(malloc(length ? length : 1));
    memcpy(change->new_bytes, bytes, length);
}

// The disk of an open file. A descriptor may have been closed inside of the C library, and belong to something else now.
static pippin_disk *disk_of_open(int fd) {
    if (fd < 0 || fd >= DESCRIPTORS || !opened[fd].disk) return NULL;
    struct stat status;
    if (fstat(fd, &status) == 0 && status.st_ino == opened[fd].inode) return opened[fd].disk;
    return opened[fd].disk = NULL;
}

static off_t size_of(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_size : 0;
}

// MARK: The C library's functions

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list arguments;
        va_start(arguments, flags);
        mode = va_arg(arguments, mode_t);
        va_end(arguments);
    }
    char full[PATH_MAX];
    pthread_mutex_lock(&lock);
    pippin_disk *disk = disks && resolved(path, full) ? disk_of(full) : NULL;
    if (!disk) {
        pthread_mutex_unlock(&lock);
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    }
    int error = 0;
    if (flags & O_CREAT) error = ask(disk);
    struct stat status;
    bool existed = syscall(SYS_newfstatat, AT_FDCWD, full, &status, 0) == 0;
    int fd = -1, before = -1;
    // What is cut off by opening is lost only when that is synced.
    if (!error && existed && flags & O_TRUNC) before = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    if (before >= 0) {
        note_change(&disk->files[file_of(disk, full)], before, 0, NULL, 0, size_of(before));
        syscall(SYS_close, before);
    }
    if (error) errno = abs(error); else fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0 && fd < DESCRIPTORS) {
        if (!existed) add_name(disk, CREATED, full, NULL, NULL);
        opened[fd].disk = disk;
        opened[fd].file = file_of(disk, full);
        opened[fd].inode = fstat(fd, &status) == 0 ? status.st_ino : 0;
    }
    int number = errno;
    pthread_mutex_unlock(&lock);
    errno = number;
    return fd;
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int close(int fd) {
    pthread_mutex_lock(&lock);
    if (fd >= 0 && fd < DESCRIPTORS) opened[fd].disk = NULL;
    pthread_mutex_unlock(&lock);
    return (int)syscall(SYS_close, fd);
}

// `offset` below 0: where the descriptor stands.
static ssize_t put(int fd, const void *bytes, size_t length, off_t offset) {
    pthread_mutex_lock(&lock);
    pippin_disk *disk = disk_of_open(fd);
    if (disk) {
        if (offset < 0) disk->appends++;
        int error = ask(disk);
        if (error > 0 || (error < 0 && length < 2)) {
            pthread_mutex_unlock(&lock);
            errno = abs(error);
            return -1;
        }
        if (error < 0) length /= 2;
        off_t size = size_of(fd), place = offset;
        if (place < 0) place = syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND ? size : syscall(SYS_lseek, fd, 0, SEEK_CUR);
        note_change(&disk->files[opened[fd].file], fd, place, bytes, length, size);
    }
    pthread_mutex_unlock(&lock);
    return offset < 0 ? syscall(SYS_write, fd, bytes, length) : syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t write(int fd, const void *bytes, size_t length) { return put(fd, bytes, length, -1); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return put(fd, bytes, length, offset); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) { return put(fd, bytes, length, offset); }

static int cut(int fd, off_t length) {
    pthread_mutex_lock(&lock);
    pippin_disk *disk = disk_of_open(fd);
    if (disk) {
        int error = ask(disk);
        if (error) {
            pthread_mutex_unlock(&lock);
            errno = abs(error);
            return -1;
        }
        off_t size = size_of(fd);
        if (size > length) note_change(&disk->files[opened[fd].file], fd, length, NULL, 0, size);
    }
    pthread_mutex_unlock(&lock);
    return (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate(int fd, off_t length) { return cut(fd, length); }
int ftruncate64(int fd, off64_t length) { return cut(fd, length); }

static int sync_file(int fd) {
    pthread_mutex_lock(&lock);
    pippin_disk *disk = disk_of_open(fd);
    if (!disk) {
        pthread_mutex_unlock(&lock);
        return (int)syscall(SYS_fsync, fd);
    }
    int error = ask(disk);
    if (!error) {
        // A journal keeps the order of names, so all earlier ones are safe with this one.
        forget_changes(&disk->files[opened[fd].file]);
        forget_names(disk);
    }
    pthread_mutex_unlock(&lock);
    if (error) errno = abs(error);
    return error ? -1 : 0;
}

int fsync(int fd) { return sync_file(fd); }
int fdatasync(int fd) { return sync_file(fd); }

int rename(const char *from, const char *to) {
    char source[PATH_MAX], target[PATH_MAX];
    pthread_mutex_lock(&lock);
    pippin_disk *disk = disks && resolved(from, source) && resolved(to, target) ? disk_of(target) : NULL;
    int error = disk ? ask(disk) : 0;
    int result = -1;
    if (error) {
        errno = abs(error);
    } else {
        char *kept = disk ? keep(disk, target) : NULL;
        result = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
        if (disk && result == 0) {
            size_t moved = file_of(disk, source);
            for (size_t index = 0; index < disk->count; index++) {
                struct file *file = &disk->files[index];
                if (index == moved || !file->path || strcmp(file->path, target)) continue;
                free(file->path);
                file->path = NULL;
                forget_changes(file);
            }
            free(disk->files[moved].path);
            disk->files[moved].path = checked(strdup(target));
            // A file that comes from elsewhere is a new one here.
            if (disk_of(source) == disk) add_name(disk, RENAMED, target, source, kept);
            else add_name(disk, CREATED, target, NULL, kept);
        }
    }
    int number = errno;
    pthread_mutex_unlock(&lock);
    errno = number;
    return result;
}

int unlink(const char *path) {
    char full[PATH_MAX];
    pthread_mutex_lock(&lock);
    pippin_disk *disk = disks && resolved(path, full) ? disk_of(full) : NULL;
    int error = disk ? ask(disk) : 0;
    int result = -1;
    if (error) {
        errno = abs(error);
    } else {
        char *kept = disk ? keep(disk, full) : NULL;
        result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        if (disk && result == 0) {
            struct file *file = &disk->files[file_of(disk, full)];
            free(file->path);
            file->path = NULL;
            forget_changes(file);
            add_name(disk, REMOVED, full, NULL, kept);
        }
    }
    int number = errno;
    pthread_mutex_unlock(&lock);
    errno = number;
    return result;
}

// MARK: Disks

pippin_disk *pippin_disk_watch(const char *folder, pippin_disk_hook hook, void *context) {
    pippin_disk *disk = checked(calloc(1, sizeof *disk));
    disk->folder = checked(strdup(folder));
    disk->folder_length = strlen(folder);
    disk->hook = hook;
    disk->context = context;
    pthread_mutex_lock(&lock);
    disk->next = disks;
    disks = disk;
    pthread_mutex_unlock(&lock);
    return disk;
}

void pippin_disk_end(pippin_disk *disk) {
    pthread_mutex_lock(&lock);
    for (pippin_disk **place = &disks; *place; place = &(*place)->next)
        if (*place == disk) {
            *place = disk->next;
            break;
        }
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        if (opened[fd].disk == disk) opened[fd].disk = NULL;
    forget_names(disk);
    for (size_t index = 0; index < disk->count; index++) {
        forget_changes(&disk->files[index]);
        free(disk->files[index].changes);
        free(disk->files[index].path);
    }
    pthread_mutex_unlock(&lock);
    free(disk->files);
    free(disk->names);
    free(disk->folder);
    free(disk);
}

uint64_t pippin_disk_operations(pippin_disk *disk) {
    pthread_mutex_lock(&lock);
    uint64_t count = disk->operations;
    pthread_mutex_unlock(&lock);
    return count;
}

uint64_t pippin_disk_appends(pippin_disk *disk) {
    pthread_mutex_lock(&lock);
    uint64_t count = disk->appends;
    pthread_mutex_unlock(&lock);
    return count;
}

void pippin_disk_unsynced(pippin_disk *disk, uint64_t *bytes, uint64_t *names) {
    pthread_mutex_lock(&lock);
    *bytes = 0;
    for (size_t index = 0; index < disk->count; index++)
        for (size_t place = 0; place < disk->files[index].count; place++)
            *bytes += disk->files[index].changes[place].length;
    *names = disk->name_count;
    pthread_mutex_unlock(&lock);
}

static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

// The place in the copy of a path in the folder.
static void place_in(char *into, pippin_disk *disk, const char *copy, const char *path) {
    snprintf(into, PATH_MAX, "%s%s", copy, path + disk->folder_length);
}

#define SECTOR 512

// How much of a write is kept: all of it, or now and then only its first sectors.
static size_t kept_length(const struct change *change, uint64_t *random) {
    size_t before = (size_t)(change->offset % SECTOR), sectors = (before + change->length + SECTOR - 1) / SECTOR;
    if (sectors < 2 || next_random(random) % 2) return change->length;
    return (1 + next_random(random) % (sectors - 1)) * SECTOR - before;
}

static int64_t cut_content(struct file *file, const char *path, uint64_t *random) {
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR);
    if (fd < 0) return -1;
    int64_t lost = 0;
    // First the content as it was synced.
    for (size_t index = file->count; index-- > 0;) {
        struct change *change = &file->changes[index];
        if (change->new_bytes && change->old_length < change->length)
            syscall(SYS_ftruncate, fd, change->offset + (off_t)change->old_length);
        syscall(SYS_pwrite64, fd, change->old_bytes, change->old_length, change->offset);
    }
    for (size_t index = 0; index < file->count; index++) {
        struct change *change = &file->changes[index];
        if (next_random(random) % 2) {
            lost++;
        } else if (change->new_bytes) {
            size_t length = kept_length(change, random);
            if (length < change->length) lost++;
            syscall(SYS_pwrite64, fd, change->new_bytes, length, change->offset);
        } else if (size_of(fd) > change->offset) {
            syscall(SYS_ftruncate, fd, change->offset);
        }
    }
    syscall(SYS_close, fd);
    return lost;
}

int64_t pippin_disk_cut_power(pippin_disk *disk, const char *copy, uint64_t seed) {
    pthread_mutex_lock(&lock);
    int64_t lost = 0;
    char path[PATH_MAX], other[PATH_MAX];
    for (size_t index = 0; index < disk->count && lost >= 0; index++) {
        struct file *file = &disk->files[index];
        if (!file->path || !file->count) continue;
        place_in(path, disk, copy, file->path);
        int64_t count = cut_content(file, path, &seed);
        lost = count < 0 ? -1 : lost + count;
    }
    size_t kept = disk->name_count ? next_random(&seed) % (disk->name_count + 1) : 0;
    for (size_t index = disk->name_count; index-- > kept && lost >= 0;) {
        struct name *name = &disk->names[index];
        place_in(path, disk, copy, name->path);
        if (name->kind == CREATED) syscall(SYS_unlinkat, AT_FDCWD, path, 0);
        if (name->kind == RENAMED) {
            place_in(other, disk, copy, name->from);
            syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, other, 0);
        }
        if (name->kept) syscall(SYS_linkat, AT_FDCWD, name->kept, AT_FDCWD, path, 0);
        lost++;
    }
    pthread_mutex_unlock(&lock);
    return lost;
}
