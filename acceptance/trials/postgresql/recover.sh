# Starts the PostgreSQL that was killed in $DATA, and says which of the first $ACKNOWLEDGED rows are lost and what is not sound.
now() { cut -d ' ' -f 1 /proc/uptime; }
ask() { psql -AtqX -v ON_ERROR_STOP=1 -c "$1" 2>&1; }
first() { head -n 3 | tr '\n' ' ' | cut -c 1-300; }
[ -d "$DATA" ] || { say broken its folder does not exist; say end; exit 0; }
# A volume that is given to the group of a pod lets it write everywhere, which PostgreSQL takes for a mistake.
chmod 700 "$DATA"
# Of the pod that was killed: its process is no more, but another one here may have its number.
rm -f "$DATA/postmaster.pid"
began=$(now)
if ! pg_ctl --pgdata="$DATA" --log=/tmp/log --wait --timeout="$SECONDS_LEFT" start > /tmp/start 2>&1; then
  cat /tmp/log
  why=$(grep -E 'PANIC|FATAL' /tmp/log | first)
  say broken "${why:-no start within $SECONDS_LEFT s: $(tail -n 1 /tmp/log)}"
  say end
  exit 0
fi
say recovered "$began" "$(now)"
# Not by the index, which may have what the table has lost.
ask "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
  SELECT 'storage-acceptance: lost ' || wanted FROM generate_series(1, $ACKNOWLEDGED) wanted
  LEFT JOIN acknowledged ON number = wanted AND sum = md5(wanted || ' $TOKEN') WHERE number IS NULL ORDER BY wanted" ||
  say unsound the table of acknowledged rows cannot be read
if totals=$(ask "SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers),
  (SELECT sum(bbalance) FROM pgbench_branches), (SELECT coalesce(sum(delta), 0) FROM pgbench_history)"); then
  [ "$(printf '%s\n' "$totals" | tr '|' '\n' | sort -u | wc -l)" = 1 ] || say unsound "pgbench's totals differ: $totals"
else
  say unsound "pgbench's tables cannot be read: $(printf '%s\n' "$totals" | first)"
fi
pg_amcheck --install-missing --heapallindexed > /tmp/amcheck 2>&1 || say unsound "pg_amcheck: $(first < /tmp/amcheck)"
ask 'CREATE TABLE IF NOT EXISTS written_again (number int); INSERT INTO written_again VALUES (1)' ||
  say unsound PostgreSQL accepts no new rows
pg_ctl --pgdata="$DATA" --wait --mode=fast stop > /dev/null || say unsound PostgreSQL does not stop
pg_checksums --pgdata="$DATA" --check > /tmp/checksums 2>&1 || say unsound "pg_checksums: $(first < /tmp/checksums)"
say end
