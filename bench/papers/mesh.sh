#!/usr/bin/env bash
# Meshes the three models of Huthwaite (2014) into $DECKS, each on a core of its own, with the programs in $DECKS/tool, and packs them. PAPER= takes the small models.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${DECKS:?}"
export PATH=$DECKS/tool:$PATH HOOKE=$DECKS/tool/hooke OMP_NUM_THREADS=1
words=()
[ -z "${PAPER-yes}" ] || words=(--paper)

# one EXAMPLE DECK
one() {
  local start
  start=$(date +%s)
  python3 "$here/examples/$1/make.py" "${words[@]}" "$DECKS/.$2" >"$DECKS/$1.log" 2>&1 && mv "$DECKS/.$2" "$DECKS/$2" || return
  echo "$1: meshed in $(($(date +%s) - start)) s" >>"$DECKS/log"
  python3 "$here/pack_deck.py" pack "$DECKS/$2" "$DECKS/.$2.deck" 2>>"$DECKS/$1.log" && mv "$DECKS/.$2.deck" "$DECKS/$2.deck"
}
one gear gear.inp &
one geophysics mesh.inp &
one weld weld.inp &
wait
