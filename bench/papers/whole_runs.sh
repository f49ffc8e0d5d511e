#!/usr/bin/env bash
# Whole runs of the models of Huthwaite (2014) on the device; beside them FEMSES with one thread (Keating 2019), each bench on a core of its own. kernels.sh, run
# before it on the same machine, meshes the models; alone it waits for them.
#   OUT=FOLDER [BUDGET=270] [DEVICE=cuda] bash whole_runs.sh       result: FOLDER/whole_runs.tar.gz
name=whole_runs
# shellcheck source=bench/papers/common.sh
. "$(dirname "$0")/common.sh"
mesh

# serial CORE NAME WORDS...: SERIAL=0 leaves it out
serial() {
  local core=$1 step=$2
  [ "${SERIAL:-1}" = 1 ] || return 0
  OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 bound "$core" "$core" timeout -k 3 $((BUDGET - 12)) "$HOOKE" bench femses "${@:3}" --device cpu --threads 1 --json \
    --output "$work/$step.bench" >"$work/$step.out" 2>"$res/$step.err" && cp "$work/$step.out" "$res/$step.json" && say "$step: done"
}
serial $((cores - 1)) serial_dense sizes rectangle 40000 dense solutions --seconds 30 &
serial $((cores - 2)) serial_small sizes rectangle 2500 5000 10000 20000 cholesky dense dense-to-sparse cg solutions --seconds 6 &
serial $((cores - 3)) serial_kernels sizes rectangle 2500 10000 40000 kernels --seconds 0.5 &
serial $((cores - 4)) serial_sparse sizes rectangle 2500 10000 40000 cholesky cg femses solutions --seconds 6 &

mkdir -p "$work/site" "$work/models" "$work/fine"
for wheel in "$here"/h5py*.whl; do [ ! -e "$wheel" ] || python3 -m zipfile -e "$wheel" "$work/site"; done
export PYTHONPATH=$work/site
decks=(gear.inp mesh.inp weld.inp)
count() { find "$DECKS" -maxdepth 1 -name '[a-z]*.inp' | wc -l; }
while [ "$(count)" -lt 3 ] && [ "$(left)" -gt 200 ]; do sleep 1; done
while [ "$(count)" -lt 1 ] && [ "$(left)" -gt 60 ]; do sleep 1; done
for deck in "${decks[@]}"; do [ ! -e "$DECKS/$deck" ] || ln -s "$DECKS/$deck" "$work/models/$deck"; done
[ ! -e "$work/models/mesh.inp" ] || cp "$here/examples/geophysics.yaml" "$work/models/"
say "models: $(count)"

# half DECK [PART]: at twice the resolution
half() {
  [ ! -e "$work/models/$1" ] || { python3 "$here/refine.py" "$work/models/$1" "$work/fine/.$1" "${@:2}" && mv "$work/fine/.$1" "$work/fine/$1"; }
}
halves() {
  half mesh.inp
  sed -e 's/dt: 0.2 ms/dt: 0.1 ms/' -e 's/quantity: displacement}/quantity: displacement, every: 2}/' "$here/examples/geophysics.yaml" >"$work/fine/geophysics.yaml"
  half weld.inp
  half gear.inp 0.1
}
halves 2>"$res/refine.err" &
[ "$cores" -lt 8 ] || taskset -pc "0-$((cores - 5))" $$ >/dev/null
step pogo 20 "$BUDGET" python3 "$here/pogo_runs.py" "$work/models" --fine "$work/fine" --device "$DEVICE" --budget $(($(left) - 8)) --output "$res/pogo_runs.json"
while [ "$(left)" -gt 6 ] && [ -n "$(jobs -rp)" ]; do sleep 1; done
