# Shows that the volume takes a durable write again, and prints the records that are on it.
say() { printf 'storage-acceptance: %s\n' "$*"; }
printf '%s\n' "$TOKEN" > "$PROBE" && sync "$PROBE" || { say failed; exit 1; }
say written
[ -e "$LEDGER" ] || { say missing; exit 0; }
say records
head -c "$LIMIT" "$LEDGER" || { say unreadable; exit 1; }
printf '\nstorage-acceptance: end\n'
