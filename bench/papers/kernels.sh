#!/usr/bin/env bash
# FEMSES by threads in a group and by number of unknowns, Jacobi at 160 000 (Keating 2019); the product at 64 million points (Carrascal-Manzanares et al.);
# integration by number of elements (Banas, Plaszewski and Maciol).
#   OUT=FOLDER [BUDGET=270] [DEVICE=cuda] bash kernels.sh       result: FOLDER/kernels.tar.gz
name=kernels
# shellcheck source=bench/papers/common.sh
. "$(dirname "$0")/common.sh"
mesh
: "${Q:=1}" # part of the sizes, for trying it
unknowns() { awk -v n="$1" -v q="$Q" 'BEGIN { n = int(n * q); print n < 16 ? 16 : n }'; }
scale() { awk -v n="$1" -v q="$Q" 'BEGIN { print n * q }'; }
on=(--device "$DEVICE")
orders=(p4 p5 p6 p7 p8 p9 p10)

bench groups_kernels 20 70 femses groups "$(unknowns 2500)" "$(unknowns 10000)" "$(unknowns 40000)" kernels "${on[@]}" --seconds 0.3
bench groups_solutions 25 80 femses groups "$(unknowns 10000)" cholesky dense cg femses solutions "${on[@]}" --seconds 0.3
bench device_sizes 25 60 femses sizes rectangle device "$(unknowns 2500)" "$(unknowns 10000)" "$(unknowns 40000)" "${on[@]}" --seconds 0.3

# The sweeps wait for the device alone, the product for the processor's memory alone.
large() { bound 0 $((cores - 3)) timeout -k 3 80 "$HOOKE" bench sem stages 2d "${orders[@]}" whole --device cpu --threads $((cores - 2)) --scale 16 --seconds 0.1 --json --output "$work/sem_cpu.bench" >"$work/sem_cpu.out" 2>"$res/sem_cpu.err" && cp "$work/sem_cpu.out" "$res/sem_cpu.json"; }
if [ "$cores" -ge 8 ]; then large & fi
two=()
[ "$cores" -lt 8 ] || two=(taskset -c "$((cores - 2))-$((cores - 1))")
sweeps() { # sweeps UNKNOWNS LEAST MOST SECONDS
  step "jacobi_$1" "$2" "$3" "${two[@]}" "$HOOKE" bench femses sizes rectangle device "$(unknowns "$1")" jacobi solutions "${on[@]}" --threads 2 --seconds "$4" --json \
    --output "$work/jacobi_$1.bench"
}
sweeps 160000 25 100 2
sweeps 40000 15 30 0.3
wait
bench sem_device 12 40 sem stages 2d "${orders[@]}" whole "${on[@]}" --scale "$(scale 4)" --seconds 0.1
bench integration 12 120 integration scaling device single p2 p3 p4 p5 p6 p7 "${on[@]}" --seconds 0.05 --scale "$(scale 1)"
