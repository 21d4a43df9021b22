#!/usr/bin/env bash
# Ends the processes of a control plane and removes its folder, however the run that started them ends.
# usage: guard.sh FOLDER, with one process id a line on standard input. The end of the input, which a killed run cannot
# prevent, is the signal. SIGKILL is enough: the folder holds all that the processes leave behind.
set -u
trap '' INT TERM HUP

folder="$1"
pids=''
while read -r pid; do pids="$pids $pid"; done
for pid in $pids; do kill -KILL "$pid" 2>/dev/null; done
for pid in $pids; do
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
done
rm -rf "$folder"
