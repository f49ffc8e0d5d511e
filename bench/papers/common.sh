#!/usr/bin/env bash
# What kernels.sh and whole_runs.sh share; they source it after they have set `name`. OUT: folder of results; BUDGET: seconds of the whole script; DEVICE.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${OUT:?OUT=FOLDER for results}" "${BUDGET:=270}" "${DEVICE:=cuda}" "${name:?}"
mkdir -p "$OUT"
begin=$(date +%s)
left() { echo $((BUDGET - ($(date +%s) - begin))); }
work=$(mktemp -d "${WORK:-/dev/shm}/papers.XXXXXX" || mktemp -d /tmp/papers.XXXXXX)
res=$work/res
mkdir -p "$res"
say() { echo "[$(($(date +%s) - begin)) s] $*" | tee -a "$res/log"; }
python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1], "r:xz").extractall(sys.argv[2])' "$here/libs.tar.xz" "$work"

# wrap PROGRAM FOLDER: FOLDER/PROGRAM runs FOLDER/bin/PROGRAM with the libraries of the bundle, which other programs are not to see
wrap() {
  cat >"$2/$1" <<END
#!/usr/bin/env bash
LD_LIBRARY_PATH="$2/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}" exec "$2/bin/$1" "\$@"
END
  chmod +x "$2/$1"
}
wrap hooke "$work"
export HOOKE=$work/hooke XDG_CACHE_HOME=$work/cache DECKS=${DECKS:-/tmp/hooke_papers}
cores=$(nproc)
command -v taskset >/dev/null || cores=1 # nothing is bound then

# bound FIRST LAST COMMAND...: on these cores, where there are enough
bound() { if [ "$cores" -ge 8 ]; then taskset -c "$1-$2" "${@:3}"; else "${@:3}"; fi; }

# The models are meshed beside all else, also after this script has ended.
mesh() {
  [ ! -e "$DECKS/started" ] || return 0
  mkdir -p "$DECKS/tool"
  touch "$DECKS/started"
  cp -r "$work/bin" "$work/lib" "$DECKS/tool/"
  wrap hooke "$DECKS/tool"
  wrap gmsh "$DECKS/tool"
  setsid nohup bash "$here/mesh.sh" >"$DECKS/mesh.log" 2>&1 </dev/null &
  disown
}

# The rows of benches that did not end are in rows.jsonl.
collect() {
  local rows step
  for rows in "$work"/*.bench/rows.jsonl; do
    step=$(basename "$(dirname "$rows")" .bench)
    [ ! -s "$rows" ] || [ -s "$res/$step.json" ] || cp "$rows" "$res/$step.jsonl"
  done
  tar -C "$res" -czf "$OUT/$name.tar.gz" .
}

finish() {
  local job
  trap - EXIT
  for job in $(jobs -p); do pkill -P "$job" || true; done
  wait
  cp "$DECKS"/*.log "$DECKS/log" "$res/" 2>/dev/null
  collect
  cp "$DECKS"/*.deck "$OUT/" 2>/dev/null
  rm -rf "$work"
}
trap finish EXIT

# step NAME LEAST MOST COMMAND...: what it prints becomes NAME.json. Left out where fewer than LEAST seconds are left, ended after MOST.
step() {
  local step=$1 least=$2 most=$3 rc room start
  shift 3
  room=$(($(left) - 4)) start=$(date +%s)
  [ "$room" -ge "$least" ] || { say "$step: left out" && return; }
  timeout -k 3 $((most < room ? most : room)) "$@" >"$work/$step.out" 2>"$res/$step.err" && rc=0 || rc=$?
  [ $rc != 0 ] || [ ! -s "$work/$step.out" ] || cp "$work/$step.out" "$res/$step.json"
  say "$step: exit $rc, $(($(date +%s) - start)) s; $(tail -1 "$res/$step.err" | cut -c1-160)"
  collect
}

# bench NAME LEAST MOST WORDS...
bench() { step "$1" "$2" "$3" "$HOOKE" bench "${@:4}" --json --output "$work/$1.bench"; }

{ nvidia-smi -L && lscpu | grep -E 'Model name|NUMA node\(s\)|^CPU\(s\)'; } >"$res/machine.txt" 2>&1
say "unpacked, $cores cores"
