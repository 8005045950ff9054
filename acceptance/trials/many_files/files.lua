-- What a pod does with $FILES empty files in $FOLDERS folders of $VOLUME. $ROLE: make, look or delete. It says how many it has
-- done in each folder up to the $LAST, and in how many seconds; of files that are made and deleted until that is durable. No
-- folder is begun after $SECONDS_LEFT. sysbench runs it; for 64-bit Linux.
ffi.cdef[[
int open(const char *path, int flags, ...);
int close(int fd);
int mkdir(const char *path, unsigned int mode);
int rmdir(const char *path);
int unlink(const char *path);
int syncfs(int fd);
int stat(const char *path, void *found);
int __xstat(int version, const char *path, void *found);
void *opendir(const char *path);
int closedir(void *folder);
struct entry { unsigned long inode; long offset; unsigned short length; unsigned char kind; char name[256]; };
struct entry *readdir(void *folder);
]]
local WRITE, CREATE, NEW = 1, 0x40, 0x80

local volume = os.getenv("VOLUME")
local files, folders = tonumber(os.getenv("FILES")), tonumber(os.getenv("FOLDERS"))
local last, seconds_left = tonumber(os.getenv("LAST")), tonumber(os.getenv("SECONDS_LEFT"))

local function folder_path(folder) return string.format("%s/d%04d", volume, folder) end
local function path(folder, file) return string.format("%s/f%07d", folder_path(folder), file) end
local function count_in(folder) return math.floor(files / folders) + (folder <= files % folders and 1 or 0) end

-- C libraries before 2021 have no symbol of the name stat.
local buffer = ffi.new("char[1024]")
local has_stat = pcall(function() return C.stat end)
local version = ffi.arch == "x64" and 1 or 0
local function stat(name)
  if has_stat then return C.stat(name, buffer) end
  return C.__xstat(version, name, buffer)
end

local root
local function durable()
  if C.syncfs(root) ~= 0 then fail("sync") end
end

local function make(folder)
  if C.mkdir(folder_path(folder), 493) ~= 0 then fail("create") end
  for file = 1, count_in(folder) do
    local made = C.open(path(folder, file), WRITE + CREATE + NEW, ffi.new("int", 420))
    if made < 0 then fail("create") end
    C.close(made)
  end
  durable()
end

-- The names in a folder as they are told, a name that is told twice twice.
local function list(folder)
  local opened, names = C.opendir(folder_path(folder)), {}
  if opened == nil then fail("list") end
  while true do
    ffi.errno(0)
    local entry = C.readdir(opened)
    if entry == nil then break end
    names[#names + 1] = ffi.string(entry.name)
  end
  if ffi.errno() ~= 0 then fail("list") end
  C.closedir(opened)
  return names
end

local function look_up(folder)
  for file = 1, count_in(folder) do
    if stat(path(folder, file)) ~= 0 then fail("stat " .. path(folder, file)) end
  end
end

local function delete(folder)
  for file = 1, count_in(folder) do
    if C.unlink(path(folder, file)) ~= 0 then fail("delete") end
  end
  if C.rmdir(folder_path(folder)) ~= 0 then fail("delete") end
  durable()
end

local function require_whole(folder, names)
  local seen, distinct = {}, 0
  for _, name in ipairs(names) do
    if name:match("^f%d%d%d%d%d%d%d$") and not seen[name] then seen[name], distinct = true, distinct + 1 end
  end
  if distinct ~= count_in(folder) or #names ~= distinct + 2 then
    say("lists", count_in(folder), distinct, #names - 2 - distinct)
    os.exit(1)
  end
end

-- Folder by folder, until all are done or the time is over.
local function each_folder(operation, work, check)
  local ends = now() + seconds_left
  for folder = 1, last do
    if now() > ends then return say("late", operation) end
    local began = now()
    local found = work(folder)
    say(operation, count_in(folder), string.format("%.6f", now() - began))
    if check then check(folder, found) end
  end
end

root = C.open(volume, 0)
if root < 0 then fail("open " .. volume) end
local role = os.getenv("ROLE")
if role == "make" then
  each_folder("create", make)
elseif role == "look" then
  each_folder("list", list, require_whole)
  each_folder("stat", look_up)
else
  each_folder("delete", delete)
end
say("over")
os.exit(0)
