# Runs in each load pod: writes the test file in full, then runs a profile each time the start barrier shows a new step.
# The start barrier is a file with one line: number of the step, job file, seconds of load, when to begin, rate.
# Without a new step for $IDLE_S the suite is gone: the pod gives up and loads the storage no more, but it stays, as a
# set would only start it again, until the run is removed.
say() { printf '\nstorage-acceptance: %s\n' "$*"; }
rest() { while :; do sleep 3600 & wait $!; done; }
run_fio() { fio --output-format=json+ --status-interval=1 --eta=never "$FILES/$1" & wait $!; }
check_own() {
  :
#CHECK#
}
# On a disk that the volumes share there must be space for all the files that are not written yet.
check_shared() {
  df -Pk "$VOLUME" | {
    read -r heading; read -r device size used free rest
    [ "$size" -gt $((2 * @CLAIM_KIB@)) ] || return 0
    left=$(((PODS - ${POD_NAME##*-}) * @TEST_KIB@))
    echo "free: $free KiB, required for the files of all pods that are not written yet: $left KiB"
    [ $((free - left)) -ge $((size / 100 * @SPARED_PERCENT@)) ] || return @SHARED@
  }
}

export RUNTIME=1s RATE=0
trap 'kill $! 2>/dev/null; exit 143' TERM
if [ -e "$VOLUME/begun" ]; then say restarted; rest; fi
: > "$VOLUME/begun" || { say unwritten $?; rest; }
check_own && check_shared || { say refused $?; rest; }
run_fio prefill.fio || { say unwritten $?; rest; }
say ready

done=0 last=$(date +%s) told=$last
while now=$(date +%s) && [ "$now" -lt $((last + IDLE_S)) ]; do
  # Printed as the second begins, so that the suite learns how this clock stands to its own.
  [ "$now" = "$told" ] || { told=$now; say clock "$now"; }
  number=0
  read -r number job RUNTIME start RATE < "$START_BARRIER" || :
  if [ "${number:-0}" -le "$done" ]; then sleep 0.2; continue; fi
  say barrier "$number"
  # The moment may be put off while others are still to come.
  while read -r number job RUNTIME start RATE < "$START_BARRIER" || :; [ "$(date +%s)" -lt "$start" ]; do sleep 0.1; done
  say begin "$number"
  run_fio "$job"
  say end "$number" $?
  done=$number last=$(date +%s) told=$last
done
say over
rest
