# Functions for files of $PIECE bytes in $FOLDER: random, so that no storage makes them smaller.
export LC_ALL=C
say() { printf 'storage-acceptance: %s\n' "$*"; }
# Bytes that the file system shows: all of it, and what is free.
shown() {
  # shellcheck disable=SC2046  # its columns
  set -- $(df -Pk "$FOLDER" | tail -n 1)
  echo "$(($2 * 1024)) $(($4 * 1024))"
}
# Writes file $1, makes it durable, and says its checksum; else $trouble is why not, in the words of dd: it alone writes to the
# volume, since a tee may have a word of its own for every error.
write_piece() {
  said=$({ { head -c "$PIECE" /dev/urandom | tee /dev/fd/3 2>/dev/null | dd of="$FOLDER/$1" bs=65536 conv=fsync 2>&4; } 3>&1 |
    sha256sum; } 4>&1)
  trouble=$(printf '%s\n' "$said" | grep -v -E '^[0-9a-f]{64}  -$| records (in|out)$| copied')
  if [ -z "$trouble" ] && [ "$(stat -c %s "$FOLDER/$1")" -ne "$PIECE" ]; then
    trouble="only $(stat -c %s "$FOLDER/$1") bytes of $PIECE were written, without an error"
  fi
  [ -z "$trouble" ] || return 1
  say wrote "$1" "$(printf '%s\n' "$said" | grep -o -E '^[0-9a-f]{64}')"
}
