# Writes pieces of $MIB MiB over the beginning of each of $TARGETS, the same on all, $PIECES of them again and again, and
# prints a word for each that is durable everywhere. What snapshots hold of it is no more than all $PIECES.
number=0
while :; do
  for target in $TARGETS; do
    said=$(dd if=/dev/urandom of="$target" bs=1048576 count="$MIB" seek=$((number % PIECES * MIB)) conv=notrunc,fsync 2>&1) ||
      { echo "$said"; exit 1; }
  done
  number=$((number + 1))
  echo written
  sleep 0.5
done
