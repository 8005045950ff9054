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
exec glusterd --no-daemon --volfile "${state}/glusterd.vol" --log-file /var/log/glusterfs/glusterd.log \
    --pid-file /var/run/gluster/glusterd.pid --socket-file /var/run/gluster/glusterd.sock
