-- Operations on files that programs know from local file systems, in the folder $VOLUME/files. $ROLE make does each of them and
-- checks its result; $ROLE show, in a later pod, checks what is left of it. A line for each: its outcome, its name, and words.
-- sysbench runs it after file_calls.lua.
local LONG, FOREIGN = string.rep("n", 255), "größe-名前-😀"
local LEVEL = string.rep("d", 200)
local DEEP = string.rep(LEVEL .. "/", 15) .. "file"
local MARGIN = 64 * 1024 * 1024

local function same_times(name)
  local times = status(name).modified
  if tonumber(times.seconds) ~= 1000000000 then wrong("a time that was set is", tostring(tonumber(times.seconds))) end
  if times.nanoseconds ~= 123456789 then ignored("nanoseconds of times are", tostring(times.nanoseconds)) end
end

local function same_modes()
  local modes = { private = 384, program = 488 } -- 0600, 0750
  for name, mode in pairs(modes) do
    if bit.band(status(name).mode, 511) ~= mode then ignored("modes of files have no effect") end
  end
end

local function hole_is_empty(name)
  local file = opened(name, READ)
  if at(file, PAGE, 0) ~= zeros(PAGE) then wrong("a hole does not read as zeros") end
  if at(file, #mark, MARGIN) ~= mark then wrong("data behind a hole is lost") end
  C.close(file)
end

local function punched(name)
  local file = opened(name, READ)
  local text = at(file, 2 * PAGE, 0) .. at(file, PAGE, 2 * PAGE)
  C.close(file)
  if text ~= string.rep("a", PAGE) .. zeros(PAGE) .. string.rep("c", PAGE) then
    wrong("a punched hole changes other data, or does not read as zeros")
  end
end

local OPERATIONS = {
  { "hard-link", function()
    put("first", mark)
    need(C.link("first", "second"), "link")
    if status("second").links ~= 2 then wrong("a file with two names counts", tostring(status("second").links)) end
    need(C.unlink("first"), "unlink")
  end, must_hold_mark("second") },
  { "symbolic-link", function()
    put("target", mark)
    need(C.symlink("target", "link"), "symlink")
    if kind_of("link") ~= 0xa000 then ignored("a symbolic link is another file") end
  end, must_hold_mark("link") },
  { "replace-file", function()
    put("old", "old")
    put("new", mark)
    need(C.rename("new", "old"), "rename")
    must_hold("old", mark)
  end, must_hold_mark("old") },
  { "replace-open-file", function()
    put("read", "old")
    local file = opened("read", READ)
    put("read.new", mark)
    need(C.rename("read.new", "read"), "rename")
    if at(file, PAGE, 0) ~= "old" then wrong("a replaced file that is open loses its data") end
    C.close(file)
  end, must_hold_mark("read") },
  { "delete-open-file", function()
    local file = opened("deleted", BOTH + CREATE)
    need(C.unlink("deleted"), "unlink")
    need(C.write(file, mark, #mark), "write")
    if at(file, PAGE, 0) ~= mark then wrong("a deleted file that is open loses its data") end
    C.close(file)
  end, gone("deleted") },
  { "rename-directory", function()
    need(C.mkdir("folder", 511), "mkdir")
    put("folder/file", mark)
    need(C.rename("folder", "renamed"), "rename")
  end, must_hold_mark("renamed/file") },
  { "refuse-full-directory", function()
    for _, name in ipairs({ "full", "other" }) do
      need(C.mkdir(name, 511), "mkdir")
      put(name .. "/file", mark)
    end
    must_refuse(C.rename("other", "full"), "renaming a directory to one with files", EXISTS, NOT_EMPTY)
    must_refuse(C.rmdir("full"), "deleting a directory with files", EXISTS, NOT_EMPTY)
  end, function() must_hold("full/file", mark); must_hold("other/file", mark) end },
  { "exclusive-create", function()
    C.close(opened("lock", WRITE + CREATE + EXCLUSIVE))
    must_refuse(open("lock", WRITE + CREATE + EXCLUSIVE), "creating a file that exists (O_EXCL)", EXISTS)
  end, function() must_hold("lock", "") end },
  { "append", function()
    local first, second = opened("log", WRITE + APPEND + CREATE), opened("log", WRITE + APPEND)
    for _, file in ipairs({ first, second, first }) do need(C.write(file, mark, #mark), "append") end
    C.close(first)
    C.close(second)
  end, function() must_hold("log", mark .. mark .. mark) end },
  { "truncate", function()
    put("cut", string.rep("x", PAGE))
    local file = opened("cut", WRITE)
    need(C.ftruncate(file, 100), "truncate")
    need(C.ftruncate(file, 200), "extend")
    C.close(file)
  end, function() must_hold("cut", string.rep("x", 100) .. zeros(100)) end },
  { "sparse-file", function()
    local file = opened("sparse", WRITE + CREATE)
    need(C.pwrite(file, mark, #mark, MARGIN), "write")
    need(C.fsync(file), "fsync")
    C.close(file)
    hole_is_empty("sparse")
    if tonumber(status("sparse").blocks) * 512 > MARGIN / 2 then ignored("a hole takes space") end
  end, function() hole_is_empty("sparse") end },
  { "preallocate", function()
    local file = opened("reserved", BOTH + CREATE)
    need(C.fallocate(file, 0, 0, 1048576), "fallocate")
    if at(file, PAGE, 1048576 - PAGE) ~= zeros(PAGE) then wrong("preallocated space does not read as zeros") end
    C.close(file)
  end, function() if tonumber(status("reserved").size) ~= 1048576 then wrong("a preallocated file has another size") end end },
  { "punch-hole", function()
    put("punched", string.rep("a", PAGE) .. string.rep("b", PAGE) .. string.rep("c", PAGE))
    local file = opened("punched", BOTH)
    need(C.fallocate(file, 3, PAGE, PAGE), "fallocate")
    C.close(file)
    punched("punched")
  end, function() punched("punched") end },
  { "extended-attribute", function()
    put("tagged", "")
    local file = opened("tagged", BOTH)
    need(C.fsetxattr(file, "user.acceptance", mark, #mark, 0), "setxattr")
    C.close(file)
  end, function()
    local length = need(C.getxattr("tagged", "user.acceptance", buffer, PAGE), "getxattr")
    if ffi.string(buffer, tonumber(length)) ~= mark then wrong("an extended attribute has another value") end
  end },
  { "unnamed-file", function()
    local file = opened(".", BOTH + arch.unnamed)
    need(C.write(file, mark, #mark), "write")
    need(C.linkat(HERE, "/proc/self/fd/" .. file, HERE, "named", 0x400), "linkat")
    C.close(file)
  end, must_hold_mark("named") },
  { "shared-mapping", function()
    local file = opened("mapped", BOTH + CREATE)
    need(C.ftruncate(file, 2 * PAGE), "truncate")
    local map = C.mmap(nil, 2 * PAGE, 3, 1, file, 0)
    if map == ffi.cast("void *", -1) then need(-1, "mmap") end
    ffi.copy(ffi.cast("char *", map) + PAGE, mark, #mark)
    need(C.msync(map, 2 * PAGE, 4), "msync")
    need(C.pwrite(file, "x", 1, 0), "write")
    if at(file, #mark, PAGE) ~= mark then wrong("a file does not show what was written to its mapping") end
    if ffi.string(map, 1) ~= "x" then wrong("a mapping does not show what was written to its file") end
    C.close(file)
  end, function() must_hold("mapped", "x" .. zeros(PAGE - 1) .. mark .. zeros(PAGE - #mark)) end },
  { "flock", function()
    local first, second = opened("flock", BOTH + CREATE), opened("flock", BOTH)
    need(C.flock(first, 6), "flock")
    must_refuse(C.flock(second, 6), "a second lock (flock)", AGAIN)
    need(C.flock(first, 8), "unlock")
    need(C.flock(second, 6), "flock")
    C.close(first)
    C.close(second)
  end },
  { "record-lock", function()
    local file, lock = opened("fcntl", BOTH + CREATE), ffi.new("struct lock")
    local function taken() return C.fcntl(file, 6, lock) == 0 and 0 or ffi.errno() end
    lock.type = 1
    need(C.fcntl(file, 6, lock), "fcntl")
    local answer = in_child(taken)
    if answer ~= AGAIN and answer ~= NO_ACCESS then wrong("two processes hold the same lock (fcntl)") end
    lock.type = 2
    need(C.fcntl(file, 6, lock), "unlock")
    lock.type = 1
    if in_child(taken) ~= 0 then wrong("a lock is not released (fcntl)") end
    C.close(file)
  end },
  { "file-modes", function()
    for name, mode in pairs({ private = 384, program = 488 }) do
      put(name, "")
      need(C.chmod(name, mode), "chmod")
    end
    same_modes()
  end, same_modes },
  { "refuse-other-user", function()
    put("secret", mark)
    need(C.chmod("secret", 0), "chmod") -- nor may its owner, unless that is root
    local answer = in_child(function()
      if C.geteuid() == 0 then C.setuid(65534) end
      return open("secret", READ) >= 0 and 0 or ffi.errno()
    end)
    if answer == 0 then ignored("a file of mode 0000 can be read") end
    if answer ~= NO_ACCESS then wrong("a file of mode 0000 is refused with:", ffi.string(C.strerror(answer))) end
  end },
  { "times", function()
    put("dated", mark)
    local times = ffi.new("struct moment[2]", { { 1000000000, 123456789 }, { 1000000000, 123456789 } })
    need(C.utimensat(HERE, "dated", times, 0), "utimensat")
    same_times("dated")
  end, function() same_times("dated") end },
  { "case-sensitive-names", function()
    put("Name", mark)
    put("name", "other")
    if content("Name") ~= mark then ignored("names that differ in case are one file") end
  end, must_hold_mark("Name") },
  { "long-name", function() put(LONG, mark) end, must_hold_mark(LONG) },
  { "long-path", function()
    local path = ""
    for level = 1, 15 do
      path = path .. (level > 1 and "/" or "") .. LEVEL
      need(C.mkdir(path, 511), "mkdir")
    end
    put(DEEP, mark)
  end, must_hold_mark(DEEP) },
  { "utf8-name", function() put(FOREIGN, mark) end, function()
    must_hold(FOREIGN, mark)
    if not names_in(".")[FOREIGN] then wrong("a name in UTF-8 is listed in another form") end
  end },
  { "named-pipe", function()
    need(C.mkfifo("pipe", 384), "mkfifo")
    local pipe = opened("pipe", BOTH + NONBLOCK)
    need(C.write(pipe, mark, #mark), "write")
    if need(C.read(pipe, buffer, PAGE), "read") ~= #mark then ignored("a named pipe is another file") end
    C.close(pipe)
  end, function() if kind_of("pipe") ~= 0x1000 then ignored("a named pipe is another file") end end },
  { "socket", function()
    local address = ffi.new("struct address", { 1, "socket" })
    local server, client = need(C.socket(1, 1, 0), "socket"), need(C.socket(1, 1, 0), "socket")
    need(C.bind(server, address, ffi.sizeof(address)), "bind")
    need(C.listen(server, 1), "listen")
    need(C.connect(client, address, ffi.sizeof(address)), "connect")
    C.close(client)
    C.close(server)
  end, function() if kind_of("socket") ~= 0xc000 then ignored("a socket is another file") end end },
  { "directory-fsync", function()
    local folder = opened(".", READ)
    need(C.fsync(folder), "fsync")
    C.close(folder)
  end },
  { "delete-while-listing", function()
    need(C.mkdir("many", 511), "mkdir")
    for number = 1, MANY do put("many/n" .. number, "") end
    local handle, count = C.opendir("many"), 0
    if handle == nil then need(-1, "list") end
    local entry = C.readdir(handle)
    while entry ~= nil do
      local name = ffi.string(entry.name)
      if name:match("^n") then
        need(C.unlink("many/" .. name), "unlink")
        count = count + 1
      end
      entry = C.readdir(handle)
    end
    C.closedir(handle)
    if count ~= MANY then wrong("a listing showed", count, "of", MANY, "files that were deleted meanwhile") end
    need(C.rmdir("many"), "rmdir")
  end, gone("many") },
  { "free-space", function()
    local volume = ffi.new("struct volume")
    need(C.statfs(".", volume), "statfs")
    if volume.block_size <= 0 or volume.blocks == 0 or volume.free > volume.blocks then
      wrong("size and free space of the file system contradict each other")
    end
  end },
  { "direct-io", function()
    local memory = ffi.new("void *[1]")
    if C.posix_memalign(memory, PAGE, PAGE) ~= 0 then wrong("no memory for direct I/O") end
    ffi.copy(memory[0], mark .. zeros(PAGE - #mark), PAGE)
    local file = opened("direct", BOTH + CREATE + arch.direct)
    need(C.pwrite(file, memory[0], PAGE, 0), "write")
    need(C.pread(file, memory[0], PAGE, 0), "read")
    if ffi.string(memory[0], #mark) ~= mark then wrong("direct I/O reads other data than it wrote") end
    C.close(file)
  end, function() must_hold("direct", mark .. zeros(PAGE - #mark)) end },
  { "copy-file-range", function()
    put("original", mark)
    local from, to = opened("original", READ), opened("copied", WRITE + CREATE)
    need(tonumber(C.syscall(arch.copy_file_range, ffi.new("int", from), ffi.new("void *"), ffi.new("int", to),
      ffi.new("void *"), ffi.new("long", #mark), ffi.new("int", 0))), "copy_file_range")
    C.close(from)
    C.close(to)
  end, must_hold_mark("copied") },
}

local folder, makes = os.getenv("VOLUME") .. "/files", os.getenv("ROLE") == "make"
-- A later pod that does not find the folder finds each result lost.
if C.mkdir(folder, 511) ~= 0 and makes then fail("create a folder") end
if C.chdir(folder) ~= 0 then fail("enter a folder") end
for _, operation in ipairs(OPERATIONS) do
  local name, work = operation[1], makes and operation[2] or operation[3] or function() end
  local works, problem = pcall(work)
  if works then say("works", name)
  elseif type(problem) == "table" then say(problem.kind, name, problem.words)
  else say("wrong", name, tostring(problem)) end
end
os.exit(0)
