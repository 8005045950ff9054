# Says the checksum of each file in $FOLDER, as the storage has it and not the page cache, where that can be had.
cd "$FOLDER" || exit 1
for file in *-*; do
  [ -e "$file" ] || continue
  dd if="$file" iflag=nocache count=0 > /dev/null 2>&1 || :
  sum=$(sha256sum "$file" 2>&1) && say holds "$file" "${sum%% *}" || say unreadable "$file" "$(printf '%s' "$sum" | tr '\n' ' ')"
done
say verified
