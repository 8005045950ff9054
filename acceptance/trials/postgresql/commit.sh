# Starts a new PostgreSQL in $DATA and loads it with pgbench. Beside that one session inserts numbered rows, each in a transaction
# of its own: psql prints how long it took and, once it is committed, its number. TERM is not heard: who ends this pod without
# grace must really end it.
trap '' TERM
if [ -e "$DATA" ] || ! initdb --pgdata="$DATA" --username=postgres --auth=trust --data-checksums --encoding=UTF8 --locale=C; then
  say refused
  exit 1
fi > /tmp/initdb 2>&1
cat >> "$DATA/postgresql.conf" << END_OF_SETTINGS
listen_addresses = ''
unix_socket_directories = '/tmp'
shared_buffers = 64MB
max_wal_size = 256MB
dynamic_shared_memory_type = mmap
fsync = on
full_page_writes = on
synchronous_commit = on
END_OF_SETTINGS
if ! pg_ctl --pgdata="$DATA" --log=/tmp/log --wait --timeout="$SECONDS_LEFT" start > /dev/null; then
  tail -n 5 /tmp/log
  say refused
  exit 1
fi
pgbench --initialize --quiet --scale="$SCALE" > /tmp/pgbench 2>&1 || { tail -n 5 /tmp/pgbench; say refused; exit 1; }
psql -qX -c 'CREATE TABLE acknowledged (number int PRIMARY KEY, sum text NOT NULL)' -c CHECKPOINT || { say refused; exit 1; }
pgbench --no-vacuum --client="$CLIENTS" --time=3600 --progress=1 2>&1 &
number=0
while [ "$number" -lt "$MOST" ]; do
  number=$((number + 1))
  printf '\\timing on\n'
  printf "INSERT INTO acknowledged VALUES (%s, md5('%s %s'));\n" "$number" "$number" "$TOKEN"
  printf '\\timing off\n\\echo storage-acceptance: durable %s\n' "$number"
done | psql -qX -v ON_ERROR_STOP=1 2>&1 || { tail -n 5 /tmp/log; exit 1; }
while :; do sleep 3600 & wait "$!"; done
