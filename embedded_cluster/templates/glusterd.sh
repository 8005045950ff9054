# GlusterFS has fixed folders. In a mount namespace of their own, they are this cluster's.
set -eu
# The namespace also got copies of other clusters' mounts and of what is mounted for a while, as a test's disks are. They
# would outlive their removal here, and keep disks and whoever serves them from ending.
awk '$2 ~ "^((/run|/var/lib)/storage-acceptance|/tmp)/" { print $2 }' /proc/self/mounts | tac | while read -r mount; do
    umount --lazy "$mount" || true
done
mount --bind "${state}/lib" /var/lib/glusterd
mount --bind "${state}/log" /var/log/glusterfs
mount --bind "${run}" /var/run/gluster
# Geo-replication is not used, and setting it up starts Python a dozen times, for seconds. A script whose interpreter does
# not exist is to glusterd a program that is not installed.
printf '#!/nonexistent\n' > "${state}/no-gsyncd"
chmod 0755 "${state}/no-gsyncd"
for gsyncd in /usr/lib/*/glusterfs/gsyncd /usr/libexec/glusterfs/gsyncd; do
    if [ -e "$gsyncd" ]; then mount --bind "${state}/no-gsyncd" "$gsyncd"; fi
done
exec glusterd --no-daemon --volfile "${state}/glusterd.vol" --log-file /var/log/glusterfs/glusterd.log \
    --pid-file /var/run/gluster/glusterd.pid --socket-file /var/run/gluster/glusterd.sock
