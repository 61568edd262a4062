#!/usr/bin/env bash
# Makes the pictures of docs/gallery again, from scene files.
#   tools/gallery.sh [NAME…]     all of them, or those of these names
# PROGRAM=path takes another visviva than ./visviva, FOLDER=path another folder than docs/gallery.
# Needs node, Debian's chromium, and web/node_modules, which the build of the program makes.
set -euo pipefail
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..
program=$(readlink -f "${PROGRAM:-$root/visviva}")
folder=$(readlink -f "${FOLDER:-$root/docs/gallery}")
wanted=" $* "
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# run_picture NAME SCENE [options of web/screenshot.mjs]; impact_picture likewise, with a case file
is_wanted() { [ "$wanted" = "  " ] || [[ $wanted == *" $1 "* ]]; }
run_picture() {
  is_wanted "$1" || return 0
  "$program" run "$root/scenes/$2" --out "$work/$1" --quiet
  node "$root/web/screenshot.mjs" "$work/$1/report.html" "$folder/$1.webp" "${@:3}"
}
impact_picture() {
  is_wanted "$1" || return 0
  "$program" impact "$root/scenes/impact/$2" --report "$work/$1.html" >/dev/null
  node "$root/web/screenshot.mjs" "$work/$1.html" "$folder/$1.webp" "${@:3}"
}

run_picture ellipsoid lgvci/case1.json --time 992.3 --keys "5"
run_picture rounded_cube lgvci/case4.json --time 30
run_picture union lgvci/case3.json --time 30 --dark
run_picture tilted_plane lgvci/case2.json --time 30 --keys "5"
run_picture dice dice.json --time 0.3 --keys "5 + + + + +"
run_picture three_laws three_laws.json --time 0.9 --keys "5"
run_picture drilled_ball drilled_ball.json --time 12
run_picture box_of_200 box_of_200.json --time 20 --keys "c"
run_picture box_of_2000 box_of_2000.json --time 2
up="Shift+ArrowUp"
run_picture pile pile.json --time 0.8 --keys "c + + + +"
run_picture billiard_break billiard_break.json --time 0.35 --keys "$up $up + + 5"
run_picture bowling_strike bowling_strike.json --time 0.42 --keys "$up $up $up + + +"
run_picture dice_tray dice_tray.json --time 0.2 --keys "$up $up $up 5"
run_picture clicking_row clicking_row.json --time 0.5 --keys "+ + 3"
run_picture dominoes dominoes.json --time 0.9 --keys "$up $up + + c c c"
run_picture hoop hoop.json --time 1.6 --keys "+ + + 5"
run_picture coin coin.json --time 0.9 --keys "7"
run_picture marbles marbles.json --time 0.4 --keys "$up $up"
run_picture loop loop.json --time 1.27 --keys "+ + + + 3 5"
run_picture ragdoll ragdoll.json --time 1
run_picture bridge bridge.json --time 20 --keys "8 + +"
run_picture pulley_lift pulley_lift.json --time 3 --keys "-"
run_picture clock clock.json --time 9 --keys "+ + +"
run_picture car car.json --time 4.6 --keys "+ + + + + +"
run_picture newtons_cradle newtons_cradle.json --time 0.75 --keys "+"
run_picture brick_wall brick_wall.json --time 0.55 --keys "+ + + + + + + + + +"
run_picture wrecking_ball wrecking_ball.json --time 1.6 --keys "+ + + + +"
run_picture glass_plate glass_plate.json --time 0.32 --keys "+ +"
run_picture felled_tower felled_tower.json --time 2.4 --keys "+ + + + + +"
run_picture rope_bridge ropes/bridge.json --time 6.6 --keys "+ +"
run_picture rope_winch ropes/winch.json --time 4 --keys "+"
impact_picture icosahedron_tetrahedron icosahedron_tetrahedron.json --time 0.6
impact_picture hodographs figure_4.json
