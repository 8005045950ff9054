# Prints each file of $LEDGER as it is, after a line that says how many bytes follow.
# shellcheck disable=SC2086  # no path of it has a blank
for file in $LEDGER; do
  size=0
  [ ! -e "$file" ] || size=$(stat -c %s "$file") || { echo "cannot read $file"; exit 1; }
  [ "$size" -le "$LIMIT" ] || size=$LIMIT
  printf 'storage-acceptance: file %s\n' "$((size))"
  [ "$size" -eq 0 ] || head -c "$size" "$file" || { echo "cannot read $file"; exit 1; }
  printf '\n'
done
