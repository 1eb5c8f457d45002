// Stands between the service and the C library (LD_PRELOAD) and sees every file effect below one folder: writes, syncs,
// new names, and the moment at which an answer is handed to the kernel. It can write them down in order (CRASH_LOG), and it
// can fail, shorten or be killed at the Nth of them, as a control block says that the test and this process share
// (CRASH_CONTROL; its layout is repeated in shim.ts).
//
// A record of the log: 40 bytes of head (type, thread, inode, place, lengths of two texts), then the texts. A call is written
// down after it has returned, a sync before and after, an answer before: so whatever stands before the answer had happened.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { OPEN = 1, WRITE = 2, SYNC = 4, TRUNCATE = 8, RENAME = 16, UNLINK = 32, MKDIR = 64 };
/* libuv goes on by itself after a short write; the program sees one only when what follows it fails. */
enum { NOTHING, FAIL, SHORTEN, KILL_BEFORE, KILL_AFTER, SHORTEN_THEN_FAIL };

struct control {
  volatile uint32_t action;
  volatile uint32_t kinds;
  volatile int32_t countdown; /* the call that brings it to zero is the one */
  volatile int32_t error;
  volatile uint32_t fired;
  volatile uint32_t fired_kind;
  volatile uint32_t sync_delay_us;
  volatile uint32_t syncs_again; /* of the file whose sync was failed, by anybody, after that */
  volatile uint32_t calls[7];    /* of each kind, since the test cleared them */
  volatile uint32_t fails_next;  /* the next write of the same file */
  volatile int64_t fired_at_ms;
  char fired_path[PATH_MAX];
  char place[64]; /* only paths that begin so are met */
};

struct head {
  uint32_t type;
  uint32_t thread;
  uint64_t inode;
  int64_t place;
  uint32_t path_length;
  uint32_t data_length;
  uint64_t spare;
};

static char root[PATH_MAX];
static size_t root_length;
static int log_fd = -1;
static struct control *control;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Held by whoever is between a call and its record. Who ends the process waits for all of them: the record misses nothing. */
static pthread_rwlock_t under_way = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static int (*real_open)(const char *, int, ...);
static int (*real_openat)(int, const char *, int, ...);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static ssize_t (*real_sendmsg)(int, const struct msghdr *, int);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_rename)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_mkdir)(const char *, mode_t);

static void note(char type, uint64_t inode, int64_t place, const char *path, const struct iovec *parts, int count,
                 size_t length);

static void *find(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (found == NULL) {
    fprintf(stderr, "shim: no %s\n", name);
    _exit(99);
  }
  return found;
}

__attribute__((constructor)) static void begin(void) {
  real_open = find("open64");
  real_openat = find("openat64");
  real_write = find("write");
  real_pwrite = find("pwrite64");
  real_writev = find("writev");
  real_pwritev = find("pwritev");
  real_sendmsg = find("sendmsg");
  real_fsync = find("fsync");
  real_fdatasync = find("fdatasync");
  real_ftruncate = find("ftruncate64");
  real_rename = find("rename");
  real_unlink = find("unlink");
  real_mkdir = find("mkdir");
  const char *folder = getenv("CRASH_ROOT");
  /* The shell that starts the service is none of ours. */
  char self[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (folder == NULL || length < 4 || strncmp(self + length - 4, "node", 4) != 0) return;
  snprintf(root, sizeof root, "%s", folder);
  root_length = strlen(root);
  const char *control_path = getenv("CRASH_CONTROL");
  if (control_path != NULL) {
    int fd = real_open(control_path, O_RDWR | O_CLOEXEC);
    if (fd >= 0) {
      void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (shared != MAP_FAILED) control = shared;
      syscall(SYS_close, fd);
    }
  }
  const char *log_path = getenv("CRASH_LOG");
  if (log_path != NULL) {
    log_fd = real_open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    note('B', 0, 0, "", NULL, 0, 0);
  }
}

static void write_fully(const void *bytes, size_t length) {
  for (const char *at = bytes; length > 0;) {
    ssize_t count = real_write(log_fd, at, length);
    if (count < 0) {
      if (errno == EINTR) continue;
      fprintf(stderr, "shim: the log cannot be written\n");
      _exit(99);
    }
    at += count;
    length -= count;
  }
}

static void note(char type, uint64_t inode, int64_t place, const char *path, const struct iovec *parts, int count,
                 size_t length) {
  if (log_fd < 0) return;
  int kept = errno;
  struct head head = {.type = (uint32_t)type, .thread = (uint32_t)syscall(SYS_gettid), .inode = inode, .place = place,
                      .path_length = (uint32_t)strlen(path), .data_length = (uint32_t)length};
  pthread_mutex_lock(&lock);
  write_fully(&head, sizeof head);
  write_fully(path, head.path_length);
  for (int index = 0; index < count && length > 0; index += 1) {
    size_t part = parts[index].iov_len < length ? parts[index].iov_len : length;
    write_fully(parts[index].iov_base, part);
    length -= part;
  }
  pthread_mutex_unlock(&lock);
  errno = kept;
}

/* Paths are noted relative to the root. NULL: not ours. A log of shared memory is no file effect that counts. */
static const char *ours(const char *path) {
  if (root_length == 0 || strncmp(path, root, root_length) != 0) return NULL;
  const char *rest = path + root_length;
  if (*rest != '/' && *rest != 0) return NULL;
  size_t length = strlen(rest);
  if (length > 4 && strcmp(rest + length - 4, "-shm") == 0) return NULL;
  return *rest == '/' ? rest + 1 : rest;
}

static const char *path_of(int fd, char *buffer) {
  if (root_length == 0) return NULL;
  int kept = errno;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, buffer, PATH_MAX - 1);
  errno = kept;
  if (length <= 0 || buffer[0] != '/') return NULL;
  buffer[length] = 0;
  return ours(buffer);
}

