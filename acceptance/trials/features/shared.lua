-- What a pod does on a volume that a pod on another node uses at the same time. $ROLE says what; the suite reads the
-- lines that begin with "storage-acceptance: ". sysbench runs it, since images with fio and sysbench have no other program
-- that can ask for a lock of a part of a file (fcntl). For 64-bit Linux.
ffi.cdef[[
int open(const char *path, int flags, ...);
int close(int fd);
int flock(int fd, int operation);
int fcntl(int fd, int command, ...);
long read(int fd, void *buffer, unsigned long count);
long write(int fd, const void *buffer, unsigned long count);
long pwrite(int fd, const void *buffer, unsigned long count, long offset);
int fsync(int fd);
int rename(const char *from, const char *to);
int usleep(unsigned int microseconds);
struct lock { short type; short whence; long start; long length; int pid; };
]]
local WRITE, READ_WRITE, CREATE, APPEND = 1, 2, 0x40, 0x400
local NO_ENTRY, AGAIN, NO_ACCESS = 2, 11, 13
local RECORD, PAGE = 64, 4096
local PAUSE_US = 1000

local volume = os.getenv("VOLUME")
local within_s = tonumber(os.getenv("SECONDS_LEFT"))
-- For the other pod to start, too.
local start_s = tonumber(os.getenv("SECONDS_TO_START"))
local count = tonumber(os.getenv("COUNT"))

local function path(name)
  return volume .. "/" .. name
end

local function open(name, flags)
  return C.open(path(name), flags, ffi.new("int", 438))
end

-- The descriptor of a file that must be there, or be made.
local function opened(name, flags)
  local file = open(name, flags)
  if file < 0 then fail("open " .. name) end
  return file
end

-- Whether `look` gives something within the time; that, or nil.
local function wait_for(look, seconds)
  local ends = now() + (seconds or within_s)
  repeat
    local found = look()
    if found then return found end
    C.usleep(PAUSE_US)
  until now() > ends
  return nil
end

-- The first bytes of a file; nil where there is none of that name, "" where it cannot be read now.
local buffer = ffi.new("char[?]", PAGE)
local function content(name)
  local file = open(name, 0)
  if file < 0 then
    if ffi.errno() == NO_ENTRY then return nil end
    return ""
  end
  local length = C.read(file, buffer, PAGE)
  C.close(file)
  return length < 0 and "" or ffi.string(buffer, length)
end

