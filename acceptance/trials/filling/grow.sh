# Waits until the file system shows $WANTED bytes, for $SECONDS_LEFT at the most, and then writes one more file. Then it stays for
# as long: without a pod that uses the volume, the node may never come to report the new size.
cd "$FOLDER" || exit 1
began=$(date +%s)
while sizes=$(shown) && [ "${sizes%% *}" -lt "$WANTED" ] && [ "$(($(date +%s) - began))" -lt "$SECONDS_LEFT" ]; do sleep 1; done
say shows "$sizes"
if [ "${sizes%% *}" -lt "$WANTED" ]; then
  say stopped small
else
  write_piece "$PREFIX-1" || say stopped full "$(printf '%s' "$trouble" | tr '\n' ' ')"
fi
say tried
sleep "$SECONDS_LEFT"
