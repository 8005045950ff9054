-- Calls of the kernel for operations on files, and checks of their results. An operation that goes wrong ends in an error: a table
-- with its kind, "refused" (the kernel refuses a call), "ignored" (accepted without effect) or "wrong" (another result), and words.
-- For 64-bit Linux.
ffi.cdef[[
int open(const char *path, int flags, ...);
int close(int fd);
int chdir(const char *path);
int mkdir(const char *path, unsigned int mode);
int rmdir(const char *path);
int rename(const char *from, const char *to);
int link(const char *from, const char *to);
int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags);
int symlink(const char *target, const char *path);
int unlink(const char *path);
int chmod(const char *path, unsigned int mode);
int mkfifo(const char *path, unsigned int mode);
long read(int fd, void *buffer, unsigned long count);
long write(int fd, const void *buffer, unsigned long count);
long pread(int fd, void *buffer, unsigned long count, long offset);
long pwrite(int fd, const void *buffer, unsigned long count, long offset);
int ftruncate(int fd, long length);
int fallocate(int fd, int mode, long offset, long length);
int fsync(int fd);
int flock(int fd, int operation);
int fcntl(int fd, int command, ...);
struct lock { short type; short whence; long start; long length; int pid; };
int fsetxattr(int fd, const char *name, const void *value, unsigned long size, int flags);
long getxattr(const char *path, const char *name, void *value, unsigned long size);
void *mmap(void *address, unsigned long length, int protection, int flags, int fd, long offset);
int msync(void *address, unsigned long length, int flags);
int posix_memalign(void **memory, unsigned long alignment, unsigned long size);
int utimensat(int folder, const char *path, const struct moment times[2], int flags);
int socket(int domain, int type, int protocol);
struct address { unsigned short family; char path[108]; };
int bind(int fd, const struct address *address, unsigned int length);
int listen(int fd, int backlog);
int connect(int fd, const struct address *address, unsigned int length);
void *opendir(const char *path);
int closedir(void *folder);
struct entry { unsigned long inode; long offset; unsigned short length; unsigned char kind; char name[256]; };
struct entry *readdir(void *folder);
struct volume { long kind, block_size; unsigned long blocks, free, available, files, free_files; int id[2];
  long name_length, fragment_size, flags, spare[4]; };
int statfs(const char *path, struct volume *result);
int fork(void);
int waitpid(int pid, int *status, int options);
unsigned int geteuid(void);
int setuid(unsigned int user);
void _exit(int status);
long syscall(long number, ...);
struct status_moment { int64_t seconds; uint32_t nanoseconds; int32_t pad; };
struct status { uint32_t mask, block_size; uint64_t attributes; uint32_t links, user, group; uint16_t mode, pad;
  uint64_t inode, size, blocks, attributes_mask; struct status_moment accessed, born, changed, modified; uint64_t rest[16]; };
]]
local READ, WRITE, BOTH, CREATE, EXCLUSIVE, TRUNCATE, APPEND, NONBLOCK = 0, 1, 2, 0x40, 0x80, 0x200, 0x400, 0x800
local NO_ENTRY, AGAIN, NO_ACCESS, EXISTS, NOT_EMPTY = 2, 11, 13, 17, 39
-- What differs between the two architectures.
local OF = {
  x64 = { statx = 332, copy_file_range = 326, direct = 0x4000, unnamed = 0x410000 },
  arm64 = { statx = 291, copy_file_range = 285, direct = 0x10000, unnamed = 0x404000 },
}
local arch = OF[ffi.arch] or OF.x64
local HERE, PAGE, MANY = -100, 4096, 300
local mark = os.getenv("MARK")

local function wrong(...) error({ kind = "wrong", words = table.concat({...}, " ") }) end
local function ignored(...) error({ kind = "ignored", words = table.concat({...}, " ") }) end

-- The result of a call; an error of the kernel ends the operation.
local function need(result, what)
  if result < 0 then
    local number = ffi.errno()
    error({ kind = "refused", words = number .. " " .. what .. ": " .. ffi.string(C.strerror(number)) })
  end
  return result
end

-- A call that must be refused with one of these errors.
local function must_refuse(result, what, ...)
  local number = ffi.errno()
  if result >= 0 then wrong(what, "was accepted") end
  for _, expected in ipairs({...}) do if number == expected then return end end
  wrong(what, "was refused with:", ffi.string(C.strerror(number)))
end

local function open(name, flags, mode) return C.open(name, flags, ffi.new("int", mode or 438)) end
local function opened(name, flags) return need(open(name, flags), "open") end

local function put(name, text)
  local file = opened(name, WRITE + CREATE + TRUNCATE)
  need(C.write(file, text, #text), "write")
  C.close(file)
end

local buffer = ffi.new("char[?]", 2 * PAGE)
local function at(file, length, offset)
  return ffi.string(buffer, tonumber(need(C.pread(file, buffer, length, offset), "read")))
end

local function content(name)
  local file = opened(name, READ)
  local text = at(file, 2 * PAGE, 0)
  C.close(file)
  return text
end

local function must_hold(name, text) if content(name) ~= text then wrong("a file holds other data:", name) end end
local function must_hold_mark(name) return function() must_hold(name, mark) end end

local function status(name)
  local result = ffi.new("struct status")
  need(C.syscall(arch.statx, ffi.new("int", HERE), ffi.cast("const char *", name), ffi.new("int", 0x100),
    ffi.new("unsigned int", 0x7ff), result), "stat")
  return result
end

local function kind_of(name) return bit.band(status(name).mode, 0xf000) end
local function zeros(length) return string.rep("\0", length) end

local function names_in(folder)
  local handle, names = C.opendir(folder), {}
  if handle == nil then need(-1, "list") end
  local entry = C.readdir(handle)
  while entry ~= nil do
    names[ffi.string(entry.name)] = true
    entry = C.readdir(handle)
  end
  C.closedir(handle)
  return names
end

-- What a child process ends with: locks and users are those of a process.
local function in_child(work)
  local child, ended = need(C.fork(), "fork"), ffi.new("int[1]")
  if child == 0 then C._exit(work()) end
  need(C.waitpid(child, ended, 0), "wait")
  return bit.rshift(ended[0], 8)
end

local function gone(name) return function() must_refuse(open(name, READ), "opening a deleted file", NO_ENTRY) end end

