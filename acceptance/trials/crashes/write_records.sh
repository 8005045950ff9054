# Appends numbered records to $LEDGER, each made durable before its number is printed. TERM is heard only where
# $HEEDS_TERM says so: who ends this pod without grace must really end it.
trap '' TERM
[ -z "$HEEDS_TERM" ] || trap 'exit 0' TERM
say() { printf 'storage-acceptance: %s\n' "$*"; }
for tool in sha256sum sync; do
  command -v "$tool" > /dev/null || { say lacks "$tool"; exit 1; }
done
[ ! -e "$LEDGER" ] && : > "$LEDGER" && sync "$LEDGER" || { say refused; exit 1; }
# So that its name is durable too. File systems that cannot do this to a folder do it with the file.
sync "${LEDGER%/*}" 2>/dev/null || :
number=0
while [ "$number" -lt "$MOST" ]; do
  number=$((number + 1))
  text=$(printf '%010d %s' "$number" "$TOKEN")
  sum=$(printf '%s' "$text" | sha256sum)
  sum=${sum%% *}
  [ "${#sum}" = 64 ] && printf '%s %s\n' "$text" "$sum" >> "$LEDGER" && sync -d "$LEDGER" || {
    say failed "$number"
    exit 1
  }
  say durable "$number"
done
say full
while :; do sleep 3600 & wait "$!"; done
