# Finds PostgreSQL's programs, wherever the image has them. All the other scripts begin with this one.
say() { printf 'storage-acceptance: %s\n' "$*"; }
for folder in /usr/lib/postgresql/*/bin /usr/local/pgsql/bin; do
  [ ! -d "$folder" ] || PATH=$folder:$PATH
done
for tool in postgres initdb pg_ctl pgbench psql pg_amcheck pg_checksums; do
  command -v "$tool" > /dev/null || { say lacks "$tool"; exit 1; }
done
export LC_ALL=C PGHOST=/tmp PGDATABASE=postgres PGUSER=postgres
# initdb asks for the name of its user, and a cluster may give pods a user that no image has heard of.
user=$(id -u)
if ! grep -q "^[^:]*:[^:]*:$user:" /etc/passwd; then
  for wrapper in /usr/lib/*/libnss_wrapper.so /usr/lib*/libnss_wrapper.so; do
    [ ! -e "$wrapper" ] || break
  done
  [ -e "$wrapper" ] || { say lacks libnss_wrapper.so; exit 1; }
  printf 'postgres:x:%s:%s::/tmp:/bin/sh\n' "$user" "$(id -g)" > /tmp/passwd
  printf 'postgres:x:%s:\n' "$(id -g)" > /tmp/group
  export LD_PRELOAD="$wrapper" NSS_WRAPPER_PASSWD=/tmp/passwd NSS_WRAPPER_GROUP=/tmp/group
fi
