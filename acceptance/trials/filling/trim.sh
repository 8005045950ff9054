# Removes all files of $FOLDER, and says how it is mounted, and how many bytes went. Then it stays for $SECONDS_LEFT at the most,
# and has the journal written each second: only then a file system discards the blocks of files that are gone.
cd "$FOLDER" || exit 1
while read -r device path kind options rest; do [ "$path" != "$FOLDER" ] || say mounted "$kind,$options"; done < /proc/mounts
bytes=0
for file in *-*; do
  [ -e "$file" ] || continue
  size=$(stat -c %s "$file")
  rm "$file" && bytes=$((bytes + size))
done
say removed "$bytes"
began=$(date +%s)
while [ "$(($(date +%s) - began))" -lt "$SECONDS_LEFT" ]; do
  sync -f "$FOLDER" 2> /dev/null || sync
  sleep 1
done
