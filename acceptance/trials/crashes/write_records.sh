# Appends numbered records to $LEDGER, each made durable before its number is printed; where that names several files, they
# take them in turn. With the number comes the time by the node's own clock, in s since it started, and $PAUSE s of rest.
# Where $PERSISTS says so, a record that was refused is written again at its place until it is durable.
# TERM is heard only where $HEEDS_TERM says so: who ends this pod without grace must really end it.
trap '' TERM
[ -z "$HEEDS_TERM" ] || trap 'exit 0' TERM
say() { printf 'storage-acceptance: %s\n' "$*"; }
for tool in sha256sum sync ${PERSISTS:+dd}; do
  command -v "$tool" > /dev/null || { say lacks "$tool"; exit 1; }
done
# shellcheck disable=SC2086  # no path of it has a blank
set -- $LEDGER
for file; do
  folder=${file%/*}
  # So that names are durable too. File systems that cannot do this to a folder do it with the file.
  [ -d "$folder" ] || { mkdir "$folder" && { sync "$folder/.." 2>/dev/null || :; }; }
  [ ! -e "$file" ] && : > "$file" && sync "$file" || { say refused; exit 1; }
  sync "$folder" 2>/dev/null || :
done
# What could not be made durable may be half there, and the kernel may have forgotten that: all of it is written anew.
persist() {
  until printf '%s %s\n' "$text" "$sum" | dd of="$file" bs="$((${#text} + 66))" seek="$((number - 1))" conv=notrunc 2> /dev/null \
    && sync -d "$file"; do
    sleep 0.5
  done
}
number=0
while [ "$number" -lt "$MOST" ]; do
  number=$((number + 1))
  file=$1
  shift
  set -- "$@" "$file"
  text=$(printf '%010d %s' "$number" "$TOKEN")
  sum=$(printf '%s' "$text" | sha256sum)
  sum=${sum%% *}
  [ "${#sum}" = 64 ] && printf '%s %s\n' "$text" "$sum" >> "$file" && sync -d "$file" || {
    [ "${#sum}" = 64 ] && [ -n "$PERSISTS" ] || {
      say failed "$number"
      exit 1
    }
    say again "$number"
    persist
  }
  now=
  read -r now _ 2>/dev/null < /proc/uptime || :
  say durable "$number${now:+ $now}"
  [ -z "$PAUSE" ] || sleep "$PAUSE"
done
say full
while :; do sleep 3600 & wait "$!"; done
