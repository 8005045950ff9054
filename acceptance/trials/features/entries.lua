-- Two pods on two nodes and one folder of $COUNT entries. $ROLE fill makes them, empty files, for $FILL_S seconds at the most;
-- $ROLE watch, on another node, lists the folder meanwhile, and once more when all must be there. A name that was listed once
-- must be listed ever after, once. sysbench runs it; for 64-bit Linux.
ffi.cdef[[
int open(const char *path, int flags, ...);
int close(int fd);
int mkdir(const char *path, unsigned int mode);
int rename(const char *from, const char *to);
long write(int fd, const void *buffer, unsigned long count);
long read(int fd, void *buffer, unsigned long count);
int fsync(int fd);
void *opendir(const char *path);
int closedir(void *folder);
struct entry { unsigned long inode; long offset; unsigned short length; unsigned char kind; char name[256]; };
struct entry *readdir(void *folder);
int usleep(unsigned int microseconds);
]]
local WRITE, CREATE, NO_ENTRY = 1, 0x40, 2
local PAUSE_US = 100000

local volume, count = os.getenv("VOLUME"), tonumber(os.getenv("COUNT"))
local within_s, start_s = tonumber(os.getenv("SECONDS_LEFT")), tonumber(os.getenv("SECONDS_TO_START"))
local fill_s = tonumber(os.getenv("FILL_S"))
local folder = volume .. "/entries"

local function name_of(number) return string.format("e%07d", number) end

local function put(name, text)
  local file = C.open(volume .. "/" .. name, WRITE + CREATE, ffi.new("int", 438))
  if file < 0 or C.write(file, text, #text) ~= #text or C.fsync(file) ~= 0 then fail("write " .. name) end
  C.close(file)
end

-- The number that another pod has written; nil where there is none yet.
local buffer = ffi.new("char[32]")
local function number_in(name)
  local file = C.open(volume .. "/" .. name, 0)
  if file < 0 then return nil end
  local length = C.read(file, buffer, 31)
  C.close(file)
  return length > 0 and tonumber(ffi.string(buffer, length):match("^(%d+)\n")) or nil
end

local function wait_for(look, seconds)
  local ends = now() + seconds
  repeat
    local found = look()
    if found then return found end
    C.usleep(PAUSE_US)
  until now() > ends
  return nil
end

-- Begins when the other pod is there, or nobody would look while the folder grows.
local function fill()
  if C.mkdir(folder, 511) ~= 0 then fail("create a folder") end
  if not wait_for(function() return number_in("watching") end, start_s) then return say("alone") end
  local began, made = now(), 0
  while made < count and now() - began < fill_s do
    local file = C.open(folder .. "/" .. name_of(made + 1), WRITE + CREATE, ffi.new("int", 438))
    if file < 0 then fail("create") end
    C.close(file)
    made = made + 1
  end
  local root = C.open(folder, 0)
  if root < 0 or C.fsync(root) ~= 0 then fail("fsync the folder") end
  put("filled.new", made .. "\n")
  if C.rename(volume .. "/filled.new", volume .. "/filled") ~= 0 then fail("rename") end
  say("filled", made, string.format("%.1f", now() - began))
end

-- The names in the folder, as they are told; nil where it is not there.
local function listed()
  local opened, names = C.opendir(folder), {}
  if opened == nil then
    if ffi.errno() == NO_ENTRY then return nil end
    fail("list")
  end
  while true do
    ffi.errno(0)
    local entry = C.readdir(opened)
    if entry == nil then break end
    local name = ffi.string(entry.name)
    if name ~= "." and name ~= ".." then names[#names + 1] = name end
  end
  if ffi.errno() ~= 0 then fail("list") end
  C.closedir(opened)
  return names
end

local function watch()
  local known, known_count, listings, ends, made = {}, 0, 0, nil, nil
  put("watching", "1\n")
  local give_up = now() + start_s + fill_s + within_s
  while true do
    -- Looked at first: what is listed after it must be all.
    made = made or number_in("filled")
    if not made and now() > give_up then return say("unfilled") end
    if made and not ends then ends = now() + within_s end
    local names = listed() or {}
    local seen, seen_count = {}, 0
    for _, name in ipairs(names) do
      if seen[name] then return say("twice", name, #names, listings) end
      if not name:match("^e%d%d%d%d%d%d%d$") then return say("strange", name) end
      seen[name], seen_count = true, seen_count + 1
    end
    for name in pairs(known) do
      if not seen[name] then return say("omitted", name, seen_count, known_count) end
    end
    known, known_count = seen, seen_count
    if made and known_count == made then return say("whole", made, listings, string.format("%.1f", now() - ends + within_s)) end
    if made and (known_count > made or now() > ends) then return say("short", known_count, made) end
    if not made then listings = listings + (known_count > 0 and 1 or 0) end
    C.usleep(PAUSE_US)
  end
end

if os.getenv("ROLE") == "fill" then fill() else watch() end
os.exit(0)
