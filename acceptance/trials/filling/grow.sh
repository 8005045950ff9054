# Waits until the file system shows $WANTED bytes, for $SECONDS_LEFT at the most, and then writes one more file.
cd "$FOLDER" || exit 1
began=$(date +%s)
while sizes=$(shown) && [ "${sizes%% *}" -lt "$WANTED" ] && [ "$(($(date +%s) - began))" -lt "$SECONDS_LEFT" ]; do sleep 1; done
say shows "$sizes"
[ "${sizes%% *}" -ge "$WANTED" ] || { say stopped small; exit 0; }
write_piece "$PREFIX-1" || say stopped full "$(printf '%s' "$trouble" | tr '\n' ' ')"
