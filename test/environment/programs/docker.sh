#!/bin/sh
# Stands in for `docker` and `podman` where no engine runs: sh docker.sh STATE ARGUMENTS. Keeps containers as folders of STATE, records
# its arguments, and executes commands in the container's work folder, without the variables and the process group of its caller.
state=$1
shift
mkdir -p "$state/calls" "$state/containers"
printf '%s\0' "$@" >"$(mktemp "$state/calls/$(date +%s%N).XXXXXX")"
if [ "$1" = --version ]; then
  cat "$state/version" 2>/dev/null || echo 'Docker version 29.1.0, build 0000000'
  exit
fi
mode=$(cat "$state/mode" 2>/dev/null)
case $mode in
down)
  echo 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?' >&2
  exit 1
  ;;
*) ;;
esac
plain='env -i PATH=/usr/local/bin:/usr/bin:/bin'
exec 3<&0
verb=$1
shift

case $verb in
ps)
  ls "$state/containers"
  ;;

run)
  work=
  while [ "$1" != -- ]; do
    case $1 in
    --rm | -i | --init | --read-only*) shift ;;
    --name) name=$2 && shift 2 ;;
    --workdir) work=$2 && shift 2 ;;
    --tmpfs)
      place=${2%%:*}
      [ "$place" = /tmp ] || mkdir -p "$place"
      shift 2
      ;;
    --mount)
      source=${2#*source=} && target=${2##*target=}
      ln -s "${source%%,*}" "$target"
      shift 2
      ;;
    *) shift 2 ;;
    esac
  done
  image=$2
  shift 2
  if [ "$image" = absent ]; then
    echo "Unable to find image 'absent:latest' locally" >&2
    exit 125
  fi
  here=$state/containers/$name
  mkdir "$here" && echo "$work" >"$here/work"
  [ "$mode" != slow ] || exec sleep 1000
  # shellcheck disable=SC2016,SC2086
  setsid $plain sh -c 'here=$1; shift; echo $$ >"$here/pid"; sh "$@"; rm -rf "$here"' sh "$here" "$@" <&3 3<&- &
  wait $!
  ;;

exec)
  mark=
  while [ "$1" != -- ]; do
    case $1 in
    -i) shift ;;
    --workdir) work=$2 && shift 2 ;;
    --env) mark=$2 && shift 2 ;;
    *) exit 125 ;;
    esac
  done
  here=$state/containers/$2
  name=$2
  shift 2
  if [ ! -d "$here" ]; then
    echo "Error response from daemon: No such container: $name" >&2
    exit 1
  fi
  case $work in
  / | "$(cat "$here/work")" | "$(cat "$here/work")"/*) cd "$work" || exit 126 ;;
  *) exit 126 ;;
  esac
  if ! command -v "$1" >/dev/null; then
    echo "OCI runtime exec failed: exec: \"$1\": executable file not found in \$PATH" >&2
    exit 127
  fi
  # shellcheck disable=SC2086
  setsid $plain ${mark:+"$mark"} "$@" <&3 3<&- &
  echo $! >>"$here/commands"
  wait $!
  ;;

rm)
  while [ "$1" != -- ]; do shift; done
  shift
  for name in "$@"; do
    here=$state/containers/$name
    if [ ! -d "$here" ]; then
      echo "Error response from daemon: No such container: $name" >&2
      code=1
      continue
    fi
    for pid in $(cat "$here/pid" "$here/commands" 2>/dev/null); do kill -s KILL -- "-$pid" 2>/dev/null; done
    rm -rf "$here"
  done
  exit ${code:-0}
  ;;

*) exit 125 ;;
esac
