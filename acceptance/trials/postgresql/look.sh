# Says which PostgreSQL the image has; what it lacks was said before.
say version "$(postgres --version | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)"