static uint64_t inode_of(int fd) {
  int kept = errno;
  struct stat found = {0};
  fstat(fd, &found);
  errno = kept;
  return found.st_ino;
}

static uint64_t inode_at(const char *path) {
  int kept = errno;
  struct stat found = {0};
  if (lstat(path, &found) != 0) found.st_ino = 0;
  errno = kept;
  return found.st_ino;
}

static void die(void) {
  pthread_rwlock_wrlock(&under_way);
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* What is to happen to this call. */
static uint32_t meet(uint32_t kind, const char *path) {
  if (control == NULL) return NOTHING;
  if (kind == SYNC && control->fired && control->fired_kind == SYNC && strcmp(path, control->fired_path) == 0)
    __atomic_add_fetch(&control->syncs_again, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&control->calls[__builtin_ctz(kind)], 1, __ATOMIC_SEQ_CST);
  if (kind == WRITE && control->fails_next && strcmp(path, control->fired_path) == 0) {
    control->fails_next = 0;
    return FAIL;
  }
  if (!(control->kinds & kind) || strncmp(path, control->place, strlen(control->place)) != 0) return NOTHING;
  uint32_t action = control->action;
  if (action == NOTHING || __atomic_sub_fetch(&control->countdown, 1, __ATOMIC_SEQ_CST) != 0) return NOTHING;
  snprintf(control->fired_path, sizeof control->fired_path, "%s", path);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  control->fired_at_ms = now.tv_sec * 1000LL + now.tv_nsec / 1000000;
  control->fired_kind = kind;
  control->fired = 1;
  if (action == KILL_BEFORE) die();
  if (action == SHORTEN_THEN_FAIL) {
    control->fails_next = 1;
    return SHORTEN;
  }
  return action;
}

static void enter(void) { pthread_rwlock_rdlock(&under_way); }

static void after(uint32_t action) {
  pthread_rwlock_unlock(&under_way);
  if (action == KILL_AFTER) die();
}

static int fail(void) {
  errno = control->error;
  return -1;
}

static int open_it(int folder, const char *path, int flags, mode_t mode) {
  const char *name = folder == AT_FDCWD ? ours(path) : NULL;
  if (name == NULL) return folder == AT_FDCWD ? real_open(path, flags, mode) : real_openat(folder, path, flags, mode);
  uint32_t action = meet(OPEN, name);
  if (action == FAIL) return fail();
  enter();
  uint64_t before = (flags & O_CREAT) ? inode_at(path) : 1;
  int fd = real_open(path, flags, mode);
  if (fd >= 0 && before == 0) note('C', inode_of(fd), 0, name, NULL, 0, 0);
  else if (fd >= 0 && (flags & O_TRUNC)) note('T', inode_of(fd), 0, name, NULL, 0, 0);
  after(action);
  return fd;
}

static mode_t mode_of(int flags, va_list list) {
  return (flags & (O_CREAT | O_TMPFILE)) ? va_arg(list, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_it(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_it(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_it(path[0] == '/' ? AT_FDCWD : folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_it(path[0] == '/' ? AT_FDCWD : folder, path, flags, mode);
}

static void note_answer(const struct iovec *parts, int count) {
  if (log_fd < 0 || count < 1 || parts[0].iov_len < 12 || memcmp(parts[0].iov_base, "HTTP/1.1 ", 9) != 0) return;
  note('A', 0, 0, "", parts, 1, parts[0].iov_len < 2048 ? parts[0].iov_len : 2048);
}

/* place < 0: wherever the file stands. */
static ssize_t write_it(int fd, const struct iovec *parts, int count, off_t place) {
  char buffer[PATH_MAX];
  const char *path = path_of(fd, buffer);
  if (path == NULL) {
    note_answer(parts, count);
    if (place >= 0) return count == 1 ? real_pwrite(fd, parts->iov_base, parts->iov_len, place) : real_pwritev(fd, parts, count, place);
    return count == 1 ? real_write(fd, parts->iov_base, parts->iov_len) : real_writev(fd, parts, count);
  }
  uint32_t action = meet(WRITE, path);
  if (action == FAIL) return fail();
  enter();
  ssize_t written;
  struct iovec half = {parts->iov_base, parts->iov_len / 2};
  if (action == SHORTEN && half.iov_len > 0) {
    parts = &half;
    count = 1;
  }
  if (place >= 0) written = real_pwritev(fd, parts, count, place);
  else written = real_writev(fd, parts, count);
  if (written > 0) {
    off_t at = place >= 0 ? place : lseek(fd, 0, SEEK_CUR) - written;
    note('W', inode_of(fd), at, path, parts, count, (size_t)written);
  }
  after(action);
  return written;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec part = {(void *)bytes, length};
  return write_it(fd, &part, 1, -1);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t place) {
  struct iovec part = {(void *)bytes, length};
  return write_it(fd, &part, 1, place);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t place) {
  struct iovec part = {(void *)bytes, length};
  return write_it(fd, &part, 1, place);
}

ssize_t writev(int fd, const struct iovec *parts, int count) { return write_it(fd, parts, count, -1); }

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t place) { return write_it(fd, parts, count, place); }

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t place) { return write_it(fd, parts, count, place); }

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  note_answer(message->msg_iov, (int)message->msg_iovlen);
  return real_sendmsg(fd, message, flags);
}

static int sync_it(int fd, int (*real)(int)) {
  char buffer[PATH_MAX];
  const char *path = path_of(fd, buffer);
  if (path == NULL) return real(fd);
  uint32_t action = meet(SYNC, path);
  if (action == FAIL) return fail();
  enter();
  uint64_t inode = inode_of(fd);
  note('S', inode, 0, path, NULL, 0, 0);
  if (control != NULL && control->sync_delay_us > 0) usleep(control->sync_delay_us);
  int result = real(fd);
  if (result == 0) note('E', inode, 0, path, NULL, 0, 0);
  after(action);
  return result;
}

int fsync(int fd) { return sync_it(fd, real_fsync); }

int fdatasync(int fd) { return sync_it(fd, real_fdatasync); }

static int truncate_it(int fd, off_t length) {
  char buffer[PATH_MAX];
  const char *path = path_of(fd, buffer);
  if (path == NULL) return real_ftruncate(fd, length);
  uint32_t action = meet(TRUNCATE, path);
  if (action == FAIL) return fail();
  enter();
  int result = real_ftruncate(fd, length);
  if (result == 0) note('T', inode_of(fd), length, path, NULL, 0, 0);
  after(action);
  return result;
}

int ftruncate(int fd, off_t length) { return truncate_it(fd, length); }

int ftruncate64(int fd, off_t length) { return truncate_it(fd, length); }

int rename(const char *from, const char *to) {
  const char *old = ours(from);
  const char *new = ours(to);
  if (old == NULL || new == NULL) return real_rename(from, to);
  uint32_t action = meet(RENAME, new);
  if (action == FAIL) return fail();
  enter();
  uint64_t inode = inode_at(from);
  int result = real_rename(from, to);
  struct iovec part = {(void *)new, strlen(new)};
  if (result == 0) note('R', inode, 0, old, &part, 1, part.iov_len);
  after(action);
  return result;
}

int unlink(const char *path) {
  const char *name = ours(path);
  if (name == NULL) return real_unlink(path);
  uint32_t action = meet(UNLINK, name);
  if (action == FAIL) return fail();
  enter();
  uint64_t inode = inode_at(path);
  int result = real_unlink(path);
  if (result == 0) note('U', inode, 0, name, NULL, 0, 0);
  after(action);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  const char *name = ours(path);
  if (name == NULL) return real_mkdir(path, mode);
  uint32_t action = meet(MKDIR, name);
  if (action == FAIL) return fail();
  enter();
  int result = real_mkdir(path, mode);
  if (result == 0) note('M', inode_at(path), 0, name, NULL, 0, 0);
  after(action);
  return result;
}
