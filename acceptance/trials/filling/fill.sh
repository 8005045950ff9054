# Removes the files $REMOVE, then writes files called $PREFIX-1 and so on until one fails. Nothing is written where the file
# system shows more than $SHOWN_MOST bytes, or less than $FREE_LEAST percent of them as free, and never more than $MOST bytes;
# after $SECONDS_LEFT no file is begun.
cd "$FOLDER" || exit 1
# shellcheck disable=SC2086  # names of its own
[ -z "$REMOVE" ] || { rm $REMOVE && sync .; } || { say stopped broken "files could not be removed"; exit 0; }
sizes=$(shown)
say shows "$sizes"
[ "${sizes%% *}" -le "$SHOWN_MOST" ] || { say stopped shows-more; exit 0; }
[ "$((${sizes##* } / 1024 * 100))" -ge "$((${sizes%% *} / 1024 * FREE_LEAST))" ] || { say stopped used; exit 0; }
began=$(date +%s) number=0 bytes=0
while [ "$((bytes + PIECE))" -le "$MOST" ]; do
  [ "$(($(date +%s) - began))" -lt "$SECONDS_LEFT" ] || { say stopped late; exit 0; }
  number=$((number + 1))
  write_piece "$PREFIX-$number" || { say stopped full "$(printf '%s' "$trouble" | tr '\n' ' ')"; exit 0; }
  bytes=$((bytes + PIECE))
done
say stopped bound
