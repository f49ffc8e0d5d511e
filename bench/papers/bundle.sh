#!/usr/bin/env bash
# Makes a folder of all that kernels.sh and whole_runs.sh need: programs of a build, the shared libraries that they and gmsh need, drawings of the models.
#   bench/papers/bundle.sh BUILD FOLDER
# Beside them, where pip finds it, a wheel of h5py for Python 3.12 (H5PY_PYTHON names another version).
set -euo pipefail
[ $# -eq 2 ] || { sed -n 3p "$0" >&2; exit 2; }
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT
mkdir -p "$part/bin" "$part/lib"

needs() { ldd "$1" | awk '/=> \//{print $3}'; }
take() { # take LIBRARY...: with what they need; the C library and drivers are those of the other machine
  local file name
  for file; do
    name=$(basename "$file")
    case "$name" in libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux* | libcuda.so.* | libOpenCL.so.* | libblas.so.* | liblapack.so.*) continue ;; esac
    [ ! -e "$part/lib/$name" ] || continue
    cp -L "$file" "$part/lib/$name"
    # shellcheck disable=SC2046
    take $(needs "$file")
  done
}
loaded() { ldconfig -p | awk -v name="$1" '$1 ~ "^" name && !found++ {print $NF}'; } # what hooke opens at run time

cp "$build/hooke" "$build/hooke-bench" "$(command -v gmsh)" "$part/bin/"
for program in "$part"/bin/*; do
  # shellcheck disable=SC2046
  LD_LIBRARY_PATH="$build" take $(LD_LIBRARY_PATH="$build" needs "$program")
done
for library in libopenblas.so.0 libmetis.so libcholmod.so libdmumps_seq; do
  file=$(loaded "$library")
  if [ -n "$file" ]; then take "$file"; else echo "bundle.sh: $library is not here: rows that need it will be missing" >&2; fi
done
ln -sf libopenblas.so.0 "$part/lib/libblas.so.3"
ln -sf libopenblas.so.0 "$part/lib/liblapack.so.3"
strip --strip-unneeded "$part"/lib/libhooke* "$part"/bin/hooke*
tar -C "$part" -cf - bin lib | xz --x86 --lzma2=preset=4 >"$out/libs.tar.xz"

cp "$source"/bench/papers/{common.sh,mesh.sh,kernels.sh,whole_runs.sh,pack_deck.py} "$source"/bench/{refine.py,pogo_runs.py} "$out/"
for model in weld gear geophysics; do
  mkdir -p "$out/examples/$model"
  cp "$source/examples/$model/make.py" "$source/examples/$model/$model.geo" "$out/examples/$model/"
done
cp "$source/examples/deck.py" "$out/examples/"
sed -e 's/^mesh: mesh_paper.inp/mesh: mesh.inp/' "$source/examples/geophysics/geophysics_paper.yaml" >"$out/examples/geophysics.yaml"
python3 -m pip download -q --no-deps --only-binary=:all: --python-version "${H5PY_PYTHON:-3.12}" --platform manylinux_2_28_x86_64 -d "$out" h5py ||
  echo "bundle.sh: no wheel of h5py: the other machine must have it" >&2
du -sh "$out"
