-- The beginning of every program: what it says to the suite, and how it ends when the kernel refuses something.
local ffi = require("ffi")
ffi.cdef[[
char *strerror(int number);
struct moment { long seconds; long nanoseconds; };
int clock_gettime(int clock, struct moment *now);
]]
local C = ffi.C

local function say(...)
  io.write("storage-acceptance: ", table.concat({...}, " "), "\n")
  io.flush()
end

local function fail(what)
  say("failed", what .. ":", ffi.string(C.strerror(ffi.errno())))
  os.exit(1)
end

local moment = ffi.new("struct moment")
local function now()
  C.clock_gettime(1, moment)
  return tonumber(moment.seconds) + tonumber(moment.nanoseconds) / 1e9
end