local function put(file, text, offset, what)
  local written = offset and C.pwrite(file, text, #text, offset) or C.write(file, text, #text)
  if written ~= #text then fail(what) end
end

local function durable(file, what)
  if C.fsync(file) ~= 0 then fail("fsync " .. what) end
end

local LOCKS = {
  flock = function(file) return C.flock(file, 6) end,
  fcntl = function(file)
    local lock = ffi.new("struct lock")
    lock.type = 1
    return C.fcntl(file, 6, lock)
  end,
}
local KINDS = { "flock", "fcntl" }

local function refused(kind, number) say("refused", kind, number, ffi.string(C.strerror(number))) end

-- Takes a lock of each kind, on a file of its own, and keeps them until it is killed.
local function hold()
  for _, kind in ipairs(KINDS) do
    local file = opened(kind, READ_WRITE + CREATE)
    if LOCKS[kind](file) == 0 then say("holds", kind)
    else refused(kind, ffi.errno()) end
  end
  while true do C.usleep(1000000) end
end

-- Asks for the same locks again and again, until it has them.
local function take()
  local files, waits = {}, 0
  for _, kind in ipairs(KINDS) do
    local file = wait_for(function()
      local found = open(kind, READ_WRITE)
      return found >= 0 and found or nil
    end)
    if file then
      files[kind], waits = file, waits + 1
    else say("missing", kind) end
  end
  local told = {}
  while waits > 0 do
    for _, kind in ipairs(KINDS) do
      local file = files[kind]
      local taken, why = file and LOCKS[kind](file) == 0, ffi.errno()
      if not file then
        why = AGAIN
      elseif taken then
        say("took", kind)
      elseif why ~= AGAIN and why ~= NO_ACCESS then
        refused(kind, why)
      elseif not told[kind] then
        told[kind] = true
        say("waits", kind)
      end
      if taken or not (why == AGAIN or why == NO_ACCESS) then
        files[kind], waits = nil, waits - 1
      end
    end
    C.usleep(PAUSE_US)
  end
end

local function own_record(who, number)
  return string.format("%s %010d %s\n", who, number, string.rep(who, RECORD - 14))
end

-- Appends records to the file of both. The first begins when the second is there, and ends after it, so that all of the
-- second's records meet others.
local function append()
  local who = os.getenv("WHO")
  local first = who == "1"
  local file = opened("appended", WRITE + APPEND + CREATE)
  if first then
    if not wait_for(function() return content("ready") end, start_s) then return say("alone") end
  else
    C.close(opened("ready", WRITE + CREATE))
    if not wait_for(function() local found = content("appended"); return found and #found > 0 end) then
      return say("alone")
    end
  end
  local number, over = 0, false
  while not over do
    number = number + 1
    put(file, own_record(who, number), nil, "append")
    C.usleep(PAUSE_US)
    if first then
      over = number % 20 == 0 and content("done") ~= nil or number >= 20 * count
    else over = number >= count end
  end
  durable(file, "appended")
  if not first then C.close(opened("done", WRITE + CREATE)) end
  say("appended", number)
end

-- Counts what of each is whole and once in the file of both.
local function check()
  local file = io.open(path("appended"), "rb")
  local whole, seen, strange = { ["1"] = 0, ["2"] = 0 }, {}, 0
  while file do
    local record = file:read(RECORD)
    if not record then break end
    local who, number = record:match("^([12]) (%d%d%d%d%d%d%d%d%d%d) ")
    if who and record == own_record(who, tonumber(number)) and not seen[who .. number] then
      seen[who .. number] = true
      whole[who] = whole[who] + 1
    else strange = strange + 1 end
  end
  say("found", whole["1"], whole["2"], strange)
end

-- Writes records to its own file until it is killed, each durable before the next; tells of every tenth.
local function record()
  local who, number = os.getenv("WHO"), 0
  local file = opened("records-" .. who, WRITE + APPEND + CREATE)
  while true do
    number = number + 1
    put(file, own_record(who, number), nil, "write")
    durable(file, "records-" .. who)
    if number % 10 == 0 then say("wrote", number) end
    C.usleep(10 * PAUSE_US)
  end
end

-- How many records of one writer are there, in their order and intact, from the first one on.
local function kept(who)
  local file, number = io.open(path("records-" .. who), "rb"), 0
  while file and file:read(RECORD) == own_record(who, number + 1) do number = number + 1 end
  if file then file:close() end
  return number
end

-- Counts the records of both; waits for those that are to be there, since a node may know an older size of a file.
local function verify()
  for _, who in ipairs({ "1", "2" }) do
    local need = tonumber(os.getenv("NEED_" .. who))
    wait_for(function() return kept(who) >= need end)
    say("kept", who, kept(who))
  end
end

local function page(number)
  return string.rep(string.format("%07d\n", number), PAGE / 8)
end

-- Puts a new file in the place of the old one, and waits for the other's answer; tells each time there and back.
local function ping()
  for number = 1, count do
    local file = opened("ping.new", WRITE + CREATE)
    put(file, page(number), 0, "write ping.new")
    durable(file, "ping.new")
    C.close(file)
    local began = now()
    if C.rename(path("ping.new"), path("ping")) ~= 0 then fail("rename") end
    local answer = string.format("%07d\n", number)
    if not wait_for(function() return content("pong") == answer end) then return say("unseen", number) end
    say("answered", number, string.format("%.6f", now() - began))
  end
  say("over")
end

-- Looks for each new file, which must be whole, and answers in place.
local function pong()
  local file = opened("pong", WRITE + CREATE)
  for number = 1, count do
    local wrong
    local found = wait_for(function()
      local text = content("ping")
      if text == page(number) then return true end
      if text == nil and number > 1 then wrong = "gone"
      elseif text and text ~= "" and text ~= page(number - 1) then wrong = "torn" end
      return wrong
    end, number == 1 and start_s or within_s)
    if wrong then return say(wrong, number) end
    if not found then return say("unseen", number) end
    put(file, string.format("%07d\n", number), 0, "write pong")
    durable(file, "pong")
  end
  say("over")
end

local ROLES = { hold = hold, take = take, append = append, check = check, ping = ping, pong = pong }
ROLES.record, ROLES.verify = record, verify
ROLES[os.getenv("ROLE")]()
os.exit(0)
